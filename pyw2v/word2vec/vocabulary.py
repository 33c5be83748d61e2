"""From counted words to the vocabulary of a model: pruned, ordered, with its sampling thresholds.

Counts come in as a list of words and an array, in the order the words were first seen, so that a
corpus encoded in the same pass can be remapped to the final ids. What is decided here ends up in
`model.wv`.
"""

from __future__ import annotations

import numbers
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyw2v import corpus
from pyw2v._core.words import Words
from pyw2v.corpus import vocab
from pyw2v.word2vec.state import ModelState

IntArray = np.ndarray[Any, np.dtype[np.int64]]

NULL_WORD = "\0"


class EmptyVocabularyError(ValueError, RuntimeError):
    """No word is left to train on; gensim reports this as a RuntimeError, hence both bases."""


@dataclass
class RawCounts:
    """Every word of a corpus and how often it occurs, in the order they were first seen."""

    words: list[Any] | Words
    counts: IntArray
    source: str = "the corpus"  # for messages

    @classmethod
    def from_scan(cls, scan: corpus.Scan, source: Any) -> RawCounts:
        """Take what was counted in a source, which is named if it is a file."""
        raw = cls(scan.words, scan.counts)
        if isinstance(source, str | os.PathLike):
            raw.source = os.fspath(source)
        return raw

    @classmethod
    def from_dict(cls, frequencies: Any) -> RawCounts:
        """Take the words and counts of a mapping; they must be whole numbers."""
        rule = "word_freq must map words to whole numbers of occurrences"
        try:
            frequencies = dict(frequencies)
        except (TypeError, ValueError):
            raise TypeError(f"{rule}, got {frequencies!r:.80}") from None
        for word, count in frequencies.items():
            if not isinstance(count, numbers.Real):
                raise TypeError(f"{rule}, got {count!r} for {word!r}")
        counts = np.fromiter(frequencies.values(), dtype=np.float64, count=len(frequencies))
        whole = counts.astype(np.int64)
        if np.any(whole != counts) or np.any(whole < 0):
            bad = int(np.flatnonzero((whole != counts) | (whole < 0))[0])
            raise ValueError(
                f"{rule}, got {list(frequencies.values())[bad]!r} for {list(frequencies)[bad]!r}"
            )
        return cls(list(frequencies), whole)

    def take(self, positions: IntArray) -> list[Any]:
        """Return the words at these positions."""
        if isinstance(self.words, Words):
            return self.words.take(positions)
        return [self.words[i] for i in positions.tolist()]

    def ids_in(self, key_to_index: dict[Any, int]) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Return the number of each word in `key_to_index`, -1 where it has none."""
        if isinstance(self.words, Words):
            return corpus.ids_in(key_to_index, self.words)
        return np.array([key_to_index.get(word, -1) for word in self.words], dtype=np.int32)

    def to_dict(self) -> dict[Any, int]:
        """Return gensim's form of the raw vocabulary."""
        return dict(zip(self.words, self.counts.tolist(), strict=True))


@dataclass
class Plan:
    """What a vocabulary would be under some settings; nothing is changed yet."""

    kept: IntArray  # positions in the raw words, in the order they were first seen
    kept_counts: IntArray
    sample_int: np.ndarray[Any, np.dtype[np.uint32]]  # of the kept words
    min_count: int
    sample: float
    effective_min_count: int
    report: dict[str, int]


def plan(raw: RawCounts, model: ModelState, trim_rule: Any, min_count: int, sample: float) -> Plan:
    """Choose the words to keep and say what that does to the corpus."""
    effective = vocab.effective_min_count(raw.counts, min_count, model.max_final_vocab)
    floor = _count_at_rank(raw.counts, model.max_vocab_size)
    kept = vocab.select(raw.words, raw.counts, max(effective, floor), trim_rule)
    counts = raw.counts[kept]
    probability = vocab.keep_probabilities(counts, sample)
    report = {
        "drop_unique": len(raw.words) - len(kept),
        "retain_total": int(counts.sum()),
        "downsample_unique": int(np.count_nonzero(probability < 1.0)),
        "downsample_total": int((probability * counts).sum()),
        "num_retained_words": len(kept),
    }
    sample_int = vocab.keep_thresholds(counts, sample)
    return Plan(kept, counts, sample_int, min_count, sample, effective, report)


