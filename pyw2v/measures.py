"""Entropy, cross entropy and Kullback-Leibler divergence of discrete distributions.

Distributions are the last axis of an array: n numbers that are not negative and sum to 1, or counts
with `normalize=True`. Results are in bits (`unit="bits"`, the default) or nats; 2 to the power of
bits, or e to the power of nats, is a perplexity. An outcome of probability 0 in `p` adds nothing,
whatever its probability in `q`; an outcome that `q` rules out but `p` does not makes cross entropy
and divergence infinite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["UNITS", "cross_entropy", "entropy", "kl_divergence", "nats_to"]

UNITS = {"bits": math.log(2), "nats": 1.0}
"""Nats in one of each unit."""

# How far from 1 a sum may be: what the rounding of single-precision probabilities leaves.
_TOLERANCE = 1e-4

_Floats = npt.NDArray[np.float64]


def entropy(p: npt.ArrayLike, *, unit: str = "bits", normalize: bool = False) -> Any:
    """Return the entropy, -sum p log p: what an outcome of `p` tells on average.

    Parameters
    ----------
    p : array_like
        Distributions along the last axis.
    unit : {"bits", "nats"}, default "bits"
        Unit of the result.
    normalize : bool, default False
        Whether `p` holds counts, to be divided by their sum.

    Returns
    -------
    float or ndarray
        One number for each distribution.

    Raises
    ------
    ValueError
        If `p` is no distribution, or the unit is unknown.

    Examples
    --------
    >>> from pyw2v import entropy
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    first = _distribution("p", p, normalize)
    return nats_to(unit, -_sum(first, first))


def cross_entropy(
    p: npt.ArrayLike, q: npt.ArrayLike, *, unit: str = "bits", normalize: bool = False
) -> Any:
    """Return the cross entropy, -sum p log q.

    It is the mean code length of outcomes of `p` in a code made for `q`.

    Parameters
    ----------
    p : array_like
        Distributions along the last axis.
    q : array_like
        Distributions of the same outcomes.
    unit : {"bits", "nats"}, default "bits"
        Unit of the result.
    normalize : bool, default False
        Whether `p` and `q` hold counts, to be divided by their sums.

    Returns
    -------
    float or ndarray
        One number for each pair; infinite where `q` rules out what `p` does not.

    Raises
    ------
    ValueError
        If `p` or `q` is no distribution, their lengths differ, or the unit is unknown.

    Examples
    --------
    >>> from pyw2v import cross_entropy
    >>> cross_entropy([1, 0], [0.25, 0.75])
    2.0
    """
    first, second = _two(p, q, normalize)
    return nats_to(unit, -_sum(first, second))


def kl_divergence(
    p: npt.ArrayLike, q: npt.ArrayLike, *, unit: str = "bits", normalize: bool = False
) -> Any:
    """Return the Kullback-Leibler divergence, the sum of p log p/q.

    It is what the code for `q` wastes on outcomes of `p`: never negative, 0 only for equal
    distributions, and not symmetric.

    Parameters
    ----------
    p : array_like
        Distributions along the last axis.
    q : array_like
        Distributions of the same outcomes.
    unit : {"bits", "nats"}, default "bits"
        Unit of the result.
    normalize : bool, default False
        Whether `p` and `q` hold counts, to be divided by their sums.

    Returns
    -------
    float or ndarray
        One number for each pair; infinite where `q` rules out what `p` does not.

    Raises
    ------
    ValueError
        If `p` or `q` is no distribution, their lengths differ, or the unit is unknown.

    Examples
    --------
    >>> from pyw2v import kl_divergence
    >>> kl_divergence([0.5, 0.5], [0.25, 0.75], unit="nats") > 0
    True
    """
    first, second = _two(p, q, normalize)
    ratio = np.divide(first, second, out=np.full_like(first, np.inf), where=second > 0)
    return nats_to(unit, np.maximum(_sum(first, ratio), 0.0))  # rounding may leave -1e-17


def nats_to(unit: str, nats: Any) -> Any:
    """Convert nats to another unit, as a float where there is one number only.

    Parameters
    ----------
    unit : {"bits", "nats"}
        The unit.
    nats : array_like
        The numbers.

    Returns
    -------
    float or ndarray
        The numbers in the unit.

    Raises
    ------
    ValueError
        If the unit is unknown.
    """
    if unit not in UNITS:
        raise ValueError(f'unit must be "bits" or "nats", got {unit!r}')
    value = np.asarray(nats) / UNITS[unit] + 0.0  # no negative zero
    return value if value.ndim else float(value)


def _sum(weights: _Floats, arguments: _Floats) -> _Floats:
    """Sum of weight * log(argument) over the last axis, where 0 log 0 = 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(arguments, out=np.zeros_like(weights), where=weights > 0)
    total: _Floats = (weights * logs).sum(-1)
    return total


def _two(p: npt.ArrayLike, q: npt.ArrayLike, normalize: bool) -> tuple[_Floats, _Floats]:
    first, second = _distribution("p", p, normalize), _distribution("q", q, normalize)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            "p and q must be distributions of the same outcomes, got "
            f"{first.shape[-1]} and {second.shape[-1]}"
        )
    wide = np.broadcast_arrays(first, second)
    return np.array(wide[0]), np.array(wide[1])


def _distribution(name: str, values: npt.ArrayLike, normalize: bool) -> _Floats:
    array = np.asarray(values, np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"{name} must hold at least one probability, got shape {array.shape}")
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        raise ValueError(
            f"{name} must hold finite numbers that are not negative, got {array[wrong][0]}"
        )
    totals = array.sum(-1, keepdims=True)
    if normalize:
        if not (totals > 0).all():
            raise ValueError(f"{name} must have a positive sum to be normalised, got 0.0")
        return np.asarray(array / totals)
    off = np.abs(totals - 1) > _TOLERANCE
    if off.any():
        raise ValueError(
            f"{name} must sum to 1, got {totals[off][0]}; for counts give normalize=True"
        )
    return array
