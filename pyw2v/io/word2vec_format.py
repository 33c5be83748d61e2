"""word2vec's text and binary files: words and a matrix, in and out.

Plain files are read in pieces, by several threads; compressed ones and pipes are first unpacked to
a temporary file. A fault in the content is a ValueError that names the file and the byte.
"""

import io
import os
import shutil
import stat
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from pyw2v._core import word2vec_format as _core
from pyw2v._shared.checks import check_int
from pyw2v.io import foreign
from pyw2v.io.atomic import atomic_write
from pyw2v.io.errors import TruncatedFileError
from pyw2v.io.streams import (
    StrPath,
    compress_to,
    is_compressed,
    open_binary,
    short_lines,
    unpack,
)
from pyw2v.io.temporary import temporary_file

_DTYPES = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
_COPY_BYTES = 1 << 20
_FIRST_UNPACK_BYTES = 1 << 24
_BLOCK_NUMBERS = 1 << 18


@dataclass
class WordVectors:
    """The content of a word2vec file: row ``i`` of ``vectors`` belongs to ``words[i]``.

    ``counts`` are those of the vocabulary file, or V, V - 1, ... when there is none.
    """

    words: list[str]
    vectors: npt.NDArray[Any]
    counts: npt.NDArray[np.int64]


def load_word2vec(
    path: StrPath,
    *,
    fvocab: StrPath | None = None,
    binary: bool | None = False,
    encoding: str = "utf8",
    unicode_errors: str = "strict",
    limit: int | None = None,
    datatype: npt.DTypeLike = np.float32,
    no_header: bool | None = False,
) -> WordVectors:
    """Read a file of the word2vec C program, gensim or GloVe; ``.gz`` and the like are unpacked.

    ``binary=None`` and ``no_header=None`` find out from the file. ``limit`` is the number of rows
    to read; None and 0 read all. Text becomes ``datatype(float(text))``; numbers that are not
    finite in that type are refused in text, and warned about in a binary file. Of a word that
    appears twice the first row is kept, with a warning. A byte-order mark before text is skipped.

    Raises ValueError naming file and byte offset; TruncatedFileError (also an EOFError) if the file
    ends too early.
    """
    dtype = np.dtype(datatype)
    if dtype not in _DTYPES:
        raise ValueError(f"datatype must be float16, float32 or float64, got {dtype}")
    if limit is not None:
        limit = check_int("limit", limit, minimum=0) or None
    if binary and no_header:
        raise NotImplementedError("no_header is only for text files: binary ones need their header")
    options = {
        "binary": binary,
        "header": None if no_header is None else not no_header,
        "limit": limit,
        "dtype": dtype,
        "encoding": encoding,
        "unicode_errors": unicode_errors,
    }
    counts = None if fvocab is None else load_vocab(fvocab, unicode_errors)
    words, vectors, has_more = _load_rows(path, options)
    if has_more:
        warnings.warn(
            f"{_shown(path)} goes on after the {len(words)} rows that its first line states; "
            "the rest was not read",
            stacklevel=2,
        )
    n_rows = len(words)
    _warn_of_infinite(path, words, vectors)
    words, vectors = _drop_duplicates(path, words, vectors)
    if counts is None:
        return WordVectors(words, vectors, n_rows - np.arange(len(words), dtype=np.int64))
    missing = [word for word in words if word not in counts]
    if missing:
        warnings.warn(
            f"{_shown(fvocab)} lacks {len(missing)} of the words in {_shown(path)}, "
            f"for example {missing[0]!r}; their counts are set to 0",
            stacklevel=2,
        )
    word_counts = np.fromiter((counts.get(word, 0) for word in words), np.int64, len(words))
    return WordVectors(words, vectors, word_counts)


