"""The checksum of a native file: against damage, not against forgery.

It is the SHA-256 of the header, with blanks in place of the checksum itself, and of the CRC-32 of
each piece of each array. The numbers of the pieces do not depend on each other, so that threads
share them: one alone would slow saving down by a quarter, and SHA-256 of all bytes by more.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._shared.checks import usable_cores

BLANK = "0" * 64  # hexadecimal digits

_PIECE_BYTES = 1 << 22  # a part of the format: other pieces have other numbers
_SMALL_BYTES = 1 << 24  # what is not worth threads
_MAX_THREADS = 4  # memory is no faster for more

Array = npt.NDArray[Any]


def digest(header: bytes, arrays: Sequence[Array]) -> str:
    """Return the checksum of a file of this header and arrays, in the order of their bytes."""
    rows = [(_rows(array), first) for array in arrays for first in _firsts(array)]
    total = hashlib.sha256(header)
    for number in _numbers(rows, sum(array.nbytes for array in arrays)):
        total.update(number.to_bytes(4, "little"))
    return total.hexdigest()


def pieces(array: Array) -> Iterator[memoryview]:
    """Yield the bytes of an array of any strides, little-endian, without a copy of all of it."""
    for first in _firsts(array):
        yield _piece(_rows(array), first)


def _numbers(rows: list[tuple[Array, int]], n_bytes: int) -> list[int]:
    workers = min(_MAX_THREADS, usable_cores(), len(rows))
    if n_bytes >= _SMALL_BYTES and workers > 1:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 (dear, and seldom needed)

        try:
            with ThreadPoolExecutor(workers) as pool:
                return list(pool.map(_number, rows))
        except RuntimeError:  # no thread can be started
            pass
    return list(map(_number, rows))


def _number(part: tuple[Array, int]) -> int:
    return zlib.crc32(_piece(*part))


def _piece(rows: Array, first: int) -> memoryview:
    little = rows.dtype.newbyteorder("<")
    part = np.ascontiguousarray(rows[first : first + _step(rows)], little)
    return part.reshape(-1).view(np.uint8).data


def _rows(array: Array) -> Array:
    return array if array.ndim else array.reshape(1)


def _firsts(array: Array) -> range:
    rows = _rows(array)
    return range(0, len(rows), _step(rows)) if rows.size else range(0)


def _step(rows: Array) -> int:
    """Return how many rows make a piece."""
    return max(1, _PIECE_BYTES * len(rows) // rows.nbytes)
