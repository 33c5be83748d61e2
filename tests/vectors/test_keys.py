"""What an integer means to vectors: a key, or where no key is a number, the place of a row."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v import FastText, GloVe, KeyedVectors, Word2Vec
from pyw2v.vectors.compact import CompactVectors

N_KEYS = 60
UNKNOWN = 49  # of the keys 100, 101, ...; as a place it is that of key 149


def vectors_of(keys, dim=4):
    kv = KeyedVectors(dim)
    kv.add_vectors(keys, np.random.default_rng(0).normal(size=(len(keys), dim)))
    return kv


def by_numbers(kind=int):
    return vectors_of([kind(100 + i) for i in range(N_KEYS)])


def by_words():
    return vectors_of([f"w{i}" for i in range(N_KEYS)])


def assert_unknown(kv, key):
    assert key not in kv
    assert not kv.has_index_for(key)
    assert kv.get_index(key, -7) == -7
    with pytest.raises(KeyError, match=f"'{key}' not present"):
        kv[key]


@pytest.mark.parametrize("kind", [int, np.int32, np.uint64, float, np.float64])
@pytest.mark.parametrize("asked", [int, np.int64, np.uint8])
def test_an_unknown_integer_is_no_place_where_keys_are_numbers(kind, asked):
    kv = by_numbers(kind)
    assert_unknown(kv, asked(UNKNOWN))
    assert_array_equal(kv[asked(101)], kv.vectors[1])


QUERIES = {
    "get_index": lambda kv, key: kv.get_index(key),
    "get_vector": lambda kv, key: kv.get_vector(key),
    "get_vector(norm)": lambda kv, key: kv.get_vector(key, norm=True),
    "getitem of a list": lambda kv, key: kv[[100, key]],
    "getitem of an array": lambda kv, key: kv[np.array([100, key])],
    "get_vecattr": lambda kv, key: kv.get_vecattr(key, "count"),
    "set_vecattr": lambda kv, key: kv.set_vecattr(key, "count", 3),
    "get_mean_vector": lambda kv, key: kv.get_mean_vector([100, key], ignore_missing=False),
    "most_similar": lambda kv, key: kv.most_similar(key),
    "most_similar, weighted": lambda kv, key: kv.most_similar([(key, 0.5)]),
    "most_similar, negative": lambda kv, key: kv.most_similar([100], [key]),
    "most_similar_batch": lambda kv, key: kv.most_similar_batch([100, key]),
    "most_similar_cosmul": lambda kv, key: kv.most_similar_cosmul([100], [key]),
    "similar_by_key": lambda kv, key: kv.similar_by_key(key),
    "similar_by_word": lambda kv, key: kv.similar_by_word(key),
    "similarity": lambda kv, key: kv.similarity(100, key),
    "distance": lambda kv, key: kv.distance(key, 100),
    "distances": lambda kv, key: kv.distances(key),
    "distances to": lambda kv, key: kv.distances(100, [key]),
    "most_similar_to_given": lambda kv, key: kv.most_similar_to_given(100, [key, 101]),
    "closer_than": lambda kv, key: kv.closer_than(100, key),
    "rank": lambda kv, key: kv.rank(key, 100),
    "relative_cosine_similarity": lambda kv, key: kv.relative_cosine_similarity(100, key),
}


@pytest.mark.parametrize("form", [lambda kv: kv, lambda kv: kv.quantize("float16")])
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_every_query_refuses_an_unknown_number(query, form):
    kv = by_numbers()
    kv.expandos["count"] = np.arange(N_KEYS)
    kv = form(kv)
    with pytest.raises(KeyError, match=f"'{UNKNOWN}' not present"):
        query(kv, UNKNOWN)
    assert_array_equal(kv.expandos["count"], np.arange(N_KEYS))
    query(kv, 100 + UNKNOWN)


def test_queries_that_skip_unknown_keys_skip_unknown_numbers():
    kv = by_numbers()
    assert_array_equal(kv.get_mean_vector([100, UNKNOWN]), kv.get_mean_vector([100]))
    assert kv.n_similarity([100, UNKNOWN], [101]) == kv.n_similarity([100], [101])
    assert {key for _, key in kv.rank_by_centrality([100, UNKNOWN, 101])} == {100, 101}
    assert kv.doesnt_match([100, 101, UNKNOWN]) in (100, 101)
    assert kv.vectors_for_all([100, UNKNOWN]).index_to_key == [100]


def test_words_movers_distance_skips_unknown_numbers():
    pytest.importorskip("ot")
    kv = by_numbers()
    assert kv.wmdistance([100, UNKNOWN], [101]) == kv.wmdistance([100], [101])


def test_one_number_among_the_keys_is_enough():
    """Such as items with numbers beside a padding: item 0, which is unknown, is not the padding."""
    assert_unknown(vectors_of(["<pad>", 7, 8]), 0)
    assert_unknown(vectors_of([8, "<pad>"]), 1)
    kv = by_words()
    assert_array_equal(kv[3], kv["w3"])
    kv[1000] = np.ones(4)
    assert_unknown(kv, 3)


def test_where_no_key_is_a_number_an_integer_is_a_place():
    kv = by_words()
    assert_array_equal(kv[3], kv["w3"])
    assert kv.most_similar(np.int16(3)) == kv.most_similar("w3")
    assert_unknown(kv, N_KEYS)
    assert_unknown(kv, -1)
    assert_array_equal(KeyedVectors(2, count=3)[1], np.zeros(2))  # no keys at all so far


CHANGES = {
    "add_vector": lambda kv: kv.add_vector(1000, np.ones(4)),
    "add_vectors": lambda kv: kv.add_vectors(["new", 1000, "last"], np.ones((3, 4))),
    "item": lambda kv: kv.__setitem__(1000, np.ones(4)),
    "key_to_index, changed by hand": lambda kv: kv.key_to_index.update({1000: 5}),
    "key_to_index, replaced": lambda kv: setattr(
        kv, "key_to_index", {1000 + i: i for i in range(N_KEYS)}
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.filterwarnings("ignore:add_vector copies")
def test_integers_are_keys_as_soon_as_one_is(change):
    kv = by_words()
    for _ in range(2):
        kv.get_index(7)  # as a place
    change(kv)
    assert_unknown(kv, 7)
    assert 1000 in kv


def test_keys_replaced_by_words_make_integers_places_again():
    kv = by_numbers()
    assert_unknown(kv, 7)
    kv.key_to_index = {f"w{i}": i for i in range(N_KEYS)}
    assert kv.get_index(7) == 7
    kv = by_numbers()
    assert_unknown(kv, 7)
    kv.key_to_index.clear()
    kv.key_to_index.update({f"w{i}": i for i in range(N_KEYS - 1)})
    assert kv.get_index(7) == 7


COPIES = {
    "pickle": lambda kv, path: pickle.loads(pickle.dumps(kv)),
    "copy": lambda kv, path: copy.copy(kv),
    "deepcopy": lambda kv, path: copy.deepcopy(kv),
    "vectors_for_all": lambda kv, path: kv.vectors_for_all(kv.index_to_key),
    "quantize": lambda kv, path: kv.quantize("int8"),
    "load": lambda kv, path: (kv.save(path), type(kv).load(path))[1],
    "sort": lambda kv, path: (kv.sort_by_descending_frequency(), kv)[1],
    "compact, load": lambda kv, path: (
        kv.quantize("float16").save(path),
        CompactVectors.load(path),
    )[1],
}


@pytest.mark.parametrize("asked_before", [False, True])
@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
def test_copies_know_what_an_integer_means(made, asked_before, tmp_path):
    for kv, number_is_place in ((by_numbers(), False), (by_words(), True)):
        kv.expandos["count"] = np.arange(N_KEYS)
        if asked_before:
            kv.get_index(7, -1)
        again = made(kv, tmp_path / "file")
        assert (again.get_index(7, -1) == 7) == number_is_place
        assert len(again) == N_KEYS


def test_a_copy_that_grows_leaves_the_original_as_it_is():
    kv = by_words()
    kv.get_index(7)
    again = copy.deepcopy(kv)
    again.add_vectors([1000], np.ones((1, 4)))
    assert_unknown(again, 7)
    assert kv.get_index(7) == 7


def test_a_lookup_checks_no_key_twice():
    """Keys are checked once, and new ones when they are added."""

    class Counting(dict):
        n_seen = 0

        def __reversed__(self):
            for key in super().__reversed__():
                self.n_seen += 1
                yield key

    kv = by_words()
    kv.key_to_index = Counting(kv.key_to_index)
    for i in range(N_KEYS):
        assert kv.get_index(i) == i
        kv.add_vectors([f"new {i}"], np.ones((1, 4)))
    assert kv.key_to_index.n_seen == 2 * N_KEYS - 1


@pytest.mark.parametrize("true", [True, np.True_])
def test_a_truth_value_is_neither_a_number_nor_a_place(true):
    """True == 1 to Python, but it stands neither for row 1 nor for item 1."""
    for kv in (by_words(), vectors_of([0, 1, 2])):
        assert_unknown(kv, true)
        with pytest.raises(KeyError, match="'True' not present"):
            kv.most_similar(true)
        with pytest.raises(KeyError, match=r"2 of 2 keys not present.*: 'True', 'False'"):
            kv[[true, not true]]
    kv = vectors_of([False, True])
    assert_array_equal(kv[true], kv.vectors[1])


CORPUS = [[100 + i, 101 + i, 102 + i] for i in range(N_KEYS - 2)] * 3


def test_models_of_numbers_refuse_unknown_ones():
    settings = {"vector_size": 4, "min_count": 1, "epochs": 1, "workers": 1}
    model = Word2Vec(CORPUS, objective="softmax", **settings)
    assert_unknown(model.wv, 7)
    assert model.predict_output_word([7]) is None
    assert model.predict_output_word([7, 100]) == model.predict_output_word([100])
    with pytest.raises(KeyError, match="context 7"):
        model.log_prob(100, 7)
    with pytest.raises(KeyError, match="'7' not present"):
        model.log_prob([100, 7], 101)
    assert_unknown(GloVe(CORPUS, **settings).wv, 7)


def test_a_model_of_numbers_with_a_null_word_refuses_unknown_ones():
    model = Word2Vec(CORPUS, vector_size=4, min_count=1, epochs=1, workers=1, null_word=1)
    assert model.wv.index_to_key[N_KEYS] == "\0"
    assert_unknown(model.wv, N_KEYS)


@pytest.mark.parametrize("form", [lambda wv: wv, lambda wv: wv.quantize("float16")])
def test_n_grams_spell_an_unknown_number(form):
    model = FastText(CORPUS, vector_size=4, min_count=1, epochs=1, workers=1, bucket=100)
    wv = form(model.wv)
    assert not wv.has_index_for(49)
    assert 49 in wv
    assert_array_equal(wv[49], wv["49"])
    assert not np.array_equal(wv[49], wv.vectors[49])
    assert wv.most_similar(49, topn=3) == wv.most_similar("49", topn=3)
