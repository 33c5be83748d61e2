"""Which words a model knows, in which order, and how often each is skipped while training.

Words and counts come in as they were first seen. The rules are gensim's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyw2v._shared.checks import check_float

# What a trim_rule may return.
RULE_DEFAULT = 0  # let min_count decide
RULE_DISCARD = 1
RULE_KEEP = 2

TrimRule: TypeAlias = Callable[[Any, int, int], int | None]
Integers: TypeAlias = npt.NDArray[np.int64]


def keep_word(word: Any, count: int, min_count: int, trim_rule: TrimRule | None = None) -> bool:
    """Return whether a word stays in the vocabulary.

    Parameters
    ----------
    word : str or int
        The word.
    count : int
        How often it occurs.
    min_count : int
        Rarer words are dropped, unless the rule says otherwise.
    trim_rule : callable, optional
        Called with these three; returns RULE_KEEP, RULE_DISCARD, or RULE_DEFAULT to let `min_count`
        decide.

    Returns
    -------
    bool
        True if it stays.
    """
    if trim_rule is not None:
        decision = trim_rule(word, count, min_count)
        if decision == RULE_KEEP:
            return True
        if decision == RULE_DISCARD:
            return False
    return count >= min_count


def select(
    words: Iterable[Any], counts: Integers, min_count: int, trim_rule: TrimRule | None = None
) -> Integers:
    """Return the positions of the words that stay, in their order.

    Parameters
    ----------
    words : iterable
        The words.
    counts : ndarray of int64
        How often each occurs.
    min_count : int
        Rarer words are dropped.
    trim_rule : callable, optional
        See `keep_word`.

    Returns
    -------
    ndarray of int64
        The positions.

    Raises
    ------
    TypeError
        If `trim_rule` cannot be called.
    """
    if trim_rule is None:
        return np.flatnonzero(counts >= min_count)
    if not callable(trim_rule):
        raise TypeError(
            f"trim_rule must be a function of word, count and min_count, got {trim_rule!r}"
        )
    kept = [
        i
        for i, (word, count) in enumerate(zip(words, counts.tolist(), strict=True))
        if keep_word(word, count, min_count, trim_rule)
    ]
    return np.array(kept, np.int64)


def effective_min_count(counts: Integers, min_count: int, max_words: int | None) -> int:
    """Return the smallest threshold from `min_count` on that keeps at most `max_words` words.

    Words as frequent as the first one that does not fit are all dropped.

    Parameters
    ----------
    counts : ndarray of int64
        How often each word occurs.
    min_count : int
        The least threshold.
    max_words : int or None
        How many words to keep; None for no limit.

    Returns
    -------
    int
        The threshold.
    """
    if max_words is None:
        return min_count
    if max_words >= len(counts):
        return max(1, min_count)
    place = len(counts) - 1 - max_words
    return max(min_count, int(np.partition(counts, place)[place]) + 1)


def descending(counts: Integers) -> Integers:
    """Return positions by falling count; of equally frequent words the one seen last comes first.

    gensim sorts so too, except that its order of equals depends on NumPy's sorting algorithm.

    Parameters
    ----------
    counts : ndarray of int64
        How often each word occurs.

    Returns
    -------
    ndarray of int64
        The positions.
    """
    return np.argsort(counts, kind="stable")[::-1].astype(np.int64)


def keep_probabilities(counts: npt.ArrayLike, sample: float) -> npt.NDArray[np.float64]:
    """Return the share of the occurrences of each word that sub-sampling keeps.

    It is (sqrt(c / T) + 1) * T / c, at most 1, for a word of count c: word2vec.c's formula, where T
    is `sample` times the sum of all counts.

    Parameters
    ----------
    counts : array_like of int
        How often each word occurs.
    sample : float
        The threshold as a share of the corpus; 0 keeps everything. gensim's shorthand: 1 or more is
        the count above which words are thinned out, so T = sample * (3 + sqrt(5)) / 2.

    Returns
    -------
    ndarray of float64
        From 0 to 1.

    Raises
    ------
    ValueError
        If `sample` is negative.

    Examples
    --------
    >>> from pyw2v.vocab import keep_probabilities
    >>> keep_probabilities([1000, 10], sample=0.01).round(2).tolist()
    [0.11, 1.0]
    """
    numbers = np.asarray(counts, np.int64)
    sample = check_float("sample", sample, minimum=0)
    total = int(numbers.sum())
    if sample == 0 or total == 0:
        return np.ones(len(numbers))
    threshold = sample * total if sample < 1 else int(sample * (3 + np.sqrt(5)) / 2)
    seen = np.maximum(numbers, 1)  # a word added without a count is kept
    share = (np.sqrt(seen / threshold) + 1) * (threshold / seen)
    return np.where(numbers > 0, np.minimum(share, 1.0), 1.0)


def keep_thresholds(counts: npt.ArrayLike, sample: float) -> npt.NDArray[np.uint32]:
    """Return `keep_probabilities` as 32-bit thresholds, gensim's `sample_int`.

    A word is kept if a 32-bit random draw is no larger.

    Parameters
    ----------
    counts : array_like of int
        How often each word occurs.
    sample : float
        See `keep_probabilities`.

    Returns
    -------
    ndarray of uint32
        The thresholds.
    """
    return (keep_probabilities(counts, sample) * (2**32 - 1)).astype(np.uint32)
