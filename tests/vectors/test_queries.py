"""Queries over KeyedVectors; the expected numbers are those of gensim 4.4 on the same vectors."""

import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v.vectors import KeyedVectors

KEYS = ["king", "queen", "man", "woman", "apple", "pear", "paris", "france"]
VECTORS = [
    [0.0, 0.3, -0.3, -0.9],
    [-0.5, -1.0, 0.1, 1.3],
    [-0.5, -0.6, 0.5, 0.4],
    [0.1, -0.9, 0.0, 0.7],
    [-1.3, -0.5, -1.9, -1.3],
    [-1.8, -0.2, -1.3, 0.3],
    [0.2, -0.2, -2.5, -0.5],
    [0.0, 0.1, -1.5, -0.5],
]


@pytest.fixture(params=["contiguous", "padded"])
def kv(request):
    kv = KeyedVectors(4)
    kv.add_vectors(KEYS, VECTORS)
    if request.param == "padded":
        wide = np.full((8, 16), np.nan, np.float32)
        wide[:, :4] = kv.vectors
        kv.vectors = wide[:, :4]
    return kv


def assert_neighbours(found, expected):
    assert [key for key, _ in found] == [key for key, _ in expected]
    assert all(type(score) is float for _, score in found)
    assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-5)


class TestMostSimilar:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (
                {"positive": "king", "topn": 3},
                [("apple", 0.5939), ("france", 0.58997), ("paris", 0.44666)],
            ),
            (
                {"positive": ["king", "woman"], "negative": ["man"], "topn": 3},
                [("france", 0.80972), ("paris", 0.78407), ("apple", 0.49125)],
            ),
            (
                {"positive": [("king", 0.5), "pear"], "negative": [("man", -0.3)], "topn": 3},
                [("apple", 0.91653), ("france", 0.81889), ("paris", 0.72474)],
            ),
            ({"negative": ["king"], "topn": 2}, [("queen", 0.87773), ("woman", 0.7903)]),
            (
                {"positive": "king", "restrict_vocab": 4},
                [("man", -0.68664), ("woman", -0.7903), ("queen", -0.87773)],
            ),
            (
                {"positive": "king", "clip_start": 3, "clip_end": 6},
                [("apple", 0.5939), ("pear", 0.02681), ("woman", -0.7903)],
            ),
            (
                {"positive": np.array([1, 0, 0, -1], "f4"), "topn": 2},
                [("king", 0.6396), ("france", 0.22316)],
            ),
            (
                {"positive": np.array([[1, 0, 0, -1], [0, 2, 0, 0]], "f4"), "topn": 2},
                [("king", 0.61546), ("france", 0.18038)],
            ),
        ],
    )
    def test_matches_gensim(self, kv, query, expected):
        assert_neighbours(kv.most_similar(**query), expected)

    def test_topn_none_gives_all_similarities(self, kv):
        expected = [1, -0.87773, -0.68664, -0.7903, 0.5939, 0.02681, 0.44666, 0.58997]
        everything = kv.most_similar("king", topn=None)
        assert everything.dtype == np.float32
        assert_allclose(everything, expected, atol=1e-5)
        part = kv.most_similar("king", topn=None, clip_start=2, clip_end=4)
        assert_allclose(part, expected[2:4], atol=1e-5)

    @pytest.mark.parametrize("topn", [0, -3])
    def test_topn_below_one_gives_nothing(self, kv, topn):
        assert kv.most_similar("king", topn=topn) == []

    def test_topn_beyond_the_vocabulary_gives_all_but_the_query(self, kv):
        assert len(kv.most_similar("king", topn=100)) == 7

    def test_keys_may_be_positions(self, kv):
        assert kv.most_similar(0) == kv.most_similar("king")

    @pytest.mark.parametrize(
        ("query", "error", "message"),
        [
            ({}, ValueError, "no input"),
            ({"positive": []}, ValueError, "no input"),
            ({"positive": "?"}, KeyError, "Key '\\?' not present"),
            ({"positive": ["king"], "negative": ["?"]}, KeyError, "Key '\\?' not present"),
            ({"positive": np.ones(3)}, ValueError, r"shape \(4,\), got \(3,\)"),
            ({"positive": "king", "topn": 2.5}, TypeError, "float"),
            ({"positive": [0.5]}, TypeError, "must be a key, an array or a tuple"),
            ({"positive": [("king", "man")]}, TypeError, "must be a key, an array or a tuple"),
        ],
    )
    def test_errors(self, kv, query, error, message):
        with pytest.raises(error, match=message):
            kv.most_similar(**query)

    def test_an_indexer_replaces_the_search(self, kv):
        class Indexer:
            def most_similar(self, vector, topn):
                assert_allclose(np.linalg.norm(vector), 1, rtol=1e-6)
                return [("found", topn)]

        assert kv.most_similar("king", topn=4, indexer=Indexer()) == [("found", 4)]
        assert len(kv.most_similar("king", topn=None, indexer=Indexer())) == 8

    def test_names_of_the_same_search(self, kv):
        expected = kv.most_similar("king", topn=2, restrict_vocab=6)
        assert kv.similar_by_key("king", 2, 6) == expected
        assert kv.similar_by_word("king", 2, 6) == expected
        by_vector = kv.similar_by_vector(kv["king"], 3, 6)
        assert by_vector[0][0] == "king"
        assert [key for key, _ in by_vector[1:]] == [key for key, _ in expected]

    @pytest.mark.parametrize("dtype", [np.float16, np.float64])
    def test_other_float_types(self, dtype):
        kv = KeyedVectors(4, dtype=dtype)
        kv.add_vectors(KEYS, VECTORS)
        found = kv.most_similar("king", topn=3)
        assert [key for key, _ in found] == ["apple", "france", "paris"]
        assert_allclose([score for _, score in found], [0.5939, 0.58997, 0.44666], atol=1e-3)
        assert len(kv.distances("king")) == 8
        assert kv.doesnt_match(["king", "queen", "pear", "man"]) == "king"


