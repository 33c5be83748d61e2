"""Plain and compressed files as one kind of binary stream, told apart by the file's extension.

``.gz``, ``.bz2`` and ``.xz`` come with Python; ``.zst`` needs Python 3.14 or the ``zstandard``
package. Anything else is read and written as it is.
"""

import bz2
import gzip
import importlib
import lzma
import os
from pathlib import Path
from typing import IO, Any, Literal

StrPath = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def is_compressed(path: StrPath) -> bool:
    """Whether the extension of ``path`` says that its bytes are compressed."""
    return Path(path).suffix.lower() in COMPRESSED


def open_binary(path: StrPath) -> IO[bytes]:
    """Open ``path`` for reading, decompressing on the way if its extension says so.

    Damaged compressed data raises in ``read``: OSError, EOFError or the module's own error.
    """
    return _open(path, "rb")


def compress_to(file: IO[bytes], path: StrPath) -> IO[bytes]:
    """A stream that writes to ``file``, compressed as the extension of ``path`` says.

    Closing it finishes the compressed data and leaves ``file`` open. ``path`` must be compressed.
    """
    return _open(path, "wb", file)


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
        opened = lzma.LZMAFile(target, mode)  # noqa: SIM115
    elif suffix == ".zst":
        opened = _open_zst(target, mode, os.fspath(path))
    elif file is None:
        opened = open(target, mode)  # noqa: SIM115
    else:
        raise ValueError(f"{path} has no extension of a compressed file: {', '.join(COMPRESSED)}")
    stream: IO[bytes] = opened
    return stream


def _open_zst(target: Any, mode: str, path: str) -> Any:
    try:
        return importlib.import_module("compression.zstd").ZstdFile(target, mode)
    except ImportError:
        pass
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        raise ImportError(
            f"{path} is compressed by Zstandard, which needs Python 3.14 or `pip install zstandard`"
        ) from None
    if mode == "wb":
        return zstandard.ZstdCompressor().stream_writer(target, closefd=False)
    return zstandard.ZstdDecompressor().stream_reader(open(target, "rb"), read_across_frames=True)
