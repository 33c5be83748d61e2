"""`autotune`: find good settings of a `TextClassifier` by trying them on validation text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pyw2v import _classifier_schedule, _indicator, _labelled
from pyw2v._checks import check_float, check_int
from pyw2v._classifier_quantize import cutoff_for_size
from pyw2v._meters import Meter
from pyw2v._tuning import (
    KNOBS,
    Metric,
    MetricError,
    Outcome,
    OutOfTimeError,
    Proposals,
    Trial,
    search,
)
from pyw2v.classifier import TextClassifier
from pyw2v.progress import Progress, open_progress
from pyw2v.quantize import N_CENTROIDS

__all__ = ["MetricError", "Outcome", "Trial", "autotune", "parse_size"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_TUNED = (*KNOBS, "max_n", "loss")
_DEFAULT_DSUB = 2


def autotune(
    X: Any,
    y: Any = None,
    X_valid: Any = None,
    y_valid: Any = None,
    *,
    metric: str = "f1",
    k: int = 1,
    seconds: float | None = 300.0,
    trials: int | None = None,
    model_size: str | int | None = None,
    seed: int = 0,
    progress: bool | Progress | None = None,
    **settings: Any,
) -> Outcome:
    """Train classifiers with different settings and keep the one that judges X_valid best.

    X and y are those of `TextClassifier.fit`, X_valid and y_valid of `TextClassifier.score`: texts
    and labels, of any form, or paths of files. `settings` go to every classifier and are not
    varied; the other ones of epochs, lr, dim, word_ngrams, min_n, max_n and bucket are. The first
    trial has the defaults of `TextClassifier`.

    metric
        "f1", "f1:<label>", "precisionAtRecall:<per cent>[:<label>]", or
        "recallAtPrecision:<per cent>[:<label>]", over the k likeliest labels of each text.
    seconds, trials
        When to stop: after so much time, also amid a trial, or so many trials; None is no limit.
    model_size
        Bytes that the model may have as a file, such as "2M": models are then quantised.

    The result has `model`, `settings`, `score` and all `trials`. Ctrl-C returns the best so far.

        best = autotune("train.txt", X_valid="valid.txt", seconds=60)
        best.model.predict(["what is this about?"])
    """
    judged_by = Metric.parse(metric)
    k = check_int("k", k, minimum=1)
    seed = check_int("seed", seed, minimum=0)
    if seconds is not None:
        seconds = check_float("seconds", seconds, minimum=0, exclusive=True)
    if trials is not None:
        trials = check_int("trials", trials, minimum=1)
    if seconds is None and trials is None:
        raise ValueError("autotune needs a limit: seconds or trials")
    if X_valid is None:
        raise ValueError("autotune needs X_valid, the texts to judge models by")
    source, labels = _training_set(X, y)
    if isinstance(labels, _indicator.Indicator):
        settings = {"loss": "ova"} | settings
    validation = _Validation(X_valid, y_valid, judged_by, k)
    n_bytes = None if not model_size else parse_size(model_size)

    fixed = dict(settings)
    dsub = fixed.pop("dsub", _DEFAULT_DSUB)
    known = TextClassifier().get_params()
    for name in fixed:
        if name not in known:
            raise TypeError(
                f"autotune has no argument {name!r}, and TextClassifier no setting of that name: "
                f"{', '.join(known)}"
            )
    start = TextClassifier(**fixed).get_params()
    proposals = Proposals(
        {name: start[name] for name in _TUNED if name != "dsub"} | {"dsub": dsub}, settings, seed
    )

    def train(tried: dict[str, Any], out_of_time: Callable[[], bool]) -> TextClassifier:
        chosen = {name: value for name, value in tried.items() if name != "dsub"}
        model = TextClassifier(**{"seed": seed} | fixed | chosen)
        model.set_params(progress=_Deadline(out_of_time))
        with _classifier_schedule.no_warning():
            model.fit(source, labels)
        # What was left to the data: the next trial goes on from there.
        known = {"lr": model.lr_, "epochs": model.epochs_, "loss": model.data.args.loss}
        tried.update(known)
        model.set_params(**known)
        if n_bytes is not None:
            model = _shrunk(model, n_bytes, tried["dsub"], source, labels)
        return model.set_params(progress=fixed.get("progress"))

    with open_progress(progress) as shown:
        shown.begin("autotune", 100, "per cent")

        def report(outcome: Outcome, done: float) -> None:
            note = f"{len(outcome.trials)} trials, best score {outcome.score:.6f}"
            shown.tell(trials=len(outcome.trials), score=outcome.score)
            shown.update(round(100 * done), note)

        outcome = search(
            train,
            validation.judge,
            proposals,
            seconds=seconds,
            max_trials=trials,
            report=report,
        )
    if outcome.model is None:
        errors = sorted({trial.error for trial in outcome.trials})
        raise RuntimeError(f"no trial of {len(outcome.trials)} was finished: {'; '.join(errors)}")
    return outcome


def parse_size(size: str | int, name: str = "model_size") -> int:
    """Bytes of "500k", "2M" or "1G" (thousands, not 1024), or of a number."""
    found = re.fullmatch(r"(\d+)([kKmMgG]?)", str(size))
    if found is None:
        raise ValueError(f"{name} must be bytes such as 500k, 2M or 1G, got {size!r}")
    return int(found[1]) * _UNITS[found[2].lower()]


def _shrunk(model: TextClassifier, n_bytes: int, dsub: int, X: Any, y: Any) -> TextClassifier:
    """The model in a file of at most so many bytes; ValueError if that cannot be."""
    options: dict[str, Any] = {
        "qnorm": True,
        "qout": len(model.data.output) >= N_CENTROIDS,
        "dsub": dsub,
    }
    cutoff = cutoff_for_size(model.data, n_bytes, **options)
    return model.quantize(cutoff=cutoff, retrain=True, X=X, y=y, **options)


class _Deadline(Progress):
    """Shows nothing; ends the training that reports to it when there is no time left."""

    def __init__(self, out_of_time: Callable[[], bool]) -> None:
        self._out_of_time = out_of_time

    def update(self, done: int, note: str = "") -> None:
        if self._out_of_time():
            raise OutOfTimeError


def _training_set(X: Any, y: Any) -> tuple[Any, Any]:
    """Return the texts and their labels, or the path of a file and None, to be read many times."""
    labels = None
    if y is not None:
        labels = _labelled.targets_of(_indicator.read_targets(y))
        if not isinstance(labels, _indicator.Indicator):
            labels = list(labels)
    if _labelled.is_path(X):
        if y is not None:
            raise ValueError("a file has its labels inside: y must be None with a path")
        return X, None
    texts = list(_labelled.rows_of(X))
    if labels is not None and len(texts) != len(labels):
        raise ValueError(f"X and y must be of one length, got {len(texts)} and {len(labels)}")
    return texts, labels


class _Validation:
    """Texts and their labels, and how models are judged by them."""

    def __init__(self, X: Any, y: Any, metric: Metric, k: int) -> None:
        self._source: Any = X
        targets = () if y is None else _labelled.targets_of(_indicator.read_targets(y), "y_valid")
        self._y = None if y is None else [_labelled.labels_of(value) for value in targets]
        self._metric, self._k = metric, k
        if not _labelled.is_path(X):
            texts = list(_labelled.rows_of(X, "X_valid"))
            n_labels = None if self._y is None else len(self._y)
            if n_labels != len(texts):
                raise ValueError(
                    f"X_valid and y_valid must be of one length, got {len(texts)} and {n_labels}"
                )
            self._source = texts

    def judge(self, model: TextClassifier) -> float:
        """The score of a model."""
        texts, truth = self._source, self._y
        if truth is None:
            texts, truth = model._fitted.read_labelled(self._source)
        places = {label: place for place, label in enumerate(model.classes_.tolist())}
        answers = model.top(texts, self._k)
        true, predicted, scores = [], [], []
        for labels, answer in zip(truth, answers, strict=True):
            known = [places[label] for label in labels if label in places]
            if known and answer:
                true.append(known)
                predicted.append([places[label] for label, _ in answer])
                scores.append([score for _, score in answer])
        meter = Meter(true, predicted, scores, len(places))
        return self._metric.score(meter, lambda label: _place(places, label, model.label_prefix))


def _place(places: dict[Any, int], label: str, prefix: str) -> int | None:
    """Place of a label that is written with or without its prefix."""
    names = {str(known): place for known, place in places.items()}
    return names.get(label, names.get(label.removeprefix(prefix)))
