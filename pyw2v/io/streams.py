"""Plain and compressed files as one kind of binary stream, told apart by the file's extension.

``.gz``, ``.bz2`` and ``.xz`` come with Python; ``.zst`` needs Python 3.14 or the ``zstandard``
package. Anything else is read and written as it is.
"""

import bz2
import codecs
import gzip
import importlib
import io
import lzma
import os
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from pyw2v.io.errors import TruncatedFileError

StrPath = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

_COPY_BYTES = 1 << 20
_MAX_SHORT_LINE = 1 << 24  # bytes, with its end
# How much a small file, and each byte of a larger one, may be unpacked to in memory.
_UNPACKED_BYTES = 1 << 26
_UNPACKED_RATIO = 200
_PACKED_BYTES = 1 << 14  # small: a piece of Zstandard data is unpacked in one go

try:
    _zstd: Any = importlib.import_module("compression.zstd")
except ImportError:
    _zstd = None

DAMAGED: tuple[type[Exception], ...] = (EOFError, zlib.error, lzma.LZMAError)
if _zstd is not None:
    DAMAGED += (_zstd.ZstdError,)


def is_compressed(path: StrPath) -> bool:
    """Whether the extension of ``path`` says that its bytes are compressed."""
    return Path(path).suffix.lower() in COMPRESSED


def open_binary(path: StrPath) -> IO[bytes]:
    """Open ``path`` for reading, decompressing on the way if its extension says so.

    Compressed data that is damaged raises one of DAMAGED in ``read``, or an OSError without errno;
    data that is cut short raises EOFError.
    """
    return _open(path, "rb")


def read_whole(path: StrPath) -> bytes:
    """The bytes of a file, unpacked; a ValueError if they are damaged, or far too many."""
    with open_binary(path) as file:
        if not is_compressed(path):
            return file.read()
        limit = max_unpacked(os.path.getsize(path))
        whole = io.BytesIO()
        if not unpack(file, whole, limit, os.fspath(path)) and file.read(1):
            raise ValueError(
                f"{path} unpacks to more than {limit} bytes, {_UNPACKED_RATIO} for each of its "
                "own: unpack it yourself if you trust it"
            )
        return whole.getvalue()


def max_unpacked(n_bytes: int) -> int:
    """How many bytes a compressed file of `n_bytes` may hold, if it is to be read at once."""
    return _UNPACKED_BYTES + _UNPACKED_RATIO * n_bytes


def compress_to(file: IO[bytes], path: StrPath) -> IO[bytes]:
    """A stream that writes to ``file``, compressed as the extension of ``path`` says.

    Closing it finishes the compressed data and leaves ``file`` open. ``path`` must be compressed.
    """
    return _open(path, "wb", file)


def text_lines(file: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text in UTF-8, without the byte-order mark that some editors begin it with."""
    lines = iter(file)
    for first in lines:
        yield first.removeprefix(codecs.BOM_UTF8)
        break
    yield from lines


def short_lines(file: IO[bytes], path: StrPath) -> Iterator[bytes]:
    """`text_lines` of words and numbers; a line that does not end, as a device's, is an error."""
    lines = iter(partial(file.readline, _MAX_SHORT_LINE), b"")
    for number, line in enumerate(text_lines(lines), 1):
        if len(line) == _MAX_SHORT_LINE:
            raise ValueError(f"{os.fspath(path)}: line {number} does not end")
        yield line


def unpack(source: IO[bytes], target: IO[bytes], n_bytes: int | None, name: str) -> bool:
    """Append to ``target`` up to about ``n_bytes``; return whether ``source`` ended.

    Damaged data is a ValueError that names the file, TruncatedFileError if it ends too early.
    """
    try:
        while n_bytes is None or target.tell() < n_bytes:
            piece = source.read(_COPY_BYTES)
            if not piece:
                return True
            target.write(piece)
        return False
    except DAMAGED as error:
        raise _damaged(error, name, target.tell()) from error
    except OSError as error:  # gzip and bz2 have no class of their own for damaged data
        if error.errno is not None:
            raise
        raise _damaged(error, name, target.tell()) from error
    finally:
        target.flush()


def _damaged(error: Exception, name: str, offset: int) -> ValueError:
    kind = TruncatedFileError if isinstance(error, EOFError) else ValueError
    return kind(f"{name}, near byte {offset} of the unpacked data, is damaged: {error}")


def _open(path: StrPath, mode: Literal["rb", "wb"], file: IO[bytes] | None = None) -> IO[bytes]:
    target: Any = os.fspath(path) if file is None else file
    suffix = Path(path).suffix.lower()
    opened: Any
    if suffix == ".gz":
        # gzip would store the temporary file's name and the time, and so differ from run to run.
        opened = gzip.GzipFile(
            filename=target if file is None else "", mode=mode, fileobj=file, mtime=0
        )
    elif suffix == ".bz2":
        opened = bz2.BZ2File(target, mode)
    elif suffix == ".xz":
        opened = lzma.LZMAFile(target, mode)  # noqa: SIM115 (the caller closes it)
    elif suffix == ".zst":
        opened = _open_zst(target, mode, os.fspath(path))
    elif file is None:
        opened = open(target, mode)  # noqa: SIM115 (the caller closes it)
    else:
        raise ValueError(f"{path} has no extension of a compressed file: {', '.join(COMPRESSED)}")
    stream: IO[bytes] = opened
    return stream


def _open_zst(target: Any, mode: str, path: str) -> Any:
    if _zstd is not None:
        return _zstd.ZstdFile(target, mode)
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        raise ImportError(
            f"{path} is compressed by Zstandard, which needs Python 3.14 or `pip install zstandard`"
        ) from None
    if mode == "wb":
        return zstandard.ZstdCompressor().stream_writer(target, closefd=False)
    return io.BufferedReader(_ZstdReader(open(target, "rb"), zstandard), 1 << 20)


class _ZstdReader(io.RawIOBase):
    """Frames of a Zstandard file as one stream; the package's own reader lets a cut file pass."""

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file = file
        self._zstandard = zstandard
        self._frame: Any = None
        self._packed = b""
        self._unpacked = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._unpacked:
            self._packed = self._packed or self._file.read(_PACKED_BYTES)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the compressed data ends before its end-of-frame mark")
                return 0
            self._frame = self._frame or self._zstandard.ZstdDecompressor().decompressobj()
            try:
                self._unpacked = memoryview(self._frame.decompress(self._packed))
            except self._zstandard.ZstdError as error:
                raise OSError(str(error)) from error  # as gzip and bz2 do
            self._packed = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        n_bytes = min(len(target), len(self._unpacked))
        target[:n_bytes] = self._unpacked[:n_bytes]
        self._unpacked = self._unpacked[n_bytes:]
        return n_bytes

    def close(self) -> None:
        self._file.close()
        super().close()
