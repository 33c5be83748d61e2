"""Unknown keys among many: an error that names them all, or `missing="skip"`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v import FastText, KeyedVectors, Word2Vec


@pytest.fixture
def kv():
    kv = KeyedVectors(4)
    kv.add_vectors([f"w{i}" for i in range(20)], np.random.default_rng(0).normal(size=(20, 4)))
    return kv


BATCHES = {
    "most_similar_batch": lambda kv, keys, **o: kv.most_similar_batch(keys, **o),
    "most_similar": lambda kv, keys, **o: kv.most_similar([[key] for key in keys], **o),
    "distances": lambda kv, keys, **o: kv.distances("w0", keys, **o),
    "most_similar_to_given": lambda kv, keys, **o: kv.most_similar_to_given("w0", keys, **o),
    "item": lambda kv, keys: kv[keys],
}


@pytest.mark.parametrize("ask", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize(
    ("unknown", "message"),
    [
        (["x"], "Key 'x' not present"),
        (["x", "y"], "2 of 4 keys not present in vocabulary: 'x', 'y'"),
        (list("abcdefg"), "7 of 9 keys not present in vocabulary: 'a', 'b', 'c', 'd', 'e' and 2 m"),
    ],
)
def test_an_error_names_the_unknown_keys_and_their_number(kv, ask, unknown, message):
    with pytest.raises(KeyError, match=message):
        ask(kv, ["w1", *unknown, "w2"])


@pytest.mark.parametrize("form", [lambda kv: kv, lambda kv: kv.quantize("int8")])
def test_a_skipped_query_has_an_empty_result_in_its_place(kv, form):
    kv = form(kv)
    asked = ["w1", "x", ["w2", "w3"], ["w2", "x"], ("y", 0.5), "w4"]
    found = kv.most_similar_batch(
        [[q] if isinstance(q, tuple) else q for q in asked], missing="skip"
    )
    assert [len(result) for result in found] == [10, 0, 10, 0, 0, 10]
    assert found[0] == kv.most_similar("w1")
    assert found[2] == kv.most_similar(["w2", "w3"])
    assert found[5] == kv.most_similar("w4")
    found[1].append("a result of its own")
    assert found[3] == []


def test_a_query_is_skipped_for_an_unknown_negative_item(kv):
    found = kv.most_similar([["w1"], ["w2"]], [["x"], ["w3"]], missing="skip")
    assert found == [[], kv.most_similar("w2", "w3")]


def test_a_single_query_is_skipped(kv):
    assert kv.most_similar("x", missing="skip") == []
    assert kv.most_similar("w1", missing="skip") == kv.most_similar("w1")
    assert np.isnan(kv.most_similar("x", topn=None, missing="skip")).all()


def test_all_similarities_of_a_skipped_query_are_nan(kv):
    found = kv.most_similar_batch(["x", "w1"], topn=None, clip_end=7, missing="skip")
    assert found.shape == (2, 7)
    assert found.dtype == np.float32
    assert np.isnan(found[0]).all()
    assert_array_equal(found[1], kv.most_similar("w1", topn=None, clip_end=7))


def test_an_indexer_gets_no_skipped_queries(kv):
    class Indexer:
        def most_similar(self, vector, topn):
            return [("found", topn)]

    found = kv.most_similar_batch(["x", "w1"], topn=3, indexer=Indexer(), missing="skip")
    assert found == [[], [("found", 3)]]


def test_many_queries_stay_in_their_order(kv, monkeypatch):
    monkeypatch.setattr("pyw2v.vectors.queries._BATCH", 3)
    keys = [f"w{i}" for i in range(40)]
    found = kv.most_similar_batch(keys, topn=2, missing="skip")
    assert found == [kv.most_similar(key, topn=2) for key in keys[:20]] + [[]] * 20


def test_all_or_no_queries_may_be_skipped(kv):
    assert kv.most_similar_batch(["x", "y"], missing="skip") == [[], []]
    assert kv.most_similar_batch([], missing="skip") == []
    assert kv.most_similar_batch([], topn=None).shape == (0, 20)


def test_an_unknown_key_has_no_distance(kv):
    found = kv.distances("w0", ["w1", "x", "w2"], missing="skip")
    assert_array_equal(found[[0, 2]], kv.distances("w0", ["w1", "w2"]))
    assert np.isnan(found[1])
    assert np.isnan(kv.distances("w0", ["x"], missing="skip")).all()


def test_an_unknown_key_is_not_chosen(kv):
    expected = kv.most_similar_to_given("w0", ["w1", "w2"])
    assert kv.most_similar_to_given("w0", ["x", "w1", "w2"], missing="skip") == expected
    for keys in ([], ["x"]):
        with pytest.raises(ValueError, match="keys_list must hold a key"):
            kv.most_similar_to_given("w0", keys, missing="skip")


def test_an_unknown_word_has_no_probability():
    corpus = [["a", "b", "c"]] * 20
    model = Word2Vec(corpus, vector_size=4, min_count=1, workers=1, objective="softmax")
    with pytest.raises(KeyError, match="2 of 3 keys not present in vocabulary: 'x', 'y'"):
        model.log_prob(["a", "x", "y"], "b")
    with pytest.raises(KeyError, match="Key 'x' not present"):
        model.log_prob("x", "b")
    found = model.log_prob(["a", "x"], "b", missing="skip")
    assert found[0] == model.log_prob("a", "b")
    assert np.isnan(found[1])
    assert np.isnan(model.log_prob("x", "b", missing="skip"))


def test_words_with_n_grams_are_not_missing():
    model = FastText([["spam", "eggs"]] * 5, vector_size=4, min_count=1, workers=1, bucket=50)
    assert len(model.wv.most_similar_batch(["spams", "eggs"], missing="skip")[0]) == 2


@pytest.mark.parametrize("missing", ["ignore", None, True])
@pytest.mark.parametrize(
    "ask", [ask for name, ask in BATCHES.items() if name != "item"], ids=list(BATCHES)[:-1]
)
def test_missing_is_checked(kv, ask, missing):
    with pytest.raises(ValueError, match=f'missing must be "error" or "skip", got {missing!r}'):
        ask(kv, ["w1", "x"], missing=missing)


def test_an_empty_query_is_an_error_all_the_same(kv):
    with pytest.raises(ValueError, match="no input"):
        kv.most_similar_batch(["w1", []], missing="skip")


@pytest.mark.parametrize("form", [np.array, lambda keys: np.array(keys, object)])
def test_an_array_of_words_is_a_list_of_keys(kv, form):
    assert kv.most_similar(form(["w1", "w2"])) == kv.most_similar(["w1", "w2"])
