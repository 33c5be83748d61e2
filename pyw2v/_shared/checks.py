"""Argument checks that several modules share: each error names thing, rule and value."""

from __future__ import annotations

import math
import numbers
import operator
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def _rule(minimum: float | None, maximum: float | None, exclusive: bool) -> str:
    if minimum is not None and maximum is not None:
        ends = "both excluded" if exclusive else "both included"
        return f"between {minimum} and {maximum}, {ends}"
    if minimum is not None:
        return f"greater than {minimum}" if exclusive else f"at least {minimum}"
    return f"less than {maximum}" if exclusive else f"at most {maximum}"


def check_int(name: str, value: Any, minimum: int | None = None, maximum: int | None = None) -> int:
    """Return `value` as an int within [minimum, maximum].

    NumPy integers are integers; bools and floats (even whole ones) are not.
    """
    # NumPy 1.26's bools still have an index, with a warning.
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(
            f"{name} must be an integer, got {value!r:.80} of type {type(value).__name__}"
        )
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer, got {value!r:.80} of type {type(value).__name__}"
        ) from None
    if (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
        raise ValueError(f"{name} must be {_rule(minimum, maximum, False)}, got {number}")
    return number


def check_float(
    name: str,
    value: Any,
    minimum: float | None = None,
    maximum: float | None = None,
    exclusive: bool = False,
) -> float:
    """Return `value` as a finite float within [minimum, maximum], or inside it if `exclusive`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(
            f"{name} must be a number, got {value!r:.80} of type {type(value).__name__}"
        )
    try:
        number = float(value)
    except OverflowError:  # an integer beyond them
        number = math.copysign(math.inf, value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    low = minimum is not None and (number <= minimum if exclusive else number < minimum)
    high = maximum is not None and (number >= maximum if exclusive else number > maximum)
    if low or high:
        raise ValueError(f"{name} must be {_rule(minimum, maximum, exclusive)}, got {number}")
    return number


def check_floats(name: str, values: Any, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return numbers as an array of a floating-point type, without a copy where it is one."""
    try:
        return np.asarray(values, dtype)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be numbers, got {values!r:.80} of type {type(values).__name__}"
        ) from None


def check_list(name: str, values: Any, of: str = "words") -> list[Any]:
    """Return the items of an iterable; a str, which Python takes for its letters, is none."""
    if isinstance(values, str | bytes) or not is_iterable(values):
        raise TypeError(
            f"{name} must be a list of {of}, got {values!r:.80} of type {type(values).__name__}"
        )
    return list(values)


def check_object(name: str, value: Any, kind: str) -> None:
    """Raise unless `value`, which should be of that kind, has attributes at all."""
    if not hasattr(value, "__dict__"):
        raise TypeError(f"{name} must be {kind}, got {value!r:.80}")


def is_iterable(values: Any) -> bool:
    """Whether it can be iterated over, also by `__getitem__` alone; nothing is read."""
    return isinstance(values, Iterable) or hasattr(values, "__getitem__")


def is_table(values: Any) -> bool:
    """Whether it is a table of pandas, polars or Arrow.

    Loops over these give the names of the columns, or columns, or rows by names.
    """
    return hasattr(values, "columns") and hasattr(values, "shape")


def resolve_workers(workers: Any) -> int:
    """Return the number of threads to start: 0 or less means every core this process may use.

    No more than that: threads that share a core only evict each other's rows from the cache.
    """
    number = check_int("workers", workers)
    cores = usable_cores()
    return min(number, cores) if number > 0 else cores


def usable_cores() -> int:
    """Return how many cores this process may run on; affinity counts, where the system has it."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)
