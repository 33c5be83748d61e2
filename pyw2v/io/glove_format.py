"""The files of GloVe's C tools: co-occurrence records, raw parameters, vectors as text.

Vocabularies are the same as word2vec's: see `word2vec_format.load_vocab` and `save_vocab`. A fault
in a file is a ValueError that names it; files are written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from pyw2v.io.atomic import atomic_write
from pyw2v.io.errors import TruncatedFileError
from pyw2v.io.streams import StrPath

# Ids are the places of words in the vocabulary, counted from 1.
RECORD = np.dtype([("word", "<i4"), ("context", "<i4"), ("count", "<f8")])
UNKNOWN = "<unk>"  # the C program's name for its last row, and not allowed as a word

_PIECE_RECORDS = 1 << 20
_RARE_WORDS = 100  # whose mean the row of UNKNOWN is

Records = npt.NDArray[Any]


def load_records(path: StrPath, n_words: int) -> Records:
    """Return the co-occurrence records of a file, in its order; ids must be from 1 to ``n_words``.

    A pipe is refused at its first invalid record.
    """
    if not os.path.isfile(path) and os.path.exists(path):
        return _read_records(path, n_words)
    size = os.path.getsize(path)
    if size % RECORD.itemsize:
        raise TruncatedFileError(
            f"{os.fspath(path)}, byte {size}: the file ends within a record of "
            f"{RECORD.itemsize} bytes"
        )
    if not size:
        return np.empty(0, RECORD)
    records = np.fromfile(path, RECORD)
    if records.nbytes < size:
        raise TruncatedFileError(
            f"{os.fspath(path)}, byte {records.nbytes}: the file became shorter while it was read"
        )
    check_records(records, n_words, os.fspath(path))
    return records


def _read_records(path: StrPath, n_words: int) -> Records:
    data = bytearray()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE_RECORDS * RECORD.itemsize):
            whole = len(piece) // RECORD.itemsize * RECORD.itemsize
            records = np.frombuffer(piece[:whole], RECORD)
            check_records(records, n_words, os.fspath(path), len(data))
            data += piece
    if len(data) % RECORD.itemsize:
        raise TruncatedFileError(
            f"{os.fspath(path)}, byte {len(data)}: the file ends within a record of "
            f"{RECORD.itemsize} bytes"
        )
    return np.frombuffer(data, RECORD)


def check_records(records: Records, n_words: int, name: str, offset: int = 0) -> None:
    """Raise a ValueError that names the first record at fault; the first of all is at `offset`."""
    for first in range(0, len(records), _PIECE_RECORDS):
        piece = records[first : first + _PIECE_RECORDS]
        wrong = ~(np.isfinite(piece["count"]) & (piece["count"] > 0))
        for field in ("word", "context"):
            wrong |= (piece[field] < 1) | (piece[field] > n_words)
        if wrong.any():
            at = int(np.argmax(wrong))
            byte = offset + (first + at) * RECORD.itemsize
            raise ValueError(
                f"{name}, byte {byte}: a record must have two ids from 1 to {n_words}, the size "
                f"of the vocabulary, and a positive count, got {piece[at].item()}"
            )


def write_records(
    file: IO[bytes],
    words: npt.NDArray[np.integer[Any]],
    contexts: npt.NDArray[np.integer[Any]],
    counts: npt.NDArray[np.float64],
) -> None:
    """Write records of ids that count from 0, which become those of the file."""
    for first in range(0, len(counts), _PIECE_RECORDS):
        some = slice(first, first + _PIECE_RECORDS)
        piece = np.empty(len(counts[some]), RECORD)
        piece["word"] = words[some]
        piece["context"] = contexts[some]
        piece["word"] += 1
        piece["context"] += 1
        piece["count"] = counts[some]
        file.write(piece.data.cast("B"))


def load_parameters(path: StrPath, n_words: int) -> npt.NDArray[np.float64]:
    """Read raw parameters: (2 n_words, dim + 1), the rows of words first, biases last."""
    values = np.fromfile(path, "<f8") if os.path.getsize(path) % 8 == 0 else None
    if values is None or not len(values) or not n_words or len(values) % (2 * n_words):
        raise ValueError(
            f"{os.fspath(path)} must hold two rows of numbers for each of {n_words} words, got "
            f"{os.path.getsize(path)} bytes"
        )
    if not np.isfinite(values).all():
        raise ValueError(
            f"{os.fspath(path)}, byte {8 * int(np.argmin(np.isfinite(values)))}: the number is "
            "not finite"
        )
    rows = values.reshape(2 * n_words, -1)
    if rows.shape[1] < 2:
        raise ValueError(f"{os.fspath(path)} has biases, but no vectors for {n_words} words")
    return rows


def save_parameters(path: StrPath, rows: npt.NDArray[np.floating[Any]]) -> None:
    """Write raw parameters, or sums of squares, as `load_parameters` returns them."""
    with atomic_write(path) as file:
        file.write(np.ascontiguousarray(rows, "<f8").data.cast("B"))


def save_text(
    path: StrPath,
    words: Sequence[Any],
    rows: npt.NDArray[np.floating[Any]],
    *,
    header: bool = False,
    unknown: bool = True,
) -> None:
    """Write a word and its row a line, six decimals each, as the C program does.

    With ``unknown`` a last row, the mean of those of the 100 last words, is that of "<unk>"; the
    header, rows and columns, counts it.
    """
    names = [str(word) for word in words]
    check_words(names, path, unknown)
    with atomic_write(path) as file:
        if header:
            file.write(f"{len(names) + unknown} {rows.shape[1]}\n".encode())
        _write_lines(file, names, rows)
        if unknown:
            rare = np.asarray(rows[-_RARE_WORDS:], np.float64)
            _write_lines(file, [UNKNOWN], rare.mean(axis=0, keepdims=True))


def check_words(names: Iterable[str], path: StrPath, unknown: bool) -> None:
    """Raise a ValueError for a word that lines of text cannot hold."""
    for name in names:
        if not name or len(name.split()) != 1 or name.strip() != name:
            raise ValueError(f"{os.fspath(path)}: word {name!r} is empty or has blanks in it")
        if unknown and name == UNKNOWN:
            raise ValueError(
                f"{os.fspath(path)}: the word {UNKNOWN!r} of the vocabulary would clash with the "
                "row of unknown words"
            )


def _write_lines(
    file: IO[bytes], names: Sequence[str], rows: npt.NDArray[np.floating[Any]]
) -> None:
    line = "%s" + " %.6f" * rows.shape[1] + "\n"
    for name, row in zip(names, rows, strict=True):
        file.write((line % (name, *row.tolist())).encode("utf-8", "surrogatepass"))
