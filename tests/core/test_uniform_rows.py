"""Rows of random numbers: uniform, and the same whoever fills them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core import matrix


@pytest.mark.parametrize("dim", [1, 2, 7, 16, 100])
def test_uniform_rows_are_uniform_and_know_their_place(dim):
    array = matrix.zeros(10_000, dim)
    matrix.fill_uniform(array, 0.25, 7, workers=3)
    assert array.min() >= -0.25
    assert array.max() < 0.25
    assert abs(array.mean()) < 0.25 * 5 / (3 * array.size) ** 0.5
    assert_allclose(array.var(), 0.25**2 / 3, rtol=0.1 if dim == 1 else 0.05)
    assert len(np.unique(array)) > 0.95 * array.size
    other = matrix.zeros(5000, dim)
    other[:20] = 9
    matrix.fill_uniform(other, 0.25, 7, first_row=20, workers=1)
    assert (other[:20] == 9).all()
    assert_array_equal(other[20:], array[20:5000])
    matrix.fill_uniform(other, 0.25, 8)
    assert (other != array[:5000]).mean() > 0.99


def test_uniform_rows_need_a_contiguous_matrix():
    with pytest.raises(ValueError, match="contiguous"):
        matrix.fill_uniform(np.zeros((3, 4), np.float32)[:, :2], 1.0, 1)
