"""Labelled text to encoded lines and to a vocabulary: what a classifier is trained on.

Text comes from a file, whose labels stand in its lines behind a prefix, or as rows: strings, or
lists of tokens, which are joined by blanks; labels stand in them or are given apart.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from pyw2v._core.lines import UNKNOWN_LABEL, UNKNOWN_WORD, Lines
from pyw2v._shared.checks import check_list, is_table

_END = object()  # in place of what is missing

# Encoded text, of four bytes a token, stays in memory.
_BUDGET = 1 << 62


@dataclass
class Vocabulary:
    """Words and labels, most frequent first; `entries` says what each token of the lines is."""

    words: list[bytes]
    word_counts: npt.NDArray[np.int64]
    labels: list[bytes]
    label_counts: npt.NDArray[np.int64]
    entries: npt.NDArray[np.int32]


def is_path(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this names a file; a text never does by itself, since rows come in sequences."""
    return isinstance(source, str | os.PathLike)


def row_bytes(row: Any) -> bytes:
    """Return the text of one row, a string or a list of tokens, as bytes without line feeds."""
    if isinstance(row, str):
        text = row.encode("utf-8", "surrogateescape")
    elif isinstance(row, bytes):
        text = row
    else:
        try:
            text = b" ".join([row_bytes(token) for token in _tokens(row)])
        except RecursionError:
            raise TypeError(f"a row must be a text or a list of tokens, got {row!r}") from None
    return text.replace(b"\n", b" ")


def _tokens(row: Any) -> list[Any]:
    try:
        tokens = list(row)
    except TypeError:
        raise TypeError(
            f"a row must be a text or a list of tokens, got {row!r} of type {type(row).__name__}"
        ) from None
    for token in tokens:
        if not isinstance(token, str | bytes):
            raise TypeError(f"a token must be a string, got {token!r} of {type(token).__name__}")
    return tokens


def rows_of(source: Any, name: str = "X") -> Iterable[Any]:
    """Return `source` if it can be a sequence of rows."""
    if isinstance(source, str | bytes | os.PathLike):
        raise TypeError(
            f"{name} must be a sequence of texts, got one: {source!r}; wrap it in a list"
        )
    if not isinstance(source, Iterable):
        raise TypeError(f"{name} must be a sequence of texts, got {type(source).__name__}")
    if is_table(source):
        raise TypeError(f"{name} must be one column of texts, got a {type(source).__name__}")
    return source


def targets_of(targets: Any, name: str = "y") -> Any:
    """Return `targets` if they can be the labels of rows."""
    if is_path(targets) or not isinstance(targets, Iterable):
        rule = "must hold a label, or a list of them, for each row"
        raise TypeError(f"{name} {rule}, got {targets!r}")
    if is_table(targets):
        raise TypeError(f"{name} must be one column of labels, got a {type(targets).__name__}")
    return targets


def labels_of(value: Any) -> list[str | int]:
    """Return the labels of one row: a string, an integer, or a list, tuple or set of them."""
    several = isinstance(value, list | tuple | set | frozenset | np.ndarray)
    values = list(value) if several and np.ndim(value) else [value]
    if isinstance(value, set | frozenset):
        values = sorted(value)
    return [_label(one) for one in values]


def _label(value: Any) -> str | int:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(
            f"a label must be a string or an integer, got {value!r} of type {type(value).__name__}"
        )
    if value == "":
        raise ValueError("a label must not be empty")
    return value


class LabelKind:
    """Whether labels are integers; they must be of one kind, else 1 and "1" would be one label."""

    def __init__(self, integers: bool | None = None) -> None:
        self.integers = integers

    def encode(self, label: str | int) -> bytes:
        """Return the label as text."""
        integer = isinstance(label, int)
        if self.integers is None:
            self.integers = integer
        if integer != self.integers:
            kind = "integers" if self.integers else "strings"
            raise TypeError(f"labels must be of one kind: {kind} until now, then {label!r}")
        return str(label).encode("utf-8", "surrogateescape")


def encode(
    source: Any,
    targets: Any,
    label_prefix: str,
    kind: LabelKind,
    progress: Callable[[int, int], object] | None = None,
) -> Lines:
    """Return the lines of a file, of rows with labels inside, or of rows and their `targets`."""
    lines = Lines(label_prefix.encode(), _BUDGET, tempfile.gettempdir())
    if is_path(source):
        if targets is not None:
            raise ValueError("a file has its labels inside: y must be None with a path")
        lines.read_file(source, progress)
    elif targets is None:
        for row in rows_of(source):
            lines.add(row_bytes(row))
    else:
        _add_rows(lines, source, targets, kind, label_prefix.encode())
    lines.finish()
    return lines


