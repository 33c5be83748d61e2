"""What other people's packages need of the shim and of our objects, without these packages."""

import gzip
import hashlib
import importlib
import importlib.util
import io
import json
import pickle
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText, KeyedVectors, Word2Vec
from pyw2v.fasttext_model import FastTextKeyedVectors
from pyw2v.io.gensim_format import ForbiddenNameError

TEXTS = [["red", "green", "blue"], ["blue", "sky", "red"]] * 5
W2V = {"vector_size": 4, "min_count": 1, "workers": 1}
FT = {"vector_size": 4, "min_count": 1, "bucket": 50, "workers": 1}

# The real packages are hidden, as if they were not installed.
HIDDEN = """
    import sys

    class Hide:
        def find_spec(self, name, path=None, target=None):
            if name in ("gensim", "fasttext"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    from pyw2v import compat
    from pyw2v.compat import _imports
    _imports.real_folders = lambda package: []
    sys.meta_path.insert(0, Hide())
    compat.install()
"""


def run(program):
    code = textwrap.dedent(HIDDEN) + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_topic_models_of_other_people_have_their_base_class():
    printed = run("""
        from gensim.models.basemodel import BaseTopicModel

        class Mine(BaseTopicModel):
            def show_topic(self, topicno, topn):
                return [("sea", 0.5), ("ship", 0.25)][:topn]

            def show_topics(self, num_topics, num_words, log):
                return [(0, self.print_topic(0, num_words))][:num_topics]

        print(Mine().print_topics(1, 2))
        try:
            Mine().get_topics()
        except NotImplementedError as error:
            print(error)
    """)
    assert printed.splitlines() == [
        """[(0, '0.500*"sea" + 0.250*"ship"')]""",
        "Mine does not implement get_topics()",
    ]


def test_modules_are_importable_without_the_packages():
    printed = run("""
        import fasttext.tests
        import gensim.downloader as api
        from gensim import downloader, similarities
        from gensim.similarities.annoy import AnnoyIndexer

        print(api.load is downloader.load, AnnoyIndexer.__module__)
        for module, name in ((similarities, "MatrixSimilarity"), (fasttext.tests, "gen_tests")):
            try:
                getattr(module, name)
            except ImportError as error:
                print(error)
    """)
    first, second, third = printed.splitlines()
    assert first == "True gensim.similarities.annoy"
    assert "does not provide gensim.similarities.MatrixSimilarity" in second
    assert "does not provide fasttext.tests.test_script" in third


