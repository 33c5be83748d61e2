"""The settings of a GloVe model: each one's type and range."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyw2v._checks import check_float, check_int
from pyw2v._glove_state import KINDS
from pyw2v.cooccurrence import MAX_WINDOW

_MAX_INT = 2**31 - 1
_NAMES = (
    *("vector_size", "window", "symmetric", "distance_weighting", "x_max", "weighting_exponent"),
    *("learning_rate", "epochs", "workers", "seed", "grad_clip", "min_count", "max_vocab"),
    *("memory", "bias_learning_rate", "dtype", "vectors", "progress"),
)


class GloveSettings:
    """What the constructor takes and keeps."""

    vector_size: int
    window: int
    symmetric: bool
    distance_weighting: bool
    x_max: float
    weighting_exponent: float
    learning_rate: float
    epochs: int
    workers: int
    seed: int
    grad_clip: float
    min_count: int
    max_vocab: int | None
    memory: int | None
    bias_learning_rate: float
    dtype: str
    vectors: str
    progress: Any

    def settings(self) -> dict[str, Any]:
        """Return all settings by their names: the arguments of a model like this one."""
        return {name: getattr(self, name) for name in _NAMES}

    def _check_settings(self) -> None:
        for name, minimum in (("vector_size", 1), ("epochs", 1), ("min_count", 0)):
            setattr(self, name, check_int(name, getattr(self, name), minimum, _MAX_INT))
        self.window = check_int("window", self.window, 1, MAX_WINDOW)
        self.workers = check_int("workers", self.workers)
        self.seed = check_int("seed", self.seed, 0, 2**63 - 1)
        for name, least in (("max_vocab", 1), ("memory", 0)):
            value = getattr(self, name)
            if value is not None:
                setattr(self, name, check_int(name, value, least))
        for name in ("x_max", "learning_rate", "grad_clip", "bias_learning_rate"):
            number = check_float(name, getattr(self, name), minimum=0.0, exclusive=True)
            setattr(self, name, number)
        self.weighting_exponent = check_float("weighting_exponent", self.weighting_exponent)
        self.symmetric = bool(self.symmetric)
        self.distance_weighting = bool(self.distance_weighting)
        if self.vectors not in KINDS:
            raise ValueError(f"vectors must be one of {', '.join(KINDS)}, got {self.vectors!r}")
        try:
            dtype = np.dtype(self.dtype).name
        except TypeError:
            dtype = ""
        if dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be float32 or float64, got {self.dtype!r}")
        self.dtype = dtype
