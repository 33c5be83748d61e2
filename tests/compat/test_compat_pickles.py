"""Pickles that gensim's users wrote, by `pickle` and `joblib`, under the shim: objects of ours."""

import functools
import importlib.util
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import pyw2v
from pyw2v import compat

DATA = Path(__file__).parents[1] / "data" / "gensim"
TEXTS = [["human", "interface", "computer"], ["graph", "trees", "naïve"], ["graph", "human"]] * 5
KNOWN = ["human", "naïve"]

has_numpy_2 = int(np.__version__.partition(".")[0]) >= 2
has_gensim = importlib.util.find_spec("gensim") is not None

pytestmark = pytest.mark.usefixtures("no_gensim", "shim")


def unpickled(path):
    return pickle.loads(path.read_bytes())


def pickled(name, way):
    """What gensim 4.4 pickled, by one of two ways."""
    if way == "joblib":
        return pytest.importorskip("joblib").load(DATA / "pickled" / f"{name}.joblib")
    return unpickled(DATA / "pickled" / f"{name}.pickle")


def saved(name, version):
    """What gensim saved, whose files are pickles."""
    return unpickled(DATA / version / name)


# The random numbers in a model that NumPy 2 pickled are too new for NumPy 1.
NEW = pytest.mark.skipif(not has_numpy_2, reason="NumPy 1 reads no models that NumPy 2 pickled")
WAYS = [
    pytest.param(functools.partial(pickled, way="pickle"), "", id="pickle", marks=NEW),
    pytest.param(functools.partial(pickled, way="joblib"), "", id="joblib", marks=NEW),
    pytest.param(functools.partial(saved, version="."), "", id="saved", marks=NEW),
    pytest.param(functools.partial(saved, version="4.0.1"), "4.0.1", id="saved-4.0.1"),
    pytest.param(functools.partial(saved, version="3.8.3"), "3.8.3", id="saved-3.8.3"),
]


def expected(name, version):
    """What gensim returned: rows of all words, or of the known ones."""
    return np.load(DATA / version / f"{name}.expected.npy")


def goes_on(model, path):
    """A model trains, grows, is saved, and survives a pickle of ours."""
    before = model.wv.vectors.copy()
    model.sample = 0
    model.build_vocab([["new", "human"]] * 5, update=True)
    model.train(TEXTS, total_examples=model.corpus_count, epochs=2)
    assert np.all(np.any(model.wv.vectors[: len(before)] != before, axis=1))
    model.save(path)
    for again in (type(model).load(path), pickle.loads(pickle.dumps(model))):
        assert_array_equal(again.wv["new"], model.wv["new"])
        assert_array_equal(again.syn1neg, model.syn1neg)


@pytest.mark.parametrize(("read", "version"), WAYS)
def test_word2vec_becomes_a_model_of_ours(read, version, tmp_path):
    model = read("word2vec")
    assert type(model) is pyw2v.Word2Vec
    assert type(model.wv) is pyw2v.KeyedVectors
    rows = model.wv[KNOWN] if version else model.wv.vectors
    assert_array_equal(rows, expected("word2vec", version))
    assert (model.hs, model.negative, model.window, model.seed) == (1, 3, 2, 3)
    assert model.syn1.shape == model.syn1neg.shape == (6, 5)
    assert model.wv.get_vecattr("graph", "count") == model.corpus_count - 5 == 10
    assert len(model.wv.get_vecattr("graph", "code"))
    assert model.wv.most_similar("human", topn=2)
    goes_on(model, tmp_path / "model")


@pytest.mark.parametrize(("read", "version"), WAYS)
def test_fasttext_becomes_a_model_of_ours(read, version, tmp_path):
    model = read("fasttext")
    assert type(model) is pyw2v.FastText
    assert type(model.wv) is pyw2v.FastTextKeyedVectors
    rows = [model.wv[word] for word in (*KNOWN, "unseen")]
    assert_allclose(rows, expected("fasttext", version), rtol=1e-5)
    assert (model.bucket, model.min_n, model.max_n, model.sg) == (20, 3, 6, 1)
    goes_on(model, tmp_path / "model")


