"""gensim.matutils: what users of word vectors import from it; the rest is the real gensim's."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pyw2v.compat._imports import fall_through

__all__ = ["argsort", "unitvec", "zeros_aligned"]


def argsort(x: ArrayLike, topn: int | None = None, reverse: bool = False) -> Any:
    """Return the positions of the `topn` smallest elements in order, or of the largest."""
    values = np.asarray(x)
    limit = values.size if topn is None else topn
    if limit <= 0:
        return []
    if reverse:
        values = -values
    if limit >= values.size:
        return np.argsort(values)[:limit]
    some = np.argpartition(values, limit)[:limit]
    return some[np.argsort(values[some])]


def unitvec(vec: Any, norm: str = "l2", return_norm: bool = False) -> Any:
    """Return a vector at unit length: an array, a sparse one, or a list of (id, value)."""
    if norm not in ("l1", "l2", "unique"):
        raise ValueError(f"'{norm}' is not a supported norm: l1, l2 or unique")
    is_sparse = hasattr(vec, "tocsr")
    if is_sparse or isinstance(vec, np.ndarray):
        vec = vec.tocsr() if is_sparse else vec
        length = _length(vec.data if is_sparse else vec, norm)
        kind = float if np.issubdtype(vec.dtype, np.integer) else vec.dtype
        unit: Any = (vec / length).astype(kind) if length else vec
    else:
        pairs = list(vec)
        length = _length(np.array([value for _, value in pairs], float), norm)
        unit = [(key, value / length) for key, value in pairs] if length else vec
    return (unit, length or 1.0) if return_norm else unit


def _length(values: NDArray[Any], norm: str) -> float:
    if norm == "unique":
        return float(np.count_nonzero(values))
    if norm == "l1":
        return float(np.sum(np.abs(values)))
    return math.sqrt(float(np.sum(np.square(values, dtype=np.float64))))


def zeros_aligned(
    shape: int | tuple[int, ...], dtype: DTypeLike, order: Any = "C", align: int = 128
) -> NDArray[Any]:
    """Return an array of zeros that starts at a multiple of `align` bytes."""
    n_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    buffer = np.zeros(n_bytes + align, np.uint8)
    start = -buffer.ctypes.data % align
    return buffer[start : start + n_bytes].view(dtype).reshape(shape, order=order)


__getattr__ = fall_through(__name__)
