"""`QuantizedMatrix`: a matrix in one byte per few numbers, as fastText's `.ftz` files hold it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._core import quantizer
from pyw2v._shared.arrays import blocks, nonzero
from pyw2v._shared.checks import check_int, resolve_workers
from pyw2v._shared.lengths import row_norms

N_CENTROIDS = 256
_MAX_POINTS = N_CENTROIDS * N_CENTROIDS  # that centroids are found from
_BLOCK_ROWS = 16384  # encoded between two checks for Ctrl-C


class QuantizedMatrix:
    """Rows cut into pieces of `dsub` numbers, each piece one byte that names a centroid.

    The form of fastText's `.ftz` files. A matrix without rows is allowed.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n_rows, ceil(dim / dsub))
        The centroid of each piece.
    centroids : ndarray of float32, shape (256 * dim,)
        256 for each piece, piece after piece; the last piece is narrower where `dsub` does not
        divide `dim`.
    dim : int
        Numbers of a row.
    dsub : int
        Numbers of a piece.
    norm_codes : ndarray of uint8, shape (n_rows,), optional
        For each row the entry of `norm_centroids` that it is multiplied by.
    norm_centroids : ndarray of float32, shape (256,), optional
        Lengths of rows.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import numpy as np
    >>> from pyw2v.quantize import QuantizedMatrix
    >>> matrix = np.random.default_rng(1).normal(size=(256, 4)).astype(np.float32)
    >>> small = QuantizedMatrix.train(matrix, dsub=2)
    >>> small.shape, small.codes.nbytes
    ((256, 4), 512)
    """

    def __init__(
        self,
        codes: NDArray[np.uint8],
        centroids: NDArray[np.float32],
        dim: int,
        dsub: int,
        norm_codes: NDArray[np.uint8] | None = None,
        norm_centroids: NDArray[np.float32] | None = None,
    ) -> None:
        self.dim = check_int("dim", dim, minimum=1)
        self.dsub = check_int("dsub", dsub, minimum=1)
        n_pieces = -(-self.dim // self.dsub)
        if codes.ndim != 2 or codes.shape[1] != n_pieces:
            raise ValueError(f"codes must have {n_pieces} columns, got shape {codes.shape}")
        if centroids.shape != (N_CENTROIDS * self.dim,):
            raise ValueError(
                f"centroids must have shape ({N_CENTROIDS * self.dim},), got {centroids.shape}"
            )
        if (norm_codes is None) != (norm_centroids is None):
            raise ValueError("norm_codes and norm_centroids must be given together")
        if norm_codes is not None and norm_codes.shape != codes.shape[:1]:
            raise ValueError(
                f"norm_codes must have shape {codes.shape[:1]}, got {norm_codes.shape}"
            )
        if norm_centroids is not None and norm_centroids.shape != (N_CENTROIDS,):
            raise ValueError(
                f"norm_centroids must have shape ({N_CENTROIDS},), got {norm_centroids.shape}"
            )
        self.codes = np.ascontiguousarray(codes, np.uint8)
        self.centroids = np.ascontiguousarray(centroids, np.float32)
        self.norm_codes = norm_codes
        self.norm_centroids = norm_centroids

    @classmethod
    def train(
        cls,
        matrix: NDArray[Any],
        dsub: int = 2,
        qnorm: bool = False,
        seed: int = 1234,
        workers: int = -1,
    ) -> Self:
        """Quantise a matrix of 256 rows or more.

        Parameters
        ----------
        matrix : ndarray of shape (n_rows, dim)
            The matrix.
        dsub : int, default 2
            Numbers that one byte stands for.
        qnorm : bool, default False
            Whether to quantise the lengths of the rows apart from their directions.
        seed : int, default 1234
            Seed of the centroids.
        workers : int, default -1
            Threads, 0 or less for all cores; the result does not depend on them.

        Returns
        -------
        QuantizedMatrix
            The quantised matrix.

        Raises
        ------
        ValueError
            If there are fewer rows, or numbers that are not finite.
        """
        if len(matrix) < N_CENTROIDS:
            raise ValueError(
                f"Matrix too small for quantization, must have at least {N_CENTROIDS} rows, "
                f"got {len(matrix)}"
            )
        dim = check_int("the number of columns", matrix.shape[1], minimum=1)
        dsub = check_int("dsub", dsub, minimum=1)
        seed = check_int("seed", seed, minimum=0)
        norms = row_norms(matrix)
        if not np.isfinite(norms).all():
            raise ValueError("a matrix to quantise must be finite, and its rows of finite length")
        divisors = nonzero(norms).astype(np.float32) if qnorm else None
        centroids, codes = _quantize(matrix, divisors, dsub, seed, resolve_workers(workers))
        if not qnorm:
            return cls(codes, centroids, dim, dsub)
        column = np.ascontiguousarray(norms[:, np.newaxis], np.float32)
        norm_centroids, norm_codes = _quantize(column, None, 1, seed, resolve_workers(workers))
        return cls(codes, centroids, dim, dsub, norm_codes[:, 0].copy(), norm_centroids)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix that the bytes stand for."""
        return len(self.codes), self.dim

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.codes, self.centroids, self.norm_codes, self.norm_centroids)
        return sum(array.nbytes for array in arrays if array is not None)

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, ids: ArrayLike) -> NDArray[np.float32]:
        """Decode some rows.

        Parameters
        ----------
        ids : array_like of int
            Numbers of the rows.

        Returns
        -------
        ndarray of float32, shape (n_ids, dim)
            The rows.
        """
        numbers = np.ascontiguousarray(ids, np.int64)
        out = np.empty((len(numbers), self.dim), np.float32)
        scales = None
        if self.norm_codes is not None and self.norm_centroids is not None:
            scales = np.ascontiguousarray(self.norm_centroids[self.norm_codes[numbers]])
        quantizer.decode(self.codes, numbers, self.dsub, self.centroids, scales, out)
        return out

    def take(self, ids: NDArray[np.int64]) -> QuantizedMatrix:
        """Return the quantised matrix of some rows; a row may come several times.

        Parameters
        ----------
        ids : ndarray of int64
            Numbers of the rows.

        Returns
        -------
        QuantizedMatrix
            Its centroids are shared.
        """
        norm_codes = None if self.norm_codes is None else self.norm_codes[ids]
        return QuantizedMatrix(
            self.codes[ids], self.centroids, self.dim, self.dsub, norm_codes, self.norm_centroids
        )

    def to_dense(self) -> NDArray[np.float32]:
        """Decode all rows.

        Returns
        -------
        ndarray of float32, shape (n_rows, dim)
            The rows.
        """
        return self.rows(np.arange(len(self)))


def _quantize(
    matrix: NDArray[Any], divisors: NDArray[np.float32] | None, dsub: int, seed: int, workers: int
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Centroids and codes of the rows, each divided by its divisor."""
    n_rows, dim = matrix.shape
    n_pieces = -(-dim // dsub)

    def part(which: Any) -> NDArray[np.float32]:
        rows = np.ascontiguousarray(matrix[which], np.float32)
        return rows if divisors is None else rows / divisors[which, np.newaxis]

    # In random order, since the first of the points are where the centroids start.
    sample = np.random.default_rng(seed).permutation(n_rows)[:_MAX_POINTS]
    points = part(sample)
    centroids = np.empty(N_CENTROIDS * dim, np.float32)
    for first in range(0, n_pieces, workers):
        last = min(first + workers, n_pieces)
        quantizer.train_centroids(points, dsub, centroids, first, last, seed, workers)
    codes = np.empty((n_rows, n_pieces), np.uint8)
    for block in blocks(n_rows, _BLOCK_ROWS):
        quantizer.encode(part(block), dsub, centroids, codes[block], workers)
    return centroids, codes