def test_tests_of_the_real_package_are_loaded_among_ours(tmp_path):
    folder = tmp_path / "fasttext" / "tests"
    folder.mkdir(parents=True)
    (tmp_path / "fasttext" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("")
    source = "import fasttext\nfrom fasttext.tests.names import X\ndef gen_tests(): return X"
    (folder / "test_script.py").write_text(source)
    (folder / "names.py").write_text("X = 1")
    program = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from pyw2v import compat
        compat.install("fasttext")
        import fasttext.tests.test_script as script
        print(script.fasttext.train_supervised.__module__, script.fasttext.tests.gen_tests())
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "pyw2v.fasttext.FastText 1\n", done.stderr


@pytest.fixture
def downloader(tmp_path, monkeypatch):
    """The module, and a folder in place of the web."""
    web = tmp_path / "web"
    vectors = gzip.compress(b"2 2\nred 1 2\nblue 3 4\n")
    parts = [vectors[:20], vectors[20:]]
    names = {"whole.gz": vectors, "__init__.py": b"def load_data(): raise SystemExit"}
    for name, content in names.items():
        (web / "whole").mkdir(parents=True, exist_ok=True)
        (web / "whole" / name).write_bytes(content)
    (web / "halves").mkdir()
    (web / "halves" / "__init__.py").write_bytes(b"")
    for i, part in enumerate(parts):
        (web / "halves" / f"halves.gz_0{i}").write_bytes(part)

    def md5(content):
        return hashlib.md5(content, usedforsecurity=False).hexdigest()

    about = {
        "corpora": {"other": {"parts": 1, "checksum": "", "file_name": "other.gz"}},
        "models": {
            "whole": {"parts": 1, "checksum": md5(vectors), "file_name": "whole.gz"},
            "halves": {"parts": 2, "file_name": "halves.gz", "latest": False}
            | {f"checksum-{i}": md5(part) for i, part in enumerate(parts)},
        },
    }
    (web / "list.json").write_text(json.dumps(about))
    module = importlib.import_module("pyw2v.compat.gensim.downloader")
    monkeypatch.setattr(module, "BASE_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(module, "DATA_LIST_URL", (web / "list.json").as_uri())
    monkeypatch.setattr(module, "DOWNLOAD_BASE_URL", web.as_uri())
    return module, web


@pytest.mark.parametrize("name", ["whole", "halves"])
def test_vectors_are_downloaded_and_read(downloader, name):
    module, web = downloader
    kv = module.load(name)
    assert_array_equal(kv["blue"], [3, 4])
    path = module.load(name, return_path=True)
    assert path.endswith(f"data/{name}/{name}.gz".replace("/", path[-len(name) - 4]))
    for file in (web / name).iterdir():
        file.unlink()
    assert_array_equal(module.load(name)["red"], [1, 2])  # from the folder


def test_the_list_of_names_works_without_network(downloader, monkeypatch):
    module, web = downloader
    assert module.info(name_only=True) == {"corpora": ["other"], "models": ["whole", "halves"]}
    assert list(module.info()["models"]) == ["whole"]
    (web / "list.json").unlink()
    assert module.info("halves")["parts"] == 2
    with pytest.raises(ValueError, match="Incorrect model/corpus name: 'nothing'"):
        module.load("nothing")
    monkeypatch.setattr(module, "BASE_DIR", str(web / "empty"))
    with pytest.raises(OSError, match="cannot be read, nor is there"):
        module.info()


def test_a_damaged_download_leaves_nothing_behind(downloader, tmp_path):
    module, web = downloader
    (web / "whole" / "whole.gz").write_bytes(b"something else")
    with pytest.raises(OSError, match=r"whole\.gz has the checksum .*: try again"):
        module.load("whole")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["information.json"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64])
@pytest.mark.parametrize("norm", ["l1", "l2", "unique"])
def test_unit_vectors_keep_their_precision(dtype, norm):
    matutils = importlib.import_module("pyw2v.compat.gensim.matutils")
    sparse = pytest.importorskip("scipy.sparse")
    vector = np.array([3, 0, 4], dtype)
    expected = np.float64 if dtype == np.int64 else dtype
    unit = matutils.unitvec(vector, norm)
    assert unit.dtype == expected
    assert_allclose(unit, vector / {"l1": 7, "l2": 5, "unique": 2}[norm], rtol=1e-3)
    if dtype != np.float16:  # which SciPy does not have
        rows = matutils.unitvec(sparse.csr_matrix(vector), norm)
        assert rows.dtype == expected
        assert_allclose(rows.toarray()[0], unit)


# -- vectors_ngrams ------------------------------------------------------------------------------


def test_ngrams_are_none_before_the_vocabulary_is_built(tmp_path):
    model = FastText(**FT)
    assert model.wv.vectors_ngrams is None
    assert FastTextKeyedVectors(4, 3, 6, 50).vectors_ngrams is None
    model.save(tmp_path / "model")
    assert FastText.load(tmp_path / "model").wv.vectors_ngrams is None
    model.build_vocab(TEXTS)
    assert model.wv.vectors_ngrams.shape == (50, 4)
    model.save(tmp_path / "model")
    assert FastText.load(tmp_path / "model").wv.vectors_ngrams.shape == (50, 4)


@pytest.mark.parametrize("value", [None, []])
def test_anything_can_stand_for_the_ngrams_but_not_be_used(value, tmp_path):
    model = FastText(TEXTS, **FT)
    before = model.wv["red"].copy()
    model.wv.vectors_ngrams = value
    assert model.wv.vectors_ngrams is value
    assert_array_equal(model.wv["red"], before)
    assert model.wv.most_similar("red")
    for use in (
        lambda: model.wv["unseen"],
        model.wv.adjust_vectors,
        lambda: model.wv.quantize("float16"),
        lambda: model.train(TEXTS, total_examples=10, epochs=1),
    ):
        with pytest.raises(ValueError, match=r"vectors_ngrams is .*must be a matrix of 50 rows"):
            use()
    with pytest.raises(TypeError, match=r"vectors_ngrams is a .*, where a file can only hold"):
        model.wv.save(tmp_path / "vectors")


def test_other_arrays_can_be_put_in_place_of_the_ngrams(tmp_path):
    model = FastText(TEXTS, **FT)
    rows = np.memmap(tmp_path / "rows", np.float32, "w+", shape=(50, 4))
    rows[:] = 2
    model.wv.vectors_ngrams = rows
    assert model.wv.vectors_ngrams is rows
    assert_array_equal(model.wv["unseen"], np.full(4, 2))
    model.wv.vectors_ngrams = None
    model.wv.resize_vectors()
    assert model.wv.vectors_ngrams.shape == (50, 4)


# -- the attributes of an object -----------------------------------------------------------------

ATTRIBUTES = {
    *("vector_size", "index_to_key", "next_index", "key_to_index", "vectors", "norms"),
    *("expandos", "mapfile_path", "vectors_lockf"),
}
NOTES = {"__numpys", "__scipys", "__ignoreds", "__recursive_saveloads"}


def test_vectors_have_the_attributes_that_gensims_have(tmp_path):
    model = Word2Vec(TEXTS, vector_size=4, min_count=1, workers=1)
    assert vars(model.wv).keys() == vars(KeyedVectors(4)).keys() == ATTRIBUTES
    model.save(tmp_path / "model")
    model.wv.save(tmp_path / "vectors")
    for loaded in (
        Word2Vec.load(tmp_path / "model").wv,
        KeyedVectors.load(tmp_path / "vectors"),
        KeyedVectors.load(tmp_path / "vectors", mmap="r"),
    ):
        assert vars(loaded).keys() == ATTRIBUTES | NOTES
        assert all(vars(loaded)[name] == [] for name in NOTES)
        kept = vars(loaded).keys() - {"vectors", "vectors_lockf", "expandos"}
        json.dumps({name: vars(loaded)[name] for name in kept})


@pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="needs gensim")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("has_path", [True, False])  # gensim 4.0's have none
def test_vectors_of_gensims_files_have_the_attributes_of_the_file(tmp_path, has_path):
    models = importlib.import_module("gensim.models")
    theirs = models.Word2Vec(TEXTS, vector_size=4, min_count=1, workers=1)
    if not has_path:
        del theirs.wv.mapfile_path
    theirs.save(str(tmp_path / "model"))
    ours = Word2Vec.load(tmp_path / "model")
    assert vars(ours.wv).keys() == vars(theirs.wv).keys()
    assert ours.wv.mapfile_path is None


