"""NumPy's part of a pickle: the parts of an array, as data, to an array of numbers or of text.

NumPy itself unpickles nothing here. The shape must agree with the bytes at hand, so that an array
is never larger than its file.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers, truth values, bytes, text, and objects of the pickle.
_DTYPE = re.compile(r"[|<>=]?([?bBhHiIlLqQefdg]|[biufSU]\d{1,9}|O8?)")
_MAX_DIMS = 32
# Rows of no array at all may still be this long: a model without words has a width.
_MAX_EMPTY = 1 << 24
_MAX_CHARACTER = 0x10FFFF


def dtype_of(code: Any, order: Any) -> np.dtype[Any]:
    """Return the type of an array that a code like "f4" and a byte order name."""
    if type(code) is not str or not _DTYPE.fullmatch(code):
        raise ValueError(f"arrays of {_brief(code)} are none of words")
    if order is not None and (type(order) is not str or order not in ("<", ">", "=", "|")):
        raise ValueError(f"the byte order of an array must be < or >, got {_brief(order)}")
    try:
        dtype: np.dtype[Any] = np.dtype(code)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if dtype.itemsize == 0:
        raise ValueError(f"arrays of {code} have no content")
    checked: Any = order
    return dtype if order is None else dtype.newbyteorder(checked)


def n_elements(shape: Any) -> int:
    """Check a shape, and return how many elements an array of it has."""
    if type(shape) is tuple and len(shape) == 1 and type(shape[0]) is int and shape[0] > 0:
        return shape[0]  # the most frequent by far
    if type(shape) is not tuple or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError("the shape of an array must be a tuple of lengths")
    if len(shape) > _MAX_DIMS:
        raise ValueError(f"an array has at most {_MAX_DIMS} dimensions, got {len(shape)}")
    n = math.prod(shape)
    if n == 0 and math.prod(length or 1 for length in shape) > _MAX_EMPTY:
        raise ValueError(f"an empty array must have at most {_MAX_EMPTY} columns")
    return n


def array_of(raw: Any, dtype: np.dtype[Any], shape: Any, order: Any = "C") -> NDArray[Any]:
    """Return an array of its own of the bytes in `raw`, in this machine's byte order."""
    n = n_elements(shape)
    if n * dtype.itemsize != len(raw):
        raise ValueError(
            f"an array of {n} elements of {dtype.itemsize} bytes has {len(raw)} bytes of data"
        )
    if n == 0:
        return np.zeros(shape, dtype.newbyteorder("="))
    flat: NDArray[Any]
    if dtype.kind == "b":
        flat = np.frombuffer(raw, np.uint8) != 0  # other bytes than 0 and 1 would be neither
    else:
        if dtype.kind == "U":
            _check_text(raw, dtype)
        flat = np.frombuffer(raw, dtype)
        flat = flat.copy() if dtype.isnative else flat.astype(dtype.newbyteorder("="))
    return flat if len(shape) == 1 else flat.reshape(shape, order=checked_order(order))


def objects_of(items: list[Any], shape: Any, order: Any = "C") -> NDArray[Any]:
    """Return an array of objects, each of them as it is."""
    if n_elements(shape) != len(items):
        raise ValueError(f"an array of shape {shape} has {len(items)} objects")
    flat = np.empty(len(items), object)
    for i, item in enumerate(items):  # all at once, NumPy would look for rows in them
        flat[i] = item
    return flat.reshape(shape, order=checked_order(order))


def checked_order(order: Any) -> Any:
    """Return the order of an array's elements; a truth value says whether it is Fortran's."""
    if type(order) is bool or (type(order) is int and order in (0, 1)):
        return "F" if order else "C"
    if type(order) is not str or order not in ("C", "F"):
        raise ValueError(f"the order of an array must be C or F, got {_brief(order)}")
    return order


def _check_text(raw: Any, dtype: np.dtype[Any]) -> None:
    codes = np.frombuffer(raw, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
    if codes.max() > _MAX_CHARACTER:
        raise ValueError("an array of text has characters beyond Unicode")


def _brief(value: Any) -> str:
    # Of what a file may make large, or costly to print, no more than the type.
    return repr(value[:40]) if type(value) is str else type(value).__name__
