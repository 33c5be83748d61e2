"""The shim: other people's imports lead to pyw2v, and back."""

import importlib
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import textwrap

import pytest

import pyw2v
from pyw2v import compat

NAMES = """
gensim.models Word2Vec FastText KeyedVectors Phrases
gensim.models.word2vec Word2Vec LineSentence PathLineSentences Text8Corpus BrownCorpus FAST_VERSION
gensim.models.word2vec MAX_WORDS_IN_BATCH
gensim.models.keyedvectors KeyedVectors Word2VecKeyedVectors EuclideanKeyedVectors Vocab
gensim.models.keyedvectors load_word2vec_format pseudorandom_weak_vector prep_vectors
gensim.models.fasttext FastText FastTextKeyedVectors load_facebook_model load_facebook_vectors
gensim.models.fasttext save_facebook_model ft_ngram_hashes ft_hash_bytes compute_ngrams
gensim.models.fasttext compute_ngrams_bytes
gensim.models.phrases Phrases FrozenPhrases Phraser ENGLISH_CONNECTOR_WORDS original_scorer
gensim.models.phrases npmi_scorer
gensim.models.callbacks CallbackAny2Vec
gensim.utils SaveLoad simple_preprocess tokenize to_unicode any2unicode any2utf8 RULE_KEEP
gensim.utils RULE_DISCARD RULE_DEFAULT keep_vocab_item prune_vocab save_as_line_sentence
gensim.matutils unitvec argsort zeros_aligned
gensim.test.utils common_texts
fasttext train_supervised train_unsupervised load_model tokenize
fasttext.util reduce_model download_model
"""


@pytest.mark.usefixtures("no_gensim", "shim")
@pytest.mark.parametrize("line", NAMES.strip().splitlines())
def test_names_resolve_without_gensim(line):
    module, *names = line.split()
    imported = importlib.import_module(module)
    assert all(hasattr(imported, name) for name in names)


@pytest.mark.usefixtures("no_gensim", "shim")
def test_classes_are_pyw2vs():
    import gensim
    from gensim.models import Word2Vec

    assert Word2Vec is pyw2v.Word2Vec is gensim.models.word2vec.Word2Vec
    assert gensim.__version__.startswith("4.")


@pytest.mark.usefixtures("no_gensim", "shim")
@pytest.mark.parametrize("package", compat.PACKAGES)
def test_metadata_tell_the_version_that_is_stood_in_for(package):
    assert importlib.metadata.version(package) == compat.VERSIONS[package]
    assert importlib.metadata.metadata(package)["Name"] == package
    assert importlib.metadata.version("pytest") == pytest.__version__


@pytest.mark.usefixtures("no_gensim", "shim")
def test_what_pyw2v_lacks_is_an_import_error_that_says_so():
    with pytest.raises(ImportError, match=r"does not provide gensim\.models\.LdaModel"):
        from gensim.models import LdaModel  # noqa: F401 (that it can be imported)
    with pytest.raises(ImportError, match=r"does not provide gensim\.models\.ldamodel"):
        import gensim.models.ldamodel
    with pytest.raises(ImportError, match=r"does not provide gensim\.corpora"):
        from gensim import corpora  # noqa: F401 (that it can be imported)
    import gensim

    assert not hasattr(gensim.utils, "no_such_thing")


@pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="needs gensim")
@pytest.mark.filterwarnings("ignore")
def test_what_pyw2v_lacks_comes_from_the_real_gensim(shim):
    from gensim import corpora, utils
    from gensim.models import LdaModel, Word2Vec
    from gensim.models.doc2vec import Doc2Vec

    texts = [["a", "b"], ["b", "c"]] * 4
    dictionary = corpora.Dictionary(texts)
    lda = LdaModel([dictionary.doc2bow(text) for text in texts], num_topics=2, id2word=dictionary)
    assert lda.num_topics == 2
    assert Word2Vec is pyw2v.Word2Vec
    assert not issubclass(Doc2Vec, pyw2v.Word2Vec)  # of the real one's own world
    assert utils.flatten([[1], [2]]) == [1, 2]


