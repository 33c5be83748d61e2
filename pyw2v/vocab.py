"""Which words a model knows, in which order, and how often each is skipped while training.

Words come in as they were first seen, with their counts; what goes out is the same words fewer and
sorted, and the numbers that tell an encoded corpus so. The rules are gensim's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._checks import check_float, check_int

# What a trim_rule may answer.
RULE_DEFAULT = 0  # let min_count decide
RULE_DISCARD = 1
RULE_KEEP = 2

TrimRule: TypeAlias = Callable[[Any, int, int], int | None]
Counts: TypeAlias = npt.NDArray[np.int64]


@dataclass
class Selection:
    """The words that were kept, best first, and what was dropped on the way."""

    words: list[Any]
    counts: Counts
    new_ids: npt.NDArray[np.int32]
    """By old position: the new one, or -1. For `Scan.remap`."""
    effective_min_count: int
    retain_total: int
    """Occurrences of the words kept."""
    drop_unique: int
    drop_total: int


def keep_word(word: Any, count: int, min_count: int, trim_rule: TrimRule | None = None) -> bool:
    """Whether a word stays in the vocabulary: the rule's answer, else whether it is frequent."""
    if trim_rule is not None:
        answer = trim_rule(word, count, min_count)
        if answer == RULE_KEEP:
            return True
        if answer == RULE_DISCARD:
            return False
    return count >= min_count


def kept_words(
    words: Sequence[Hashable], counts: Counts, min_count: int, trim_rule: TrimRule | None = None
) -> npt.NDArray[np.bool_]:
    """`keep_word` for many words at once."""
    if trim_rule is None:
        return np.asarray(counts >= min_count)
    answers = (
        keep_word(word, count, min_count, trim_rule)
        for word, count in zip(words, counts.tolist(), strict=True)
    )
    return np.fromiter(answers, np.bool_, len(words))


def order_by_count(counts: Counts) -> npt.NDArray[np.int64]:
    """Positions by falling count; of equally frequent words the one seen last comes first.

    gensim sorts so too, except that its order of equals depends on NumPy's sorting algorithm.
    """
    return np.argsort(counts, kind="stable")[::-1].astype(np.int64)


def effective_min_count(counts: Counts, min_count: int, max_final_vocab: int | None) -> int:
    """The smallest threshold from min_count on that keeps at most max_final_vocab words.

    Words as frequent as the first one that does not fit are all dropped.
    """
    if max_final_vocab is None or max_final_vocab >= len(counts):
        return max(1, min_count) if max_final_vocab is not None else min_count
    place = len(counts) - 1 - max_final_vocab
    return max(min_count, int(np.partition(counts, place)[place]) + 1)


def select_words(
    words: Sequence[Any],
    counts: npt.ArrayLike,
    *,
    min_count: int = 5,
    max_final_vocab: int | None = None,
    trim_rule: TrimRule | None = None,
    sort: bool = True,
) -> Selection:
    """Drop rare words and sort the others by falling count (or keep their order)."""
    numbers = np.asarray(counts, np.int64)
    min_count = check_int("min_count", min_count)
    if max_final_vocab is not None:
        max_final_vocab = check_int("max_final_vocab", max_final_vocab, minimum=0)
    threshold = effective_min_count(numbers, min_count, max_final_vocab)
    kept = np.flatnonzero(kept_words(words, numbers, threshold, trim_rule))
    if sort:
        kept = kept[order_by_count(numbers[kept])]
    new_ids = np.full(len(words), -1, np.int32)
    new_ids[kept] = np.arange(len(kept), dtype=np.int32)
    retain_total = int(numbers[kept].sum())
    return Selection(
        words=[words[i] for i in kept.tolist()],
        counts=numbers[kept],
        new_ids=new_ids,
        effective_min_count=threshold,
        retain_total=retain_total,
        drop_unique=len(words) - len(kept),
        drop_total=int(numbers.sum()) - retain_total,
    )


def within_size(
    words: Sequence[Any],
    counts: Counts,
    max_vocab_size: int,
    trim_rule: TrimRule | None = None,
) -> npt.NDArray[np.bool_]:
    """Which words are left when a vocabulary must not exceed max_vocab_size.

    gensim drops rare words, and forgets their counts, each time the vocabulary gets too large while
    it reads. Here the counts of the whole corpus decide: the threshold rises just until few enough
    words reach it, so frequent words are never lost for coming late. A trim_rule that keeps words
    can make the vocabulary larger.
    """
    threshold = effective_min_count(counts, 1, max_vocab_size)
    if threshold == 1:
        return np.ones(len(words), np.bool_)
    return kept_words(words, counts, threshold, trim_rule)


def keep_probabilities(
    counts: npt.ArrayLike, sample: float, total: int | None = None
) -> npt.NDArray[np.float64]:
    """Share of the occurrences of each word that training keeps, between 0 and 1.

    (sqrt(c / T) + 1) * T / c for a word of count c: word2vec.c's formula, with T = sample * total;
    total is the number of words in the corpus, by default the sum of the counts. A sample of 1 or
    more means: T is such that words above that count are thinned out. 0 keeps everything.
    """
    numbers = np.asarray(counts, np.int64)
    sample = check_float("sample", sample, minimum=0)
    total = int(numbers.sum()) if total is None else total
    if sample == 0:
        return np.ones(len(numbers))
    threshold = sample * total if sample < 1 else int(sample * (3 + np.sqrt(5)) / 2)
    seen = np.maximum(numbers, 1)  # words added without a count are kept
    share = (np.sqrt(seen / threshold) + 1) * (threshold / seen)
    return np.asarray(np.where(numbers > 0, np.minimum(share, 1.0), 1.0))


def keep_thresholds(
    counts: npt.ArrayLike, sample: float, total: int | None = None
) -> npt.NDArray[np.uint32]:
    """`keep_probabilities` for the trainer: a word is kept when a 32-bit draw is no larger."""
    return (keep_probabilities(counts, sample, total) * (2**32 - 1)).astype(np.uint32)