def _add_rows(lines: Lines, source: Any, targets: Any, kind: LabelKind, prefix: bytes) -> None:
    both = itertools.zip_longest(rows_of(source), targets_of(targets), fillvalue=_END)
    for n, (row, value) in enumerate(both):
        if row is _END or value is _END:
            found = (_length(source, n, row is _END), _length(targets, n, value is _END))
            raise ValueError("X and y must be of one length, got {} and {}".format(*found))
        text = row_bytes(row)
        if prefix in text:  # what looks like a label is none: those are in y
            text = b" ".join([t for t in text.split() if not t.startswith(prefix)])
        lines.add(text, [kind.encode(label) for label in labels_of(value)])


def _length(values: Any, n_read: int, ended: bool) -> str:
    if ended:
        return str(n_read)
    return str(len(values)) if hasattr(values, "__len__") else f"more than {n_read}"


def count(lines: Lines, min_count: int, min_count_label: int) -> Vocabulary:
    """Count, prune and sort by falling count; among equals the first seen comes first."""
    counts, is_label = lines.counts(), lines.is_label()
    words = _sorted(counts, ~is_label & (counts >= min_count))
    labels = _sorted(counts, is_label & (counts >= min_count_label))
    entries = np.where(is_label, UNKNOWN_LABEL, UNKNOWN_WORD).astype(np.int32)
    entries[words] = np.arange(len(words))
    entries[labels] = -2 - np.arange(len(labels))
    return Vocabulary(lines.take(words), counts[words], lines.take(labels), counts[labels], entries)


def _sorted(counts: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    numbers = np.flatnonzero(kept).astype(np.int64)
    return numbers[np.argsort(-counts[numbers], kind="stable")]


def with_words(lines: Lines, vocabulary: Vocabulary, more: Iterable[bytes]) -> Vocabulary:
    """Return the vocabulary with `more` words in it, each counted once more, sorted again."""
    counts = dict(zip(vocabulary.words, vocabulary.word_counts.tolist(), strict=True))
    for word in more:
        counts[word] = counts.get(word, 0) + 1
    words = sorted(counts, key=lambda word: -counts[word])
    word_counts = np.array([counts[word] for word in words], np.int64)
    return _named(lines, words, word_counts, vocabulary.labels, vocabulary.label_counts)


def grown(lines: Lines, old: Vocabulary, new: Vocabulary) -> Vocabulary:
    """Return `old` with the words and labels of `new`, behind its own, and the counts of both."""
    words, word_counts = _merged(old.words, old.word_counts, new.words, new.word_counts)
    labels, label_counts = _merged(old.labels, old.label_counts, new.labels, new.label_counts)
    return _named(lines, words, word_counts, labels, label_counts)


def entered(lines: Lines, known: Vocabulary) -> Vocabulary:
    """Return the known vocabulary, as it is, with the entries of these lines."""
    counts = (known.word_counts, known.label_counts)
    return _named(lines, known.words, counts[0], known.labels, counts[1])


def _merged(
    old: list[bytes],
    old_counts: npt.NDArray[np.int64],
    new: list[bytes],
    new_counts: npt.NDArray[np.int64],
) -> tuple[list[bytes], npt.NDArray[np.int64]]:
    counts = dict(zip(old, old_counts.tolist(), strict=True))
    for token, n in zip(new, new_counts.tolist(), strict=True):
        counts[token] = counts.get(token, 0) + n
    return list(counts), np.fromiter(counts.values(), np.int64, len(counts))


def _named(
    lines: Lines,
    words: list[bytes],
    word_counts: npt.NDArray[np.int64],
    labels: list[bytes],
    label_counts: npt.NDArray[np.int64],
) -> Vocabulary:
    """Return this vocabulary with the entries of the lines' tokens in it."""
    is_label = lines.is_label()
    tokens = lines.take(np.arange(len(is_label), dtype=np.int64))
    ids = {word: i for i, word in enumerate(words)}
    ids |= {label: -2 - i for i, label in enumerate(labels)}
    unknown = (UNKNOWN_WORD, UNKNOWN_LABEL)
    entries = (ids.get(t, unknown[flag]) for t, flag in zip(tokens, is_label.tolist(), strict=True))
    return Vocabulary(
        words, word_counts, labels, label_counts, np.fromiter(entries, np.int32, len(tokens))
    )


def with_labels(
    vocabulary: Vocabulary, classes: Iterable[Any], prefix: str, kind: LabelKind
) -> Vocabulary:
    """Return the vocabulary with these labels too, of count 0 where no row has them."""
    names = [
        prefix.encode() + kind.encode(label)
        for one in check_list("classes", classes, "labels")
        for label in labels_of(one)
    ]
    known = set(vocabulary.labels)
    new = [name for name in dict.fromkeys(names) if name not in known]
    counts = np.concatenate([vocabulary.label_counts, np.zeros(len(new), np.int64)])
    return Vocabulary(
        vocabulary.words,
        vocabulary.word_counts,
        [*vocabulary.labels, *new],
        counts,
        vocabulary.entries,
    )
