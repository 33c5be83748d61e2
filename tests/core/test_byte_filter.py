"""The filter before a search: it may change how long a query takes, and not one bit of it."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core import isa as isa_module
from pyw2v._core import probe
from pyw2v._core.topk import TopK

# Only these multiply bytes; the others score every row, and then there is no filter to see.
FILTERING = ("avx2",)


def unit_rows(array):
    return (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32)


def scales_of(vectors):
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
    return np.where(norms == 0, 1, 1 / np.where(norms == 0, 1, norms)).astype(np.float32)


def search(queries, vectors, k=10, *, scales=None, exclude=None, workers=1, filter=True, cut=None):
    """Ids and scores, and the TopK that found them; the rows in two scans if `cut` is given."""
    exclude = [[]] * len(queries) if exclude is None else exclude
    offsets = np.cumsum([0, *map(len, exclude)]).astype(np.int64)
    ids = np.array([i for row in exclude for i in row], np.int32)
    topk = TopK(np.ascontiguousarray(queries, np.float32), k, offsets, ids, filter)
    scales = scales_of(vectors) if scales is None else scales
    for at in (slice(0, cut), slice(cut, None)) if cut else (slice(0, None),):
        topk.scan(vectors[at], scales[at], at.start, workers)
    found = np.empty((len(queries), k), np.int64), np.empty((len(queries), k), np.float32)
    topk.result(*found)
    return (*found, topk)


def assert_the_same(queries, vectors, k=10, **options):
    """Searches with and without the filter; returns what the filter saw and let pass."""
    ids, scores, topk = search(queries, vectors, k, **options)
    plain_ids, plain_scores, plain = search(queries, vectors, k, filter=False, **options)
    assert_array_equal(ids, plain_ids)
    assert_array_equal(scores.view(np.int32), plain_scores.view(np.int32))
    assert plain.n_filtered == 0
    return topk.n_filtered, topk.n_passed


def filters(dim=100):
    return isa_module.isa() in FILTERING and dim >= 16


def clustered(rng, n, dim):
    centres = rng.normal(size=(20, dim))
    return centres[rng.integers(0, 20, n)] + 0.1 * rng.normal(size=(n, dim))


def trained_like(rng, n, dim):
    """A common direction, a few strong dimensions, lengths over orders of magnitude."""
    spectrum = 1 / np.sqrt(1 + np.arange(dim))
    vectors = rng.normal(size=(n, dim)) * spectrum + 0.5 * rng.normal(size=dim)
    return vectors * np.exp(rng.normal(scale=3, size=(n, 1)))


def spiky(rng, n, dim):
    vectors = rng.normal(scale=1e-3, size=(n, dim))
    vectors[np.arange(n), rng.integers(0, dim, n)] = rng.choice([-1, 1], n)
    return vectors


def tied(rng, n, dim):
    return rng.normal(size=(30, dim))[rng.integers(0, 30, n)]


def gaussian(rng, n, dim):
    return rng.normal(size=(n, dim))


@pytest.mark.parametrize("make", [gaussian, trained_like, spiky])
@pytest.mark.parametrize("dim", [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 101, 102, 103, 300, 4096])
@pytest.mark.parametrize(("max_byte", "offset"), [(64, 64), (127, 0)])
def test_bytes_are_those_of_the_formula(isa, make, dim, max_byte, offset):
    x = make(np.random.default_rng(dim), 5, dim)[3].astype(np.float32)
    found = probe.byte_vector(x, max_byte, offset, isa)
    if found is None:
        assert isa not in FILTERING
        return
    stored, (unit, norm, byte_norm, residual, representable) = found
    assert representable
    assert_allclose(unit, reference.byte_unit(x, max_byte), rtol=1e-5)
    whole = stored.astype(np.int64) - offset if offset else stored.view(np.int8).astype(np.int64)
    assert not whole[dim:].any()
    whole, scaled = whole[:dim], unit * x.astype(np.float64)
    assert np.abs(whole - scaled).max() <= 0.5 + 1e-5
    assert np.abs(whole).max() <= max_byte
    assert max(reference.half_norms(whole)) <= 181  # 181 * 181 < 2**15: no sum overflows
    for length, vector in ((norm, scaled), (byte_norm, whole), (residual, scaled - whole)):
        exact = np.linalg.norm(vector)
        assert exact <= length + 1e-12
        assert_allclose(length, exact, rtol=3e-3, atol=1e-4)


@pytest.mark.parametrize("make", [gaussian, clustered, trained_like, spiky, tied])
@pytest.mark.parametrize("dim", [1, 7, 8, 9, 15, 16, 17, 18, 19, 100, 300])
@pytest.mark.parametrize("n_queries", [48, 61, 100])
def test_results_are_those_without_the_filter_bit_for_bit(isa, make, dim, n_queries):
    rng = np.random.default_rng(dim + n_queries)
    vectors = make(rng, 7001, dim).astype(np.float32)
    queries = unit_rows(vectors[rng.integers(0, 7001, n_queries)])
    exclude = [list(rng.integers(0, 7001, rng.integers(0, 4))) for _ in range(n_queries)]
    n_filtered, _ = assert_the_same(queries, vectors, exclude=exclude, workers=2)
    assert (n_filtered > 0) == filters(dim)


@pytest.mark.parametrize("k", [1, 40, 3000, 9000])
@pytest.mark.parametrize("cut", [None, 1, 4321])
def test_any_number_of_results_and_scans(isa, k, cut):
    rng = np.random.default_rng(k)
    vectors = gaussian(rng, 8000, 40).astype(np.float32)
    assert_the_same(unit_rows(vectors[:70]), vectors, k, cut=cut)


def test_rows_may_lie_apart_or_backwards(isa):
    rng = np.random.default_rng(1)
    wide = np.full((6000, 32), np.nan, np.float32)
    wide[:, :29] = gaussian(rng, 6000, 29)
    assert_the_same(unit_rows(wide[:64, :29]), wide[:, :29])
    assert_the_same(unit_rows(wide[:64, :29]), wide[::-1, :29])


def test_few_rows_pass(isa):
    rng = np.random.default_rng(2)
    vectors = gaussian(rng, 30_000, 100).astype(np.float32)
    n_filtered, n_passed = assert_the_same(unit_rows(vectors[:96]), vectors)
    if filters():
        assert n_filtered > 0.9 * 30_000 * 96 / 8
        assert n_passed < 0.1 * n_filtered


def test_a_filter_that_lets_all_pass_is_given_up(isa):
    vectors = np.ones((50_000, 32), np.float32)
    n_filtered, n_passed = assert_the_same(unit_rows(vectors[:64]), vectors)
    assert n_filtered == n_passed < 0.2 * 50_000 * 64 / 8


def test_few_queries_are_not_filtered(isa):
    vectors = gaussian(np.random.default_rng(3), 5000, 100).astype(np.float32)
    assert assert_the_same(unit_rows(vectors[:47]), vectors) == (0, 0)


@pytest.mark.parametrize("dim", [16, 64, 100, 300])
def test_differences_too_small_for_bytes_are_decided_by_floats(isa, dim):
    # The rows differ by less than a byte can tell, so that a filter without its slack would choose
    # among them by rounding alone. The best come last, when the thresholds are highest.
    rng = np.random.default_rng(dim)
    base = rng.normal(size=dim)
    step = rng.normal(size=dim)
    closeness = np.linspace(3e-3, 1e-4, 3000)[:, np.newaxis]
    near = base + closeness * (step + 0.1 * rng.normal(size=(3000, dim)))
    vectors = np.concatenate([gaussian(rng, 5000, dim), near]).astype(np.float32)
    queries = unit_rows(np.tile(base, (50, 1)) + 1e-4 * rng.normal(size=(50, dim)))
    assert_the_same(queries, vectors, 20)
    ids, _, _ = search(queries, vectors, 20)
    assert (ids >= 5000).all()


def test_rounding_that_always_hides_the_best(isa):
    # Half of each element of the best row is lost: 0.49 above a whole number of units. The other
    # rows are whole numbers, and score as much in bytes though less in floats.
    dim = 64
    whole = np.full(dim, 20.0)
    whole[0] = 64  # fixes the unit
    best = whole + 0.49
    best[0] = 64
    rng = np.random.default_rng(4)
    vectors = np.concatenate([np.tile(whole, (4000, 1)), gaussian(rng, 500, dim), [best]])
    vectors = vectors.astype(np.float32)
    queries = unit_rows(np.tile(best, (64, 1)))
    scales = np.full(len(vectors), 1 / 180, np.float32)
    assert_the_same(queries, vectors, 3, scales=scales)
    ids, _, _ = search(queries, vectors, 3, scales=scales)
    assert (ids[:, 0] == 4500).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, 1e20, 1e-20, 1e-40, 0.0])
@pytest.mark.parametrize("whole_row", [False, True])
def test_rows_of_odd_numbers(isa, value, whole_row):
    rng = np.random.default_rng(5)
    vectors = gaussian(rng, 6000, 32).astype(np.float32)
    queries = unit_rows(vectors[:64])
    vectors[500::7, slice(None) if whole_row else 3] = value
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scales = scales_of(vectors)
        assert_the_same(queries, vectors, scales=scales)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, 1e-30, 1e30])
def test_odd_scales(isa, scale):
    rng = np.random.default_rng(6)
    vectors = gaussian(rng, 6000, 32).astype(np.float32)
    scales = scales_of(vectors)
    scales[700::5] = scale
    assert_the_same(unit_rows(vectors[:64]), vectors, scales=scales)


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38, 1e20, 1e-20, 1e-40, 0.0])
@pytest.mark.parametrize("whole_query", [False, True])
def test_queries_of_odd_numbers(isa, value, whole_query):
    rng = np.random.default_rng(7)
    vectors = gaussian(rng, 6000, 32).astype(np.float32)
    queries = unit_rows(vectors[:64])
    queries[::9, slice(None) if whole_query else 3] = value
    assert_the_same(queries, vectors)


@pytest.mark.parametrize("length", [1e-3, 37.0, 1e5])
def test_vectors_need_not_be_of_unit_length(isa, length):
    rng = np.random.default_rng(8)
    vectors = gaussian(rng, 9000, 50).astype(np.float32)
    queries = (length * unit_rows(vectors[:80])).astype(np.float32)
    n_filtered, n_passed = assert_the_same(queries, vectors, scales=np.ones(9000, np.float32))
    if filters():
        assert n_passed < 0.5 * n_filtered
