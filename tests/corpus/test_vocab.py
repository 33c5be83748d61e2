import numpy as np
import pytest

from pyw2v.corpus import vocab

WORDS = ["to", "be", "or", "not", "that", "is"]
COUNTS = np.array([4, 4, 1, 3, 1, 2])


def test_rare_words_go_and_the_order_stays():
    assert vocab.select(WORDS, COUNTS, 2).tolist() == [0, 1, 3, 5]
    assert vocab.select([], np.array([], np.int64), 2).tolist() == []


def test_a_trim_rule_decides_first():
    asked = []

    def rule(word, count, min_count):
        asked.append((word, count, min_count))
        decisions = {"or": vocab.RULE_KEEP, "to": vocab.RULE_DISCARD, "be": None}
        return decisions.get(word, vocab.RULE_DEFAULT)

    kept = vocab.select(WORDS, COUNTS, 3, rule)
    assert [WORDS[i] for i in kept] == ["be", "or", "not"]
    assert asked == [(w, c, 3) for w, c in zip(WORDS, COUNTS.tolist(), strict=True)]
    assert all(type(count) is int for _, count, _ in asked)


def test_frequent_words_come_first_and_of_equals_the_last_seen():
    order = vocab.descending(COUNTS)
    assert [WORDS[i] for i in order] == ["be", "to", "not", "is", "that", "or"]


@pytest.mark.parametrize(
    ("min_count", "max_words", "threshold"),
    [(5, None, 5), (1, 6, 1), (1, 5, 2), (1, 4, 2), (1, 3, 3), (1, 2, 4), (1, 1, 5), (4, 5, 4)],
)
def test_the_threshold_rises_until_few_enough_words_reach_it(min_count, max_words, threshold):
    assert vocab.effective_min_count(COUNTS, min_count, max_words) == threshold
    assert max_words is None or np.count_nonzero(threshold <= COUNTS) <= max_words


def scalar_threshold(count, sample, total):
    """gensim's sample_int, one word at a time, in its own operations."""
    if not sample:
        threshold = total
    elif sample < 1.0:
        threshold = sample * total
    else:
        threshold = int(sample * (3 + np.sqrt(5)) / 2)
    probability = (np.sqrt(count / threshold) + 1) * (threshold / count)
    return int(np.uint32(min(probability, 1.0) * (2**32 - 1)))


@pytest.mark.parametrize("sample", [0, 1e-5, 1e-3, 0.5, 1, 2.5, 100])
def test_thresholds_are_gensims_to_the_bit(sample):
    counts = np.random.default_rng(3).zipf(1.3, 2000) % 10**6 + 1
    expected = [scalar_threshold(count, sample, counts.sum()) for count in counts.tolist()]
    thresholds = vocab.keep_thresholds(counts, sample)
    assert thresholds.dtype == np.uint32
    assert thresholds.tolist() == expected


def test_values_that_gensim_4_4_computed():
    # Word2Vec(min_count=1, sample=0.01).build_vocab_from_freq({"the": 900, "cat": 90, "sat": 10})
    thresholds = vocab.keep_thresholds([900, 90, 10], 0.01)
    assert thresholds.tolist() == [500451163, 1908874353, 4294967295]


def test_words_without_a_count_and_empty_vocabularies_are_kept():
    assert vocab.keep_thresholds([0, 10**6], 1e-3)[0] == 2**32 - 1
    assert len(vocab.keep_thresholds([], 1e-3)) == 0
    assert vocab.keep_thresholds([0], 1e-3).tolist() == [2**32 - 1]


@pytest.mark.parametrize("sample", [-1e-3, float("nan")])
def test_sample_must_be_a_number_from_zero_on(sample):
    with pytest.raises(ValueError, match="sample must be"):
        vocab.keep_thresholds([1], sample)
