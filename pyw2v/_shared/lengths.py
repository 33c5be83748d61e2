"""Lengths of rows, and rows at unit length, whatever the size of their numbers.

Squares of single precision leave their range at 1e-19 and 1e19. Rows that come near are computed in
double precision, divided by their largest number; all others are as NumPy's plain formulas have it.
"""

import math
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.arrays import blocks, dots, in_place, nonzero

# Sums of squares within these have lost nothing, by the size of a number in bytes.
_SQUARES = {4: (1e-30, 1e30)}
_DOUBLE_SQUARES = (1e-280, 1e280)
# Lengths within these can be divided by, and their rows multiplied, in single precision.
_USUAL = (1e-30, 1e30)


def row_norms(vectors: NDArray[Any]) -> NDArray[Any]:
    """Euclidean length of every row; half-precision rows are summed in single precision."""
    if not in_place(vectors):
        norms = np.empty(len(vectors), np.float32)
        for block in blocks(len(vectors)):
            norms[block] = row_norms(vectors[block].astype(np.float32))
        return norms
    squares = np.einsum("ij,ij->i", vectors, vectors)  # no temporary matrix
    norms = np.asarray(np.sqrt(squares))
    if vectors.dtype.kind == "f":
        low, high = _SQUARES.get(vectors.itemsize, _DOUBLE_SQUARES)
        sound = (squares >= low) & (squares <= high)
        if not sound.all():
            lossy = np.flatnonzero(~sound)
            for block in blocks(len(lossy)):
                with np.errstate(over="ignore"):  # a length may be too large for its type
                    norms[lossy[block]] = _scaled(vectors[lossy[block]])[1]
    return norms


def _scaled(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Unit rows and lengths, in double precision; of zero rows zeros, of infinite ones NaN."""
    rows = rows.astype(np.result_type(rows.dtype, np.float64))
    largest = np.abs(rows).max(axis=1, initial=0)
    with np.errstate(invalid="ignore"):
        rows /= nonzero(largest)[:, np.newaxis]
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows /= nonzero(lengths)[:, np.newaxis]
        return rows, np.where(np.isfinite(largest), lengths * largest, largest)


def exact_units(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows at unit length, of numbers of any size; zero rows stay zero."""
    return _scaled(rows)[0]


def unit(vector: NDArray[Any]) -> NDArray[Any]:
    """The vector at unit length, a zero vector as it is; halves become single precision."""
    if vector.dtype.char not in "fdg":  # single, double, long double
        vector = vector.astype(np.float32)
    flat = vector.ravel(order="K")
    squares = np.vdot(flat, flat)  # the bits of `dot`, which would warn of overflow
    low, high = _SQUARES.get(vector.itemsize, _DOUBLE_SQUARES)
    if low <= squares <= high:
        # A root rounded to double and then to single precision is the root rounded to single.
        length = math.sqrt(squares) if vector.itemsize <= 8 else np.sqrt(squares)
        result: NDArray[Any] = vector / length
        return result
    return exact_units(vector.reshape(1, -1)).astype(vector.dtype).reshape(vector.shape)


class Lengths:
    """The lengths of the rows of a matrix, and what queries need of them."""

    __slots__ = ("divisors", "mask", "norms", "scales", "vectors")

    def __init__(self, vectors: Any, norms: NDArray[Any] | None = None) -> None:
        self.vectors = weakref.ref(vectors)  # whose lengths these are
        self.norms = row_norms(vectors) if norms is None else norms
        low, high = _USUAL
        divisors = nonzero(self.norms)
        extreme = ~((divisors >= low) & (divisors <= high))
        # The rows that only `exact_units` can divide; None where there are none.
        self.mask: NDArray[np.bool_] | None = extreme if extreme.any() else None
        divisors[extreme] = 1
        self.divisors = divisors
        self.scales = np.asarray(1 / divisors, np.float32)

    def extreme(self, which: Any) -> Any:
        """Which of some rows are for `exact_units`, not to be divided; None if there are none."""
        if self.mask is None:
            return None
        found = self.mask[which]
        return found if found.any() else None

    def unit_rows(self, rows: NDArray[Any], which: Any) -> NDArray[Any]:
        """Rows of the matrix, those at `which`, at unit length."""
        result: NDArray[Any] = rows / self.divisors[which][:, np.newaxis]
        extreme = self.extreme(which)
        if extreme is not None:
            result[extreme] = exact_units(rows[extreme])
        return result

    def normalize(self, vectors: NDArray[Any]) -> None:
        """Scale the rows of the matrix to unit length in place."""
        extreme = self.extreme(slice(None))
        scaled = None if extreme is None else exact_units(vectors[extreme])
        np.divide(vectors, self.divisors[:, np.newaxis], out=vectors, casting="same_kind")
        if scaled is not None:
            vectors[extreme] = scaled

    def cosines(self, vectors: Any, vector: NDArray[Any]) -> NDArray[Any]:
        """Cosine of every row of the matrix with a unit vector."""
        with np.errstate(over="ignore", invalid="ignore"):  # of rows that are computed again below
            result = np.asarray(dots(vectors, vector) / self.divisors)
        if self.mask is not None:
            rows = np.flatnonzero(self.mask)
            result[rows] = exact_units(vectors[rows]) @ vector
        return result