@pytest.mark.usefixtures("no_gensim")
def test_install_and_uninstall_leave_no_trace():
    before = list(sys.meta_path)
    compat.install("gensim")
    compat.install("gensim")
    assert compat.installed() == ("gensim",)
    importlib.import_module("gensim")
    compat.uninstall()
    compat.uninstall()
    assert sys.meta_path == before
    assert compat.installed() == ()
    assert not any(name.partition(".")[0] in compat.PACKAGES for name in sys.modules)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gensim")


def test_modules_imported_before_are_back_afterwards(monkeypatch):
    module = type(sys)("fasttext")
    monkeypatch.setitem(sys.modules, "fasttext", module)
    compat.install("fasttext")
    assert importlib.import_module("fasttext") is not module
    compat.uninstall("fasttext")
    assert importlib.import_module("fasttext") is module


def test_unknown_packages_are_refused():
    with pytest.raises(ValueError, match="must be among fasttext, gensim, got 'spacy'"):
        compat.install("spacy")


@pytest.mark.usefixtures("no_gensim", "shim")
def test_a_name_set_in_fasttext_counts():
    import fasttext

    fasttext.FastText.eprint = print  # a habit of its users, against its warnings
    assert pyw2v.fasttext.FastText.eprint is print
    del fasttext.FastText.eprint


def run(*arguments):
    command = [sys.executable, "-m", "pyw2v.compat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


PROGRAM = """
    import sys
    from gensim.models import Word2Vec
    from gensim.test.utils import common_texts

    model = Word2Vec(common_texts, vector_size=4, min_count=1, workers=1)
    print(Word2Vec.__module__, len(model.wv), __name__, sys.argv[1:])
"""


def test_a_script_runs_on_pyw2v(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(PROGRAM))
    done = run(script, "-x", "1")
    assert done.stdout == "pyw2v.word2vec 12 __main__ ['-x', '1']\n", done.stderr


def test_a_module_runs_on_pyw2v(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    done = run("--only", "gensim", "-m", "program")
    assert done.stdout == "pyw2v.word2vec 12 __main__ []\n", done.stderr


@pytest.mark.usefixtures("no_gensim", "shim")
def test_helpers_do_what_gensims_do(tmp_path):
    from gensim import matutils, utils

    assert utils.simple_preprocess("The Čau 2nd x Ünder_score!", deacc=True) == [
        *("the", "cau", "nd", "under_score"),
    ]
    vocab = {"a": 1, "b": 3}
    assert utils.prune_vocab(vocab, 2) == 1
    assert vocab == {"b": 3}
    path = tmp_path / "lines.txt"
    utils.save_as_line_sentence([["a", "b"], ["c"]], path)
    assert path.read_text() == "a b\nc\n"
    assert list(matutils.argsort([3, 1, 2], topn=2, reverse=True)) == [0, 2]
    assert matutils.unitvec([(0, 3.0), (1, 4.0)]) == [(0, 0.6), (1, 0.8)]

    class Mine(utils.SaveLoad):
        def __init__(self):
            self.value = 1

    Mine.__qualname__ = "SavedByTest"
    globals()["SavedByTest"] = Mine
    Mine().save(tmp_path / "mine")
    assert Mine.load(tmp_path / "mine").value == 1


def test_gensims_scripts_run(tmp_path):
    glove, vectors = tmp_path / "glove.txt", tmp_path / "vectors.txt"
    glove.write_text("a 1 2\nb 3 4\n")
    done = run("-m", "gensim.scripts.glove2word2vec", "-i", glove, "-o", vectors)
    assert vectors.read_text() == "2 2\na 1 2\nb 3 4\n", done.stderr
    run("-m", "gensim.scripts.word2vec2tensor", "-i", vectors, "-o", tmp_path / "tensor")
    assert (tmp_path / "tensor_tensor.tsv").read_text() == "1.0\t2.0\n3.0\t4.0\n"
    assert (tmp_path / "tensor_metadata.tsv").read_text() == "a\nb\n"
    corpus, output = tmp_path / "corpus.txt", tmp_path / "out.txt"
    corpus.write_text("a b c\n" * 9)
    name = "gensim.scripts.word2vec_standalone"
    done = run("-m", name, "-train", corpus, "-output", output, "-size", 3, "-cbow", 0)
    assert output.read_text().startswith("3 3\n"), done.stderr
