"""NumPy's own files, `.npy` and `.npz`, of any origin: a wrong header is an error, never an array.

NumPy allocates what a header promises before it checks the file's size; here the size comes
first. Pickled objects are refused.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from pyw2v.io.pickle_arrays import n_elements
from pyw2v.io.streams import max_unpacked

_KINDS = "biufSU"
# What NumPy and zipfile raise on damaged files.
_UNSOUND: tuple[type[Exception], ...] = (
    *(ValueError, KeyError, EOFError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, LZMAError),
)


def load(stem: str, mmap: bool) -> NDArray[Any]:
    """Return the array in `stem.npy`, mapped on request, or of a member `val` in `stem.npz`."""
    path = f"{stem}.npy"
    if Path(f"{stem}.npz").exists() and not Path(path).exists():
        path = f"{stem}.npz"
    try:
        if path.endswith(".npz"):
            return _member(path)
        with open(path, "rb") as file:
            shape = _check_header(file, os.fstat(file.fileno()).st_size)
            if mmap and 0 not in shape:  # nothing at all cannot be mapped
                mapped: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
                return mapped
            file.seek(0)
            return npy.read_array(file, allow_pickle=False)
    except _UNSOUND as error:
        raise ValueError(f"{path} is no sound file of an array: {error!s:.200}") from error


def _member(path: str) -> NDArray[Any]:
    with zipfile.ZipFile(path) as archive:
        about = archive.getinfo("val.npy")
        limit = max_unpacked(os.path.getsize(path))
        if about.file_size > limit:
            raise ValueError(f"{about.file_size} bytes are packed into it, more than {limit}")
        with archive.open(about) as file:
            _check_header(file, about.file_size)
        with archive.open(about) as file:
            return npy.read_array(file, allow_pickle=False)


def _check_header(file: IO[bytes], size: int) -> tuple[int, ...]:
    """Compare what a header promises to a size of the whole in bytes; return the shape."""
    fault = None
    try:
        shape, dtype = _header(file)
    except Exception as error:  # whatever Python's own parser raises on a header that is not one
        fault = type(error).__name__
    if fault is not None:  # not from the error: the parser's MemoryError is none of memory
        raise ValueError(f"its header is damaged: {fault}")
    if dtype.kind not in _KINDS or dtype.itemsize == 0:
        raise ValueError(f"arrays of {dtype!s:.40} are none of words")
    n_bytes = n_elements(shape) * dtype.itemsize
    if n_bytes > size - file.tell():
        raise ValueError(f"its header promises {n_bytes} bytes, it has {size - file.tell()}")
    return shape


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"the version must be 1.0, 2.0 or 3.0, got {version}")
    # Version 3 differs from 2 by the encoding of names, which these arrays do not have.
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(file)
    return shape, dtype
