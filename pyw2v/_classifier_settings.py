"""The settings of a `TextClassifier`: its constructor, in the manner of scikit-learn."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Self

from pyw2v._checks import check_float, check_int

_LOSSES = ("softmax", "hs", "ns", "ova")


class ClassifierSettings:
    """Arguments of the constructor as attributes of the same names, unchecked until training."""

    _estimator_type = "classifier"  # what scikit-learn asked for before 1.6

    def __init__(
        self,
        *,
        dim: int = 100,
        lr: float | None = None,
        epochs: int | None = None,
        loss: str | None = None,
        word_ngrams: int = 1,
        min_count: int = 1,
        min_count_label: int = 0,
        min_n: int = 0,
        max_n: int = 0,
        bucket: int = 2_000_000,
        negative: int = 5,
        label_prefix: str = "__label__",
        pretrained_vectors: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
        shuffle: bool = True,
        workers: int = -1,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.dim = dim
        self.lr = lr
        self.epochs = epochs
        self.loss = loss
        self.word_ngrams = word_ngrams
        self.min_count = min_count
        self.min_count_label = min_count_label
        self.min_n = min_n
        self.max_n = max_n
        self.bucket = bucket
        self.negative = negative
        self.label_prefix = label_prefix
        self.pretrained_vectors = pretrained_vectors
        self.class_weight = class_weight
        self.shuffle = shuffle
        self.workers = workers
        self.seed = seed
        self.progress = progress
        self.loss_history_: list[float] = []

    __init__.__qualname__ = "TextClassifier.__init__"  # as Python's own errors are to call it

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments of the constructor by name, as scikit-learn asks for them."""
        del deep  # no part of a classifier is an estimator itself
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor; training to come uses them."""
        for name, value in params.items():
            if name not in self._names():
                known = ", ".join(self._names())
                raise ValueError(f"TextClassifier has no parameter {name!r}: {known}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn wants to know: this classifies texts, one string each."""
        tags = importlib.import_module("sklearn.utils")  # it is there: who else would ask?
        return tags.Tags(
            estimator_type="classifier",
            target_tags=tags.TargetTags(required=True),
            classifier_tags=tags.ClassifierTags(multi_label=True),
            input_tags=tags.InputTags(one_d_array=True, two_d_array=False, string=True),
        )

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = [f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default]
        return f"TextClassifier({', '.join(shown)})"

    def _check(self) -> None:
        check_int("dim", self.dim, minimum=1)
        if self.lr is not None:
            check_float("lr", self.lr, minimum=0.0)
        if self.epochs is not None:
            check_int("epochs", self.epochs, minimum=0)
        for name in ("word_ngrams", "negative"):
            check_int(name, getattr(self, name), minimum=1)
        for name in ("min_count", "min_count_label", "min_n", "max_n", "bucket"):
            check_int(name, getattr(self, name), minimum=0)
        check_int("seed", self.seed, minimum=0, maximum=2**64 - 1)
        if self.loss is not None and self.loss not in _LOSSES:
            raise ValueError(f"loss must be one of {', '.join(_LOSSES)}, got {self.loss!r}")
        if not isinstance(self.label_prefix, str) or not self.label_prefix:
            raise ValueError(f"label_prefix must be a text, got {self.label_prefix!r}")
        if self._n_buckets == 0 and (self.word_ngrams > 1 or self.max_n > 0):
            raise ValueError("n-grams need buckets: bucket must be at least 1, got 0")

    @property
    def _n_buckets(self) -> int:
        return self.bucket if self.word_ngrams > 1 or self.max_n > 0 else 0
