"""Which words a model knows, in which order, and how often each is skipped while training.

Words and counts come in as they were first seen. The rules are gensim's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._checks import check_float

# What a trim_rule may answer.
RULE_DEFAULT = 0  # let min_count decide
RULE_DISCARD = 1
RULE_KEEP = 2

TrimRule: TypeAlias = Callable[[Any, int, int], int | None]
Integers: TypeAlias = npt.NDArray[np.int64]


def keep_word(word: Any, count: int, min_count: int, trim_rule: TrimRule | None = None) -> bool:
    """Whether a word stays in the vocabulary: the rule's answer, else whether it is frequent."""
    if trim_rule is not None:
        answer = trim_rule(word, count, min_count)
        if answer == RULE_KEEP:
            return True
        if answer == RULE_DISCARD:
            return False
    return count >= min_count


def select(
    words: Iterable[Any], counts: Integers, min_count: int, trim_rule: TrimRule | None = None
) -> Integers:
    """Positions of the words that stay (see `keep_word`), in their order."""
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
    """The smallest threshold from min_count on that keeps at most max_words words.

    Words as frequent as the first one that does not fit are all dropped.
    """
    if max_words is None:
        return min_count
    if max_words >= len(counts):
        return max(1, min_count)
    place = len(counts) - 1 - max_words
    return max(min_count, int(np.partition(counts, place)[place]) + 1)


def descending(counts: Integers) -> Integers:
    """Positions by falling count; of equally frequent words the one seen last comes first.

    gensim sorts so too, except that its order of equals depends on NumPy's sorting algorithm.
    """
    return np.argsort(counts, kind="stable")[::-1].astype(np.int64)


def keep_probabilities(counts: npt.ArrayLike, sample: float) -> npt.NDArray[np.float64]:
    """Share of the occurrences of each word that training keeps.

    (sqrt(c / T) + 1) * T / c, at most 1, for a word of count c: word2vec.c's formula, where T is
    sample times the sum of all counts. gensim adds a shorthand: a sample of 1 or more is the count
    above which words are thinned out, so T = sample * (3 + sqrt(5)) / 2. 0 keeps everything.
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
    """`keep_probabilities` for the trainer (gensim's sample_int): kept if a 32-bit draw is no
    larger.
    """
    return (keep_probabilities(counts, sample) * (2**32 - 1)).astype(np.uint32)
