"""Entropy, cross entropy and divergence: closed forms, identities, units and refusals."""

import math

import numpy as np
import pytest

from pyw2v.measures import cross_entropy, entropy, kl_divergence

stats = pytest.importorskip("scipy.stats")


@pytest.fixture
def p(rng):
    return rng.dirichlet(np.ones(17))


@pytest.fixture
def q(rng):
    return rng.dirichlet(np.ones(17))


def test_uniform_outcomes_have_the_entropy_of_their_number():
    assert entropy(np.full(8, 1 / 8)) == pytest.approx(3)
    assert entropy(np.full(8, 1 / 8), unit="nats") == pytest.approx(math.log(8))


def test_a_certain_outcome_has_no_entropy():
    value = entropy([0, 1, 0])
    assert value == 0
    assert math.copysign(1, value) == 1


@pytest.mark.parametrize(("unit", "base"), [("bits", 2), ("nats", math.e)])
def test_measures_agree_with_scipy(p, q, unit, base):
    assert entropy(p, unit=unit) == pytest.approx(stats.entropy(p, base=base))
    assert kl_divergence(p, q, unit=unit) == pytest.approx(stats.entropy(p, q, base=base))


def test_cross_entropy_is_entropy_plus_divergence(p, q):
    assert cross_entropy(p, q) == pytest.approx(entropy(p) + kl_divergence(p, q))


def test_divergence_is_zero_from_itself_and_positive_from_others(p, q):
    assert kl_divergence(p, p) == pytest.approx(0, abs=1e-12)
    assert kl_divergence(p, q) > 0
    assert kl_divergence(p, q) != pytest.approx(kl_divergence(q, p))


def test_an_outcome_that_q_rules_out_makes_both_infinite():
    assert cross_entropy([0.5, 0.5], [1, 0]) == math.inf
    assert kl_divergence([0.5, 0.5], [1, 0]) == math.inf


def test_an_outcome_that_p_rules_out_adds_nothing():
    assert cross_entropy([1, 0], [0.5, 0.5]) == pytest.approx(1)
    assert kl_divergence([1, 0], [0.5, 0.5]) == pytest.approx(1)
    assert kl_divergence([1, 0], [1, 0]) == 0


def test_the_last_axis_is_the_distribution(rng):
    many = rng.dirichlet(np.ones(5), size=(2, 3))
    one = rng.dirichlet(np.ones(5))
    assert entropy(many).shape == (2, 3)
    both = kl_divergence(many, one)
    assert both.shape == (2, 3)
    assert both[1, 2] == pytest.approx(kl_divergence(many[1, 2], one))


def test_counts_are_normalised_on_demand(p):
    assert entropy([3, 1], normalize=True) == pytest.approx(entropy([0.75, 0.25]))
    assert cross_entropy(p * 7, p * 3, normalize=True) == pytest.approx(entropy(p))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: entropy([0.5, 0.6]), r"p must sum to 1, got 1\.1"),
        (lambda: entropy([1.5, -0.5]), r"p must hold .* not negative, got -0\.5"),
        (lambda: entropy([math.nan, 1]), "got nan"),
        (lambda: entropy([]), r"at least one probability, got shape \(0,\)"),
        (lambda: entropy(1.0), r"got shape \(\)"),
        (lambda: entropy([0, 0], normalize=True), "p must have a positive sum"),
        (lambda: cross_entropy([1], [0.5, 0.5]), "same outcomes, got 1 and 2"),
        (lambda: kl_divergence([1, 0], [0.5, 0.2]), "q must sum to 1, got 0.7"),
        (lambda: entropy([1], unit="bans"), "unit must be .* got 'bans'"),
    ],
)
def test_bad_input_is_refused_with_the_value(call, words):
    with pytest.raises(ValueError, match=words):
        call()
