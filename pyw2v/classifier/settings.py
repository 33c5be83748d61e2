"""The settings of a `TextClassifier`: its constructor, in the manner of scikit-learn."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pyw2v._runs import arguments
from pyw2v._shared import rules
from pyw2v._shared.settings import Alias, Setting, Table
from pyw2v.progress import Progress

_MAX_INT = 2**31 - 1  # the core counts in 32 bits, and so do fastText's files
_MAX_NEGATIVE = 2**20  # labels drawn at a time, which workers have room for
_LOSSES = ("softmax", "hs", "ns", "ova")


def _prefix(name: str, value: Any) -> str:
    """A rule: a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text, got {value!r}")
    return value


# Those with a peer have the default of fastText's `supervised`.
_SETTINGS = (
    Setting(
        "dim",
        "int",
        100,
        "Numbers per row of a word or n-gram.",
        rules.integer(1, _MAX_INT),
        also=("vector_size",),
        peer="fastText",
    ),
    Setting(
        "lr",
        "float | None",
        None,
        "The learning rate at the start, which falls to 0. None chooses it by the number of texts "
        "and labels: until 5,000 * labels = lr * epochs * texts (twice that with n-grams of "
        "words), `lr` first, from 0.1 to 1, then `epochs`, from 5 to 100.",
        rules.optional(rules.real(0.0)),
        also=("learning_rate",),
    ),
    Setting(
        "epochs",
        "int | None",
        None,
        "How often all texts are read; None chooses, see `lr`.",
        rules.optional(rules.integer(0, _MAX_INT)),
    ),
    Setting(
        "loss",
        "str | None",
        None,
        '"softmax"; "hs" (a Huffman tree, for very many labels); "ns" (negative sampling); "ova" '
        "(one-vs-all: every label for itself, for texts that have several). None is "
        '"ova" for an indicator matrix, else "softmax".',
        rules.optional(rules.one_of(*_LOSSES)),
    ),
    Setting(
        "word_ngrams",
        "int",
        1,
        "The largest number of words of an n-gram of words.",
        rules.integer(1, _MAX_INT),
        peer="fastText",
    ),
    Setting(
        "min_count",
        "int",
        1,
        "Rarer words are ignored.",
        rules.integer(0),
        peer="fastText",
    ),
    Setting(
        "min_count_label",
        "int",
        0,
        "Rarer labels are ignored.",
        rules.integer(0),
        peer="fastText",
    ),
    Setting(
        "min_n",
        "int",
        0,
        "The least number of characters of an n-gram of characters.",
        rules.integer(0, _MAX_INT),
        peer="fastText",
    ),
    Setting(
        "max_n",
        "int",
        0,
        "The largest number; 0 for no n-grams of characters.",
        rules.integer(0, _MAX_INT),
        peer="fastText",
    ),
    Setting(
        "bucket",
        "int",
        2_000_000,
        "Rows for n-grams; those that the training text does not use are zero and take no memory.",
        rules.integer(0, _MAX_INT),
        peer="fastText",
    ),
    Setting(
        "negative",
        "int",
        5,
        'Labels drawn for the loss "ns".',
        rules.integer(1, _MAX_NEGATIVE),
        peer="fastText",
    ),
    Setting(
        "label_prefix",
        "str",
        "__label__",
        "How tokens of a file that are labels begin.",
        _prefix,
        peer="fastText",
    ),
    Setting(
        "pretrained_vectors",
        "Any",
        None,
        "`KeyedVectors`, or the path of a `.vec` or `.bin` file: first values of the words' rows.",
        stored=False,
    ),
    Setting(
        "class_weight",
        "Mapping[Any, float] | str | None",
        None,
        'Factors on the learning rate by label, or "balanced"; None is 1 for all.',
        stored=False,
    ),
    Setting(
        "shuffle",
        "bool",
        True,
        "Read the lines in a random order: rows sorted by label teach little otherwise.",
        stored=rules.flag,
    ),
    arguments.WORKERS,
    Setting(
        "seed",
        "int",
        0,
        "One worker and one seed give the same model, bit for bit.",
        rules.between(0, 2**64 - 1),
        peer="fastText",
    ),
    arguments.OWN_PROGRESS,
)

CLASSIFIER = Table(setting._replace(keyword=True) for setting in _SETTINGS)


class ClassifierSettings:
    """Arguments of the constructor as attributes of the same names, unchecked until training."""

    _estimator_type = "classifier"  # what scikit-learn asked for before 1.6
    _settings: ClassVar[Table] = CLASSIFIER

    # Settings: written by tools/write_settings.py.
    dim: int = 100
    vector_size = Alias[int]("dim")
    lr: float | None = None
    learning_rate = Alias[float | None]("lr")
    epochs: int | None = None
    loss: str | None = None
    word_ngrams: int = 1
    min_count: int = 1
    min_count_label: int = 0
    min_n: int = 0
    max_n: int = 0
    bucket: int = 2_000_000
    negative: int = 5
    label_prefix: str = "__label__"
    pretrained_vectors: Any = None
    class_weight: Mapping[Any, float] | str | None = None
    shuffle: bool = True
    workers: int = -1
    seed: int = 0
    progress: bool | Progress | None = False
    # End of the settings.

    loss_history_: list[float]
    loss_history = Alias[list[float]]("loss_history_")  # as other models call it

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments of the constructor by name, as scikit-learn asks for them.

        Parameters
        ----------
        deep : bool, default True
            Accepted for scikit-learn; has no effect.

        Returns
        -------
        dict
            The arguments.
        """
        del deep  # no part of a classifier is an estimator itself
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor; the next training uses them.

        Parameters
        ----------
        **params : object
            New values by name.

        Returns
        -------
        TextClassifier
            This classifier.

        Raises
        ------
        ValueError
            If a name is unknown.
        """
        for name, value in self._settings.renamed(params).items():
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
        self._settings.checked(self)  # attributes stay as they were given, for scikit-learn
        if self._n_buckets == 0 and (self.word_ngrams > 1 or self.max_n > 0):
            raise ValueError("n-grams need buckets: bucket must be at least 1, got 0")

    @property
    def _n_buckets(self) -> int:
        return self.bucket if self.word_ngrams > 1 or self.max_n > 0 else 0
