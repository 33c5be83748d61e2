"""The block step of every instruction set, and of the double twin, against its formula."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core import probe
from pyw2v._core.isa import isas

# Below, at and above the widths of vectors; and what people use.
DIMS = [1, 7, 8, 9, 15, 16, 17, 100, 300]
# One tile, even and odd; just more than one; several tiles with and without a rest.
SIZES = [1, 2, 5, 6, 7, 12, 13, 25]
REALS = [*isas(), "double"]


def rows_of(rng, n, dim):
    """Rows whose scores are a few units, at any width."""
    return (rng.normal(size=(n, dim)) * 1.5 / dim**0.25).astype(np.float32)


def check(isa, x, y, labels, mask, lr=0.05, **rows):
    expected = reference.block_step(x, y, labels, mask, lr, **rows)
    found = probe.block_step(x, y, labels, mask, lr, isa, **rows)
    # Rounding only: single precision carries 6e-8, sums of 300 products some ten times that.
    atol = 1e-12 if isa == "double" else 4e-6
    for name, new, old in zip(("x", "y", "errors"), expected, found, strict=False):
        assert_allclose(old, new, atol=atol, rtol=0, err_msg=name)
    assert_allclose(found[3], expected[3], rtol=1e-12 if isa == "double" else 2e-6)
    return found


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("isa", REALS)
def test_step_matches_the_formula_at_every_tiling(isa, dim, rng):
    for n in SIZES:
        for m in SIZES:
            labels = rng.integers(2, size=m)
            check(isa, rows_of(rng, n, dim), rows_of(rng, m, dim), labels, np.ones(m))


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("isa", REALS)
def test_masked_targets_count_for_nothing(isa, m, rng):
    mask = np.arange(m) % 3 != 1
    labels = np.arange(m) == 0
    x, y = rows_of(rng, 4, 17), rows_of(rng, m, 17)
    _, new_y, errors, loss = check(isa, x, y, labels, mask)
    assert_array_equal(new_y[~mask], y[~mask])
    assert not errors[:, ~mask].any()
    alone = probe.block_step(x, y[mask], labels[mask], np.ones(mask.sum()), 0.05, isa)
    assert_allclose(loss, alone[3], rtol=1e-6)


@pytest.mark.parametrize(("n", "m"), [(4, 6), (12, 6), (13, 25), (3, 20), (25, 12)])
@pytest.mark.parametrize("isa", REALS)
def test_no_change_of_a_repeated_row_is_lost(isa, n, m, rng):
    # Few rows, each named many times. What the kernels may see of a first change when they come
    # to the second is of order lr^2: little at this rate, where a lost change would be much.
    lr = 1e-4
    x, y = rows_of(rng, 3, 100), rows_of(rng, 4, 100)
    rows = {"x_rows": np.arange(n) % 3, "y_rows": np.arange(m) * 7 % 4}
    labels = np.arange(m) % 5 == 0
    expected = reference.block_step(x, y, labels, np.ones(m), lr, **rows)
    found = probe.block_step(x, y, labels, np.ones(m), lr, isa, **rows)
    for old, new, wanted in zip((x, y), found, expected, strict=False):
        change = wanted - old
        assert_allclose(new - old, change, atol=5e-3 * np.abs(change).max(), rtol=0)


@pytest.mark.parametrize("isa", REALS)
def test_repeated_rows_get_all_their_changes_in_single_precision_too(isa):
    # Powers of two, so that nothing is rounded: each of 8 x 5 pairs adds lr / 2 exactly.
    x, y = np.zeros((1, 4)), np.ones((1, 4))
    new_x, new_y, errors, loss = probe.block_step(
        x, y, np.ones(5), np.ones(5), 2**-4, isa, np.zeros(8, int), np.zeros(5, int)
    )
    assert_array_equal(errors, np.full((8, 5), 2**-5))
    assert_array_equal(new_x, np.full((1, 4), 40 * 2**-5))
    assert_allclose(loss, 40 * np.log(2), rtol=1e-6)
    assert np.all(new_y >= 1)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("score", [-1e4, -100, -88, -20, 0, 20, 88, 100, 1e4])
@pytest.mark.parametrize("isa", REALS)
def test_extreme_scores_neither_overflow_nor_lose_the_loss(isa, score, label):
    x, y = np.full((3, 9), score / 9), np.ones((7, 9))
    lr = 0.5
    new_x, new_y, errors, loss = probe.block_step(x, y, np.full(7, label), np.ones(7), lr, isa)
    assert np.isfinite(new_x).all()
    assert np.isfinite(new_y).all()
    expected = lr * (label - reference.sigmoid(np.float64(score)))
    assert_allclose(errors, np.full((3, 7), expected), atol=1e-7, rtol=1e-6)
    one = reference.softplus(-score if label else score)
    assert_allclose(loss, 21 * one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("side", ["x", "y"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("isa", REALS)
def test_not_a_number_stays_visible(isa, bad, side, rng):
    x, y = rows_of(rng, 5, 9), rows_of(rng, 7, 9)
    (x if side == "x" else y)[2, 3] = bad
    _, _, errors, loss = probe.block_step(x, y, np.ones(7), np.ones(7), 0.1, isa)
    if np.isnan(bad):
        touched = errors[2] if side == "x" else errors[:, 2]
        assert np.isnan(touched).all()
        assert np.isnan(errors).sum() == touched.size
    assert not np.isfinite(loss)


@pytest.mark.parametrize("isa", REALS)
def test_loss_of_many_terms_is_exact(isa, rng):
    # Factors are multiplied before the logarithm is taken: thousands must not overflow.
    x, y = rows_of(rng, 200, 16), rows_of(rng, 100, 16)
    labels = np.arange(100) == 0
    *_, loss = probe.block_step(x, y, labels, np.ones(100), 0.0, isa)
    expected = reference.logistic_loss(
        x.astype(np.float64) @ y.astype(np.float64).T, labels, np.ones(100)
    )
    assert_allclose(loss, expected, rtol=1e-12 if isa == "double" else 1e-6)


def test_a_rate_of_zero_changes_nothing(isa, rng):
    x, y = rows_of(rng, 7, 17), rows_of(rng, 8, 17)
    new_x, new_y, errors, _ = probe.block_step(x, y, np.ones(8), np.ones(8), 0.0, isa)
    assert_array_equal(new_x, x)
    assert_array_equal(new_y, y)
    assert not errors.any()