def test_vectors_work_with_the_attributes_an_exporter_keeps():
    """As spec2vec's do, of which the rest is thrown away."""
    wv = Word2Vec(TEXTS, vector_size=4, min_count=1, workers=1).wv
    light = KeyedVectors(4)
    names = ("vector_size", "index_to_key", "key_to_index", "norms", "vectors")
    light.__dict__ = {name: vars(wv)[name] for name in names}
    assert_array_equal(light["red"], wv["red"])
    assert light.most_similar("red") == wv.most_similar("red")


# -- classes of other people ---------------------------------------------------------------------


@pytest.fixture
def package(monkeypatch):
    """A package with vectors whose matrices are objects of its own, as compress-fasttext's are."""
    source = """
        import os
        import numpy as np
        from pyw2v.fasttext_model import FastTextKeyedVectors

        class Halves:
            def __init__(self, rows):
                self.rows = np.asarray(rows, np.float16)
                self.shape = self.rows.shape
                self.notes = {"dtype": np.float32, "ids": [np.arange(2), (np.arange(3),)]}

            def __getitem__(self, row):
                return self.rows[row].astype(np.float32)

        class Small(FastTextKeyedVectors):
            pass

        def small(kv):
            new = Small(kv.vector_size, kv.min_n, kv.max_n, kv.bucket)
            new.vectors_vocab, new.vectors = None, kv.vectors.astype(np.float16)
            new.index_to_key, new.key_to_index = kv.index_to_key, kv.key_to_index
            new.vectors_ngrams = Halves(kv.vectors_ngrams)
            return new
    """
    module = types.ModuleType("smallvectors")
    monkeypatch.setitem(sys.modules, "smallvectors", module)
    exec(textwrap.dedent(source), vars(module))
    return module


def test_a_class_with_matrices_of_its_own_is_saved_and_loaded(package, tmp_path):
    small = package.small(FastText(TEXTS, **FT).wv)
    small.save(tmp_path / "small")
    handle = io.BytesIO()
    small.save(handle)
    handle.seek(0)
    for source in (tmp_path / "small", handle):
        again = package.Small.load(source)
        assert type(again) is package.Small
        assert type(again.vectors_ngrams) is package.Halves
        assert_array_equal(again.vectors_ngrams.notes["ids"][1][0], np.arange(3))
        assert again.index_to_key == small.index_to_key
        assert_array_equal(again["red"], small["red"])
        assert_array_equal(again["unseen"], small["unseen"])
        assert again.most_similar("red") == small.most_similar("red")


def test_its_file_names_no_class_of_ours(package, tmp_path):
    """So that gensim reads it, in a program where the class is made of gensim's."""
    package.small(FastText(TEXTS, **FT).wv).save(tmp_path / "small")
    content = (tmp_path / "small").read_bytes()
    assert b"smallvectors" in content
    assert b"pyw2v" not in content


