"""Arithmetic on matrices of row vectors that several modules share."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def blocks(n_rows: int, size: int = 8192) -> Iterator[slice]:
    """Cut rows into pieces small enough to be cast one after the other."""
    return (slice(at, min(at + size, n_rows)) for at in range(0, n_rows, size))


def runs(offsets: NDArray[Any], which: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the places of these runs of an array, one behind the other, and where each begins."""
    sizes = offsets[which + 1] - offsets[which]
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) + np.repeat(offsets[which] - starts, sizes), starts


def in_place(vectors: Any) -> bool:
    """Whether rows are used in place; half-precision and compact ones are cast in blocks."""
    return isinstance(vectors, np.ndarray) and vectors.dtype != np.float16


def dots(vectors: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """Dot product of every row with one vector, half-precision rows in single precision."""
    if not in_place(vectors):
        products = np.empty(len(vectors), np.float32)
        for block in blocks(len(vectors)):
            products[block] = vectors[block].astype(np.float32) @ vector
        return products
    return np.asarray(vectors @ vector)


def nonzero(norms: NDArray[Any]) -> NDArray[Any]:
    """Divisors for normalising: a zero row has no direction and stays zero."""
    return np.asarray(norms + (norms == 0))  # several times faster than np.where


def prep_vectors(
    target_shape: tuple[int, int],
    prior_vectors: NDArray[Any] | None = None,
    seed: int | None = 0,
    dtype: DTypeLike = np.float32,
) -> NDArray[Any]:
    """Return an array with the prior values, the rest uniform in ±1 / vector_size.

    Parameters
    ----------
    target_shape : tuple of int
        (rows, vector_size).
    prior_vectors : ndarray, optional
        The first rows.
    seed : int or None, default 0
        Seed of the numbers; None draws new ones every time.
    dtype : data-type, default numpy.float32
        Type of the numbers.

    Returns
    -------
    ndarray
        The array; `prior_vectors` itself if it has that shape already.
    """
    if prior_vectors is None:
        prior_vectors = np.zeros((0, 0), dtype)
    if prior_vectors.shape == target_shape:
        return prior_vectors
    rng = np.random.default_rng(seed)
    result: NDArray[Any]
    if np.dtype(dtype) == np.float64:
        result = rng.random(target_shape)
    else:
        result = rng.random(target_shape, dtype=np.float32)
    result *= 2
    result -= 1
    result /= max(target_shape[1], 1)
    result = result.astype(dtype, copy=False)
    n_rows, n_columns = np.minimum(target_shape, prior_vectors.shape)
    result[:n_rows, :n_columns] = prior_vectors[:n_rows, :n_columns]
    return result


def pseudorandom_weak_vector(
    size: int, seed_string: str | None = None, hashfxn: Any = hash
) -> NDArray[np.float32]:
    """Return a small random vector, the same for the same seed (as far as `hashfxn` is).

    Parameters
    ----------
    size : int
        Length of the vector.
    seed_string : str, optional
        The seed; a new one every time by default.
    hashfxn : callable, default hash
        Makes a number of the string.

    Returns
    -------
    ndarray of float32, shape (size,)
        The vector.
    """
    seed = hashfxn(seed_string) & 0xFFFFFFFF if seed_string else None
    draws = np.random.Generator(np.random.SFC64(seed)).random(size)
    return ((draws - 0.5) / max(size, 1)).astype(np.float32)
