"""Co-occurrence counts to the records that GloVe trains on, in memory or in a temporary file."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core import glove as _core
from pyw2v._shared.arrays import blocks
from pyw2v.glove.cooccurrence import CooccurrenceMatrix
from pyw2v.io.errors import memory_for

_CHUNK_RECORDS = 1 << 16  # handed to a worker at a time, where there are no tiles
# When training has diverged: a mean cost above both.
_LARGE_COST = 1e4
_MOST_OVER_IDLE = 1e3


@dataclass
class TrainingRecords:
    """What the trainer is made of; see csrc/train/glove_trainer.h."""

    records: npt.NDArray[Any]
    ends: npt.NDArray[np.int64]
    n_bands: int

    def __len__(self) -> int:
        return len(self.records)


@dataclass
class RecordRules:
    """How counts become records."""

    x_max: float
    exponent: float
    dim: int
    seed: int
    workers: int
    memory: int
    """Bytes of records to hold in memory; more go to a temporary file."""


def check_cost(mean_cost: float, records: npt.NDArray[Any], epoch: int) -> None:
    """Raise FloatingPointError if the mean cost of an epoch (from 0) is finite, yet absurd.

    AdaGrad divides its steps by the gradients so far: parameters that have diverged stay where
    they are and never overflow. What cannot be is a cost a thousand times that of parameters which
    are all zero, where the error of a record is the logarithm of its count. In training that goes
    well the cost is below that from the first epoch on; the least cost that counts leaves
    room for large vectors to start from.
    """
    if mean_cost <= _LARGE_COST:
        return
    idle = 0.0
    for block in blocks(len(records), _CHUNK_RECORDS):
        logs = records["log_count"][block].astype(np.float64)
        idle += float((0.5 * records["weight"][block] * logs * logs).sum())
    if mean_cost > _MOST_OVER_IDLE * idle / len(records):
        raise FloatingPointError(
            f"training diverged in epoch {epoch + 1}: the mean cost is {mean_cost:.3g}, and "
            f"{idle / len(records):.3g} where all parameters are zero"
        )


def in_tiles(counts: CooccurrenceMatrix, rules: RecordRules) -> TrainingRecords:
    """Return float32 records in tiles, which are trained in an order of their own."""
    records = _room(len(counts), _core.record_dtype(np.float32), rules.memory)
    ends, n_bands = _core.make_tiles(
        counts.row_ends,
        counts.columns,
        counts.values,
        records,
        x_max=rules.x_max,
        exponent=rules.exponent,
        dim=rules.dim,
        seed=rules.seed,
        workers=rules.workers,
    )
    return TrainingRecords(records, ends, n_bands)


def in_random_order(counts: CooccurrenceMatrix, rules: RecordRules) -> TrainingRecords:
    """Return float64 records, shuffled once."""
    order = np.random.default_rng(rules.seed).permutation(len(counts))
    words, contexts = counts.rows()[order], counts.columns[order]
    return in_given_order(words, contexts, counts.values[order], np.dtype(np.float64), rules)


def in_given_order(
    words: Any, contexts: Any, values: Any, dtype: np.dtype[Any], rules: RecordRules
) -> TrainingRecords:
    """Return records of entries in their order."""
    records = _core.make_records(
        np.ascontiguousarray(words, np.int32),
        np.ascontiguousarray(contexts, np.int32),
        np.ascontiguousarray(values, np.float64),
        x_max=rules.x_max,
        exponent=rules.exponent,
    )
    if dtype != np.float64:
        records = records.astype(_core.record_dtype(dtype))
    ends = np.arange(_CHUNK_RECORDS, len(records) + _CHUNK_RECORDS, _CHUNK_RECORDS, dtype=np.int64)
    return TrainingRecords(records, np.minimum(ends, len(records)), 0)


def _room(n: int, dtype: np.dtype[Any], memory: int) -> npt.NDArray[Any]:
    n_bytes = n * dtype.itemsize
    if n_bytes <= memory:
        return np.empty(n, dtype)
    # Unnamed, so that it vanishes with the process; the disk's room is claimed at once, since a
    # mapped page that finds none ends the process.
    with tempfile.TemporaryFile(prefix="pyw2v-") as file:
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            else:
                file.truncate(n_bytes)
        except OSError as error:
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from error
        with memory_for(f"a temporary file of {n_bytes} bytes"):
            return np.memmap(file, dtype, "r+", shape=(n,))
