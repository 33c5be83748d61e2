"""Sentences of every kind, counted and turned into numbers in one pass.

In: a file, or Python objects that hold sentences. Out: the distinct words in the order of first
sight, their counts, and the corpus as int32 word ids with the ends of its sentences. Training reads
nothing else, so a one-shot generator is as good as a list.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._checks import check_int, resolve_workers
from ._core.corpus import FileScanner, Memory, SentenceEncoder, remap
from .io.streams import is_compressed, open_binary
from .sentences import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus
from .vocab import TrimRule, within_size

__all__ = [
    "BrownCorpus",
    "EncodedCorpus",
    "LineSentence",
    "PathLineSentences",
    "Scan",
    "Text8Corpus",
    "encode",
    "scan",
]

Progress: TypeAlias = Callable[[int, int | None, str], object]
Array: TypeAlias = npt.NDArray[Any]

_TEXT_PIECE = 1 << 22  # bytes read at a time from compressed files
_COLUMN_PIECE = 4096  # sentences made into Python objects at a time from columns
_VALUES_PIECE = 1 << 18  # integers converted at a time


@dataclass
class EncodedCorpus:
    """A corpus as numbers."""

    tokens: npt.NDArray[np.int32]
    """Word ids, one sentence after the other; in memory or in a mapped temporary file."""
    ends: npt.NDArray[np.int64]
    """Where each sentence ends in `tokens`. Sentences may be empty."""
    n_raw_words: int
    """Tokens read, before unknown words were dropped."""
    n_raw_sentences: int
    _tokens_memory: Memory | None = field(default=None, repr=False, compare=False)

    @property
    def spilled(self) -> bool:
        """Whether `tokens` lives in a temporary file."""
        return self._tokens_memory is not None and self._tokens_memory.spilled

    def close(self) -> None:
        """Let go of the arrays. Memory and file are freed once nothing else refers to them."""
        self.tokens = np.empty(0, np.int32)
        self.ends = np.empty(0, np.int64)
        self._tokens_memory = None

    def _remap(self, new_ids: npt.NDArray[np.int32], workers: int) -> None:
        n_tokens = remap(self.tokens, self.ends, new_ids, workers)
        self.tokens = self.tokens[:n_tokens]
        if self._tokens_memory is not None:
            self._tokens_memory.truncate(n_tokens * self.tokens.itemsize)


@dataclass
class Scan:
    """What one pass over a corpus found."""

    words: list[Any]
    """Distinct words, str or int, in the order of first sight."""
    counts: npt.NDArray[np.int64]
    corpus: EncodedCorpus
    """The ids are positions in `words`. Without tokens when they were not to be kept."""
    _workers: int = field(default=1, repr=False)
    _remapped: bool = field(default=False, repr=False)

    def remap(self, new_ids: npt.NDArray[np.int32]) -> EncodedCorpus:
        """Give each word a new id, or drop it (-1), in place; return the corpus.

        Afterwards the ids are no longer positions in `words`, so this can be done once.
        """
        if self._remapped:
            raise RuntimeError("the corpus of this scan has already been remapped")
        ids = np.ascontiguousarray(new_ids, np.int32)
        if ids.shape != (len(self.words),):
            raise ValueError(
                f"new_ids must have one id for each of {len(self.words)} words, got shape "
                f"{ids.shape}"
            )
        self._remapped = True
        self.corpus._remap(ids, self._workers)
        return self.corpus


def scan(
    source: Any,
    *,
    workers: int = -1,
    max_memory: int | None = None,
    progress: Progress | None = None,
    keep_tokens: bool = True,
    max_vocab_size: int | None = None,
    trim_rule: TrimRule | None = None,
) -> Scan:
    """Count and encode a corpus.

    Parameters
    ----------
    source
        - a `pathlib.Path`: a file with one sentence a line, plain or .gz, .bz2, .xz, .zst;
        - `LineSentence`, `PathLineSentences`, `Text8Corpus`;
        - any iterable of lists of words (str or int), also one that can be read only once;
        - a two-dimensional integer array, or a pair (values, offsets) of arrays: sentence i is
          ``values[offsets[i]:offsets[i + 1]]``;
        - a pandas, Arrow or polars column of lists.

        A plain str is an error, since it would be read letter by letter.
    workers
        Threads that read plain files; 0 or less: all cores.
    max_memory
        Bytes of encoded tokens to hold in memory; a larger corpus goes to a temporary file (in the
        folder of `tempfile.gettempdir()`). None: half of the memory that is available now.
    progress
        Called now and then with how much is done, how much there is (or None) and the unit.
    keep_tokens
        False: only count.
    max_vocab_size, trim_rule
        See `pyw2v.vocab.within_size`.

    """
    workers = resolve_workers(workers)
    if max_vocab_size is not None:
        max_vocab_size = check_int("max_vocab_size", max_vocab_size, minimum=1)
    if isinstance(source, (str, bytes, bytearray)):
        raise TypeError(
            f"sentences must be an iterable of lists of words, got a plain {type(source).__name__}"
            "; for a file pass pathlib.Path(name) or LineSentence(name)"
        )
    budget = _default_budget() if max_memory is None else check_int("max_memory", max_memory, 0)
    folder = tempfile.gettempdir()
    files = _text_files(source)
    reader: FileScanner | SentenceEncoder
    if files is not None:
        reader = FileScanner(
            workers=workers, max_memory=budget, folder=folder, keep_tokens=keep_tokens
        )
        _read_files(reader, files, progress)
    else:
        reader = SentenceEncoder(max_memory=budget, folder=folder, keep_tokens=keep_tokens)
        _read_objects(reader, source, progress)
    words, counts, tokens, ends = reader.finish()
    corpus = EncodedCorpus(
        _view(tokens, np.dtype(np.int32)),
        _view(ends, np.dtype(np.int64)),
        n_raw_words=reader.n_words,
        n_raw_sentences=reader.n_sentences,
        _tokens_memory=tokens,
    )
    result = Scan(words, np.frombuffer(counts, np.int64), corpus, workers)
    if max_vocab_size is not None and len(words) > max_vocab_size:
        _limit_vocab(result, max_vocab_size, trim_rule)
    return result


def encode(
    source: Any,
    key_to_index: Mapping[Any, int],
    *,
    workers: int = -1,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> EncodedCorpus:
    """Encode a corpus with a known vocabulary; other words are dropped. See `scan`."""
    found = scan(source, workers=workers, max_memory=max_memory, progress=progress)
    ids = (key_to_index.get(word, -1) for word in found.words)
    return found.remap(np.fromiter(ids, np.int32, len(found.words)))


def _limit_vocab(found: Scan, max_vocab_size: int, trim_rule: TrimRule | None) -> None:
    kept = within_size(found.words, found.counts, max_vocab_size, trim_rule)
    new_ids = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    found.corpus._remap(new_ids, found._workers)
    found.words = [found.words[i] for i in np.flatnonzero(kept).tolist()]
    found.counts = found.counts[kept]


def _view(memory: Memory, dtype: np.dtype[Any]) -> Array:
    return np.frombuffer(memoryview(memory), dtype) if len(memory) else np.empty(0, dtype)


def _default_budget() -> int:
    """Half of the memory that is free, or no limit where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            sizes = dict(line.split(":") for line in file)
        return int(sizes["MemAvailable"].split()[0]) * 1024 // 2
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError, AttributeError):
        return 2**63 - 1