@pytest.mark.parametrize(("read", "version"), WAYS)
def test_vectors_become_ours(read, version, tmp_path):
    vectors, subwords = read("vectors"), read("fasttext-vectors")
    assert type(vectors) is pyw2v.KeyedVectors
    assert type(subwords) is pyw2v.FastTextKeyedVectors
    rows = vectors[KNOWN] if version else vectors.vectors
    assert_array_equal(rows, expected("word2vec", version))
    known = [subwords[word] for word in (*KNOWN, "unseen")]
    assert_allclose(known, expected("fasttext", version), rtol=1e-5)
    for wv in (vectors, subwords):
        assert wv.get_vecattr("graph", "count") == 10
        wv["more"] = np.ones(5)
        wv.save(tmp_path / "vectors")
        again = pyw2v.KeyedVectors.load(tmp_path / "vectors")
        assert_allclose(again["more"], np.ones(5), rtol=1e-5)
        for (key, cosine), (other, same) in zip(
            again.most_similar("human"), wv.most_similar("human"), strict=True
        ):
            assert (key, cosine) == (other, pytest.approx(same, abs=1e-5))


@pytest.mark.parametrize(("read", "version"), WAYS)
def test_phrases_become_ours(read, version, tmp_path):
    phrases, frozen = read("phrases"), read("frozen-phrases")
    assert type(phrases) is pyw2v.Phrases
    assert type(frozen) is pyw2v.FrozenPhrases
    assert phrases.export_phrases() == pytest.approx(frozen.phrasegrams)
    assert phrases.vocab["graph_trees"] == 5
    if not version:
        assert phrases.connector_words == frozen.connector_words == {"interface"}
        assert phrases.scoring is pyw2v.phrases.npmi_scorer
    phrases.add_vocab(TEXTS)
    assert phrases.vocab["graph_trees"] == 10
    for model in (phrases, frozen):
        model.save(tmp_path / "phrases")
        assert type(model).load(tmp_path / "phrases").find_phrases(TEXTS) == model.find_phrases(
            TEXTS
        )


@NEW
@pytest.mark.parametrize("folder", ["", "3.8.3"])
def test_arrays_in_files_beside_a_pickle_need_load(folder):
    path = DATA / folder / "word2vec-parts"
    with pytest.raises(
        ValueError, match=r"vectors in files beside this pickle.*KeyedVectors\.load"
    ):
        unpickled(path)
    assert len(pyw2v.Word2Vec.load(path).wv) == 6


def test_free_places_stay_free():
    """gensim's KeyedVectors(size, count=n) has places whose key is None."""
    state = vars(unpickled(DATA / "4.0.1" / "vectors"))
    names = ("vector_size", "index_to_key", "key_to_index", "vectors", "expandos")
    state = {name: state[name] for name in names} | {"next_index": 6}
    state["index_to_key"] = [*state["index_to_key"], None]
    state["vectors"] = np.vstack([state["vectors"], np.zeros(5)]).astype(np.float32)
    wv = pyw2v.KeyedVectors.__new__(pyw2v.KeyedVectors)
    wv.__setstate__(state)
    assert None not in wv.key_to_index
    assert wv.add_vector("new", np.ones(5)) == 6


class Mine(pyw2v.Word2Vec):
    """What a user derived from gensim's class, with a constructor of its own."""

    note = "of the class"

    def __init__(self, note):
        super().__init__(vector_size=3)
        self.note = note


class Reader(pickle.Unpickler):
    """Finds the user's class where the pickle says gensim's."""

    def find_class(self, module, name):
        return Mine if name == "Word2Vec" else super().find_class(module, name)


def test_a_users_class_is_made_without_its_constructor():
    with (DATA / "4.0.1" / "word2vec").open("rb") as file:
        model = Reader(file).load()
    assert type(model) is Mine
    assert_array_equal(model.wv[KNOWN], expected("word2vec", "4.0.1"))
    model.note = "of its own"
    assert pickle.loads(pickle.dumps(model)).note == "of its own"


