"""Exact nearest rows: unit queries in, the k best rows of each out.

Rows of single precision are searched in place; others are cast in blocks, so that a matrix is never
copied whole.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyw2v._core.topk import TopK
from pyw2v._shared.arrays import blocks, in_place
from pyw2v._shared.checks import resolve_workers
from pyw2v._shared.lengths import Lengths, exact_units

# Multiply-adds between two checks for Ctrl-C: a tenth of a second or so.
_STEP_WORK = 2_000_000_000
# Multiply-adds worth a thread's start.
_THREAD_WORK = 2_000_000
# Rows cast to single precision at once.
_CAST_ROWS = 4096


def cosines(
    matrix: NDArray[Any], lengths: Lengths, which: slice, queries: NDArray[np.float32]
) -> NDArray[Any]:
    """Cosine of every query with some of the rows, (n_queries, n_rows); zero rows have cosine 0.

    In the precision of the vectors, at least single.
    """
    vectors = matrix[which]
    dtype = np.result_type(vectors.dtype, np.float32)
    result: NDArray[Any] = np.empty((len(queries), len(vectors)), dtype)
    if in_place(vectors) and vectors.dtype == dtype:
        np.matmul(queries, vectors.T, out=result)
    else:
        for block in blocks(len(vectors)):
            result[:, block] = queries @ vectors[block].astype(dtype).T
    with np.errstate(over="ignore", invalid="ignore"):  # of rows that are computed again below
        result /= lengths.divisors[which]
    extreme = lengths.extreme(which)
    if extreme is not None:
        result[:, extreme] = queries @ exact_units(vectors[extreme]).T
    return result


def nearest(
    vectors: NDArray[Any],
    lengths: Lengths,
    queries: NDArray[np.float32],
    k: int,
    exclude: Sequence[Sequence[int]] | NDArray[np.int64],
    start: int,
    end: int,
    workers: int = -1,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Ids and cosines of the k rows of [start, end) nearest to each query, best first.

    Rows of equal cosine come in order of their ids; rows whose cosine is not a number never come.
    Places that stay empty have id -1. `exclude` lists the ids that a query must not get.
    """
    offsets = np.zeros(len(queries) + 1, np.int64)
    np.cumsum([len(ids) for ids in exclude], out=offsets[1:])
    flat = np.array([i for ids in exclude for i in ids], np.int32)
    topk = TopK(np.ascontiguousarray(queries), k, offsets, flat)

    direct = (
        in_place(vectors) and vectors.dtype == np.float32 and vectors.strides[1] == vectors.itemsize
    )
    row_work = max(1, queries.size)
    step = max(1024, _STEP_WORK // row_work)
    if not direct or lengths.extreme(slice(start, end)) is not None:
        step = min(step, _CAST_ROWS)
    n_threads = min(resolve_workers(workers), 1 + (end - start) * row_work // _THREAD_WORK)
    for at in range(start, end, step):
        block = slice(at, min(at + step, end))
        rows = vectors[block]
        extreme = lengths.extreme(block)
        if extreme is not None:
            with np.errstate(over="ignore"):
                given, rows = rows, rows.astype(np.float32, order="C")
            rows[extreme] = exact_units(given[extreme])
        elif not direct:
            rows = rows.astype(np.float32, order="C")
        topk.scan(rows, lengths.scales[block], at, n_threads)

    ids = np.empty((len(queries), k), np.int64)
    scores = np.empty((len(queries), k), np.float32)
    topk.result(ids, scores)
    return ids, scores