@dataclass
class _TextFiles:
    """Files to read, and how sentences end in them: see SentenceRule in corpus_scanner.h."""

    paths: list[str]
    at_line_feed: bool = True
    max_words: int = 0
    max_lines: int = -1


def _text_files(source: Any) -> _TextFiles | None:
    """The files behind a source that is nothing else. Subclasses may iterate differently."""
    if isinstance(source, os.PathLike):
        return _TextFiles([os.fspath(source)])
    if type(source) is LineSentence and isinstance(source.source, (str, os.PathLike)):
        paths = [os.fspath(source.source)]
    elif type(source) is PathLineSentences:
        paths = list(source.input_files)
    elif type(source) is Text8Corpus:
        return _TextFiles([os.fspath(source.fname)], False, source.max_sentence_length)
    else:
        return None
    limit = -1 if source.limit is None else source.limit
    return _TextFiles(paths, True, source.max_sentence_length, limit)


def _read_files(scanner: FileScanner, files: _TextFiles, progress: Progress | None) -> None:
    compressed = any(is_compressed(path) for path in files.paths)
    total = None if compressed else sum(os.path.getsize(path) for path in files.paths)
    done = 0

    def report(n_bytes: int) -> None:
        if progress is not None:
            progress(done + n_bytes, total, "B")

    for path in files.paths:
        # Pipes and devices can only be read from front to back.
        if is_compressed(path) or (os.path.exists(path) and not os.path.isfile(path)):
            n_bytes = _read_stream(scanner, path, files, report)
        else:
            scanner.add_file(
                path,
                at_line_feed=files.at_line_feed,
                max_words=files.max_words,
                max_lines=files.max_lines,
                progress=report,
            )
            n_bytes = os.path.getsize(path)
        report(n_bytes)
        done += n_bytes


