"""`CooccurrenceMatrix`: how often words stand near each other, counted, looked at, and weighted."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import _glove_vocab, corpus
from pyw2v._checks import check_float, check_int, resolve_workers
from pyw2v._core import cooccurrence as _core
from pyw2v.corpus import EncodedCorpus
from pyw2v.io import glove_format, word2vec_format
from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import StrPath
from pyw2v.progress import Progress

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_WINDOW = 65535  # csrc/vocab/occurrences.h keeps reaches in 16 bits


class CooccurrenceMatrix:
    """A sparse square matrix of counts: a row for every word, a column for every context word.

        counts = CooccurrenceMatrix.from_corpus(pathlib.Path("corpus.txt"), window=10)
        counts["king", "queen"], counts.row("king"), len(counts)
        counts.shifted_ppmi(5).to_scipy()
        model = GloVe.from_cooccurrence(counts)

    `words` are in the order of rows and columns, `word_counts` how often each occurs in the corpus
    (None if that is unknown). The entries are in `columns` and `values`, row after row;
    `row_ends[i]` is where those of row i end. Iterating gives (word, context, value) of each.
    """

    def __init__(
        self,
        row_ends: npt.ArrayLike,
        columns: npt.ArrayLike,
        values: npt.ArrayLike,
        words: Sequence[Any] | None = None,
        word_counts: npt.ArrayLike | None = None,
    ) -> None:
        self.row_ends: Ints = np.ascontiguousarray(row_ends, np.int64)
        self.columns: npt.NDArray[np.int32] = np.ascontiguousarray(columns, np.int32)
        self.values: Floats = np.ascontiguousarray(values, np.float64)
        n_words = len(self.row_ends)
        self.words: list[Any] = list(range(n_words)) if words is None else list(words)
        self.word_counts: Ints | None = (
            None if word_counts is None else np.ascontiguousarray(word_counts, np.int64)
        )
        self.spilled = False  # whether entries live in a temporary file
        self._check()
        self._places: dict[Any, int] | None = None

    def _check(self) -> None:
        n_words, n = len(self.row_ends), len(self.columns)
        last = int(self.row_ends[-1]) if n_words else 0
        if len(self.values) != n or last != n or np.any(np.diff(self.row_ends, prepend=0) < 0):
            raise ValueError(f"row_ends must rise to {n}, the number of columns and of values")
        if n and not 0 <= int(self.columns.min()) <= int(self.columns.max()) < n_words:
            raise ValueError(f"columns must be from 0 to {n_words - 1}, those of {n_words} words")
        for name, given in (("words", self.words), ("word_counts", self.word_counts)):
            if given is not None and len(given) != n_words:
                raise ValueError(f"{name} must be {n_words}, one a row, got {len(given)}")

    # -- where it comes from -----------------------------------------------------------------------

    @classmethod
    def from_corpus(
        cls,
        source: Any,
        *,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        min_count: int = 1,
        max_vocab: int | None = None,
        words: Sequence[Any] | None = None,
        workers: int = -1,
        memory: int | None = None,
        folder: StrPath | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Count the pairs of words that are at most `window` words apart, exactly.

        Parameters
        ----------
        source
            A `pathlib.Path` (one document a line), lists of words, ...: see `pyw2v.corpus.scan`.
            Pairs do not cross the ends of sentences.
        window
            Words that are dropped do not count: the others close up.
        symmetric
            Count each pair in both orders, so that a word next to itself counts twice; otherwise
            only (word, a word to its right), as the C program does.
        distance_weighting
            A pair of words d apart counts 1/d, otherwise 1.
        min_count, max_vocab
            Rarer words are dropped; at most so many are kept.
        words
            The vocabulary, in this order, instead of one chosen by the two above.
        workers
            Threads; 0 or less: every core. The result is the same for any number.
        memory
            Bytes to use; what is more goes to nameless temporary files, which vanish with the
            process. None: half of the memory that is free. Besides, each thread needs a number for
            each word.
        folder
            Of the temporary files; None: that of `tempfile.gettempdir()`.

        """
        budget = corpus.default_budget() if memory is None else check_int("memory", memory, 0)
        found = corpus.scan(source, workers=workers, max_memory=budget // 4, progress=progress)
        if words is not None:
            names = list(words)
            ids = corpus.ids_in({word: i for i, word in enumerate(names)}, found.words)
            counts = np.zeros(len(names), np.int64)
            np.add.at(counts, ids[ids >= 0], found.counts[ids >= 0])
        else:
            min_count = check_int("min_count", min_count, 0)
            if max_vocab is not None:
                max_vocab = check_int("max_vocab", max_vocab, 1)
            names, counts, ids = _glove_vocab.choose(
                found.words, found.counts, min_count, max_vocab
            )
        encoded = found.remap(ids)
        try:
            return cls.from_encoded(
                encoded,
                names,
                counts,
                window=window,
                symmetric=symmetric,
                distance_weighting=distance_weighting,
                workers=workers,
                memory=budget - budget // 4,
                folder=folder,
                progress=progress,
            )
        finally:
            encoded.close()

    @classmethod
    def from_encoded(
        cls,
        encoded: EncodedCorpus,
        words: Sequence[Any],
        word_counts: npt.ArrayLike | None = None,
        *,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        workers: int = -1,
        memory: int | None = None,
        folder: StrPath | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Count an encoded corpus whose ids are places in `words`; see `from_corpus`."""
        window = check_int("window", window, 1, MAX_WINDOW)
        if progress is not None:
            progress.begin("count", len(encoded.tokens), "words")
        row_ends, columns, values, _ = _core.count(
            encoded.tokens,
            encoded.ends,
            len(words),
            window=window,
            symmetric=bool(symmetric),
            distance_weighting=bool(distance_weighting),
            workers=resolve_workers(workers),
            max_memory=corpus.default_budget() if memory is None else memory,
            folder=tempfile.gettempdir() if folder is None else folder,
            progress=None if progress is None else progress.update,
        )
        if progress is not None:
            progress.update(len(encoded.tokens))
            progress.close()
        matrix = cls(
            corpus.view(row_ends, np.dtype(np.int64)),
            corpus.view(columns, np.dtype(np.int32)),
            corpus.view(values, np.dtype(np.float64)),
            words,
            word_counts,
        )
        matrix.spilled = columns.spilled or values.spilled
        return matrix

    @classmethod
    def from_arrays(
        cls,
        rows: npt.ArrayLike,
        columns: npt.ArrayLike,
        values: npt.ArrayLike,
        words: Sequence[Any] | None = None,
        word_counts: npt.ArrayLike | None = None,
    ) -> Self:
        """Make a matrix of entries in any order; values of the same place are added up.

        Without `words` there are as many as the largest row or column says, and their numbers are
        their names.
        """
        row_ids, column_ids = np.asarray(rows), np.asarray(columns)
        numbers = np.asarray(values, np.float64)
        for name, ids in (("rows", row_ids), ("columns", column_ids)):
            if ids.ndim != 1 or len(ids) != len(numbers):
                raise ValueError(f"{name} must be as many as the {len(numbers)} values")
            if len(ids) and (ids.dtype.kind not in "iu" or int(ids.min()) < 0):
                raise ValueError(f"{name} must be whole numbers from 0 on")
        highest = max((int(ids.max()) for ids in (row_ids, column_ids) if len(ids)), default=-1)
        n_words = highest + 1 if words is None else len(words)
        if highest >= n_words:
            raise ValueError(f"rows and columns must be below {n_words} words, got {highest}")
        keys = row_ids.astype(np.int64) * max(n_words, 1) + column_ids
        if np.any(keys[1:] <= keys[:-1]):
            order = np.argsort(keys, kind="stable")
            keys, numbers = keys[order], numbers[order]
            first = np.flatnonzero(np.diff(keys, prepend=-1))
            keys, numbers = keys[first], np.add.reduceat(numbers, first)
        row_ends = np.searchsorted(keys, np.arange(1, n_words + 1) * max(n_words, 1))
        return cls(row_ends, keys % max(n_words, 1), numbers, words, word_counts)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        words: Sequence[Any] | None = None,
        word_counts: npt.ArrayLike | None = None,
    ) -> Self:
        """Make a matrix of any of SciPy's square sparse matrices; zeros are left out."""
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"the matrix must be square, got shape {matrix.shape}")
        rows = matrix.tocsr(copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return cls(rows.indptr[1:], rows.indices, rows.data, words, word_counts)

    # -- what is in it -----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.row_ends), len(self.row_ends)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.words)} words with {len(self)} entries>"

    def __iter__(self) -> Iterator[tuple[Any, Any, float]]:
        for i, word in enumerate(self.words):
            for column, value in zip(*self._entries(i), strict=True):
                yield word, self.words[column], float(value)

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        """Return the value of (word, context): 0 where there is no entry."""
        word, context = pair
        columns, values = self._entries(self._place(word))
        at = int(np.searchsorted(columns, self._place(context)))
        found = at < len(columns) and columns[at] == self._place(context)
        return float(values[at]) if found else 0.0

    def row(self, word: Any) -> dict[Any, float]:
        """Return the contexts of a word and their values."""
        columns, values = self._entries(self._place(word))
        return {self.words[c]: v for c, v in zip(columns.tolist(), values.tolist(), strict=True)}

    def rows(self) -> npt.NDArray[np.int32]:
        """Return the row of every entry, as `columns` has its column."""
        lengths = np.diff(self.row_ends, prepend=0)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def row_sums(self) -> Floats:
        """Return the sum of each row."""
        return self._sums(self.rows())

    def column_sums(self) -> Floats:
        """Return the sum of each column."""
        return self._sums(self.columns)

    def _sums(self, places: npt.NDArray[np.int32]) -> Floats:
        sums = np.zeros(len(self.words))
        found = np.bincount(places, self.values)
        sums[: len(found)] = found
        return sums

    def to_scipy(self) -> Any:
        """Return a `scipy.sparse.csr_matrix` that shares `columns` and `values`."""
        sparse = importlib.import_module("scipy.sparse")
        starts = np.concatenate(([0], self.row_ends))
        return sparse.csr_matrix((self.values, self.columns, starts), self.shape)

    def _entries(self, row: int) -> tuple[npt.NDArray[np.int32], Floats]:
        some = slice(int(self.row_ends[row - 1]) if row else 0, int(self.row_ends[row]))
        return self.columns[some], self.values[some]

    def _place(self, word: Any) -> int:
        if self._places is None:
            self._places = {name: i for i, name in enumerate(self.words)}
        if word not in self._places:
            raise KeyError(f"{word!r} is not among the {len(self.words)} words of the matrix")
        return self._places[word]

    # -- weighted ----------------------------------------------------------------------------------

    def pmi(self, *, smoothing: float = 1.0) -> CooccurrenceMatrix:
        """Return pointwise mutual information: log(P(word, context) / (P(word) P(context))).

        Pairs that were never seen, whose value would be minus infinity, have no entry. `smoothing`
        is the power that the contexts' sums are raised to: 0.75 makes less of rare contexts (Levy,
        Goldberg, Dagan 2015).
        """
        smoothing = check_float("smoothing", smoothing, minimum=0.0)
        if np.any(self.values <= 0):
            raise ValueError("pmi needs positive counts; this matrix has others")
        contexts = self.column_sums() ** smoothing
        with np.errstate(divide="ignore"):  # words without an entry
            log_word, log_context = np.log(self.row_sums()), np.log(contexts)
        values = np.log(self.values) + np.log(contexts.sum())
        values -= log_word[self.rows()]
        values -= log_context[self.columns]
        return CooccurrenceMatrix(self.row_ends, self.columns, values, self.words, self.word_counts)

    def ppmi(self, *, smoothing: float = 1.0) -> CooccurrenceMatrix:
        """Return positive PMI: entries of `pmi` that are above 0."""
        return self.shifted_ppmi(1.0, smoothing=smoothing)

    def shifted_ppmi(self, shift: float, *, smoothing: float = 1.0) -> CooccurrenceMatrix:
        """Return max(PMI - log(shift), 0), without the zeros.

        What skip-gram with `shift` negative samples factorises (Levy, Goldberg 2014).
        """
        shift = check_float("shift", shift, minimum=0.0, exclusive=True)
        weighted = self.pmi(smoothing=smoothing)
        weighted.values -= np.log(shift)
        positive = weighted.values > 0
        lengths = np.bincount(weighted.rows()[positive], minlength=len(self.words))
        return CooccurrenceMatrix(
            np.cumsum(lengths),
            weighted.columns[positive],
            weighted.values[positive],
            self.words,
            self.word_counts,
        )

    # -- files -------------------------------------------------------------------------------------

    def save_glove_format(self, path: StrPath, vocab_file: StrPath | None = None) -> None:
        """Write the records that GloVe's `cooccur` writes and, if asked for, its vocabulary."""
        if vocab_file is not None:
            counts = np.zeros(len(self.words), np.int64)
            glove_format.check_words(map(str, self.words), vocab_file, unknown=False)
            given = counts if self.word_counts is None else self.word_counts
            word2vec_format.save_vocab(vocab_file, self.words, given)
        with atomic_write(path) as file:
            glove_format.write_records(file, self.rows(), self.columns, self.values)

    @classmethod
    def load_glove_format(cls, path: StrPath, vocab_file: StrPath) -> Self:
        """Read the records of `cooccur` or `shuffle`, in any order, and their vocabulary."""
        vocabulary = word2vec_format.load_vocab(vocab_file)
        records = glove_format.load_records(path, len(vocabulary))
        return cls.from_arrays(
            records["word"].astype(np.int64) - 1,
            records["context"].astype(np.int64) - 1,
            records["count"],
            list(vocabulary),
            np.fromiter(vocabulary.values(), np.int64, len(vocabulary)),
        )


def as_matrix(
    counts: Any, words: Sequence[Any] | None = None, word_counts: npt.ArrayLike | None = None
) -> CooccurrenceMatrix:
    """Return the matrix of whatever holds one: see `GloVe.from_cooccurrence`."""
    if isinstance(counts, CooccurrenceMatrix):
        return counts
    if hasattr(counts, "tocsr"):
        return CooccurrenceMatrix.from_scipy(counts, words, word_counts)
    if isinstance(counts, tuple) and len(counts) == 3:
        return CooccurrenceMatrix.from_arrays(*counts, words, word_counts)
    raise TypeError(
        "co-occurrence counts must be a CooccurrenceMatrix, a SciPy sparse matrix or a tuple of "
        f"three arrays (rows, columns, values), got {type(counts).__name__}"
    )
