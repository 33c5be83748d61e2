"""`autotuneValidationFile`: search for the settings that do best on a file, and keep that model."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyw2v import _tuning
from pyw2v._classifier_quantize import cutoff_for_size, quantize
from pyw2v.classifier import TextClassifier
from pyw2v.fasttext._arguments import Arguments
from pyw2v.fasttext._model import fasttext
from pyw2v.fasttext._training import classifier, labelled_input, retrained
from pyw2v.fasttext_data import FastTextData
from pyw2v.progress import Progress

logger = logging.getLogger(__name__)

# Our names of the settings that are varied, and fastText's.
_NAMES = {
    "lr": "lr",
    "epochs": "epoch",
    "dim": "dim",
    "word_ngrams": "wordNgrams",
    "min_n": "minn",
    "max_n": "maxn",
    "bucket": "bucket",
    "loss": "loss",
}
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MIN_QUANTIZED_OUTPUTS = 256


def autotuned(args: Arguments, given: set[str]) -> tuple[FastTextData, Arguments]:
    """Return the best model found within ``autotuneDuration`` seconds, and its settings.

    Arguments in ``given`` keep their values. With ``autotuneModelSize`` models are quantised to it
    before they are judged. Ctrl-C ends the search with the best so far.
    """
    args = replace(args, input=_repeatable(args.input))
    metric = _tuning.Metric.parse(args.autotuneMetric)
    n_bytes = _bytes(args.autotuneModelSize)
    start = {name: getattr(args, theirs) for name, theirs in _NAMES.items()} | {"dsub": 2}
    fixed = {name for name, theirs in _NAMES.items() if theirs in given}

    def train(settings: dict[str, Any], out_of_time: Callable[[], bool]) -> FastTextData:
        tried = _with(args, settings)
        model = classifier(tried, _TimedClassifier, progress=False)
        model.out_of_time = out_of_time
        data = model.fit(*labelled_input(args.input)).data.replace(args=tried.to_file())
        return data if n_bytes is None else _shrunk(data, n_bytes, tried, settings["dsub"])

    def judge(data: FastTextData) -> float:
        model = fasttext()
        model.use(data, args)
        meter = model.getMeter(args.autotuneValidationFile, args.autotunePredictions)
        return metric.score(meter.numbers, lambda label: _label_number(model, label))

    outcome = _tuning.search(
        train,
        judge,
        _tuning.Proposals(start, fixed, args.seed),
        seconds=args.autotuneDuration,
        max_trials=None,
        report=lambda found, done: logger.info(
            "%d trials, best score %.6f", len(found.trials), found.score
        ),
    )
    if outcome.model is None:
        reasons = {trial.error for trial in outcome.trials} or {"out of time"}
        raise RuntimeError(
            f"autotune trained no model in {args.autotuneDuration} seconds: {'; '.join(reasons)}"
        )
    return outcome.model, _with(args, outcome.settings)


class _TimedClassifier(TextClassifier):
    """A classifier whose training ends with an error when the time is up."""

    out_of_time: Callable[[], bool]

    def _epoch(self, trainer: Any, epoch: int, n_lines: int, progress: Progress) -> None:
        super()._epoch(trainer, epoch, n_lines, _Deadline(self.out_of_time))


class _Deadline(Progress):
    """Looks at the clock whenever progress is reported."""

    def __init__(self, out_of_time: Callable[[], bool]) -> None:
        self._out_of_time = out_of_time

    def update(self, done: int, note: str = "") -> None:
        if self._out_of_time():
            raise _tuning.OutOfTimeError


def _repeatable(source: Any) -> Any:
    """Return the source, as a list if it could be read only once."""
    texts, labels = labelled_input(source)
    if isinstance(texts, str | os.PathLike):
        return texts
    return list(texts) if labels is None else (list(texts), list(labels))


def _with(args: Arguments, settings: dict[str, Any]) -> Arguments:
    return replace(args, **{theirs: settings[name] for name, theirs in _NAMES.items()})


def _bytes(size: Any) -> int | None:
    """Read "2M", "500k" or a number; decimal units. None if there is no limit."""
    text = str(size).strip()
    if not text:
        return None
    match = re.fullmatch(r"(\d+)([kmg]?)", text.lower())
    if match is None:
        raise ValueError(f'autotuneModelSize must be like "500k" or "2M", got {size!r}')
    return int(match[1]) * _UNITS[match[2]]


def _shrunk(data: FastTextData, n_bytes: int, args: Arguments, dsub: int) -> FastTextData:
    qout = len(data.labels) >= _MIN_QUANTIZED_OUTPUTS
    return quantize(
        data,
        cutoff=cutoff_for_size(data, n_bytes, qnorm=True, qout=qout, dsub=dsub),
        qnorm=True,
        qout=qout,
        dsub=dsub,
        workers=args.thread,
        retrain=lambda pruned: retrained(pruned, args, show=False),
    )


def _label_number(model: fasttext, label: str) -> int | None:
    number = model.getLabelId(label)
    return number if number >= 0 else None
