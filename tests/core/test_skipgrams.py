"""Keras's `skipgrams`: the same couples in the same order where nothing is drawn, else the law."""

import random
from collections import Counter

import numpy as np
import pytest

from pyw2v import skipgrams
from pyw2v.training_pairs import make_sampling_table

stats = pytest.importorskip("scipy.stats")

SEQUENCE = [3, 1, 0, 4, 1, 5, 2, 0, 0, 6, 5, 3, 5]


def true_couples(sequence, window):
    """Keras's double loop (keras/src/legacy/preprocessing/sequence.py)."""
    couples = []
    for i, word in enumerate(sequence):
        if not word:
            continue
        for j in range(max(0, i - window), min(len(sequence), i + window + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
    return couples


@pytest.mark.parametrize("window", [0, 1, 2, 4, 50])
def test_true_couples_are_those_of_keras(window):
    couples, labels = skipgrams(SEQUENCE, 7, window, negative_samples=0, shuffle=False)
    assert couples == true_couples(SEQUENCE, window)
    assert labels == [1] * len(couples)


def test_defaults_give_one_shuffled_noise_couple_for_each_true_one():
    couples, labels = skipgrams(SEQUENCE, 7)
    expected = true_couples(SEQUENCE, 4)
    assert sum(labels) * 2 == len(labels) == 2 * len(expected)
    assert all(type(a) is int and type(b) is int for a, b in couples)
    true = [tuple(c) for c, label in zip(couples, labels, strict=True) if label]
    assert Counter(true) == Counter(map(tuple, expected))
    assert true != list(map(tuple, expected))
    noise = [c for c, label in zip(couples, labels, strict=True) if not label]
    assert Counter(c[0] for c in noise) == Counter(c[0] for c in expected)


@pytest.mark.parametrize("ratio", [0.5, 1.7, 3.0])
def test_noise_couples_are_counted_as_in_keras(ratio):
    couples, labels = skipgrams(SEQUENCE, 7, 2, ratio, shuffle=False)
    n_true = len(true_couples(SEQUENCE, 2))
    assert labels == [1] * n_true + [0] * int(n_true * ratio)
    assert couples[:n_true] == true_couples(SEQUENCE, 2)


def test_noise_words_are_uniform_over_all_words_but_zero():
    words = np.random.default_rng(0).integers(1, 12, 4000)
    couples, labels = skipgrams(words, 12, 2, arrays=True, seed=1)
    seen = np.bincount(couples[labels == 0, 1], minlength=12)
    assert seen[0] == 0
    assert stats.chisquare(seen[1:]).pvalue > 1e-4


def test_labels_become_categories():
    couples, labels = skipgrams(SEQUENCE, 7, seed=3)
    again, categories = skipgrams(SEQUENCE, 7, seed=3, categorical=True)
    assert couples == again
    assert categories == [[0, 1] if label else [1, 0] for label in labels]


def test_a_seed_repeats_the_draws_and_none_follows_the_module_random():
    assert skipgrams(SEQUENCE, 7, seed=5) == skipgrams(SEQUENCE, 7, seed=5)
    assert skipgrams(SEQUENCE, 7, seed=5) != skipgrams(SEQUENCE, 7, seed=6)
    results = []
    for _ in range(2):
        random.seed(11)
        results.append(skipgrams(SEQUENCE, 7))
    assert results[0] == results[1] != skipgrams(SEQUENCE, 7)


def test_the_sampling_table_is_the_chance_to_be_a_centre():
    words = np.tile([1, 2, 3], 3000)
    couples, _ = skipgrams(
        words, 4, 1, 0, sampling_table=[0, 0, 0.25, 1], seed=2, shuffle=False, arrays=True
    )
    seen = np.bincount(couples[:, 0], minlength=4) / 6000
    np.testing.assert_allclose(seen, [0, 0, 0.25, 1], atol=0.03)
    assert np.bincount(couples[:, 1])[1] > 0  # still context words


def test_the_table_is_that_of_keras():
    # The values of Keras's own test (size 3, factor 0.1).
    np.testing.assert_allclose(
        make_sampling_table(3, 0.1), [0.315, 0.315, 0.547], atol=0.1, rtol=0.02
    )
    table = make_sampling_table(100000)
    assert (np.diff(table) >= 0).all()
    assert table[-1] <= 1


def test_arrays_hold_the_same_as_the_lists():
    couples, labels = skipgrams(SEQUENCE, 7, seed=1)
    arrays = skipgrams(SEQUENCE, 7, seed=1, arrays=True)
    assert arrays[0].tolist() == couples
    assert arrays[1].tolist() == labels


@pytest.mark.parametrize("sequence", [[], [0, 0], [5]])
def test_sequences_without_couples_give_none(sequence):
    assert skipgrams(sequence, 7) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, -2], 5), "from 0 to .* got -2 to 1"),
        (([1, 2], 1), "vocabulary_size must be at least 2 .* got 1"),
        (([1, 2], 5, -1), "window_size must be at least 0, got -1"),
        (([[1, 2]], 5), r"got shape \(1, 2\)"),
        (([1, 2], 5, 4, float("nan")), "negative_samples must be finite, got nan"),
        (([1, 3], 5, 4, 1.0, True, False, [1, 1, 1]), "from 0 to 2, got 1 to 3"),
    ],
)
def test_bad_input_is_refused_with_the_value(arguments, words):
    with pytest.raises(ValueError, match=words):
        skipgrams(*arguments)
