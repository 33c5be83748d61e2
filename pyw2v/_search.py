"""Exact nearest rows: unit queries in, the k best rows of each out.

Rows are handed to the core as they are when they are single precision, and otherwise cast in
blocks, so that a half-precision matrix is never copied whole.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyw2v._arrays import nonzero


def cosines(
    vectors: NDArray[Any], norms: NDArray[Any], queries: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Cosine of every query with every row, (n_queries, n_rows); zero rows have cosine 0."""
    dots = queries @ vectors.astype(np.float32, copy=False).T
    dots /= nonzero(norms)
    return np.asarray(dots, np.float32)


def nearest(
    vectors: NDArray[Any],
    norms: NDArray[Any],
    queries: NDArray[np.float32],
    k: int,
    exclude: Sequence[Sequence[int]],
    start: int,
    end: int,
    workers: int = -1,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Ids and cosines of the k rows of [start, end) nearest to each query, best first.

    Rows of equal cosine come in order of their ids; rows whose cosine is not a number never come.
    Places that stay empty have id -1.
    """
    ids = np.full((len(queries), k), -1, np.int64)
    scores = np.zeros((len(queries), k), np.float32)
    for i, query in enumerate(queries):
        row = cosines(vectors[start:end], norms[start:end], query[np.newaxis])[0]
        row[[j - start for j in exclude[i] if start <= j < end]] = np.nan
        order = np.lexsort((np.arange(len(row)), -row))
        best = order[~np.isnan(row[order])][:k]
        ids[i, : len(best)] = best + start
        scores[i, : len(best)] = row[best]
    return ids, scores
