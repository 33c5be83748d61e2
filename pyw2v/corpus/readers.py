"""From every kind of corpus to the two counters of the core: files to one, objects to the other."""

from __future__ import annotations

import codecs
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyw2v._core.corpus import FileScanner
from pyw2v._core.sentences import SentenceEncoder
from pyw2v._shared.checks import is_iterable, is_table
from pyw2v.corpus.sentences import LineSentence, PathLineSentences, Text8Corpus
from pyw2v.io.streams import StrPath, is_compressed, open_binary

Progress: TypeAlias = Callable[[int, int | None, str], object]
Array: TypeAlias = npt.NDArray[Any]

_TEXT_PIECE = 1 << 22  # bytes read at a time from compressed files
_COLUMN_PIECE = 4096  # sentences made into Python objects at a time from columns
_VALUES_PIECE = 1 << 18  # integers converted at a time


@dataclass
class TextFiles:
    """Files to read, and how sentences end in them: see SentenceRule in corpus_scanner.h."""

    paths: list[str]
    at_line_feed: bool = True
    max_words: int = 0
    max_lines: int = -1


def text_files(source: Any) -> TextFiles | None:
    """The files behind a source that is nothing else. Subclasses may iterate differently."""
    if isinstance(source, os.PathLike):
        return TextFiles([os.fspath(source)])
    if type(source) is LineSentence and isinstance(source.source, (str, os.PathLike)):
        paths = [os.fspath(source.source)]
    elif type(source) is PathLineSentences:
        paths = list(source.input_files)
    elif type(source) is Text8Corpus:
        return TextFiles([os.fspath(source.fname)], False, source.max_sentence_length)
    else:
        return None
    limit = -1 if source.limit is None else source.limit
    return TextFiles(paths, True, source.max_sentence_length, limit)


def read_files(scanner: FileScanner, files: TextFiles, progress: Progress | None) -> None:
    """Give all bytes of text files to the counter of files."""
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
    scanner: FileScanner, path: str, files: TextFiles, report: Callable[[int], None]
) -> int:
    """Read a file piece by piece, in this thread; return how many bytes it had, uncompressed."""
    done = 0
    lines_left = files.max_lines
    rest = b""
    with open_binary(path) as file:
        while True:
            piece = file.read(_TEXT_PIECE) if lines_left != 0 else b""
            if done == 0:
                piece = piece.removeprefix(codecs.BOM_UTF8)
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


def _length(source: Any) -> int | None:
    """Return how many sentences there are; None if that is not known before they are read."""
    try:
        return len(source)
    except TypeError:  # also of what passes on len() to a corpus that has none, as phrases do
        return None


def read_objects(encoder: SentenceEncoder, source: Any, progress: Progress | None) -> None:
    """Give all sentences of an object to the counter of objects."""
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
    check_sentences(source)
    total = _length(source)
    sentences = _column(source) if _is_column(source) else source
    iterator = iter(sentences)
    report = None if progress is None else lambda n: progress(n, total, "sentences")
    encoder.add_sentences(iterator, report)
    if report is not None:
        report(encoder.n_sentences)


def check_sentences(source: Any) -> None:
    """Raise a TypeError unless this is an iterable of sentences; tables and groups are none."""
    rule = "sentences must be an iterable of lists of words"
    if is_table(source):
        raise TypeError(f"{rule}, got a {type(source).__name__}: choose one column of lists")
    if type(source).__name__.endswith("GroupBy"):
        raise TypeError(
            f"{rule}, got a {type(source).__name__}: make lists of the groups' words first, "
            "in pandas by table.groupby(...)[column].apply(list)"
        )
    if isinstance(source, str | bytes) or not (is_iterable(source) or _is_column(source)):
        raise TypeError(f"{rule}, got {source!r:.80} of type {type(source).__name__}")


def _is_column(source: Any) -> bool:
    """Whether this is an Arrow array or a polars series.

    They make Python objects of a slice much faster than of one element after the other.
    """
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
    """Read integers without making Python objects of them, unless they are sparse."""
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


class NoCorpusFileError(FileNotFoundError, TypeError):
    """`corpus_file` names no file; gensim reports this as a TypeError."""


def one_source(corpus_iterable: Any, corpus_file: StrPath | None) -> Any:
    """Return the one corpus given."""
    if (corpus_iterable is None) == (corpus_file is None):
        given = "neither" if corpus_file is None else "both"
        raise TypeError(f"give either an iterable of sentences or corpus_file, got {given}")
    if corpus_file is None:
        return corpus_iterable
    if not isinstance(corpus_file, str | os.PathLike):
        raise TypeError(f"corpus_file must be the path of a file, got {corpus_file!r}")
    path = Path(corpus_file)
    if not path.exists():
        raise NoCorpusFileError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    return path