def test_other_classes_do_not_load_its_file(package, tmp_path):
    package.small(FastText(TEXTS, **FT).wv).save(tmp_path / "small")
    with pytest.raises(ForbiddenNameError, match="smallvectors"):
        FastTextKeyedVectors.load(tmp_path / "small")


def call_of(*names):
    """A pickle that calls what a module has by a name."""
    module, name = (b"\x8c" + bytes([len(text)]) + text.encode() for text in names)
    return b"\x80\x04" + module + name + b"\x93\x8c\x04true\x85R."


@pytest.mark.parametrize("name", ["os.system", "small", "np", "os", "FastTextKeyedVectors"])
def test_a_file_can_name_only_classes_that_the_package_defines(package, tmp_path, name):
    (tmp_path / "evil").write_bytes(call_of("smallvectors", name))
    with pytest.raises(ForbiddenNameError, match=f"smallvectors.{name}, which is no class there"):
        package.Small.load(tmp_path / "evil")


def test_a_class_with_plain_matrices_has_plain_files(package, tmp_path):
    kv = package.Small(4, 3, 6, 50)
    kv["red"] = np.ones(4)
    kv.save(tmp_path / "plain")
    assert not (tmp_path / "plain").read_bytes().startswith(pickle.PROTO)
    assert_array_equal(package.Small.load(tmp_path / "plain")["red"], np.ones(4))


# -- approximate search --------------------------------------------------------------------------


@pytest.fixture
def annoy(monkeypatch):
    """The package annoy, or what it does of our part: an exact search by angular distance."""

    class AnnoyIndex:
        def __init__(self, f, metric):
            assert metric == "angular"
            self.f, self.items = f, {}

        def add_item(self, row, vector):
            self.items[row] = list(vector)

        def build(self, n_trees):
            self.n_trees = n_trees

        def save(self, path):
            with open(path, "w") as file:
                json.dump([[float(x) for x in vector] for vector in self.items.values()], file)

        def load(self, path):
            with open(path) as file:
                self.items = dict(enumerate(json.load(file)))

        def get_nns_by_vector(self, vector, n, include_distances):
            rows = np.array(list(self.items.values()))
            cosines = rows @ vector / np.linalg.norm(vector)
            order = np.argsort(-cosines, kind="stable")[:n].tolist()
            return order, np.sqrt(np.maximum(0, 2 - 2 * cosines[order])).tolist()

    if importlib.util.find_spec("annoy") is None:
        module = types.ModuleType("annoy")
        module.AnnoyIndex = AnnoyIndex
        monkeypatch.setitem(sys.modules, "annoy", module)
    return importlib.import_module("pyw2v.compat.gensim.similarities.annoy")


@pytest.mark.parametrize("kind", ["Word2Vec", "FastText", "KeyedVectors"])
def test_annoy_finds_what_the_exact_search_finds(annoy, kind, tmp_path):
    model = FastText(TEXTS, **FT) if kind == "FastText" else Word2Vec(TEXTS, **W2V)
    wv = model.wv
    indexer = annoy.AnnoyIndexer(wv if kind == "KeyedVectors" else model, 10)
    exact = wv.most_similar("red", topn=3)
    for index in (indexer, annoy.AnnoyIndexer()):
        if index.index is None:
            indexer.save(tmp_path / "index")
            index.load(tmp_path / "index")
            assert index.num_trees == 10
        itself, *found = wv.most_similar("red", topn=4, indexer=index)
        assert itself[0] == "red"
        assert [key for key, _ in found] == [key for key, _ in exact]
        assert_allclose([s for _, s in found], [s for _, s in exact], atol=1e-5)


def test_annoy_refuses_what_is_no_model(annoy, tmp_path):
    with pytest.raises(ValueError, match=r"Only a Word2Vec.* can be used, got str"):
        annoy.AnnoyIndexer("model", 10)
    with pytest.raises(OSError, match="Can't find index file"):
        annoy.AnnoyIndexer().load(tmp_path / "nothing")


def test_the_keys_of_an_index_are_read_as_data(annoy, tmp_path):
    annoy.AnnoyIndexer(Word2Vec(TEXTS, **W2V), 1).save(tmp_path / "index")
    (tmp_path / "index.dict").write_bytes(call_of("os", "system"))
    with pytest.raises(pickle.UnpicklingError, match=r"need no os\.system"):
        annoy.AnnoyIndexer().load(tmp_path / "index")
