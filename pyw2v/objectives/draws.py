"""Classes drawn by weight, with the expected counts that a sampled loss needs: TensorFlow's triple.

`Sampler.draw` is the public entry. The ids come from the core, by the tables that training draws
from; the expected counts are those of the law, exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._core.sampler import AliasSampler, UniqueSampler
from pyw2v.objectives.inclusion import inclusion_probabilities

# Ids of one call of the core, which Ctrl-C has to wait for: some hundredths of a second.
_CHUNK_IDS = 1 << 20


class Draw(NamedTuple):
    """What `Sampler.draw` returns, in the order of TensorFlow's candidate samplers.

    Parameters
    ----------
    sampled : ndarray of int32
        The ids of the drawn classes, (n, k) or (k,).
    true_expected : ndarray of float64 or None
        Q of the true classes, shaped like them; None where none were given.
    sampled_expected : ndarray of float64
        Q of the drawn classes, shaped like `sampled`.
    """

    sampled: NDArray[np.int32]
    true_expected: NDArray[np.float64] | None
    sampled_expected: NDArray[np.float64]


def expected_counts(p: NDArray[np.float64], k: int, unique: bool) -> NDArray[np.float64]:
    """Return Q, how often each class is among k drawn ones on average."""
    return inclusion_probabilities(p, k) if unique else k * p


def draw_ids(
    p: NDArray[np.float64], k: int, n: int, unique: bool, seed: int | None
) -> NDArray[np.int32]:
    """Return n draws of k ids each, (n, k)."""
    rng = np.random.default_rng(seed)
    ids = np.empty((n, k), np.int32)
    step = max(1, _CHUNK_IDS // k)
    once, different = (None, UniqueSampler(p)) if unique else (AliasSampler(p), None)
    for at in range(0, n, step):
        part = ids[at : at + step]
        core_seed = int(rng.integers(2**64, dtype=np.uint64))
        if different is not None:
            part[:] = different.draw(k, len(part), core_seed)
        elif once is not None:
            part[:] = once.draw(part.size, core_seed).reshape(part.shape)
    return ids


def check_ids(name: str, ids: ArrayLike, n_words: int) -> NDArray[np.int64]:
    """Return ids of classes, of any shape, each from 0 to n_words - 1."""
    values: NDArray[Any] = np.asarray(ids)
    if values.dtype.kind not in "iu" and values.size:
        raise TypeError(f"{name} must be whole numbers, got {ids!r:.80}")
    wrong = (values < 0) | (values >= n_words)
    if wrong.any():
        raise ValueError(
            f"{name} must be ids from 0 to {n_words - 1}, got {int(values[wrong].flat[0])}"
        )
    return values.astype(np.int64)
