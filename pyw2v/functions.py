"""Softmax and its relatives over any axis of an array, safe for scores of any size.

Scores are divided by `temperature` first: below 1, high scores become more probable; the limits are
all probability on the highest score (towards 0) and the same for all (towards infinity). A
temperature of 0 is an error: whoever wants the highest score has `numpy.argmax`.

float32 and float64 are kept, float16 becomes float32, all else float64. A score of -inf has
probability 0, as long as another one is above it; NaN makes NaN of all probabilities beside it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._shared.checks import check_float, check_int

__all__ = ["gumbel_max", "log_softmax", "logsumexp", "softmax"]

Array = NDArray[Any]

# Random numbers drawn at a time: 16 MB.
_CHUNK_VALUES = 1 << 21


def softmax(scores: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Array:
    """Return exp(s / T) over the sum of these along an axis: probabilities.

    Parameters
    ----------
    scores : array_like
        The scores s.
    axis : int, default -1
        The axis along which probabilities sum to 1.
    temperature : float, default 1.0
        T, a positive number.

    Returns
    -------
    ndarray
        The probabilities, in the shape of `scores`.

    Raises
    ------
    ValueError
        If the axis is empty or has no finite highest score, or the temperature is not above 0.

    Examples
    --------
    >>> from pyw2v.functions import softmax
    >>> softmax([1000.0, 1000.0, float("-inf")]).tolist()
    [0.5, 0.5, 0.0]
    """
    p = np.exp(tempered(scores, axis, temperature))
    p /= p.sum(axis=axis, keepdims=True)
    return np.asarray(p)


def log_softmax(scores: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Array:
    """Return the logarithm of `softmax`, also where that is too small for a float.

    Parameters
    ----------
    scores : array_like
        The scores s.
    axis : int, default -1
        The axis along which probabilities sum to 1.
    temperature : float, default 1.0
        T, a positive number.

    Returns
    -------
    ndarray
        s / T - log(sum of exp(s / T)), in the shape of `scores`.

    Raises
    ------
    ValueError
        If the axis is empty or has no finite highest score, or the temperature is not above 0.

    Examples
    --------
    >>> from pyw2v.functions import log_softmax
    >>> log_softmax([0.0, -2000.0]).tolist()
    [0.0, -2000.0]
    """
    shifted = tempered(scores, axis, temperature)
    shifted -= np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return shifted


def logsumexp(scores: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Any:
    """Return log(sum of exp(s / T)) along an axis: log Z.

    Parameters
    ----------
    scores : array_like
        The scores s.
    axis : int, default -1
        The axis that is summed over.
    temperature : float, default 1.0
        T, a positive number.

    Returns
    -------
    float or ndarray
        The logarithms, in the shape of `scores` without the axis; -inf where all scores are.

    Raises
    ------
    ValueError
        If the axis is empty, or the temperature is not above 0.

    Examples
    --------
    >>> from pyw2v.functions import logsumexp
    >>> round(float(logsumexp([1000.0, 1000.0])), 3)
    1000.693
    """
    values, highest = _checked(scores, axis)
    temperature = check_temperature(temperature)
    with np.errstate(over="ignore", divide="ignore"):  # log(0) is -inf
        highest = np.where(np.isinf(highest), values.dtype.type(0), highest)
        total = np.exp(_over(values - highest, temperature)).sum(axis=axis)
        return _over(np.squeeze(highest, axis), temperature) + np.log(total)


def gumbel_max(
    scores: ArrayLike,
    axis: int = -1,
    temperature: float = 1.0,
    seed: int | np.random.Generator | None = None,
    size: int | tuple[int, ...] | None = None,
) -> Any:
    """Draw places along an axis by the probabilities of `softmax`, by the Gumbel-max trick.

    The highest of s / T plus Gumbel noise is at place i with probability softmax(s / T)(i).

    Parameters
    ----------
    scores : array_like
        The scores s.
    axis : int, default -1
        The axis along which a place is drawn.
    temperature : float, default 1.0
        T, a positive number.
    seed : int or numpy.random.Generator, optional
        Seed of the draws, or what draws them; a new seed every time by default.
    size : int or tuple of int, optional
        How many draws of each distribution; one by default.

    Returns
    -------
    int or ndarray of int64
        Places: of shape `size`, if given, followed by that of `scores` without the axis.

    Raises
    ------
    ValueError
        If the axis is empty or has no finite highest score, the temperature is not above 0, or the
        size is negative.

    Examples
    --------
    >>> from pyw2v.functions import gumbel_max
    >>> gumbel_max([0.0, float("-inf"), 50.0], seed=1, size=4).tolist()
    [2, 2, 2, 2]
    """
    keys = np.moveaxis(tempered(scores, axis, temperature), axis, -1).astype(np.float64)
    if np.isnan(keys).any():
        raise ValueError("scores must be numbers to draw by, got nan")
    shape = () if size is None else (size,) if not isinstance(size, tuple) else size
    shape = tuple(check_int("size", part, minimum=0) for part in shape)
    n_draws, rng = math.prod(shape), np.random.default_rng(seed)
    places = np.empty((n_draws, *keys.shape[:-1]), np.int64)
    step = max(1, _CHUNK_VALUES // max(keys.size, 1))
    for at in range(0, n_draws, step):
        noise = rng.gumbel(size=(min(step, n_draws - at), *keys.shape))
        noise += keys
        places[at : at + step] = noise.argmax(axis=-1)
    return places.reshape(shape + keys.shape[:-1])[()]


def check_temperature(temperature: Any) -> float:
    """Return the temperature that scores are divided by, a positive number."""
    return check_float("temperature", temperature, minimum=0.0, exclusive=True)


def tempered(scores: ArrayLike, axis: int, temperature: float) -> Array:
    """Return scores over a temperature, shifted so that the highest is 0; others may be -inf."""
    values, highest = _checked(scores, axis)
    temperature = check_temperature(temperature)
    if np.isinf(highest).any():
        bad = highest[np.isinf(highest)][0]
        raise ValueError(f"the highest score along axis {axis} must be finite, got {bad}")
    with np.errstate(over="ignore"):  # twice the largest float below the highest is -inf
        return np.asarray(_over(values - highest, temperature))


def _over(scores: Array, temperature: float) -> Array:
    """Return scores over a temperature, which may be too small for their type: in double."""
    if temperature == 1:
        return scores
    with np.errstate(over="ignore"):
        return np.asarray((scores / np.float64(temperature)).astype(scores.dtype))


def _checked(scores: ArrayLike, axis: int) -> tuple[Array, Array]:
    """Return scores as floats, and the highest along the axis, which is kept."""
    values = as_floats("scores", scores)
    if values.ndim == 0:
        raise ValueError(f"scores must have an axis, got the number {values}")
    axis = check_int("axis", axis, minimum=-values.ndim, maximum=values.ndim - 1)
    if not values.shape[axis]:
        raise ValueError(f"scores must not be empty along axis {axis}, got shape {values.shape}")
    return values, values.max(axis=axis, keepdims=True)


def as_floats(name: str, values: Any) -> Array:
    """Return numbers as float32 or float64, without a copy where they are that already."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be numbers, got {values!r:.80} of type {type(values).__name__}"
        ) from None
    kept = {np.dtype(np.float16): np.float32, np.dtype(np.float32): np.float32}
    return np.asarray(array, kept.get(array.dtype, np.float64))
