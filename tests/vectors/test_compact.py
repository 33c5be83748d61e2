"""Compact vectors: the queries of `KeyedVectors` on decoded rows."""

import copy
import io
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import CompactVectors, FastText, KeyedVectors
from pyw2v.io import native

METHODS = ("pq", "float16", "int8")


@pytest.fixture
def kv(rng):
    """Clusters, so that neighbours are clear."""
    centres = rng.normal(size=(60, 12))
    rows = np.repeat(centres, 10, axis=0) + rng.normal(scale=0.2, size=(600, 12))
    kv = KeyedVectors(12)
    kv.add_vectors([f"w{i}" for i in range(600)], rows.astype("f4"))
    for i in range(600):
        kv.set_vecattr(f"w{i}", "count", 600 - i)
    return kv


@pytest.mark.parametrize(("method", "recall"), [("pq", 0.7), ("float16", 0.98), ("int8", 0.95)])
def test_most_neighbours_are_still_found_and_the_report_says_so(kv, method, recall):
    small = kv.quantize(method, sample=200)
    assert recall < small.report["recall_at_10"] <= 1
    assert small.report["n_sampled"] == 200
    assert small.report["bytes"] == small.vectors.nbytes
    assert small.report["bytes_before"] == kv.vectors.nbytes
    assert_allclose(small["w3"], kv["w3"], atol=0.5)


@pytest.mark.parametrize("method", METHODS)
def test_queries_are_those_of_the_decoded_vectors(kv, method):
    small = kv.quantize(method)
    plain = KeyedVectors(12)
    plain.add_vectors(small.index_to_key, small.vectors[:])
    assert_array_equal(small.get_vector("w5", norm=True), plain.get_vector("w5", norm=True))
    assert small.most_similar("w5") == plain.most_similar("w5")
    assert small.most_similar(["w5", "w9"], ["w77"], topn=3) == plain.most_similar(
        ["w5", "w9"], ["w77"], topn=3
    )
    assert_allclose(small.most_similar("w5", topn=None), plain.most_similar("w5", topn=None))
    assert small.similarity("w1", "w200") == plain.similarity("w1", "w200")
    assert_allclose(small.distances("w1"), plain.distances("w1"), atol=1e-6)
    assert small.doesnt_match(["w1", "w2", "w300"]) == "w300"
    assert small.rank("w1", "w2") == plain.rank("w1", "w2")


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize(
    ("method", "options"),
    [("pq", {}), ("pq", {"qnorm": True, "dsub": 5}), ("float16", {}), ("int8", {})],
)
def test_a_file_gives_the_same_vectors_back(kv, tmp_path, method, options, mmap):
    small = kv.quantize(method, **options)
    small.save(tmp_path / "small.kv")
    loaded = CompactVectors.load(tmp_path / "small.kv", mmap=mmap)
    assert_array_equal(loaded.vectors[:], small.vectors[:])
    assert loaded.index_to_key == small.index_to_key
    assert loaded.report == small.report
    assert loaded.get_vecattr("w0", "count") == 600
    assert loaded.most_similar("w1") == small.most_similar("w1")


def test_another_file_is_refused(kv, tmp_path):
    kv.save(tmp_path / "plain.kv")
    with pytest.raises(ValueError, match=r"holds KeyedVectors.* read by KeyedVectors\.load"):
        CompactVectors.load(tmp_path / "plain.kv")


def test_keyed_vectors_load_compact_ones_as_what_they_are(kv, tmp_path):
    small = kv.quantize("float16")
    small.save(tmp_path / "small.kv")
    for mmap in (None, "r"):
        loaded = KeyedVectors.load(tmp_path / "small.kv", mmap=mmap)
        assert type(loaded) is CompactVectors
        assert loaded.most_similar("w1") == small.most_similar("w1")


def test_open_files_hold_them_too(kv):
    small, file = kv.quantize("int8"), io.BytesIO()
    small.save(file)
    for load in (CompactVectors.load, KeyedVectors.load):
        file.seek(0)
        assert_array_equal(load(file).vectors[:], small.vectors[:])