def _read_stream(
    scanner: FileScanner, path: str, files: _TextFiles, report: Callable[[int], None]
) -> int:
    """Read a file piece by piece, in this thread; return how many bytes it had, uncompressed."""
    done = 0
    lines_left = files.max_lines
    rest = b""
    with open_binary(path) as file:
        while True:
            piece = file.read(_TEXT_PIECE) if lines_left != 0 else b""
            done += len(piece)
            if lines_left > 0:
                piece, lines_left = _first_lines(piece, lines_left)
            text = rest + piece
            used = scanner.add_text(
                text,
                not piece,
                path,
                at_line_feed=files.at_line_feed,
                max_words=files.max_words,
            )
            if not piece:
                return done
            rest = text[used:]
            report(done)


def _first_lines(piece: bytes, n_lines: int) -> tuple[bytes, int]:
    """The part of piece that belongs to the next n_lines lines, and how many are then left."""
    found = piece.count(b"\n")
    if found < n_lines:
        return piece, n_lines - found
    end = 0
    for _ in range(n_lines):
        end = piece.index(b"\n", end) + 1
    return piece[:end], 0


def _read_objects(encoder: SentenceEncoder, source: Any, progress: Progress | None) -> None:
    if isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "iu":
        n_rows, n_columns = source.shape
        _read_integers(encoder, source.reshape(-1), np.arange(n_rows + 1) * n_columns, progress)
        return
    if _is_ragged(source):
        values, offsets = source
        _check_offsets(values, offsets)
        if values.dtype.kind in "iu":
            _read_integers(encoder, values, offsets, progress)
            return
        source = (values[a:b] for a, b in pairwise(offsets))
    total = len(source) if hasattr(source, "__len__") else None
    sentences = _column(source) if _is_column(source) else source
    try:
        iterator = iter(sentences)
    except TypeError:
        raise TypeError(
            "sentences must be an iterable of lists of words, got "
            f"{source!r} of type {type(source).__name__}"
        ) from None
    report = None if progress is None else lambda n: progress(n, total, "sentences")
    encoder.add_sentences(iterator, report)
    if report is not None:
        report(encoder.n_sentences)


def _is_column(source: Any) -> bool:
    """Arrow arrays and polars series: they make Python objects of a slice much faster than of one
    element after the other."""
    return hasattr(source, "slice") and (hasattr(source, "to_pylist") or hasattr(source, "to_list"))


def _column(source: Any) -> Iterator[Any]:
    for begin in range(0, len(source), _COLUMN_PIECE):
        piece = source.slice(begin, min(_COLUMN_PIECE, len(source) - begin))
        yield from piece.to_pylist() if hasattr(piece, "to_pylist") else piece.to_list()


def _is_ragged(source: Any) -> bool:
    return (
        isinstance(source, tuple)
        and len(source) == 2
        and all(isinstance(part, np.ndarray) and part.ndim == 1 for part in source)
    )


def _check_offsets(values: Array, offsets: Array) -> None:
    if offsets.dtype.kind not in "iu":
        raise TypeError(
            "a pair of arrays is read as (values, offsets); offsets must be integers, got "
            f"{offsets.dtype} (for two sentences pass a list)"
        )
    rises = len(offsets) > 0 and bool(np.all(offsets[1:] >= offsets[:-1]))
    if not rises or offsets[0] != 0 or offsets[-1] != len(values):
        raise ValueError(
            "a pair of arrays is read as (values, offsets); offsets must rise from 0 to "
            f"len(values) = {len(values)} (for two sentences pass a list)"
        )


def _read_integers(
    encoder: SentenceEncoder, values: Array, offsets: Array, progress: Progress | None
) -> None:
    """Read integers without making Python objects of them, unless they are few and far between."""
    lowest, highest = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    dense = highest - lowest < max(1 << 16, 4 * len(values)) and highest < 2**63
    for begin in range(0, len(values), _VALUES_PIECE):
        piece = values[begin : begin + _VALUES_PIECE]
        if dense:
            encoder.add_integers(np.ascontiguousarray(piece, np.int64), lowest, highest)
        else:
            encoder.add_words(piece.tolist())
        if progress is not None:
            progress(begin + len(piece), len(values), "words")
    encoder.add_ends(np.ascontiguousarray(offsets[1:], np.int64))
