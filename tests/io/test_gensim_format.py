"""Files that gensim saved, read as data; and live objects of gensim."""

import importlib.util
import io
import os
import pickle
import shutil
import subprocess
import sys
import types
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText, FastTextKeyedVectors, FrozenPhrases, KeyedVectors, Phrases, Word2Vec
from pyw2v.io import gensim_format

DATA = Path(__file__).parents[1] / "data" / "gensim"
TEXTS = [["human", "interface", "computer"], ["graph", "trees", "naïve"], ["graph", "human"]] * 5

needs_gensim = pytest.mark.skipif(
    importlib.util.find_spec("gensim") is None, reason="needs gensim: pip install 'pyw2v[peers]'"
)


@pytest.mark.parametrize("name", ["word2vec", "word2vec-parts", "word2vec-parts.gz"])
def test_word2vec_of_gensim_4_loads_whole(name):
    model = Word2Vec.load(str(DATA / name))
    assert_array_equal(model.wv.vectors, np.load(DATA / "word2vec.expected.npy"))
    assert model.wv.index_to_key[0] in ("human", "graph")
    assert "naïve" in model.wv
    assert model.wv.get_vecattr("graph", "count") == 10
    assert (model.hs, model.negative, model.window, model.seed) == (1, 3, 2, 3)
    assert model.syn1.shape == model.syn1neg.shape == (6, 5)
    assert model.corpus_count == 15
    assert model.lifecycle_events[-1]["event"] == "loaded"


def test_word2vec_of_gensim_4_trains_further():
    model = Word2Vec.load(DATA / "word2vec")
    before = model.wv.vectors.copy()
    model.build_vocab([["new", "human"]] * 5, update=True)
    model.train(TEXTS, total_examples=model.corpus_count, epochs=2)
    assert "new" in model.wv
    assert not np.array_equal(model.wv.vectors[: len(before)], before)


def test_a_loaded_model_is_saved_in_our_format(tmp_path):
    model = Word2Vec.load(DATA / "word2vec")
    model.save(tmp_path / "model")
    assert_array_equal(Word2Vec.load(tmp_path / "model").wv.vectors, model.wv.vectors)


@pytest.mark.parametrize("cls", [FastText, Word2Vec])
def test_fasttext_of_gensim_4_loads_whole(cls):
    model = cls.load(DATA / "fasttext")
    assert type(model) is FastText
    rows = np.array([model.wv[word] for word in ["human", "naïve", "unseen"]])
    assert_allclose(rows, np.load(DATA / "fasttext.expected.npy"), rtol=1e-5)
    model.train(TEXTS, total_examples=len(TEXTS), epochs=1)


@pytest.mark.parametrize("name", ["vectors", "word2vec", "word2vec-parts"])
def test_vectors_of_gensim_4_load_from_their_own_file_or_a_models(name):
    kv = KeyedVectors.load(DATA / name)
    assert_array_equal(kv.vectors, np.load(DATA / "word2vec.expected.npy"))
    assert kv.most_similar("human", topn=2)


def test_arrays_beside_a_file_can_be_mapped():
    assert isinstance(
        KeyedVectors.load(DATA / "word2vec-parts", mmap="r").vectors.base, np.memmap
    ) or (isinstance(KeyedVectors.load(DATA / "word2vec-parts", mmap="r").vectors, np.memmap))


@pytest.mark.parametrize("name", ["fasttext", "fasttext-vectors"])
def test_subword_vectors_come_in_their_own_class(name):
    kv = KeyedVectors.load(DATA / name)
    assert type(kv) is FastTextKeyedVectors
    assert_allclose(kv["unseen"], np.load(DATA / "fasttext.expected.npy")[2], rtol=1e-5)


def test_phrases_of_gensim_4_load():
    phrases, frozen = Phrases.load(DATA / "phrases"), FrozenPhrases.load(DATA / "frozen-phrases")
    assert phrases[["human", "interface", "computer"]] == ["human_interface_computer"]
    assert phrases.export_phrases() == frozen.phrasegrams
    assert phrases.connector_words == frozen.connector_words == {"interface"}
    assert phrases.vocab["graph_trees"] == 5


