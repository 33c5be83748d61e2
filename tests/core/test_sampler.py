"""Samplers of words: their tables against plain ones. Laws of the draws are in tests/laws."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core.sampler import AliasSampler, UniqueSampler, unigram_weights

SIZES = [1, 2, 3, 31, 32, 33, 1000]


def table_probabilities(weights):
    """How likely each word is by the table of the twin: every high half of the bits has a slot."""
    table, n = reference.AliasTable(weights), len(weights)
    begins = [-(-slot * 2**32 // n) for slot in range(n + 1)]
    found = np.zeros(n)
    for slot in range(n):
        share = (begins[slot + 1] - begins[slot]) / 2**32
        stay = min(int(table.stay[slot] * 2**32), 2**32 - 1) / 2**32
        found[slot] += share * stay
        found[table.alias[slot]] += share * (1 - stay)
    return found


@pytest.mark.parametrize("n", SIZES)
def test_probabilities_are_those_of_the_table_and_near_the_weights(rng, n):
    weights = rng.random(n) ** 4
    sampler = AliasSampler(weights)
    assert len(sampler) == n
    found = sampler.probabilities()
    assert found.dtype == np.float64
    assert_allclose(found, table_probabilities(weights), rtol=1e-15)
    assert found.sum() == pytest.approx(1, abs=1e-14)
    # A slot is off by 2^-32 at most, in its size and in its threshold.
    assert_allclose(found, weights / weights.sum(), atol=2 * n * 2.0**-32, rtol=0)


def test_a_word_without_weight_is_never_drawn():
    weights = [0.0, 5.0, 0.0, 1.0]
    assert AliasSampler(weights).probabilities()[[0, 2]].tolist() == [0, 0]
    assert not np.isin(AliasSampler(weights).draw(10_000, 3), [0, 2]).any()


@pytest.mark.parametrize("n", SIZES)
def test_draws_are_those_of_the_reference(rng, n):
    weights = rng.random(n)
    table, bits = reference.AliasTable(weights), reference.SplitMix64(7)
    drawn = AliasSampler(weights).draw(500, 7)
    assert drawn.dtype == np.int32
    assert drawn.tolist() == [table.draw(bits) for _ in range(500)]
    assert len(AliasSampler(weights).draw(0, 7)) == 0


def test_unigram_weights_are_powers_of_the_counts():
    counts = np.array([1000, 50, 7, 1, 0], np.int64)
    for power in (0.5, 0.75, 1.0):
        assert_allclose(unigram_weights(counts, power), counts**power, rtol=1e-15)
    assert len(unigram_weights(counts[:0], 0.75)) == 0


@pytest.mark.parametrize("kind", [AliasSampler, UniqueSampler])
@pytest.mark.parametrize("weights", [[], [0.0, 0.0], [1.0, -1.0], [np.nan], [np.inf, 1.0]])
def test_weights_without_a_law_are_refused(kind, weights):
    with pytest.raises(ValueError, match="sampler weights must"):
        kind(weights)


@pytest.mark.parametrize("n", [2, 9, 33])
def test_unique_draws_of_all_words_are_permutations(n):
    sampler = UniqueSampler(np.arange(1, n + 1))
    assert len(sampler) == n
    drawn = sampler.draw(n, 200, 1)
    assert drawn.dtype == np.int32
    assert_array_equal(np.sort(drawn, axis=1), np.tile(np.arange(n), (200, 1)))


@pytest.mark.parametrize("k", [0, 3])
def test_unique_draws_of_more_words_than_have_weight_are_refused(k):
    with pytest.raises(ValueError, match=f"k must be from 1 to 2, .* got {k}"):
        UniqueSampler([1.0, 0.0, 2.0]).draw(k, 1, 1)
