"""The arguments of losses, checked: each error names thing, rule and value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyw2v.functions import as_floats

Array = NDArray[Any]
Ids = NDArray[np.int64]

REDUCTIONS = ("mean", "sum", "none")


@dataclass(frozen=True)
class Arguments:
    """What all losses take, in one floating-point type; labels are (n, num_true)."""

    inputs: Array
    weights: Array
    labels: Ids
    biases: Array | None
    reduction: str

    @property
    def scale(self) -> float:
        """What the gradient of each example's loss is multiplied with."""
        return 1 / len(self.inputs) if self.reduction == "mean" else 1.0

    def reduced(self, losses: Array) -> Any:
        """Return the loss that the user asked for."""
        if self.reduction == "none":
            return losses
        return float(losses.sum() * self.scale)


def checked(
    inputs: Any,
    weights: Any,
    labels: Any,
    biases: Any,
    reduction: Any,
    n_classes: int | None = None,
) -> Arguments:
    """Return the arguments; labels are below n_classes, by default one for each row of weights."""
    x, w = as_floats("inputs", inputs), as_floats("weights", weights)
    if x.ndim != 2 or not len(x):
        raise ValueError(f"inputs must be a matrix, one row for each example, got shape {x.shape}")
    dtype = np.result_type(x, w)
    w = check_rows("weights", w, x.shape[1], dtype)
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r:.80}")
    classes = len(w) if n_classes is None else n_classes
    ids = check_ids("labels", labels, classes)
    if ids.ndim not in (1, 2) or len(ids) != len(x) or not ids.size:
        raise ValueError(
            f"labels must be one class or several for each of the {len(x)} inputs, "
            f"got shape {ids.shape}"
        )
    b = check_biases("biases", biases, len(w), dtype)
    return Arguments(x.astype(dtype, copy=False), w, ids.reshape(len(x), -1), b, reduction)


def check_rows(name: str, rows: Any, dim: int, dtype: np.dtype[Any]) -> Array:
    """Return a matrix whose rows are as wide as the inputs, in their type."""
    w = as_floats(name, rows)
    if w.ndim != 2 or w.shape[1] != dim or not len(w):
        raise ValueError(
            f"{name} must be a matrix of rows of {dim} numbers, as inputs are, got shape {w.shape}"
        )
    return w.astype(dtype, copy=False)


def check_biases(name: str, biases: Any, n_rows: int, dtype: np.dtype[Any]) -> Array | None:
    """Return one number for each row of weights, or None."""
    if biases is None:
        return None
    b = as_floats(name, biases)
    if b.shape != (n_rows,):
        raise ValueError(
            f"{name} must be one number for each of the {n_rows} rows of weights, "
            f"got shape {b.shape}"
        )
    return b.astype(dtype, copy=False)


def check_ids(name: str, values: Any, n_ids: int) -> Ids:
    """Return whole numbers below n_ids, in any shape."""
    try:
        ids = np.asarray(values)
    except ValueError:  # ragged
        ids = np.empty(0, object)
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, got {values!r:.80}")
    if ids.size and not (ids.min() >= 0 and ids.max() < n_ids):
        bad = ids[(ids < 0) | (ids >= n_ids)].flat[0]
        raise ValueError(f"{name} must be between 0 and {n_ids - 1}, both included, got {bad}")
    return ids.astype(np.int64, copy=False)


def check_expected(name: str, values: Any, shape: tuple[int, ...], like: str) -> Array:
    """Return the logarithms of expected counts."""
    counts = as_floats(name, values).astype(np.float64, copy=False)
    if counts.shape != shape and not (shape[1:] == (1,) and counts.shape == shape[:1]):
        raise ValueError(
            f"{name} must have a number for each of {like}, shape {shape}, got {counts.shape}"
        )
    wrong = ~((counts > 0) & np.isfinite(counts))
    if wrong.any():
        raise ValueError(f"{name} must be positive and finite, got {counts[wrong].flat[0]}")
    return np.asarray(np.log(counts).reshape(shape))


def check_flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r:.80}")
    return bool(value)
