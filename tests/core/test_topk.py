"""The search for nearest rows against the same in NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core.topk import TopK
from pyw2v._shared.lengths import Lengths
from pyw2v.vectors import search


def unit_rows(array):
    return (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32)


def norms_of(vectors):
    return np.linalg.norm(vectors.astype(np.float64), axis=1).astype(np.float32)


def reference(vectors, queries, k, exclude, start, end):
    """Ids by exact cosine, ties by id; and the cosines of all rows."""
    rows = vectors.astype(np.float64)
    norms = np.linalg.norm(rows, axis=1)
    cosines = queries.astype(np.float64) @ rows.T / np.where(norms == 0, 1, norms)
    ids = np.full((len(queries), k), -1)
    for q, row in enumerate(cosines):
        order = np.lexsort((np.arange(len(row)), -row))
        best = [i for i in order if start <= i < end and i not in exclude[q]][:k]
        ids[q, : len(best)] = best
    return ids, cosines


def nearest(vectors, norms, *args, **options):
    return search.nearest(vectors, Lengths(vectors, norms), *args, **options)


def check(vectors, queries, k, exclude, start, end, **options):
    ids, scores = nearest(vectors, norms_of(vectors), queries, k, exclude, start, end, **options)
    expected, cosines = reference(vectors, queries, k, exclude, start, end)
    places = np.arange(len(queries))[:, np.newaxis]
    assert_array_equal(ids < 0, expected < 0)
    found = ids >= 0
    assert_allclose(scores[found], cosines[places, ids][found], atol=2e-6)
    # Single precision may swap neighbours that are closer than its rounding; no others.
    assert_allclose(
        cosines[places, ids][found], cosines[places, expected][found], atol=2e-6, rtol=0
    )
    for q, row in enumerate(ids):
        kept = row[row >= 0]
        assert len(set(kept)) == len(kept)
        assert not set(kept) & set(exclude[q])
        assert np.all((kept >= start) & (kept < end))
        assert np.all(np.diff(scores[q][: len(kept)]) <= 0)


@pytest.mark.parametrize("dim", [1, 7, 8, 9, 15, 16, 17, 100, 300])
@pytest.mark.parametrize("n_queries", [1, 3, 8, 13, 24, 25, 50])
def test_nearest_rows_are_those_of_the_formula(isa, dim, n_queries):
    rng = np.random.default_rng(dim * 100 + n_queries)
    vectors = rng.normal(size=(211, dim)).astype(np.float32)
    queries = unit_rows(rng.normal(size=(n_queries, dim)))
    exclude = [list(rng.integers(0, 211, rng.integers(0, 4))) for _ in range(n_queries)]
    check(vectors, queries, 5, exclude, 0, 211)


@pytest.mark.parametrize(("start", "end"), [(0, 1), (3, 4), (10, 150), (100, 211), (50, 50)])
@pytest.mark.parametrize("k", [1, 2, 40, 300])
def test_only_the_given_range_is_searched(isa, start, end, k):
    rng = np.random.default_rng(start + k)
    vectors = rng.normal(size=(211, 20)).astype(np.float32)
    queries = unit_rows(rng.normal(size=(9, 20)))
    check(vectors, queries, k, [[start, start + 1]] * 9, start, end)


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("dim", [3, 8, 33, 100])
def test_results_are_equal_bit_for_bit_for_any_number_of_threads_and_queries(isa, dim, workers):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(5000, dim)).astype(np.float32)
    norms = norms_of(vectors)
    queries = unit_rows(rng.normal(size=(60, dim)))
    exclude = [[q] for q in range(60)]
    ids, scores = nearest(vectors, norms, queries, 7, exclude, 0, 5000, workers)
    for q in range(60):
        one = nearest(vectors, norms, queries[q : q + 1], 7, exclude[q : q + 1], 0, 5000, 1)
        assert_array_equal(one[0][0], ids[q])
        assert_array_equal(one[1][0], scores[q])


def test_threads_find_the_same_rows_as_the_reference():
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(30_000, 16)).astype(np.float32)
    queries = unit_rows(rng.normal(size=(30, 16)))
    check(vectors, queries, 10, [[]] * 30, 5, 29_990, workers=4)


@pytest.mark.parametrize("workers", [1, 3])
def test_of_equal_scores_the_lower_id_wins(isa, workers):
    vectors = np.ones((20_000, 4), np.float32)
    vectors[7] = -1
    queries = unit_rows(np.ones((2, 4)))
    ids, _ = nearest(vectors, norms_of(vectors), queries, 9, [[], [0, 3]], 0, 20_000, workers)
    assert ids[0].tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert ids[1].tolist() == [1, 2, 4, 5, 6, 8, 9, 10, 11]


def test_rows_that_are_not_numbers_are_never_found(isa):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(40, 10)).astype(np.float32)
    vectors[::2, 3] = np.nan
    ids, scores = nearest(vectors, norms_of(vectors), unit_rows(vectors[1:2]), 40, [[]], 0, 40)
    assert set(ids[0][ids[0] >= 0]) == set(range(1, 40, 2))
    assert not np.isnan(scores).any()


def test_a_query_that_is_not_a_number_finds_nothing(isa):
    vectors = np.ones((5, 3), np.float32)
    queries = np.array([[np.nan, 0, 0], [1, 0, 0]], np.float32)
    ids, _ = nearest(vectors, norms_of(vectors), queries, 2, [[], []], 0, 5)
    assert ids.tolist() == [[-1, -1], [0, 1]]


def test_zero_rows_have_cosine_zero():
    vectors = np.array([[1, 0], [0, 0], [-1, 0]], np.float32)
    ids, scores = nearest(vectors, norms_of(vectors), np.array([[1, 0]], np.float32), 3, [[]], 0, 3)
    assert ids.tolist() == [[0, 1, 2]]
    assert scores.tolist() == [[1, 0, -1]]


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.float32])
@pytest.mark.parametrize("layout", ["padded", "fortran", "reversed"])
def test_any_float_type_and_memory_layout_is_searched(dtype, layout):
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(9000, 13)).astype(dtype)
    if layout == "padded":
        wide = np.full((9000, 16), np.nan, dtype)
        wide[:, :13] = vectors
        vectors = wide[:, :13]
    elif layout == "fortran":
        vectors = np.asfortranarray(vectors)
    else:
        vectors = vectors[::-1]
    check(vectors, unit_rows(rng.normal(size=(10, 13))), 6, [[]] * 10, 2, 8999)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
def test_nothing_to_search_finds_nothing(shape):
    n_rows, dim = shape
    vectors = np.zeros(shape, np.float32)
    queries = np.zeros((2, dim), np.float32)
    ids, _ = nearest(vectors, np.zeros(n_rows, np.float32), queries, 2, [[], []], 0, n_rows)
    assert ids.shape == (2, 2)
    assert (ids < 0).all() or dim == 0


class TestTopKChecksItsArguments:
    def topk(self, **changes):
        arguments = {
            "queries": np.zeros((2, 3), np.float32),
            "k": 1,
            "exclude_offsets": np.zeros(3, np.int64),
            "exclude_ids": np.zeros(0, np.int32),
        }
        return TopK(**{**arguments, **changes})

    @pytest.mark.parametrize("offsets", [[0, 0], [0, 1, 1], [0, -1, 0], [-1, 0, 0], [0, 0, 0, 0]])
    def test_exclude_offsets(self, offsets):
        with pytest.raises(ValueError, match="exclude_offsets must"):
            self.topk(exclude_offsets=np.array(offsets, np.int64))

    @pytest.mark.parametrize(
        ("rows", "n_scales", "first_id", "message"),
        [
            (np.zeros((4, 2), np.float32), 4, 0, "3 columns, got 2"),
            (np.zeros((4, 3), np.float32), 3, 0, "scales must have 4 elements, got 3"),
            (np.zeros((4, 6), np.float32)[:, ::2], 4, 0, "side by side"),
            (np.zeros((4, 3), np.float32), 4, -1, "31 bits"),
            (np.zeros((4, 3), np.float32), 4, 2**31 - 2, "31 bits"),
        ],
    )
    def test_scan(self, rows, n_scales, first_id, message):
        with pytest.raises(ValueError, match=message):
            self.topk().scan(rows, np.ones(n_scales, np.float32), first_id, 1)

    def test_result(self):
        with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
            self.topk().result(np.zeros((2, 2), np.int64), np.zeros((2, 1), np.float32))