@pytest.mark.parametrize("method", METHODS)
def test_a_file_whose_arrays_do_not_fit_is_refused(kv, tmp_path, method):
    small = kv.quantize(method)
    for name, array in small.vectors.arrays.items():
        tensors = {f"compact.{other}": values for other, values in small.vectors.arrays.items()}
        tensors[f"compact.{name}"] = array[: len(array) - 1]
        settings = {"type": "CompactVectors", "method": method, "vector_size": 12}
        native.save(tmp_path / "wrong.kv", tensors, {"index_to_key": small.index_to_key}, settings)
        with pytest.raises(ValueError, match=r"does not hold CompactVectors: .*"):
            CompactVectors.load(tmp_path / "wrong.kv")


def test_compact_vectors_cannot_be_changed(kv):
    small = kv.quantize()
    for change in (
        lambda: small.add_vector("new", np.zeros(12)),
        lambda: small.add_vectors(["new"], np.zeros((1, 12))),
        lambda: small.__setitem__("w1", np.zeros(12)),
        small.unit_normalize_all,
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()


def test_zero_rows_stay_zero_in_bytes(kv):
    kv["w0"] = np.zeros(12)
    assert not kv.quantize("int8")["w0"].any()


def test_what_cannot_be_stored_is_refused(kv):
    with pytest.raises(ValueError, match="method must be one of pq, float16, int8, got 'int4'"):
        kv.quantize("int4")
    kv["w0"] = np.full(12, 1e6)
    with pytest.raises(ValueError, match="65520"):
        kv.quantize("float16")
    kv["w0"] = np.full(12, np.inf)
    with pytest.raises(ValueError, match="finite"):
        kv.quantize("int8")


def test_a_negative_sample_is_refused(kv):
    with pytest.raises(ValueError, match="sample must be at least 0, got -1"):
        kv.quantize("int8", sample=-1)


@pytest.fixture(scope="module")
def spelt():
    text = [[f"word{i % 301}", f"letter{i % 23}", "and", f"thing{i % 11}"] for i in range(900)]
    return FastText(text, vector_size=12, min_count=1, bucket=3000, epochs=2, seed=1, workers=1).wv


@pytest.mark.parametrize(("method", "near"), [("pq", 0.8), ("float16", 0.9999), ("int8", 0.999)])
def test_unknown_words_have_vectors(spelt, method, near, tmp_path):
    small = spelt.quantize(method)
    small.save(tmp_path / "small")
    for compact in (
        small,
        CompactVectors.load(tmp_path / "small"),
        pickle.loads(pickle.dumps(small)),
    ):
        for word in ("words", "lettering", "nothing", "word3"):
            assert word in compact
            exact, found = spelt[word], compact[word]
            cosine = exact @ found / np.linalg.norm(exact) / np.linalg.norm(found)
            assert cosine > near
        assert_allclose(np.linalg.norm(compact.get_vector("words", norm=True)), 1, rtol=1e-5)
        assert compact.most_similar("wordy")[0][0].startswith("word")
        assert not compact[""].any()  # which has no n-grams
        assert_array_equal(compact["lettering"], small["lettering"])
    assert small.report["bytes"] == small.vectors.nbytes + small.ngrams.nbytes
    assert small.report["bytes_before"] > spelt.vectors.nbytes


def test_all_buckets_may_have_rows(spelt):
    full = copy.deepcopy(spelt)
    assert len(full.vectors_ngrams) == 3000  # from now on all of them
    assert_array_equal(full.quantize("int8")["lettering"], spelt.quantize("int8")["lettering"])


def test_without_buckets_unknown_words_stay_unknown():
    wv = FastText([["a", "b"]] * 9, vector_size=4, min_count=1, bucket=0, epochs=1).wv
    small = wv.quantize("int8")
    assert "c" not in small
    with pytest.raises(KeyError):
        small["c"]


@pytest.mark.parametrize("name", ["min_n", "bucket"])
def test_damaged_ngrams_in_a_file_are_an_error(spelt, tmp_path, name):
    path = tmp_path / "small"
    spelt.quantize("int8").save(path)
    file = native.load(path)
    settings = file.settings | {"ngrams": file.settings["ngrams"] | {name: -1}}
    native.save(path, file.tensors, file.words, settings)
    with pytest.raises(ValueError, match=f"{name} must be at least 0, got -1"):
        CompactVectors.load(path)