def save_word2vec(
    path: StrPath,
    words: Sequence[str | int],
    vectors: npt.NDArray[Any],
    *,
    binary: bool = False,
    prefix: str = "",
    write_header: bool = True,
    append: bool = False,
    total_vec: int | None = None,
) -> None:
    """Write a word2vec file, compressed if ``path`` says so; an error leaves the old file.

    Text has the shortest decimals that read back as the same float32 (or float64) value; binary is
    always float32. ``prefix`` is put before every word, ``total_vec`` replaces the number of rows
    in the first line, and ``append=True`` adds to an existing file.

    A word with a space in it is written to text as it is, with a warning, since gensim does so and
    people rely on it (node2vec names edges "('1', '2')"); no reader can tell where it ends. In a
    binary file it is an error, as a line break is in both.
    """
    vectors = np.asarray(vectors)
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise ValueError(
            f"vectors must have one row for each of the {len(words)} words, "
            f"got an array of shape {vectors.shape}"
        )
    if vectors.shape[1] < 1:
        raise ValueError("vectors must have at least one column, got none")
    dtype = np.float64 if vectors.dtype == np.float64 and not binary else np.float32
    to_rows = _core.binary_rows if binary else _core.text_rows
    n_rows, dim = vectors.shape
    with _open_output(path, append) as file:
        if write_header:
            file.write(f"{n_rows if total_vec is None else total_vec} {dim}\n".encode())
        step = max(1, _BLOCK_NUMBERS // max(1, dim))
        for first in range(0, n_rows, step):
            block: Any = np.ascontiguousarray(vectors[first : first + step], dtype)
            some = [f"{prefix}{word}" for word in words[first : first + step]]
            if not binary and any(" " in word for word in some):
                file.write(_rows_with_spaces(some, block))
            else:
                file.write(to_rows(_join_words(some), block))


def save_vocab(
    path: StrPath,
    words: Sequence[str | int],
    counts: Sequence[int] | npt.NDArray[np.integer[Any]],
    *,
    prefix: str = "",
    append: bool = False,
) -> None:
    """Write the vocabulary file that goes with a word2vec file: a word and a count a line."""
    if len(words) != len(counts):
        raise ValueError(f"{len(words)} words need as many counts, got {len(counts)}")
    _join_words([f"{prefix}{word}" for word in words])
    with _open_output(path, append) as file:
        for word, count in zip(words, counts, strict=True):
            file.write(f"{prefix}{word} {count}\n".encode())


def _load_rows(path: StrPath, options: dict[str, Any]) -> tuple[list[str], npt.NDArray[Any], bool]:
    name = _shown(path)
    if options["binary"] and foreign.kind_of(path) == foreign.TEXT:
        # Its digits would make rows of odd numbers.
        raise ValueError(f"{name} has no binary rows{foreign.hint(foreign.TEXT)}")
    try:
        if not is_compressed(path) and stat.S_ISREG(os.stat(path).st_mode):
            return _core.load(path, name, **options)
        return _load_unpacked(path, name, options)
    except UnicodeDecodeError:
        raise
    except (EOFError, ValueError) as error:
        own = {
            True: (foreign.BINARY,),
            False: (foreign.TEXT,),
            None: (foreign.BINARY, foreign.TEXT),
        }
        hint = foreign.hint(foreign.kind_of(path), foreign.GLOVE, *own[options["binary"]])
        kind = TruncatedFileError if isinstance(error, EOFError) else ValueError
        raise kind(f"{error}{hint}") from None


def _load_unpacked(
    path: StrPath, name: str, options: dict[str, Any]
) -> tuple[list[str], npt.NDArray[Any], bool]:
    """Unpack to a temporary file and load that: only about as much as the rows take.

    The rows are those of the limit or of the first line, so that a device that never ends, or
    packed zeros, cannot fill the disk.
    """
    with open_binary(path) as source, temporary_file() as (unpacked, unpacked_path):
        target = _FIRST_UNPACK_BYTES
        while True:
            complete = unpack(source, unpacked, target, name)
            try:
                words, vectors, has_more = _core.load(
                    unpacked_path, name, complete=complete, **options
                )
            except EOFError:
                if complete:
                    raise
            else:
                if options["limit"] is None and is_compressed(path) and not complete:
                    has_more |= _has_more(source, name)
                return words, vectors, has_more
            target *= 2


def _has_more(source: IO[bytes], name: str) -> bool:
    """Whether packed data goes on; the rest is read, since the packer's checksum is at its end."""
    with io.BytesIO() as sink:
        found = False
        while not unpack(source, sink, _COPY_BYTES, name):
            sink.seek(0)
            found |= bool(sink.read().strip())
            sink.seek(0)
            sink.truncate()
        sink.seek(0)
        return found or bool(sink.read().strip())


def _warn_of_infinite(path: StrPath, words: list[str], vectors: npt.NDArray[Any]) -> None:
    """Numbers that are not finite: text has none, since they are refused there; binary may."""
    step = max(1, _BLOCK_NUMBERS // max(1, vectors.shape[1]))
    wrong = np.concatenate(
        [
            first + np.flatnonzero(~np.isfinite(vectors[first : first + step]).all(axis=1))
            for first in range(0, len(vectors), step)
        ]
        or [np.empty(0, np.int64)]
    )
    if len(wrong):
        warnings.warn(
            f"{_shown(path)} has {len(wrong)} rows with numbers that are not finite, the first of "
            f"them row {wrong[0] + 1}, of {words[wrong[0]]!r}; queries about these mean nothing",
            stacklevel=3,
        )


def _drop_duplicates(
    path: StrPath, words: list[str], vectors: npt.NDArray[Any]
) -> tuple[list[str], npt.NDArray[Any]]:
    if len(set(words)) == len(words):
        return words, vectors
    first_rows: dict[str, int] = {}
    repeated = []
    for row, word in enumerate(words):
        if first_rows.setdefault(word, row) != row:
            repeated.append(word)
    warnings.warn(
        f"{_shown(path)} has {len(repeated)} words more than once, for example {repeated[0]!r}; "
        "the first row of each was kept",
        stacklevel=3,
    )
    return list(first_rows), vectors[list(first_rows.values())]


def load_vocab(
    path: StrPath, unicode_errors: str = "strict", unique: bool = False
) -> dict[str, int]:
    """Read a vocabulary file, a word and a count a line, in its order.

    Of a word that appears twice the first count is kept, with a warning; with ``unique`` that is
    an error.
    """
    counts: dict[str, int] = {}
    repeated = []
    offset = 0
    with open_binary(path) as file:
        for line in short_lines(file, path):
            try:
                word, text = line.decode("utf8", unicode_errors).split()
                count = check_int("count", int(text), minimum=0, maximum=2**63 - 1)
            except UnicodeDecodeError as error:
                error.add_note(f"in {_shown(path)}, the line from byte {offset} on")
                raise
            except ValueError as error:
                raise ValueError(
                    f"{_shown(path)}, byte {offset}: a line must be a word and its count ({error})"
                ) from error
            if word in counts and unique:
                raise ValueError(f"{_shown(path)}, byte {offset}: the word {word!r} comes again")
            if word in counts:
                repeated.append(word)
            else:
                counts[word] = count
            offset += len(line)
    if repeated:
        warnings.warn(
            f"{_shown(path)} has {len(repeated)} words more than once, for example "
            f"{repeated[0]!r}; the first count of each was kept",
            stacklevel=3,
        )
    return counts


# In place of a space while rows are made; UTF-8 has no such byte.
_SPACE = b"\xff"


def _rows_with_spaces(words: Sequence[str], rows: npt.NDArray[Any]) -> bytes:
    """Lines of text for words of which some have spaces in them."""
    if any("\n" in word for word in words):
        _join_words(words)  # says what is wrong
    wrong = next(word for word in words if " " in word)
    warnings.warn(
        f"word {wrong!r} has a space in it: no program can read it back from a word2vec file; "
        "replace it, for example by '_', or save in pyw2v's own format",
        stacklevel=4,
    )
    joined = b"".join(word.encode().replace(b" ", _SPACE) + b" " for word in words)
    return _core.text_rows(joined, rows).replace(_SPACE, b" ")


def _join_words(words: Sequence[str]) -> bytes:
    """The words as bytes, each ended by a space, which no word may have in it."""
    joined = (" ".join(words) + " ").encode()
    if joined.count(b" ") != len(words) or b"\n" in joined:
        wrong = next(word for word in words if " " in word or "\n" in word)
        raise ValueError(
            f"word {wrong!r} has a space or a line break in it, which word2vec files cannot hold; "
            "replace it, for example by '_', or save in pyw2v's own format"
        )
    return joined


@contextmanager
def _open_output(path: StrPath, append: bool) -> Iterator[IO[bytes]]:
    with atomic_write(path) as file:
        if append and os.path.isfile(path):
            with open(path, "rb") as old:
                shutil.copyfileobj(old, file, _COPY_BYTES)
        if is_compressed(path):
            with compress_to(file, path) as compressed:
                yield compressed
        else:
            yield file


def _shown(path: StrPath | None) -> str:
    return os.fspath(path) if path is not None else "None"
