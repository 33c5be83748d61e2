"""The product quantiser against the same in NumPy, and against what fastText makes of a matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core import quantizer
from pyw2v.quantize import QuantizedMatrix


def decoded(codes, centroids, dim, dsub):
    """What codes stand for, by the layout of the .ftz file."""
    pieces = []
    for m in range(-(-dim // dsub)):
        width = min(dsub, dim - m * dsub)
        start = m * dsub * 256
        own = centroids[start : start + 256 * width].reshape(256, width)
        pieces.append(own[codes[:, m]])
    return np.hstack(pieces)


def mean_squared_error(matrix, quantized):
    return np.mean((matrix - quantized.to_dense()) ** 2)


@pytest.mark.parametrize(("dim", "dsub"), [(1, 1), (2, 2), (7, 2), (8, 3), (10, 16), (33, 4)])
def test_rows_are_the_centroids_that_their_codes_name(rng, dim, dsub):
    matrix = rng.normal(size=(300, dim)).astype("f4")
    quantized = QuantizedMatrix.train(matrix, dsub=dsub)
    assert quantized.shape == (300, dim)
    assert quantized.codes.shape == (300, -(-dim // dsub))
    expected = decoded(quantized.codes, quantized.centroids, dim, dsub)
    assert_array_equal(quantized.to_dense(), expected)
    assert_array_equal(quantized.rows([5, 0, 5]), expected[[5, 0, 5]])


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 600])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_a_code_names_the_nearest_centroid(isa, rng, n_rows, dim):
    rows = rng.normal(size=(n_rows, dim)).astype("f4")
    centroids = rng.normal(size=256 * dim).astype("f4")
    codes = np.empty((n_rows, 1), np.uint8)
    quantizer.encode(rows, dim, centroids, codes, 2)
    distances = ((rows[:, None] - centroids.reshape(256, dim)) ** 2).sum(axis=2)
    assert_allclose(distances[np.arange(n_rows), codes[:, 0]], distances.min(axis=1), rtol=1e-5)


def test_of_equally_near_centroids_the_first_is_named(isa):
    centroids = np.repeat(np.arange(64, dtype="f4"), 4)
    codes = np.empty((64, 1), np.uint8)
    quantizer.encode(np.arange(64, dtype="f4")[:, None], 1, centroids, codes, 1)
    assert_array_equal(codes[:, 0], 4 * np.arange(64))


def test_k_means_is_that_of_the_definition(isa, rng):
    """Well separated clusters, one start in each: the centroids are the means."""
    centres = 10 * np.arange(256)[:, None] + np.array([0.0, 5.0])
    points = np.vstack([centres + rng.normal(scale=0.1, size=(256, 2)) for _ in range(4)])
    centroids = np.empty(512, "f4")
    quantizer.train_centroids(points.astype("f4"), 2, centroids, 0, 1, 1, 1)
    expected = points.astype("f4").astype(float).reshape(4, 256, 2).mean(axis=0)
    assert_allclose(centroids.reshape(256, 2), expected, rtol=1e-6)


def test_an_empty_cluster_takes_half_of_another(rng):
    """Of 256 equal starts all but one are empty after the first round."""
    points = np.vstack([np.zeros((256, 2)), rng.normal(size=(2000, 2))]).astype("f4")
    centroids = np.empty(512, "f4")
    quantizer.train_centroids(points, 2, centroids, 0, 1, 1, 1)
    codes = np.empty((len(points), 1), np.uint8)
    quantizer.encode(points, 2, centroids, codes, 1)
    assert len(np.unique(codes)) > 200


@pytest.mark.parametrize("qnorm", [False, True])
def test_the_result_depends_on_the_seed_and_not_on_the_threads(rng, qnorm):
    matrix = rng.normal(size=(1500, 9)).astype("f4")
    one = QuantizedMatrix.train(matrix, qnorm=qnorm, workers=1)
    many = QuantizedMatrix.train(matrix, qnorm=qnorm, workers=5)
    other = QuantizedMatrix.train(matrix, qnorm=qnorm, seed=2)
    assert_array_equal(one.codes, many.codes)
    assert_array_equal(one.centroids, many.centroids)
    assert (one.centroids != other.centroids).any()


def test_lengths_apart_from_directions_are_nearly_kept(rng):
    matrix = (rng.normal(size=(4000, 8)) * np.exp(rng.normal(size=(4000, 1)))).astype("f4")
    matrix[7] = 0
    quantized = QuantizedMatrix.train(matrix, qnorm=True)
    lengths = np.linalg.norm(matrix, axis=1)
    errors = np.abs(np.linalg.norm(quantized.to_dense(), axis=1) - lengths)
    assert np.median(errors / np.maximum(lengths, 1)) < 0.05
    plain = QuantizedMatrix.train(matrix)
    assert mean_squared_error(matrix, quantized) < mean_squared_error(matrix, plain)


def test_rows_of_a_strided_matrix_are_quantised_as_those_of_a_copy(rng):
    wide = rng.normal(size=(300, 16)).astype("f4")
    strided = QuantizedMatrix.train(wide[:, :6])
    copied = QuantizedMatrix.train(wide[:, :6].copy())
    assert_array_equal(strided.codes, copied.codes)


def test_a_matrix_of_256_rows_is_kept_exactly(rng):
    matrix = rng.normal(size=(256, 4)).astype("f4")
    assert_array_equal(QuantizedMatrix.train(matrix, dsub=4).to_dense(), matrix)


def test_fewer_than_256_rows_are_refused(rng):
    with pytest.raises(ValueError, match="at least 256 rows, got 255"):
        QuantizedMatrix.train(rng.normal(size=(255, 4)).astype("f4"))


def test_numbers_that_are_not_finite_are_refused(rng):
    matrix = rng.normal(size=(256, 4)).astype("f4")
    matrix[3, 1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        QuantizedMatrix.train(matrix)


def test_arrays_that_do_not_belong_together_are_refused():
    codes, centroids = np.zeros((3, 2), "u1"), np.zeros(256 * 4, "f4")
    QuantizedMatrix(codes, centroids, 4, 2)
    for wrong in (
        lambda: QuantizedMatrix(codes, centroids, 4, 1),
        lambda: QuantizedMatrix(codes, centroids[:-1], 4, 2),
        lambda: QuantizedMatrix(codes, centroids, 4, 2, norm_codes=np.zeros(3, "u1")),
        lambda: QuantizedMatrix(codes, centroids, 4, 2, np.zeros(2, "u1"), np.zeros(256, "f4")),
        lambda: QuantizedMatrix(codes, centroids, 4, 2, np.zeros(3, "u1"), np.zeros(255, "f4")),
        lambda: QuantizedMatrix(codes, centroids, 4, 0),
    ):
        with pytest.raises(ValueError, match="must"):
            wrong()


def test_a_row_that_does_not_exist_is_an_index_error():
    quantized = QuantizedMatrix(np.zeros((3, 2), "u1"), np.zeros(256 * 4, "f4"), 4, 2)
    for wrong in (3, -1):
        with pytest.raises(IndexError, match="not among the 3 rows"):
            quantized.rows([wrong])


# Mean squared errors of fastText 0.9.3 on golden_matrix(): train_supervised on 2,999 words, then
# set_matrices(golden_matrix(), ...), quantize(dsub=2, qnorm=...), get_input_vector of every row.
FASTTEXT_ERRORS = {False: 0.04692838, True: 0.017323248}


def golden_matrix():
    """Heavy-tailed rows of an odd width."""
    rng = np.random.default_rng(7)
    return (rng.standard_t(4, size=(3000, 7)) * rng.uniform(0.2, 2, size=(3000, 1))).astype("f4")


@pytest.mark.parametrize("qnorm", [False, True])
def test_the_error_is_as_small_as_fasttexts(qnorm):
    """On average: from seed to seed it varies by 4 per cent."""
    matrix = golden_matrix()
    errors = [
        mean_squared_error(matrix, QuantizedMatrix.train(matrix, qnorm=qnorm, seed=seed))
        for seed in range(8)
    ]
    assert np.mean(errors) < 1.03 * FASTTEXT_ERRORS[qnorm]
