"""word2vec.c's table of sigmoids, against its formula in NumPy's float32."""

import gc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v._core.sigmoid_table import SigmoidTable

F = np.float32
SIZE, MAX_EXP = 1000, 6


def exp_table():
    """expTable of word2vec.c: exp of a float is a double, which becomes a float."""
    x = (np.arange(SIZE, dtype=F) / F(SIZE) * F(2) - F(1)) * F(MAX_EXP)
    e = np.exp(x.astype(np.float64)).astype(F)
    return e / (e + F(1))


def look_up(x):
    """What word2vec.c takes for the sigmoid of a score; 83 for 83.33 is its integer division."""
    if abs(x) > MAX_EXP:
        return F(x > 0)
    return exp_table()[int((F(x) + F(MAX_EXP)) * F(SIZE // MAX_EXP // 2))]


def test_table_is_that_of_word2vec_c_to_the_last_bit():
    table = SigmoidTable()
    assert (len(table), table.max_exp) == (SIZE, MAX_EXP)
    assert table.values.dtype == F
    assert_array_equal(table.values, exp_table())


def test_scores_find_the_entries_that_word2vec_c_finds():
    scores = np.concatenate([
        np.linspace(-7, 7, 1001, dtype=F),
        np.nextafter(F([-6, 6]), F([-7, 7])), F([-6, 6, 0]), np.nextafter(F([-6, 6]), F(0)),
        F([-np.inf, np.inf]),
    ])  # fmt: skip
    table = SigmoidTable()
    assert [table(x) for x in scores] == [look_up(x) for x in scores]
    assert table(-6.0) == table.values[0]
    assert table(6.0) == table.values[996]  # the last four are never used


def test_nan_has_no_sigmoid():
    with pytest.raises(ValueError, match="x must be a number, got nan"):
        SigmoidTable()(float("nan"))


def test_values_are_read_only_and_outlive_their_table():
    values = SigmoidTable().values
    gc.collect()
    assert_array_equal(values, exp_table())
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 0
