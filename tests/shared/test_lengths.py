"""Vectors of very large and very small numbers, whose squares leave single precision."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import pyw2v
from pyw2v import KeyedVectors
from pyw2v._shared.lengths import Lengths, row_norms, unit

# Of single precision: subnormal, near the smallest normal, around the bounds of the plain formulas
# (sums of squares of 1e-30 and 1e30, lengths of 1e-30 and 1e30), and near the largest.
SIZES = [1e-44, 1e-40, 1e-38, 1e-31, 1e-30, 1e-29, 1e-20, 1e-16, 1e-15, 1e-14]
SIZES += [1e14, 1e15, 1e16, 1e19, 1e20, 1e29, 1e30, 1e31, 1e37, 1e38]
N_ROWS, DIM = 60, 24


def exact(vectors):
    """Unit rows in extended range."""
    rows = vectors.astype(np.longdouble)
    return (rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))).astype(np.float64)


@pytest.fixture
def plain(rng):
    return rng.normal(size=(N_ROWS, DIM)).astype(np.float32)


def keyed(vectors):
    kv = KeyedVectors(vectors.shape[1], dtype=vectors.dtype)
    kv.add_vectors([f"w{i}" for i in range(len(vectors))], vectors)
    return kv


def tolerance(size):
    return 0.2 if size < 1e-42 else 1e-4 if size < 1e-38 else 2e-6


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("size", SIZES)
def test_lengths_of_any_size_are_right(plain, size):
    vectors = (plain * np.float32(0.3)).astype(np.float64) * size
    vectors = vectors.astype(np.float32)
    expected = np.sqrt((vectors.astype(np.longdouble) ** 2).sum(axis=1)).astype(np.float64)
    assert_allclose(row_norms(vectors), expected, rtol=1e-6, atol=1.5e-45)
    assert row_norms(vectors).dtype == np.float32


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-141, 1e-139, 1e139, 1e141, 1e200, 1e300])
def test_lengths_in_double_precision_are_right(plain, size):
    vectors = plain.astype(np.float64) * size
    assert_allclose(row_norms(vectors) / size, row_norms(plain.astype(np.float64)), rtol=1e-12)
    assert_allclose(unit(vectors[0]), unit(plain[0].astype(np.float64)), rtol=1e-12)
    kv = keyed(vectors)
    found = kv.most_similar("w1", topn=5)
    assert [key for key, _ in found] == [k for k, _ in keyed(plain).most_similar("w1", topn=5)]
    assert_allclose(kv.similarity("w1", "w2"), keyed(plain).similarity("w1", "w2"), rtol=1e-5)


def test_a_length_too_large_for_its_type_is_infinite_and_cosines_are_right():
    kv = keyed(np.array([[3e38] * 4, [3e38, 3e38, 0, 0], [1, 1, 1, 1]], np.float32))
    assert kv._lengths().norms[0] == np.inf
    assert_allclose(dict(kv.most_similar("w2"))["w1"], np.sqrt(0.5), rtol=1e-6)
    assert_allclose(kv.similarity("w0", "w2"), 1)
    assert_allclose(kv.get_vector("w0", norm=True), [0.5] * 4)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mixed", [False, True])
def test_every_query_is_right_whatever_the_size_of_the_numbers(plain, size, mixed):
    scales = np.full((N_ROWS, 1), 0.3 * size)
    if mixed:
        scales[::3] = 1
    vectors = (plain * scales).astype(np.float32)
    kv, atol = keyed(vectors), tolerance(size)
    units = exact(vectors)
    cosines = units @ units.T
    others = np.delete(np.arange(N_ROWS), 4)

    found = kv.most_similar("w4", topn=N_ROWS)
    assert len(found) == N_ROWS - 1
    assert_allclose([c for _, c in found], np.sort(cosines[4, others])[::-1], atol=atol)
    assert_allclose([c for _, c in found], [cosines[4, int(k[1:])] for k, _ in found], atol=atol)
    batch = kv.most_similar_batch(kv.index_to_key, topn=3)  # enough for the filter by bytes
    for i, result in enumerate(batch):
        assert_allclose(
            [c for _, c in result], [cosines[i, int(k[1:])] for k, _ in result], atol=atol
        )
        assert_allclose(result[0][1], np.max(np.delete(cosines[i], i)), atol=atol)
    assert_allclose(kv.most_similar("w4", topn=None), cosines[4], atol=atol)
    assert_allclose(
        kv.most_similar("w4", topn=None, clip_start=7, clip_end=9), cosines[4, 7:9], atol=atol
    )
    assert_allclose(dict(kv.similar_by_vector(vectors[4], topn=N_ROWS))["w4"], 1, atol=atol)
    assert_allclose(kv.distances("w4"), 1 - cosines[4], atol=atol)
    assert_allclose(kv.distances("w4", ["w5", "w6"]), 1 - cosines[4, 5:7], atol=atol)
    assert_allclose(kv.similarity("w4", "w5"), cosines[4, 5], atol=atol)
    assert_allclose(kv.n_similarity(["w4"], ["w5"]), cosines[4, 5], atol=atol)
    assert_allclose(kv.get_vector("w4", norm=True), units[4], atol=atol)
    assert_allclose(kv.get_mean_vector(["w4", "w5"]), units[4:6].mean(axis=0), atol=atol)
    assert_allclose(kv.get_normed_vectors(), units, atol=atol)
    assert_allclose(kv.cosine_similarities(vectors[4], vectors), cosines[4], atol=atol)
    near = [i for i in others if cosines[4, i] > cosines[4, 5] + 2 * atol]
    assert set(near) <= {int(key[1:]) for key in kv.closer_than("w4", "w5")}
    assert kv.doesnt_match(["w4", "w5", "w6"]) in ("w4", "w5", "w6")
    assert len(kv.most_similar_cosmul(["w4"], ["w5"], topn=3)) == 3

    kv.unit_normalize_all()
    assert_allclose(kv.vectors, units, atol=atol)
    assert_array_equal(kv.norms, 1)


def test_many_rows_and_a_few_extreme_ones_are_searched_by_bytes(rng):
    vectors = rng.normal(size=(9000, 32)).astype(np.float32)
    scaled = vectors.copy()
    scaled[::1000] *= np.float32(1e-36)
    scaled[1::1000] *= np.float32(1e36)
    plain = keyed(vectors).most_similar_batch(vectors[:100], topn=5)
    found = keyed(scaled).most_similar_batch(vectors[:100], topn=5)
    assert [[k for k, _ in result] for result in found] == [
        [k for k, _ in result] for result in plain
    ]


def test_zero_rows_have_cosine_0(plain):
    vectors = plain * np.float32(1e-30)
    vectors[3] = 0
    kv = keyed(vectors)
    assert dict(kv.most_similar("w4", topn=N_ROWS))["w3"] == 0
    assert kv.similarity("w3", "w4") == 0
    assert kv.distances("w4")[3] == 1
    assert_array_equal(kv.get_vector("w3", norm=True), 0)
    assert_array_equal(kv.get_normed_vectors()[3], 0)
    kv.unit_normalize_all()
    assert kv.norms[3] == 0
    assert_array_equal(kv.vectors[3], 0)
    zeros = keyed(np.zeros((3, DIM), np.float32))
    assert [c for _, c in zeros.most_similar("w0")] == [0, 0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_that_are_not_finite_are_never_among_the_nearest(plain, bad):
    vectors = plain.copy()
    vectors[3, 2] = bad
    kv = keyed(vectors)
    keys = [key for key, _ in kv.most_similar("w4", topn=N_ROWS)]
    assert len(keys) == N_ROWS - 2
    assert "w3" not in keys
    assert np.isnan(kv.most_similar("w4", topn=None)[3])
    assert np.isnan(kv.distances("w4")[3])


@pytest.mark.parametrize("low", [1e-30, 1e30])
def test_rows_within_the_bounds_are_computed_as_ever(plain, low):
    norms = np.sqrt(np.einsum("ij,ij->i", plain, plain))
    assert_array_equal(row_norms(plain), norms)
    assert_array_equal(unit(plain[1]), plain[1] / np.linalg.norm(plain[1]))
    lengths = Lengths(plain)
    assert lengths.mask is None
    assert_array_equal(lengths.divisors, norms)
    assert_array_equal(lengths.scales, 1 / norms)
    for factor, is_plain in ((0.9, low > 1), (1.1, low < 1)):
        edge = np.full((1, 1), low * factor, np.float32)
        assert (Lengths(edge).mask is None) == is_plain


@pytest.mark.parametrize("size", [1e-35, 1e36])
def test_vectors_of_unknown_words_and_compact_ones_have_unit_length(size):
    texts = [[f"{a}{b}" for b in "xyz"] for a in "abcdefgh"] * 6
    model = pyw2v.FastText(texts, vector_size=8, min_count=1, bucket=300, sample=0, workers=1)
    kv = model.wv
    expected = kv.get_vector("unseen", norm=True)
    kv.vectors_ngrams *= np.float32(size)
    assert_allclose(kv.get_vector("unseen", norm=True), expected, atol=1e-5)
    vectors = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
    small, plain = (keyed(v).quantize("int8", sample=0) for v in (vectors * size, vectors))
    assert_allclose(small.similarity("w1", "w2"), plain.similarity("w1", "w2"), atol=1e-4)
    assert_allclose(small.most_similar("w1")[0][1], plain.most_similar("w1")[0][1], atol=1e-4)