def _count_at_rank(counts: IntArray, max_vocab_size: int | None) -> int:
    """Return the count of the last of the max_vocab_size most frequent words, 0 if all fit.

    gensim drops rare words, and forgets their counts, whenever the words outgrow max_vocab_size
    while it counts. Here the counts of the whole corpus decide, so no word is lost for coming late;
    words as frequent as the last one stay with it.
    """
    if max_vocab_size is None or len(counts) <= max_vocab_size:
        return 0
    place = len(counts) - max_vocab_size
    return int(np.partition(counts, place)[place])


def create(model: ModelState, raw: RawCounts, chosen: Plan) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Give the model a fresh vocabulary; return the new id of every raw word, -1 if dropped."""
    if not len(chosen.kept):
        raise EmptyVocabularyError(_nothing_left(raw, chosen.effective_min_count))
    n_kept, counts, sample_int = len(chosen.kept), chosen.kept_counts, chosen.sample_int
    with_null = model.null_word and NULL_WORD not in raw.take(chosen.kept)
    if with_null:
        counts = np.append(counts, 1)
        sample_int = np.append(sample_int, np.uint32(0))
    order = vocab.descending(counts) if model.sorted_vocab else np.arange(len(counts))
    words = raw.take(chosen.kept[order[order < n_kept]])
    if with_null:
        words.insert(int(np.flatnonzero(order == n_kept)[0]), NULL_WORD)
    model.wv.index_to_key = words
    model.wv.key_to_index = dict(zip(words, range(len(words)), strict=True))
    model.wv.expandos = {"count": counts[order], "sample_int": sample_int[order]}

    new_ids = np.full(len(raw.words), -1, dtype=np.int32)
    ranks = np.empty(len(words), dtype=np.int32)
    ranks[order] = np.arange(len(words), dtype=np.int32)
    new_ids[chosen.kept] = ranks[:n_kept]
    return new_ids


def grow(model: ModelState, raw: RawCounts, chosen: Plan) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Add the new words behind the old ones, and the new counts to the old; return as `create`.

    As in gensim, the sampling thresholds of the words of the new corpus follow their frequency
    there; words that are absent from it keep theirs. The list and the dict are replaced rather than
    extended, since another model may share them (`reset_from`).
    """
    known = model.wv.key_to_index
    new = [word for word in raw.take(chosen.kept) if word not in known]
    n_old, n_words = len(model.wv), len(model.wv) + len(new)
    if new:
        model.wv.index_to_key = [*model.wv.index_to_key, *new]
        model.wv.key_to_index = known | {word: n_old + i for i, word in enumerate(new)}

    counts = np.zeros(n_words, dtype=np.int64)
    counts[:n_old] = model.wv.expandos["count"][:n_old]
    sample_int = np.full(n_words, 2**32 - 1, dtype=np.uint32)
    if "sample_int" in model.wv.expandos:
        sample_int[:n_old] = model.wv.expandos["sample_int"][:n_old]
    ids = raw.ids_in(model.wv.key_to_index)
    present = ids >= 0
    np.add.at(counts, ids[present], raw.counts[present])
    sample_int[ids[chosen.kept]] = chosen.sample_int
    others = {k: v for k, v in model.wv.expandos.items() if k not in ("code", "point")}
    model.wv.expandos = {**others, "count": counts, "sample_int": sample_int}
    model.wv.allocate_vecattrs()
    return ids


def _nothing_left(raw: RawCounts, min_count: int) -> str:
    if not len(raw.words):
        return f"{raw.source} is empty: no words to build a vocabulary from (a generator used up?)"
    largest = int(np.argmax(raw.counts))
    return (
        f"no word of {raw.source} is left in the vocabulary: of {len(raw.words)} distinct words "
        f"the most frequent, {raw.words[largest]!r}, occurs {int(raw.counts[largest])} times, "
        f"and words below min_count={min_count} or refused by trim_rule are dropped; "
        "lower min_count"
    )