@pytest.mark.parametrize("version", ["", "3.8.3", "4.0.1"])
@pytest.mark.parametrize("name", ["phrases", "frozen-phrases"])
def test_loaded_phrases_are_saved_in_our_format(name, version, tmp_path):
    phrases = Phrases.load(DATA / version / name)
    phrases.save(tmp_path / "phrases")
    assert Phrases.load(tmp_path / "phrases").find_phrases(TEXTS) == phrases.find_phrases(TEXTS)


@needs_gensim
def test_live_objects_come_in_their_own_class():
    """In a process that has imported no more than the class whose load is called."""
    program = "from gensim.models import FastText; import pyw2v; "
    program += "model = FastText([['a', 'b']], min_count=1, vector_size=4, bucket=9); "
    program += "print(type(pyw2v.KeyedVectors.from_gensim(model.wv)).__name__, "
    program += "type(pyw2v.Word2Vec.from_gensim(model)).__name__)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["FastTextKeyedVectors", "FastText"], done.stderr


def test_the_wrong_class_is_refused():
    with pytest.raises(ValueError, match="holds KeyedVectors, not a Word2Vec"):
        Word2Vec.load(DATA / "vectors")
    with pytest.raises(AttributeError):
        Word2Vec.load(DATA / "phrases")
    with pytest.raises(ValueError, match=r"holds FrozenPhrases.* read by FrozenPhrases\.load"):
        KeyedVectors.load(DATA / "frozen-phrases")


def test_what_was_saved_comes_back_from_another_class_of_its_family():
    assert type(FastText.load(DATA / "word2vec")) is Word2Vec
    assert type(FastTextKeyedVectors.load(DATA / "3.8.3" / "vectors")) is KeyedVectors
    assert type(Phrases.load(DATA / "3.8.3" / "frozen-phrases")) is FrozenPhrases


# -- files that older versions wrote -------------------------------------------------------------


@pytest.mark.parametrize("version", ["3.8.3", "4.0.1"])
@pytest.mark.parametrize("name", ["word2vec", "word2vec-parts", "word2vec-parts.gz", "vectors"])
def test_word2vec_of_older_versions_loads_whole(version, name):
    vectors = KeyedVectors.load(DATA / version / name)
    expected = np.load(DATA / version / "word2vec.expected.npy")
    assert_array_equal(vectors[["human", "naïve"]], expected)
    assert vectors.get_vecattr("graph", "count") == 10
    if name == "vectors":
        return
    model = Word2Vec.load(DATA / version / name)
    assert_array_equal(model.wv[["human", "naïve"]], expected)
    assert (model.hs, model.negative, model.window, model.seed) == (1, 3, 2, 3)
    assert model.corpus_count == 15
    before = model.wv.vectors.copy()
    model.sample = 0
    model.build_vocab([["new", "human"]] * 5, update=True)
    model.train(TEXTS, total_examples=model.corpus_count, epochs=2)
    assert np.all(np.any(model.wv.vectors[: len(before)] != before, axis=1))


@pytest.mark.parametrize("version", ["3.8.3", "4.0.1"])
def test_fasttext_of_older_versions_loads_whole(version):
    model = FastText.load(DATA / version / "fasttext")
    for vectors in (model.wv, KeyedVectors.load(DATA / version / "fasttext-vectors")):
        rows = np.array([vectors[word] for word in ["human", "naïve", "unseen"]])
        assert_allclose(rows, np.load(DATA / version / "fasttext.expected.npy"), rtol=1e-5)
    model.train(TEXTS, total_examples=model.corpus_count, epochs=2)


@pytest.mark.parametrize("version", ["3.8.3", "4.0.1"])
def test_phrases_of_older_versions_load_whole(version):
    phrases = Phrases.load(DATA / version / "phrases")
    assert phrases.vocab["human_interface"] == 5
    frozen = FrozenPhrases.load(DATA / version / "frozen-phrases")
    assert phrases.export_phrases().keys() == frozen.phrasegrams.keys()
    assert "graph_trees" in frozen.phrasegrams


# -- what gensim 3.8 keeps -----------------------------------------------------------------------


def instance(module, name, **attributes):
    """An object that pickles as one of gensim's class."""
    fake = sys.modules.setdefault(module, types.ModuleType(module))
    if not hasattr(fake, name):
        setattr(fake, name, type(name, (), {"__module__": module}))
    made = getattr(fake, name)()
    made.__dict__.update(attributes)
    return made


