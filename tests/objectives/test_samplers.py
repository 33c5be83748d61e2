"""Samplers: weights and expected counts against their formulas and against simulation."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pyw2v.objectives.samplers import FixedUnigram, LogUniform, Uniform, Unigram, described

COUNTS = np.array([500, 120, 80, 80, 33, 20, 11, 7, 5, 5, 2, 1])


def samplers(unique=False):
    return [
        Unigram(unique=unique),
        Unigram(power=0.5, unique=unique),
        LogUniform(unique=unique),
        Uniform(unique=unique),
        FixedUnigram(np.arange(1, 13), distortion=0.8, unique=unique),
    ]


def test_weights_are_those_of_the_formulas():
    assert_allclose(Unigram().weights(COUNTS), COUNTS**0.75)
    assert_allclose(Uniform().weights(COUNTS), 1)
    ranks = np.arange(12)
    assert_allclose(
        LogUniform().probabilities(COUNTS), np.log((ranks + 2) / (ranks + 1)) / np.log(13)
    )
    assert_allclose(FixedUnigram([1, 2, 4], distortion=2).weights([9, 9, 9]), [1, 4, 16])
    assert_allclose(FixedUnigram([1, 2], reserved=1).weights([9, 9, 9]), [0, 1, 2])


def test_ranks_are_by_count_whatever_the_order():
    shuffled = np.random.default_rng(0).permutation(COUNTS * 10 + np.arange(12))
    order = np.argsort(-shuffled)
    weights = LogUniform().weights(shuffled)
    assert (np.diff(weights[order]) < 0).all()


def test_a_file_gives_weights_by_word(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("the 100\nof 50\ncat,2\n", encoding="utf-8")
    sampler = FixedUnigram(path)
    assert_allclose(sampler.weights([3, 2, 1], ["of", "cat", "the"]), [50, 2, 100])
    assert_allclose(sampler.weights([3, 2, 1]), [100, 50, 2])
    with pytest.raises(ValueError, match="no line for the word 'dog'"):
        sampler.weights([3, 2, 1], ["of", "dog", "the"])
    path.write_text("the 100\nof many\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2.*'of many'"):
        FixedUnigram(path)


@pytest.mark.parametrize("sampler", samplers(), ids=str)
def test_expected_counts_with_replacement_are_k_times_the_probability(sampler):
    assert_allclose(sampler.expected_counts(COUNTS, 7), 7 * sampler.probabilities(COUNTS))
    assert_allclose(sampler.expected_counts(COUNTS, 70).sum(), 70)


def drawn_until_unique(rng, p, k, n):
    """How often each word was among k different ones: by exponential clocks, the same law."""
    clocks = rng.exponential(size=(n, len(p))) / p
    first = np.argpartition(clocks, k, axis=1)[:, :k]
    return np.bincount(first.ravel(), minlength=len(p)) / n


@pytest.mark.parametrize("k", [1, 5, 20, 50, 199])
@pytest.mark.parametrize("sampler", [Unigram, LogUniform, Uniform])
def test_expected_counts_of_unique_samplers_are_those_of_a_simulation(sampler, k, rng):
    counts, n = (10_000 / np.arange(1, 201)).astype(int), 20_000
    made = sampler(unique=True)
    found = made.expected_counts(counts, k)
    assert_allclose(found.sum(), k, rtol=1e-9)
    simulated = drawn_until_unique(rng, made.probabilities(counts), k, n)
    # Of 200 normal numbers one is beyond 5 in 9000 runs; where hits are few, they are Poisson's.
    noise = np.sqrt(found * (1 - found) / n)
    assert (np.abs(found - simulated) < 5 * noise + 4 / n).all()


def by_all_orders(p, k):
    """Exact, by every order in which k words can come."""
    found = np.zeros(len(p))
    for words in itertools.permutations(range(len(p)), k):
        probability = 1.0
        for i, word in enumerate(words):
            probability *= p[word] / np.delete(p, words[:i]).sum()
        found[list(words)] += probability
    return found


@pytest.mark.parametrize("k", [1, 2, 4, 6])
@pytest.mark.parametrize("power", [0, 0.75, 3, 8])
def test_expected_counts_of_unique_samplers_are_exact(k, power):
    sampler = Unigram(power, unique=True)
    p = sampler.probabilities(COUNTS[:7])
    found = sampler.expected_counts(COUNTS[:7], k)
    assert_allclose(found, by_all_orders(p, k), rtol=1e-9, atol=1e-12)


def test_expected_counts_of_unique_samplers_hold_for_large_vocabularies():
    """The sum is known, and where draws hardly ever repeat they are k p."""
    counts = (1e9 / np.arange(1, 50_001)).astype(int)
    for k in (25, 500):
        found = Unigram(unique=True).expected_counts(counts, k)
        assert_allclose(found.sum(), k, rtol=1e-9)
        assert (np.diff(found) <= 0).all()
        assert found[0] < 1
    few = Uniform(unique=True).expected_counts(counts, 3)
    assert_allclose(few, 3 / 50_000, rtol=1e-9)


def test_words_that_are_never_drawn_count_for_nothing():
    found = FixedUnigram([3, 0, 2, 1], reserved=1, unique=True).expected_counts(COUNTS[:5], 2)
    assert_allclose(found[[1, 3, 4]], by_all_orders(np.array([3, 2, 1]) / 6, 2), rtol=1e-9)
    assert not found[[0, 2]].any()


@pytest.mark.parametrize("unique", [False, True])
def test_described_samplers_come_back(unique):
    for sampler in samplers(unique):
        again = described(sampler.describe())
        assert type(again) is type(sampler)
        assert again.unique == unique
        assert_allclose(again.weights(COUNTS), sampler.weights(COUNTS), rtol=1e-15)
    with pytest.raises(ValueError, match="'Poisson'"):
        described({"type": "Poisson"})
    with pytest.raises(ValueError, match="must be described by its settings, got 3"):
        described(3)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2.5], "-2.5 for word 1"),
        ([1, np.nan], "nan for word 1"),
        ([np.inf, 1], "inf for word 0"),
        ([0, 0, 0], "all zero, got 3 zeros"),
        ([], r"shape \(0,\)"),
        ([[1, 2]], r"shape \(1, 2\)"),
    ],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        FixedUnigram(weights)


def test_weights_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match=r"12 words.*got 3"):
        FixedUnigram([1, 2, 3]).weights(COUNTS)
    with pytest.raises(ValueError, match=r"10 words.*got 12"):
        FixedUnigram(COUNTS, reserved=2).weights(COUNTS)


def test_more_words_than_there_are_cannot_be_unique():
    for k in (12, 13):
        with pytest.raises(ValueError, match=f"12 words.*got {k}"):
            Unigram(unique=True).expected_counts(COUNTS, k)
    with pytest.raises(ValueError, match=r"11 words.*got 11"):
        FixedUnigram(COUNTS[1:], reserved=1, unique=True).expected_counts(COUNTS, 11)
    for sampler in samplers():
        with pytest.raises(ValueError, match="at least 1, got 0"):
            sampler.expected_counts(COUNTS, 0)


@pytest.mark.parametrize("counts", [[1, 0], [1, -1], [np.nan], [], 3])
def test_bad_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts must be"):
        Unigram().weights(counts)


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="power must be finite, got nan"):
        Unigram(power=float("nan"))
    with pytest.raises(ValueError, match="unique must be True or False, got 'yes'"):
        Uniform(unique="yes")
    with pytest.raises(ValueError, match="reserved must be at least 0, got -1"):
        FixedUnigram([1], reserved=-1)


def test_a_file_of_zeros_is_named(tmp_path):
    path = tmp_path / "weights.txt"
    path.write_text("0\n0\n")
    with pytest.raises(ValueError, match=r"weights\.txt: weights must not be all zero"):
        FixedUnigram(path)


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("sampler", samplers(), ids=str)
def test_means_of_many_draws_are_the_expected_counts(sampler, unique):
    n, k = 20_000, 3
    true = [[0, 11], [4, 4]]
    drawn = sampler.draw(COUNTS, k, n=n, true=true, unique=unique, seed=7)
    assert drawn.sampled.shape == drawn.sampled_expected.shape == (n, k)
    expected = drawn.sampled_expected.ravel()
    q = np.zeros(12)
    q[drawn.sampled.ravel()] = expected
    assert_allclose(drawn.true_expected, q[true], rtol=1e-12)
    mean = np.bincount(drawn.sampled.ravel(), minlength=12) / n
    # A count of a draw has a variance of at most Q: five standard errors.
    assert (np.abs(mean - q) < 5 * np.sqrt(q / n)).all()


@pytest.mark.parametrize("sampler", samplers(), ids=str)
def test_the_first_class_of_a_draw_follows_the_probabilities(sampler):
    p = sampler.probabilities(COUNTS)
    for unique in (False, True):
        first = sampler.draw(COUNTS, 4, n=20_000, unique=unique, seed=3).sampled[:, 0]
        found = np.bincount(first, minlength=12) / 20_000
        assert (np.abs(found - p) < 5 * np.sqrt(p / 20_000)).all()


def test_unique_draws_have_no_repeats_and_others_have():
    for k in (2, 11):
        ids = np.sort(Unigram().draw(COUNTS, k, n=2000, unique=True, seed=1).sampled)
        assert (np.diff(ids) > 0).all()
        ids = np.sort(Unigram(unique=True).draw(COUNTS, k, n=2000, unique=False, seed=1).sampled)
        assert (np.diff(ids) == 0).any()
    own = Unigram(unique=True).draw(COUNTS, 11, n=50, seed=1).sampled  # as the sampler says
    assert (np.diff(np.sort(own)) > 0).all()


def test_draws_repeat_with_their_seed_alone_and_have_the_shapes_of_tensorflow():
    sampler = Unigram()
    one = sampler.draw(COUNTS, 5, true=[3], seed=9)
    assert one.sampled.shape == one.sampled_expected.shape == (5,)
    assert one.true_expected.shape == (1,)
    assert np.array_equal(one.sampled, sampler.draw(COUNTS, 5, seed=9).sampled)
    many = sampler.draw(COUNTS, 50, n=2, seed=9)
    assert not np.array_equal(*many.sampled)
    assert many.true_expected is None
    other = [sampler.draw(COUNTS, 50).sampled for _ in range(2)]
    assert not np.array_equal(*other)
    assert sampler.draw(COUNTS, 5, n=0).sampled.shape == (0, 5)


def test_chunks_of_one_draw_differ(monkeypatch):
    monkeypatch.setattr("pyw2v.objectives.draws._CHUNK_IDS", 64)
    for unique in (False, True):
        ids = Uniform().draw([1] * 1000, 32, n=4, unique=unique, seed=1).sampled
        assert not np.array_equal(ids[:2], ids[2:])


def test_a_reserved_class_is_never_drawn_and_is_expected_never():
    sampler = FixedUnigram([3, 2, 1], reserved=1)
    drawn = sampler.draw([1] * 4, 2, n=1000, true=[0, 1], seed=1)
    assert (drawn.sampled > 0).all()
    assert_allclose(drawn.true_expected, [0, 1])


def test_weights_of_a_file_are_drawn_by_word(tmp_path):
    path = tmp_path / "vocab.csv"
    path.write_text('"1,000",0\nthe,7\n')
    ids = FixedUnigram(path).draw([5, 5], 20, words=["the", "1,000"], seed=1).sampled
    assert not ids.any()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 0}, ValueError, "k must be at least 1, got 0"),
        ({"k": 12, "unique": True}, ValueError, "less than the 12 words.*got 12"),
        ({"n": -1}, ValueError, "n must be at least 0, got -1"),
        ({"n": 1.5}, TypeError, "n must be an integer, got 1.5"),
        ({"true": [0, 12]}, ValueError, "true must be ids from 0 to 11, got 12"),
        ({"true": [-1]}, ValueError, "true must be ids from 0 to 11, got -1"),
        ({"true": [0.5]}, TypeError, r"true must be whole numbers, got \[0.5\]"),
        ({"unique": "yes"}, ValueError, "unique must be True, False or None, got 'yes'"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
    ],
)
def test_bad_draws_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Unigram().draw(COUNTS, **({"k": 3} | options))
