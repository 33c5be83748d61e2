"""`CooccurrenceMatrix`: how often words stand near each other, counted, inspected and weighted."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import corpus
from pyw2v._core import cooccurrence as _core
from pyw2v._shared.checks import check_float, check_int, resolve_workers
from pyw2v._shared.settings import also_known_as
from pyw2v.corpus import EncodedCorpus
from pyw2v.glove import vocab
from pyw2v.io import glove_format, word2vec_format
from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import StrPath
from pyw2v.progress import Progress

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# What GloVe's C program calls them.
_OTHER_NAMES = {"max_vocab": "max_final_vocab", "memory": "max_memory"}

MAX_WINDOW = 65535  # csrc/cooccurrence/occurrences.h keeps distances in 16 bits


class CooccurrenceMatrix:
    """A sparse square matrix of counts: a row for every word, a column for every context word.

    Iterating gives (word, context, value) of each entry; ``matrix[word, context]`` is one value.

    Parameters
    ----------
    row_ends : array_like of int
        Where the entries of each row end.
    columns : array_like of int
        The columns of the entries, row after row.
    values : array_like of float
        Their values.
    words : sequence, optional
        The words of rows and columns; by default their numbers.
    word_counts : array_like of int, optional
        How often each word occurs in the corpus.

    Raises
    ------
    ValueError
        If the arrays do not fit together.

    Examples
    --------
    >>> from pyw2v import CooccurrenceMatrix
    >>> counts = CooccurrenceMatrix.from_corpus([["the", "king", "and", "the", "queen"]], window=2)
    >>> counts["king", "the"], counts["king", "queen"]
    (1.5, 0.0)
    >>> len(counts)
    10
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
    @also_known_as(_OTHER_NAMES)
    def from_corpus(
        cls,
        source: Any,
        *,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        min_count: int = 1,
        max_final_vocab: int | None = None,
        words: Sequence[Any] | None = None,
        workers: int = -1,
        max_memory: int | None = None,
        folder: StrPath | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Count the pairs of words that are at most `window` words apart, exactly.

        Parameters
        ----------
        source : object
            A `pathlib.Path` (one document a line), lists of words, ...: see `pyw2v.corpus.scan`.
            Pairs do not cross the ends of sentences.
        window : int, default 15
            The farthest word. Words that are dropped do not count: the others close up.
        symmetric : bool, default True
            Whether to count each pair in both orders, so that a word next to itself counts twice;
            otherwise only (word, a word to its right), as the C program does.
        distance_weighting : bool, default True
            Whether a pair of words d apart counts 1/d instead of 1.
        min_count : int, default 1
            Rarer words are dropped.
        max_final_vocab : int, optional
            Keep at most so many words. Also: `max_vocab`.
        words : sequence, optional
            The vocabulary, in this order, instead of one chosen by the two above.
        workers : int, default -1
            Threads, 0 or less for all cores; the result is the same for any number.
        max_memory : int, optional
            Bytes to use; what is more goes to nameless temporary files, which vanish with the
            process. None is half of the memory that is free. Besides, each thread needs a number
            for each word. Also: `memory`.
        folder : str or os.PathLike, optional
            Folder of the temporary files; by default that of `tempfile.gettempdir`.
        progress : Progress, optional
            What shows progress.

        Returns
        -------
        CooccurrenceMatrix
            The counts.

        Raises
        ------
        ValueError
            If a setting is out of range.
        """
        budget = corpus.default_budget()
        if max_memory is not None:
            budget = check_int("max_memory", max_memory, 0)
        found = corpus.scan(source, workers=workers, max_memory=budget // 4, progress=progress)
        if words is not None:
            names = list(words)
            ids = corpus.ids_in({word: i for i, word in enumerate(names)}, found.words)
            counts = np.zeros(len(names), np.int64)
            np.add.at(counts, ids[ids >= 0], found.counts[ids >= 0])
        else:
            min_count = check_int("min_count", min_count, 0)
            if max_final_vocab is not None:
                max_final_vocab = check_int("max_final_vocab", max_final_vocab, 1)
            names, counts, ids = vocab.choose(found.words, found.counts, min_count, max_final_vocab)
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
                max_memory=budget - budget // 4,
                folder=folder,
                progress=progress,
            )
        finally:
            encoded.close()

    @classmethod
    @also_known_as(_OTHER_NAMES)
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
        max_memory: int | None = None,
        folder: StrPath | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Count an encoded corpus.

        Parameters
        ----------
        encoded : EncodedCorpus
            The corpus; its ids are places in `words`.
        words : sequence
            The vocabulary.
        word_counts : array_like of int, optional
            How often each word occurs.
        window : int, default 15
            The farthest word.
        symmetric : bool, default True
            Whether to count each pair in both orders.
        distance_weighting : bool, default True
            Whether a pair of words d apart counts 1/d instead of 1.
        workers : int, default -1
            Threads, 0 or less for all cores.
        max_memory : int, optional
            Bytes to use, as in `from_corpus`.
        folder : str or os.PathLike, optional
            Folder of temporary files.
        progress : Progress, optional
            What shows progress.

        Returns
        -------
        CooccurrenceMatrix
            The counts.
        """
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
            max_memory=corpus.default_budget() if max_memory is None else max_memory,
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

        Parameters
        ----------
        rows : array_like of int
            The row of each entry.
        columns : array_like of int
            The column of each entry.
        values : array_like of float
            The value of each entry.
        words : sequence, optional
            The words. Without them there are as many as the largest row or column says, and their
            numbers are their names.
        word_counts : array_like of int, optional
            How often each word occurs.

        Returns
        -------
        CooccurrenceMatrix
            The matrix.

        Raises
        ------
        ValueError
            If the arrays do not fit together.
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
        """Make a matrix of any of SciPy's square sparse matrices; zeros are left out.

        Parameters
        ----------
        matrix : scipy.sparse matrix or array
            The matrix.
        words : sequence, optional
            The words of rows and columns.
        word_counts : array_like of int, optional
            How often each word occurs.

        Returns
        -------
        CooccurrenceMatrix
            A copy.

        Raises
        ------
        ValueError
            If the matrix is not square.
        """
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
        """Return the contexts of a word.

        Parameters
        ----------
        word : str or int
            The word.

        Returns
        -------
        dict
            The value of each context word.

        Raises
        ------
        KeyError
            If the word is unknown.
        """
        columns, values = self._entries(self._place(word))
        return {self.words[c]: v for c, v in zip(columns.tolist(), values.tolist(), strict=True)}

    def rows(self) -> npt.NDArray[np.int32]:
        """Return the row of every entry, as `columns` has its column.

        Returns
        -------
        ndarray of int32
            The rows.
        """
        lengths = np.diff(self.row_ends, prepend=0)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def row_sums(self) -> Floats:
        """Return the sum of each row.

        Returns
        -------
        ndarray of float64
            The sums.
        """
        return self._sums(self.rows())

    def column_sums(self) -> Floats:
        """Return the sum of each column.

        Returns
        -------
        ndarray of float64
            The sums.
        """
        return self._sums(self.columns)

    def _sums(self, places: npt.NDArray[np.int32]) -> Floats:
        sums = np.zeros(len(self.words))
        found = np.bincount(places, self.values)
        sums[: len(found)] = found
        return sums

    def to_scipy(self) -> Any:
        """Return a sparse matrix of SciPy that shares `columns` and `values`.

        Returns
        -------
        scipy.sparse.csr_matrix
            The matrix.

        Raises
        ------
        ImportError
            If SciPy is not installed.
        """
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

        Pairs that were never seen, whose value would be minus infinity, have no entry.

        Parameters
        ----------
        smoothing : float, default 1.0
            The power that the contexts' sums are raised to: 0.75 makes less of rare contexts (Levy,
            Goldberg, Dagan 2015).

        Returns
        -------
        CooccurrenceMatrix
            The values, in nats.

        Raises
        ------
        ValueError
            If a count is not positive, or `smoothing` is negative.
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
        """Return positive PMI: the entries of `pmi` that are above 0.

        Parameters
        ----------
        smoothing : float, default 1.0
            As in `pmi`.

        Returns
        -------
        CooccurrenceMatrix
            The values, in nats.
        """
        return self.shifted_ppmi(1.0, smoothing=smoothing)

    def shifted_ppmi(self, shift: float, *, smoothing: float = 1.0) -> CooccurrenceMatrix:
        """Return max(PMI - log(shift), 0), without the zeros.

        It is what skip-gram with `shift` negative samples factorises (Levy, Goldberg 2014).

        Parameters
        ----------
        shift : float
            Above 0; 1 is positive PMI.
        smoothing : float, default 1.0
            As in `pmi`.

        Returns
        -------
        CooccurrenceMatrix
            The values, in nats.

        Raises
        ------
        ValueError
            If `shift` is not above 0.
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
        """Write the records that GloVe's `cooccur` writes.

        Parameters
        ----------
        path : str or os.PathLike
            Where to write the records.
        vocab_file : str or os.PathLike, optional
            Where to write the vocabulary.

        Raises
        ------
        ValueError
            If a word cannot be written to a vocabulary file.
        """
        if vocab_file is not None:
            counts = np.zeros(len(self.words), np.int64)
            glove_format.check_words(map(str, self.words), vocab_file, unknown=False)
            given = counts if self.word_counts is None else self.word_counts
            word2vec_format.save_vocab(vocab_file, self.words, given)
        with atomic_write(path) as file:
            glove_format.write_records(file, self.rows(), self.columns, self.values)

    @classmethod
    def load_glove_format(cls, path: StrPath, vocab_file: StrPath) -> Self:
        """Read the records of GloVe's `cooccur` or `shuffle`, in any order, and their vocabulary.

        Parameters
        ----------
        path : str or os.PathLike
            The records; may be a pipe.
        vocab_file : str or os.PathLike
            The vocabulary; may be a pipe.

        Returns
        -------
        CooccurrenceMatrix
            The counts.

        Raises
        ------
        ValueError
            If a file is damaged, or the two do not fit together.
        """
        vocabulary = word2vec_format.load_vocab(vocab_file, unique=True)
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
    """Return the matrix of whatever holds co-occurrence counts.

    Parameters
    ----------
    counts : CooccurrenceMatrix, scipy.sparse matrix or tuple of three arrays
        The counts; the arrays are rows, columns and values.
    words : sequence, optional
        The words of rows and columns.
    word_counts : array_like of int, optional
        How often each word occurs.

    Returns
    -------
    CooccurrenceMatrix
        The counts.

    Raises
    ------
    TypeError
        If `counts` is something else.
    """
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