@pytest.fixture
def gensim_3(monkeypatch):
    """Room for modules of gensim 3, whatever is installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "gensim"]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("gensim", "gensim.models"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = []
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "gensim"]:
        del sys.modules[name]


WORDS = ["graph", "human", "naïve"]
ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)


def vocab_3():
    return {
        word: instance(
            "gensim.models.keyedvectors", "Vocab", index=i, count=9 - i, sample_int=2**32 - 1
        )
        for i, word in enumerate(WORDS)
    }


def word2vec_3():
    """What gensim 3.8.3 keeps of a Word2Vec model."""
    wv = instance(
        "gensim.models.keyedvectors",
        "Word2VecKeyedVectors",
        vectors=ROWS,
        vocab=vocab_3(),
        vector_size=4,
        index2word=WORDS,
        vectors_norm=None,
    )
    vocabulary = instance(
        "gensim.models.word2vec",
        "Word2VecVocab",
        **{"max_vocab_size": None, "min_count": 2, "sample": 0.01, "sorted_vocab": True},
        **{"null_word": 0, "cum_table": np.array([1, 2, 3], np.uint32), "raw_vocab": None},
        **{"max_final_vocab": None, "ns_exponent": 0.5},
    )
    trainables = instance(
        "gensim.models.word2vec",
        "Word2VecTrainables",
        **{"hashfxn": hash, "layer1_size": 4, "seed": 7, "syn1neg": -ROWS},
        vectors_lockf=np.array([1, 0, 1], np.float32),
    )
    return instance(
        "gensim.models.word2vec",
        "Word2Vec",
        **{"wv": wv, "vocabulary": vocabulary, "trainables": trainables, "epochs": 11, "sg": 1},
        **{"hs": 0, "negative": 5, "alpha": 0.05, "min_alpha": 0.001, "window": 3, "workers": 2},
        **{"cbow_mean": 1, "vector_size": 4, "corpus_count": 12, "corpus_total_words": 24},
        **{"batch_words": 10000, "random": np.random.RandomState(1), "compute_loss": False},
        **{"running_training_loss": 0.0, "total_train_time": 1.5, "train_count": 1},
        **{"model_trimmed_post_training": False, "callbacks": (), "min_alpha_yet_reached": 0.001},
    )


@pytest.mark.usefixtures("gensim_3")
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_word2vec_of_gensim_3_loads_whole(tmp_path, protocol):
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps(word2vec_3(), protocol))
    model = Word2Vec.load(path)
    assert model.wv.index_to_key == WORDS
    assert_array_equal(model.wv.vectors, ROWS)
    assert_array_equal(model.syn1neg, -ROWS)
    assert_array_equal(model.wv.vectors_lockf, [1, 0, 1])
    assert model.wv.expandos["count"].tolist() == [9, 8, 7]
    settings = (
        model.epochs,
        model.sg,
        model.min_count,
        model.sample,
        model.ns_exponent,
        model.seed,
    )
    assert settings == (11, 1, 2, 0.01, 0.5, 7)
    model.train([WORDS] * 3, total_examples=3, epochs=1)
    assert_array_equal(model.wv.vectors[1], ROWS[1])  # locked


@pytest.mark.usefixtures("gensim_3")
def test_arrays_beside_a_file_of_gensim_3_are_found(tmp_path):
    model = word2vec_3()
    del model.wv.vectors, model.trainables.syn1neg
    vars(model.wv).update(__numpys=["vectors"], __scipys=[], __ignoreds=["vectors_norm"])
    vars(model.trainables).update(__numpys=["syn1neg"], __scipys=[], __ignoreds=[])
    vars(model).update(__numpys=[], __scipys=[], __ignoreds=[])
    vars(model)["__recursive_saveloads"] = ["wv", "vocabulary", "trainables"]
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps(model, 2))
    np.save(f"{path}.wv.vectors.npy", ROWS)
    np.save(f"{path}.trainables.syn1neg.npy", -ROWS)
    loaded = Word2Vec.load(str(path))
    assert_array_equal(loaded.wv.vectors, ROWS)
    assert_array_equal(loaded.syn1neg, -ROWS)
    os.remove(f"{path}.wv.vectors.npy")
    with pytest.raises(FileNotFoundError, match="vectors"):
        Word2Vec.load(str(path))


@pytest.mark.usefixtures("gensim_3")
@pytest.mark.parametrize("compatible", [True, False])
def test_subword_vectors_of_gensim_3(tmp_path, compatible):
    ngrams = np.ones((8, 4), np.float32)
    wv = instance(
        "gensim.models.keyedvectors",
        "FastTextKeyedVectors",
        **{"vectors": ROWS, "vectors_vocab": ROWS, "vectors_ngrams": ngrams, "bucket": 8},
        **{"vocab": vocab_3(), "vector_size": 4, "index2word": WORDS, "min_n": 3, "max_n": 4},
        compatible_hash=compatible,
    )
    path = tmp_path / "vectors"
    path.write_bytes(pickle.dumps(wv, 2))
    if not compatible:
        with pytest.raises(TypeError, match=r"gensim before 3\.7"):
            KeyedVectors.load(path)
        return
    kv = FastTextKeyedVectors.load(path)
    assert_array_equal(kv.vectors_vocab, ROWS)
    assert_allclose(kv["unseen"], np.ones(4))


@pytest.mark.usefixtures("gensim_3")
def test_buckets_without_rows_before_gensim_3_8_are_zeros(tmp_path):
    wv = instance(
        "gensim.models.keyedvectors",
        "FastTextKeyedVectors",
        **{"vectors_vocab": ROWS, "vectors_ngrams": ROWS[:2], "bucket": 8, "compatible_hash": True},
        **{"vocab": vocab_3(), "vector_size": 4, "index2word": WORDS, "min_n": 3, "max_n": 4},
        hash2index={5: 1, 2: 0},
    )
    (tmp_path / "vectors").write_bytes(pickle.dumps(wv, 2))
    expected = np.zeros((8, 4))
    expected[[5, 2]] = ROWS[[1, 0]]
    dense, packed = KeyedVectors.load(tmp_path / "vectors"), KeyedVectors.load(tmp_path / "vectors")
    assert_array_equal(dense.vectors_ngrams, expected)
    for word in ("unseen", "graph"):
        assert_allclose(packed[word], dense[word], rtol=1e-6)


@pytest.mark.usefixtures("gensim_3")
def test_phrases_of_gensim_3(tmp_path):
    scorer = types.FunctionType((lambda: None).__code__, {}, "original_scorer")
    scorer.__module__, scorer.__qualname__ = "gensim.models.phrases", "original_scorer"
    vocab = defaultdict(int, {b"graph": 5, "naïve".encode(): 5, "graph_naïve".encode(): 5})
    shared = {"min_count": 1, "threshold": 0.1, "delimiter": b"_", "scoring": scorer}
    phrases = instance(
        "gensim.models.phrases", "Phrases", vocab=vocab, common_terms=frozenset([b"of"]), **shared
    )
    frozen = instance(
        "gensim.models.phrases", "Phraser", phrasegrams={(b"a", b"b"): (5, 2.5)}, **shared
    )
    sys.modules["gensim.models.phrases"].original_scorer = scorer
    (tmp_path / "phrases").write_bytes(pickle.dumps(phrases, 2))
    (tmp_path / "frozen").write_bytes(pickle.dumps(frozen, 2))
    loaded = Phrases.load(tmp_path / "phrases")
    assert loaded[["graph", "naïve"]] == ["graph_naïve"]
    assert loaded.connector_words == {"of"}
    assert FrozenPhrases.load(tmp_path / "frozen").phrasegrams == {"a_b": 2.5}


# -- what is refused -----------------------------------------------------------------------------


class Evil:
    def __init__(self, function, *arguments):
        self.made_by = function, arguments

    def __reduce__(self):
        return self.made_by


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (os.system, ("touch evil",), r"posix\.system|nt\.system"),
        (eval, ("1",), r"builtins\.eval"),
        (getattr, ("", "join"), r"builtins\.getattr"),
        (np.load, ("x",), r"numpy(\.lib\..*)?\.load"),
        (importlib.import_module, ("os",), r"importlib\.import_module"),
        (types.SimpleNamespace, (), r"types\.SimpleNamespace"),
    ],
)
@pytest.mark.parametrize("load", [Word2Vec.load, KeyedVectors.load, Phrases.load])
def test_any_other_name_is_refused(tmp_path, monkeypatch, function, arguments, name, load):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps({"x": Evil(function, *arguments)}, 4))
    with pytest.raises(gensim_format.ForbiddenNameError, match=name):
        load(path)
    assert not Path("evil").exists()


def test_names_of_attributes_lead_to_no_other_folder(tmp_path):
    content = b"\x80\x02cgensim.models.keyedvectors\nKeyedVectors\n)\x81}X\x08\x00\x00\x00__numpys"
    content += b"]X\x07\x00\x00\x00../evila" + b"sb."
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(ValueError, match=r"'\.\./evil' is no name of an attribute"):
        KeyedVectors.load(tmp_path / "model")


@pytest.mark.parametrize("name", ["word2vec", "vectors", "fasttext", "phrases"])
def test_damaged_files_raise_value_errors(tmp_path, name):
    content = (DATA / name).read_bytes()
    path = tmp_path / "model"
    load = {"phrases": Phrases.load, "vectors": KeyedVectors.load}.get(name, Word2Vec.load)
    rng = np.random.default_rng(1)
    for _ in range(150):
        damaged = bytearray(content[: rng.integers(10, len(content))])
        damaged[rng.integers(2, len(damaged))] = rng.integers(256)
        path.write_bytes(damaged)
        with pytest.raises((ValueError, TypeError, FileNotFoundError)):
            load(path)


def test_objects_of_other_kinds_are_refused(tmp_path):
    (tmp_path / "model").write_bytes(pickle.dumps([1, 2], 4))
    with pytest.raises(ValueError, match="holds list, not a gensim object"):
        Word2Vec.load(tmp_path / "model")


def test_a_model_loads_from_an_open_file():
    model = Word2Vec.load(io.BytesIO((DATA / "word2vec").read_bytes()))
    assert len(model.wv) == 6


# -- live objects --------------------------------------------------------------------------------


@needs_gensim
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["Word2Vec", "FastText"])
@pytest.mark.parametrize("hs", [0, 1])
def test_models_go_to_gensim_and_back(kind, hs):
    cls = {"Word2Vec": Word2Vec, "FastText": FastText}[kind]
    more = {"bucket": 50} if kind == "FastText" else {}
    ours = cls(TEXTS, vector_size=8, min_count=1, workers=1, hs=hs, negative=3, **more)
    theirs = ours.to_gensim()
    assert type(theirs).__module__.startswith("gensim.models")
    assert_allclose(theirs.wv["naïve"], ours.wv["naïve"], rtol=1e-5)
    assert theirs.wv.most_similar("graph")[0][0] == ours.wv.most_similar("graph")[0][0]
    theirs.train(TEXTS, total_examples=len(TEXTS), epochs=1)
    back = cls.from_gensim(theirs)
    assert type(back) is cls
    assert_allclose(back.wv["human"], theirs.wv["human"], rtol=1e-5)
    assert_array_equal(back.syn1neg, theirs.syn1neg)
    assert back.epochs == theirs.epochs == 1
    before = theirs.wv["human"].copy()
    back.train(TEXTS, total_examples=len(TEXTS), epochs=1)
    assert_array_equal(theirs.wv["human"], before)  # a copy


@needs_gensim
@pytest.mark.filterwarnings("ignore")
def test_vectors_go_to_gensim_and_back():
    ours = KeyedVectors(3)
    ours.add_vectors(["a", "b"], np.eye(2, 3), extras={"count": [5, 4]})
    theirs = ours.to_gensim()
    assert theirs.get_vecattr("a", "count") == 5
    back = KeyedVectors.from_gensim(theirs)
    assert_array_equal(back.vectors, ours.vectors)
    assert back.index_to_key == ["a", "b"]
    subwords = FastText(TEXTS, vector_size=4, min_count=1, workers=1, bucket=30).wv
    back = KeyedVectors.from_gensim(subwords.to_gensim())
    assert_allclose(back["unseen"], subwords["unseen"], rtol=1e-5)


@needs_gensim
@pytest.mark.filterwarnings("ignore")
def test_gensim_reads_what_it_saved_after_a_round_trip(tmp_path):
    shutil.copy(DATA / "word2vec", tmp_path)
    theirs = Word2Vec.load(tmp_path / "word2vec").to_gensim()
    theirs.save(str(tmp_path / "again"))
    assert_array_equal(Word2Vec.load(tmp_path / "again").wv.vectors, theirs.wv.vectors)
