"""fastText's settings: their names, order, defaults and aliases, and how callers give them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Self, TypeVar

from pyw2v._shared.checks import check_float, check_int
from pyw2v.io.fasttext_data import FastTextArgs

_ALIASES = {
    "min_count": "minCount",
    "word_ngrams": "wordNgrams",
    "lr_update_rate": "lrUpdateRate",
    "label_prefix": "label",
    "pretrained_vectors": "pretrainedVectors",
}


class _Name(str, Enum):  # noqa: UP042 (the value is the number)
    """A name that has a number, by which files know it; it equals its own text, too."""

    def __new__(cls, text: str, number: int) -> Self:
        member = str.__new__(cls, text)
        member._value_ = number
        return member

    def __int__(self) -> int:
        return int(self.value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}>"


class loss_name(_Name):
    """A loss, as `model.loss` tells it."""

    hs = "hs", 1
    ns = "ns", 2
    softmax = "softmax", 3
    ova = "ova", 4


class model_name(_Name):
    """A kind of model, as `model.f.getArgs().model` tells it."""

    cbow = "cbow", 1
    skipgram = "skipgram", 2
    supervised = "supervised", 3


_NameT = TypeVar("_NameT", bound=_Name)


def _default_threads() -> int:
    """One fewer than there are cores, but never none."""
    return max(1, (os.cpu_count() or 1) - 1)


@dataclass
class Arguments:
    """Every setting of a training, in the order of fastText's arguments; unsupervised defaults."""

    input: Any = ""
    model: model_name = model_name.skipgram
    lr: float = 0.05
    dim: int = 100
    ws: int = 5
    epoch: int = 5
    minCount: int = 5
    minCountLabel: int = 0
    minn: int = 3
    maxn: int = 6
    neg: int = 5
    wordNgrams: int = 1
    loss: loss_name = loss_name.ns
    bucket: int = 2_000_000
    thread: int = 0
    lrUpdateRate: int = 100
    t: float = 1e-4
    label: str = "__label__"
    verbose: int = 2
    pretrainedVectors: Any = ""
    seed: int = 0
    autotuneValidationFile: Any = ""
    autotuneMetric: str = "f1"
    autotunePredictions: int = 1
    autotuneDuration: int = 300
    autotuneModelSize: Any = ""

    @classmethod
    def of_file(cls, args: FastTextArgs) -> Arguments:
        """What a file tells; the rest has fastText's defaults after loading."""
        return cls(
            model=model_name[args.model],
            dim=args.dim,
            ws=args.ws,
            epoch=args.epoch,
            minCount=args.min_count,
            minn=args.minn,
            maxn=args.maxn,
            neg=args.neg,
            wordNgrams=args.word_ngrams,
            loss=loss_name[args.loss],
            bucket=args.bucket,
            thread=_default_threads(),
            lrUpdateRate=args.lr_update_rate,
            t=args.t,
        )

    def to_file(self) -> FastTextArgs:
        """What a file keeps of them."""
        return FastTextArgs(
            dim=self.dim,
            ws=self.ws,
            epoch=self.epoch,
            min_count=self.minCount,
            neg=self.neg,
            word_ngrams=self.wordNgrams,
            loss=self.loss.name,
            model=self.model.name,
            bucket=self.bucket,
            minn=self.minn,
            maxn=self.maxn,
            lr_update_rate=self.lrUpdateRate,
            t=self.t,
        )


_SUPERVISED = {
    "model": model_name.supervised,
    "lr": 0.1,
    "minCount": 1,
    "minn": 0,
    "maxn": 0,
    "loss": loss_name.softmax,
}
ATTRIBUTES = (
    *("lr", "dim", "ws", "epoch", "minCount", "minCountLabel", "minn", "maxn", "neg"),
    *("wordNgrams", "loss", "bucket", "thread", "lrUpdateRate", "t", "label", "verbose"),
    "pretrainedVectors",
)
_NAMES = tuple(field.name for field in fields(Arguments))
_WHOLE = (
    *("dim", "ws", "epoch", "minCount", "minCountLabel", "minn", "maxn", "neg", "wordNgrams"),
    *("bucket", "thread", "lrUpdateRate", "verbose", "seed", "autotunePredictions"),
)
SUPERVISED_NAMES = tuple(name for name in _NAMES if name != "model")
# As fastText's, and the seed that it lacks.
UNSUPERVISED_NAMES = tuple(name for name in _NAMES if not name.startswith("autotune"))


def read_arguments(
    positional: Sequence[Any], named: Mapping[str, Any], *, supervised: bool
) -> tuple[Arguments, set[str]]:
    """The settings of a call, and the names of those that it gave itself."""
    names = SUPERVISED_NAMES if supervised else UNSUPERVISED_NAMES
    if len(positional) > len(names):
        raise TypeError(f"at most {len(names)} arguments expected, got {len(positional)}")
    given: dict[str, Any] = {}
    for alias, value in (*zip(names, positional, strict=False), *named.items()):
        name = _ALIASES.get(alias, alias)
        if name not in names:
            raise TypeError(f"unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"multiple values for argument '{name}'")
        given[name] = value
    if "input" not in given:
        raise TypeError("missing argument 'input'")
    args = Arguments(**{**(_SUPERVISED if supervised else {}), **given})
    _check(args)
    return args, set(given)


def _check(args: Arguments) -> None:
    args.model = _named(model_name, args.model, "Unrecognized model name")
    args.loss = _named(loss_name, args.loss, "Unrecognized loss name")
    for name in _WHOLE:
        setattr(args, name, check_int(name, getattr(args, name)))
    args.lr = check_float("lr", args.lr)
    args.t = check_float("t", args.t)
    if not isinstance(args.label, str):
        raise TypeError(f"label must be a str, got {args.label!r}")
    if args.seed < 0:  # fastText takes any; our generators count from 0
        args.seed %= 2**32
    if args.thread < 1:
        args.thread = _default_threads()
    if args.wordNgrams <= 1 and args.maxn <= 0:
        args.bucket = 0


def _named(names: type[_NameT], text: Any, error: str) -> _NameT:
    if not isinstance(text, str) or text not in names.__members__:
        raise ValueError(error)
    return names[text]