class TestBatches:
    def test_a_list_of_lists_is_one_query_each(self, kv):
        queries = [["king"], ["king", "woman"], [("pear", 2.0), np.ones(4, "f4")]]
        expected = [kv.most_similar(query, topn=3) for query in queries]
        assert kv.most_similar(queries, topn=3) == expected
        assert kv.most_similar_batch(queries, topn=3) == expected

    def test_negatives_go_with_their_queries(self, kv):
        expected = [kv.most_similar(["king", "woman"], ["man"]), kv.most_similar("paris")]
        assert kv.most_similar([["king", "woman"], ["paris"]], [["man"], []]) == expected
        assert kv.most_similar_batch([["king", "woman"], "paris"], ["man", None]) == expected

    def test_a_batch_may_hold_bare_keys_or_be_a_matrix(self, kv):
        expected = [kv.most_similar("king"), kv.most_similar("pear")]
        assert kv.most_similar_batch(["king", "pear"]) == expected
        rows = kv.vectors[:3]
        assert kv.most_similar_batch(rows) == [kv.similar_by_vector(row) for row in rows]

    def test_topn_none_gives_a_matrix(self, kv):
        matrix = kv.most_similar_batch(["king", "pear"], topn=None, restrict_vocab=5)
        assert matrix.shape == (2, 5)
        single = kv.most_similar("pear", topn=None, restrict_vocab=5)
        assert_allclose(matrix[1], single, atol=1e-6)
        assert kv.most_similar_batch([], topn=None).shape == (0, 8)

    def test_empty_batches_and_empty_results(self, kv):
        assert kv.most_similar_batch([]) == []
        assert kv.most_similar_batch(["king", "pear"], topn=0) == [[], []]
        assert kv.most_similar_batch(["king"], clip_start=8) == [[]]

    def test_large_batches_are_cut_without_a_trace(self, kv, monkeypatch):
        expected = kv.most_similar_batch(KEYS)
        monkeypatch.setattr("pyw2v.vectors.queries._BATCH", 3)
        assert kv.most_similar_batch(KEYS) == expected
        monkeypatch.setattr("pyw2v.vectors.queries._BATCH_PLACES", 1)
        assert kv.most_similar_batch(KEYS) == expected

    def test_errors(self, kv):
        with pytest.raises(ValueError, match="got 1 entries for 2 queries"):
            kv.most_similar_batch(["king", "pear"], [["man"]])
        with pytest.raises(ValueError, match="no input"):
            kv.most_similar_batch(["king", []])
        with pytest.raises(KeyError, match="'\\?'"):
            kv.most_similar_batch(["king", "?"])

    def test_other_python_threads_run_during_a_batch(self):
        kv = KeyedVectors(64)
        vectors = np.random.default_rng(0).normal(size=(20_000, 64))
        kv.add_vectors([str(i) for i in range(20_000)], vectors)
        queries = kv.index_to_key[:2000]
        expected = kv.most_similar_batch(queries[:50], topn=2)
        results = []
        threads = [
            threading.Thread(target=lambda: results.append(kv.most_similar_batch(queries, topn=2)))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(result[:50] == expected for result in results)
        assert len(results) == 3


class TestCosmul:
    def test_matches_gensim(self, kv):
        found = kv.most_similar_cosmul(["king", "woman"], ["man"], topn=3)
        assert_neighbours(found, [("france", 1.63264), ("paris", 1.53201), ("apple", 0.79672)])

    def test_ranks_as_most_similar_with_one_word(self, kv):
        found = [key for key, _ in kv.most_similar_cosmul("king")]
        assert found == [key for key, _ in kv.most_similar("king")]

    def test_takes_arrays_positions_and_a_restricted_vocabulary(self, kv):
        assert kv.most_similar_cosmul(0) == kv.most_similar_cosmul("king")
        unit = kv.get_vector("king", norm=True)
        assert kv.most_similar_cosmul([unit], topn=1)[0][0] == "king"
        assert {key for key, _ in kv.most_similar_cosmul("king", restrict_vocab=3)} == {
            "queen",
            "man",
        }
        assert kv.most_similar_cosmul("king", topn=None).shape == (8,)
        assert kv.most_similar_cosmul("king", topn=0) == []

    def test_errors(self, kv):
        with pytest.raises(ValueError, match="no positive input"):
            kv.most_similar_cosmul(negative=["king"])
        with pytest.raises(KeyError):
            kv.most_similar_cosmul("?")


class TestSimilarities:
    def test_pairs(self, kv):
        assert_allclose(kv.similarity("king", "queen"), -0.8777334, rtol=1e-6)
        assert_allclose(kv.distance("king", "queen"), 1.8777334, rtol=1e-6)
        assert_allclose(kv.distances("king", ["queen", "pear"]), [1.87773, 0.97319], atol=1e-5)
        assert_allclose(kv.distances("king"), 1 - kv.most_similar("king", topn=None), atol=1e-6)
        assert_allclose(kv.distances(kv["king"]), kv.distances("king"), atol=1e-6)
        with pytest.raises(KeyError):
            kv.similarity("king", "?")
        with pytest.raises(KeyError):
            kv.distances("king", ["?"])

    def test_vectors_are_left_alone(self):
        # gensim scales float64 vectors in place here.
        kv = KeyedVectors(4, dtype=np.float64)
        kv.add_vectors(KEYS, VECTORS)
        kv.similarity("king", "queen")
        kv.n_similarity(["king"], ["queen"])
        assert_array_equal(kv.vectors, VECTORS)

    def test_cosine_similarities(self):
        found = KeyedVectors.cosine_similarities(
            np.array([1, 0]), np.array([[2, 0], [0, 0], [-3, 3]])
        )
        assert_allclose(found, [1, 0, -(0.5**0.5)], rtol=1e-6)

    def test_sets(self, kv):
        assert_allclose(kv.n_similarity(["king", "queen"], ["man", "?"]), 0.7455193, rtol=1e-6)
        with pytest.raises(ZeroDivisionError):
            kv.n_similarity([], ["king"])

    def test_comparisons(self, kv):
        assert kv.closer_than("king", "man") == ["apple", "pear", "paris", "france"]
        with pytest.warns(DeprecationWarning, match="closer_than"):
            assert kv.words_closer_than("king", "man") == kv.closer_than("king", "man")
        assert kv.rank("king", "man") == 5
        assert kv.most_similar_to_given("king", ["man", "pear", "paris"]) == "paris"

    def test_odd_one_out(self, kv):
        ranked = kv.rank_by_centrality(["king", "queen", "pear"])
        assert [word for _, word in ranked] == ["pear", "queen", "king"]
        assert_allclose([cosine for cosine, _ in ranked], [0.97444, 0.33518, 0.10535], atol=1e-5)
        assert kv.doesnt_match(["king", "queen", "pear", "man", "?"]) == "king"
        with pytest.raises(ValueError, match="empty list"):
            kv.doesnt_match(["?"])

    def test_relative_cosine_similarity(self, kv):
        assert_allclose(
            kv.relative_cosine_similarity("king", "queen", topn=3), -0.5383147, rtol=1e-5
        )
        with pytest.raises(ValueError, match="topn"):
            kv.relative_cosine_similarity("king", "queen", topn=0)

    def test_similarity_unseen_docs_is_not_offered(self, kv):
        with pytest.raises(NotImplementedError):
            kv.similarity_unseen_docs([], [])


class TestWordMoversDistance:
    def test_matches_gensim(self, kv):
        pytest.importorskip("ot")
        documents = ["king", "queen", "pear"], ["man", "pear", "pear", "?"]
        assert_allclose(kv.wmdistance(*documents), 0.6658135, rtol=1e-5)
        assert_allclose(kv.wmdistance(["king", "queen"], ["man"], norm=False), 1.4521049, rtol=1e-5)

    def test_special_cases(self, kv, monkeypatch):
        monkeypatch.setitem(sys.modules, "ot", type("ot", (), {"emd2": None}))
        assert kv.wmdistance(["?"], ["king"]) == float("inf")
        assert kv.wmdistance(["king", "king"], ["king"]) == 0.0

    def test_without_pot_the_error_names_the_extra(self, kv, monkeypatch):
        monkeypatch.setitem(sys.modules, "ot", None)
        with pytest.raises(ImportError, match=r"pyw2v\[wmd\]"):
            kv.wmdistance(["king"], ["man"])


def test_keys_of_two_types_are_ranked_although_they_cannot_be_compared():
    kv = KeyedVectors(2)
    kv.add_vectors(["a", 1, "b"], np.array([[1, 0], [1, 0], [0, 1]], np.float32))
    assert kv.doesnt_match(["a", 1, "b"]) == "b"
    assert [word for _, word in kv.rank_by_centrality([1, "a"])] == ["a", 1]
