"""The laws of softmax, each by its name, and what the functions make of extreme and wrong input."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v.functions import gumbel_max, log_softmax, logsumexp, softmax

FUNCTIONS = {"softmax": softmax, "log_softmax": log_softmax, "logsumexp": logsumexp}
ALL = pytest.mark.parametrize(
    "function", [*FUNCTIONS.values(), gumbel_max], ids=lambda f: f.__name__
)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.fixture
def scores(rng):
    return rng.normal(size=(4, 3, 5)) * 3


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_softmax_is_exp_over_the_sum_of_exps_along_any_axis(scores, axis):
    exps = np.exp(scores / 0.7)
    total = exps.sum(axis=axis, keepdims=True)
    assert_allclose(softmax(scores, axis, 0.7), exps / total, rtol=1e-12)
    assert_allclose(log_softmax(scores, axis, 0.7), np.log(exps / total), rtol=1e-12, atol=1e-12)
    assert_allclose(logsumexp(scores, axis, 0.7), np.log(total).squeeze(axis), rtol=1e-12)


def test_softmax_is_positive_and_sums_to_one(scores):
    p = softmax(scores, axis=1)
    assert (p > 0).all()
    assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("shift", [-1e6, 3.0, 1e6])
def test_softmax_is_translation_invariant(shift):
    scores = np.array([0.0, 0.5, -2.0, 4.25])  # exact with any of the shifts
    assert_array_equal(softmax(scores + shift), softmax(scores))
    assert_array_equal(log_softmax(scores + shift), log_softmax(scores))
    assert_allclose(logsumexp(scores + shift), logsumexp(scores) + shift, rtol=1e-15)
    assert_array_equal(
        gumbel_max(scores + shift, seed=3, size=50), gumbel_max(scores, seed=3, size=50)
    )


@DTYPES
def test_softmax_tends_to_one_hot_as_the_temperature_falls(dtype):
    scores = np.array([1.0, 3.0, 2.5], dtype)
    highest = [softmax(scores, temperature=t)[1] for t in (10, 1, 0.3, 0.1)]
    assert (np.diff(highest) > 0).all()
    for temperature in (1e-4, 1e-50, 1e-300):
        assert_array_equal(softmax(scores, temperature=temperature), [0, 1, 0])
        assert gumbel_max(scores, temperature=temperature, seed=1) == 1


def test_equal_highest_scores_share_the_limit():
    assert_array_equal(softmax([3.0, 1.0, 3.0], temperature=1e-9), [0.5, 0, 0.5])


def test_softmax_tends_to_uniform_as_the_temperature_grows(scores):
    assert_allclose(softmax(scores, temperature=1e12), 1 / 5, rtol=1e-10)
    largest = [softmax(scores, temperature=t).max() for t in (0.5, 1, 10, 100)]
    assert (np.diff(largest) < 0).all()


@pytest.mark.parametrize("temperature", [0.05, 1.0, 50.0])
def test_softmax_keeps_the_argmax_and_the_order(scores, temperature):
    p = log_softmax(scores, temperature=temperature)
    assert_array_equal(p.argsort(axis=-1), scores.argsort(axis=-1))
    assert_array_equal(
        softmax(scores, temperature=temperature).argmax(axis=-1), scores.argmax(axis=-1)
    )


def test_softmax_is_the_gradient_of_logsumexp(scores):
    step = 1e-6 * np.eye(5)
    rows = scores.reshape(-1, 5)
    slopes = np.stack([(logsumexp(rows + e) - logsumexp(rows - e)) / 2e-6 for e in step], axis=1)
    assert_allclose(slopes, softmax(rows), atol=1e-8)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_gumbel_max_draws_follow_softmax(temperature):
    scores, n_draws = np.array([0.0, 1.0, -1.0, 2.0, 0.5]), 20_000
    places = gumbel_max(scores, temperature=temperature, seed=7, size=n_draws)
    expected = n_draws * softmax(scores, temperature=temperature)
    found = np.bincount(places, minlength=5)
    chi_square = ((found - expected) ** 2 / expected).sum()
    assert chi_square < 18.47  # the 0.999 quantile, 4 degrees of freedom


def test_gumbel_max_draws_each_distribution_by_itself():
    scores = np.full((3, 4), -np.inf)
    scores[np.arange(3), [2, 0, 3]] = 1.0
    assert_array_equal(gumbel_max(scores, seed=1), [2, 0, 3])
    assert_array_equal(gumbel_max(scores.T, axis=0, seed=1), [2, 0, 3])
    assert gumbel_max(scores, seed=1, size=(5, 2)).shape == (5, 2, 3)
    assert gumbel_max(scores, seed=1, size=0).shape == (0, 3)
    assert isinstance(gumbel_max([1.0, 2.0]), np.integer)


def test_gumbel_max_repeats_its_draws_by_the_seed_and_takes_a_generator():
    scores = np.zeros(9)
    first = gumbel_max(scores, seed=5, size=20)
    assert_array_equal(first, gumbel_max(scores, seed=np.random.default_rng(5), size=20))
    assert (first != gumbel_max(scores, seed=6, size=20)).any()


@DTYPES
def test_the_largest_scores_neither_overflow_nor_warn(dtype):
    top = np.finfo(dtype).max
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(softmax(np.array([top, top], dtype)), [0.5, 0.5])
        assert_array_equal(softmax(np.array([top, -top / 4, -np.inf], dtype)), [1, 0, 0])
        assert_array_equal(log_softmax(np.array([0, -np.inf], dtype)), [0, -np.inf])
        assert logsumexp(np.array([top, 0], dtype)) == top
        assert logsumexp(np.array([-np.inf, -np.inf], dtype)) == -np.inf
        assert logsumexp(np.array([np.inf, 0], dtype)) == np.inf
        assert np.isnan(softmax(np.array([np.nan, 0], dtype))).all()


@pytest.mark.parametrize(
    ("given", "kept"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i4", "f8")]
)
def test_single_and_double_precision_are_kept(given, kept):
    scores = np.array([[1, 2, 3]], given)
    for function in FUNCTIONS.values():
        for temperature in (1.0, 0.5):
            assert function(scores, temperature=temperature).dtype == kept
    assert_array_equal(scores, [[1, 2, 3]])


@ALL
def test_wrong_calls_name_thing_rule_and_value(function):
    for temperature, rule in ((0, "greater than 0"), (-1.0, "greater than 0"), (np.inf, "finite")):
        with pytest.raises(ValueError, match=f"temperature must be {rule}.*got {temperature}"):
            function([1.0, 2.0], temperature=temperature)
    with pytest.raises(ValueError, match=r"scores must not be empty along axis -1, got .*\(2, 0\)"):
        function(np.ones((2, 0)))
    with pytest.raises(ValueError, match=r"axis must be between -1 and 0.*got 1"):
        function([1.0], axis=1)
    with pytest.raises(ValueError, match=r"scores must have an axis, got the number 3\.0"):
        function(3.0)
    with pytest.raises(TypeError, match="scores must be numbers, got 'x'"):
        function("x")


def test_scores_without_a_finite_highest_one_are_refused():
    for bad in (np.inf, -np.inf):
        for function in (softmax, log_softmax, gumbel_max):
            with pytest.raises(ValueError, match=f"highest score .*must be finite, got {bad}"):
                function([bad, bad])
    with pytest.raises(ValueError, match="scores must be numbers to draw by, got nan"):
        gumbel_max([np.nan, 1.0])
    with pytest.raises(ValueError, match="size must be at least 0, got -1"):
        gumbel_max([1.0], size=-1)