def test_pickles_of_ours_name_no_module_of_the_shim():
    models = importlib.import_module("gensim.models")
    small = {"vector_size": 4, "min_count": 1, "workers": 1}
    things = [models.Word2Vec(TEXTS, **small), models.Phrases(TEXTS)]
    things += [models.FastText(TEXTS, bucket=20, **small)]
    dumps = [pickle.dumps(thing) for thing in things]
    assert not any(b"gensim" in dump for dump in dumps)
    compat.uninstall()
    assert [type(pickle.loads(dump)) for dump in dumps] == [type(thing) for thing in things]


# -- with the real gensim, in processes of their own ---------------------------------------------

MINE = """
    from gensim.models import Word2Vec

    class Mine(Word2Vec):
        note = "of the class"

        def __init__(self, texts, note):
            super().__init__(texts, vector_size=5, min_count=1, workers=1, hs=1)
            self.note, self.other = note, {"a": 1}
"""
WRITE = """
    import pickle, sys
    import joblib, numpy as np
    from gensim.models import FastText, KeyedVectors, Phrases, Word2Vec
    from mine import Mine

    assert Word2Vec.__module__ == "gensim.models.word2vec", Word2Vec
    folder, texts = sys.argv[1], [["human", "interface"], ["graph", "trees", "human"]] * 5
    small = {"vector_size": 5, "min_count": 1, "workers": 1}
    model, spelt = Word2Vec(texts, **small), FastText(texts, bucket=30, **small)
    model.mark = "a user's"
    spare = KeyedVectors(2, count=3)
    spare.add_vector("a", [1, 2])
    phrases = Phrases(texts, min_count=1, threshold=0.1)
    things = [model, spelt, model.wv, spelt.wv, phrases, phrases.freeze(), Mine(texts, "x"), spare]
    with open(f"{folder}/all.pickle", "wb") as file:
        pickle.dump(things, file)
    joblib.dump(things, f"{folder}/all.joblib")
    rows = [model.wv["human"], spelt.wv["human"], spelt.wv["unseen"], things[6].wv["human"]]
    np.save(f"{folder}/rows.npy", rows)
"""
READ = """
    import pickle, sys
    import joblib, numpy as np

    folder, texts = sys.argv[1], [["human", "interface"], ["graph", "trees", "human"]] * 5
    with open(f"{folder}/all.pickle", "rb") as file:
        ways = [pickle.load(file), joblib.load(f"{folder}/all.joblib")]
    for model, spelt, wv, spelt_wv, phrases, frozen, mine, spare in ways:
        assert wv is model.wv and spelt_wv is spelt.wv
        rows = [wv["human"], spelt_wv["human"], spelt_wv["unseen"], mine.wv["human"]]
        np.testing.assert_allclose(rows, np.load(f"{folder}/rows.npy"), rtol=1e-5)
        assert type(mine).__name__ == "Mine" and (mine.note, mine.other) == ("x", {"a": 1})
        assert model.mark == "a user's"
        assert spare.add_vector("b", [3, 4]) == 1 and len(spare) == 3
        for each in (model, spelt, mine):
            each.train(texts, total_examples=each.corpus_count, epochs=1)
        assert phrases[texts[0]] == frozen[texts[0]] == ["human_interface"]
        bases = [type(each).__mro__[:2] for each in (model, spelt, wv, spelt_wv, phrases, mine)]
        print(*(base.__module__ for pair in bases for base in pair if base.__module__ != "mine"))
"""


@pytest.mark.skipif(not has_gensim, reason="needs gensim: pip install 'pyw2v[peers]'")
@pytest.mark.skipif(importlib.util.find_spec("joblib") is None, reason="needs joblib")
def test_what_gensim_pickles_now_loads_under_the_shim(tmp_path, monkeypatch):
    for name, program in (("mine", MINE), ("write", WRITE), ("read", READ)):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(program))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    for how, name in ([], "write"), (["-m", "pyw2v.compat"], "read"):
        command = [sys.executable, *how, tmp_path / f"{name}.py", tmp_path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert {module.partition(".")[0] for module in done.stdout.split()} == {"pyw2v"}
