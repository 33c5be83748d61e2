"""Weights of labels and of texts, as a classifier's user gives them, to arrays for the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._shared.checks import check_float, check_floats
from pyw2v.classifier.state import ClassifierState


def class_weights(given: Any, state: ClassifierState) -> npt.NDArray[np.float32] | None:
    """Return a factor on the learning rate for each label; `given` is what the user gave."""
    weights = np.ones(len(state.labels), np.float32)
    if given is None:
        return None
    if isinstance(given, str):
        if given != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {given!r}")
        counts = np.maximum(state.data.label_counts, 1)
        weights[:] = counts.sum() / (len(counts) * counts)
        return weights
    if not isinstance(given, Mapping):
        raise TypeError(f"class_weight must be None, 'balanced' or a dict, got {given!r}")
    places = {label: i for i, label in enumerate(state.labels)}
    for label, weight in given.items():
        if label not in places:
            raise ValueError(f"class_weight names {label!r}, which no row has")
        weights[places[label]] = check_float(f"class_weight[{label!r}]", weight, minimum=0.0)
    return weights


def line_weights(weights: Any, n_lines: int) -> npt.NDArray[np.float32] | None:
    """Return a factor on the learning rate for each text."""
    if weights is None:
        return None
    values = np.ascontiguousarray(check_floats("sample_weight", weights, np.float32))
    if values.shape != (n_lines,):
        raise ValueError(f"sample_weight must hold {n_lines} numbers, got shape {values.shape}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("sample_weight must be finite and not negative")
    return values
