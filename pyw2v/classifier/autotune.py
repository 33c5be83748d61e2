"""`autotune`: find good settings of a `TextClassifier` by trying them on validation text."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

from pyw2v._shared.checks import check_float, check_int
from pyw2v.classifier import TextClassifier, indicator, labelled, schedule
from pyw2v.classifier.meters import Meter
from pyw2v.classifier.quantize import cutoff_for_size
from pyw2v.classifier.settings import CLASSIFIER
from pyw2v.classifier.tuning import (
    KNOBS,
    Metric,
    MetricError,
    Outcome,
    OutOfTimeError,
    Proposals,
    Trial,
    search,
)
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
    on_interrupt: str = "return",
    progress: bool | Progress | None = None,
    **settings: Any,
) -> Outcome:
    """Train classifiers with different settings and keep the best on validation text.

    The settings epochs, lr, dim, word_ngrams, min_n, max_n and bucket are varied, unless they are
    given. The first trial has the defaults of `TextClassifier`.

    Parameters
    ----------
    X : iterable, str or os.PathLike
        Texts, or a file with labels in it, as for `TextClassifier.fit`.
    y : iterable, optional
        Labels of the texts.
    X_valid : iterable, str or os.PathLike
        Validation texts, or a file with labels in it.
    y_valid : iterable, optional
        Labels of the validation texts.
    metric : str, default "f1"
        "f1", "f1:<label>", "precisionAtRecall:<per cent>[:<label>]", or "recallAtPrecision:<per
        cent>[:<label>]", over the k likeliest labels of each text.
    k : int, default 1
        Labels predicted for each text.
    seconds : float or None, default 300.0
        Stop after so much time, also amid a trial; None is no limit.
    trials : int, optional
        Stop after so many trials.
    model_size : str or int, optional
        Bytes that the model may have as a file, such as "2M": models are then quantised.
    seed : int, default 0
        Seed of the search and of the models.
    on_interrupt : {"return", "raise"}, default "return"
        What Ctrl-C does once a trial is finished: return the best so far, with a warning, or raise
        KeyboardInterrupt, whose `model` is the best so far.
    progress : bool, Progress or None, optional
        Whether to show progress; None only on a terminal.
    **settings : object
        Arguments of every `TextClassifier`, which are not varied.

    Returns
    -------
    Outcome
        The best `model`, its `settings` and `score`, all `trials`, and whether the search was
        `interrupted`.

    Raises
    ------
    ValueError
        If there is no limit, no validation text, or an argument is out of range.
    TypeError
        If a setting is unknown.
    RuntimeError
        If no trial was finished.

    Examples
    --------
    >>> from pyw2v.autotune import autotune
    >>> texts, labels = ["good film", "bad film"] * 20, ["+", "-"] * 20
    >>> best = autotune(texts, labels, texts, labels, seconds=None, trials=1, epochs=5, lr=1.0)
    >>> len(best.trials)
    1
    """
    judged_by = Metric.parse(metric)
    seconds, trials = _limits(seconds, trials)
    if on_interrupt not in ("return", "raise"):
        raise ValueError(f"on_interrupt must be 'return' or 'raise', got {on_interrupt!r}")
    if X_valid is None:
        raise ValueError("autotune needs X_valid, the texts to judge models by")
    seed = check_int("seed", seed, minimum=0)
    source, labels = _training_set(X, y)
    settings = CLASSIFIER.renamed(settings)
    if isinstance(labels, indicator.Indicator):
        settings = {"loss": "ova"} | settings
    validation = _Validation(X_valid, y_valid, judged_by, check_int("k", k, minimum=1))
    n_bytes = None if not model_size else parse_size(model_size)
    trainer = _Trainer(source, labels, settings, seed, n_bytes)
    with open_progress(progress) as shown:
        shown.begin("autotune", 100, "per cent")

        def report(outcome: Outcome, done: float) -> None:
            note = f"{len(outcome.trials)} trials, best score {outcome.score:.6f}"
            shown.tell(trials=len(outcome.trials), score=outcome.score)
            shown.update(round(100 * done), note)

        outcome = search(
            trainer.train,
            validation.judge,
            trainer.proposals(),
            seconds=seconds,
            max_trials=trials,
            on_interrupt=on_interrupt,
            report=report,
        )
    if outcome.model is None:
        errors = sorted({trial.error for trial in outcome.trials})
        raise RuntimeError(f"no trial of {len(outcome.trials)} was finished: {'; '.join(errors)}")
    if outcome.interrupted:
        warnings.warn(
            f"autotune was interrupted: the best of {len(outcome.trials)} finished trials is "
            f"returned, score {outcome.score:.6f}",
            stacklevel=2,
        )
    return outcome


def _limits(seconds: float | None, trials: int | None) -> tuple[float | None, int | None]:
    """Return the limits of a search, checked; there must be one."""
    if seconds is None and trials is None:
        raise ValueError("autotune needs a limit: seconds or trials")
    if seconds is not None:
        seconds = check_float("seconds", seconds, minimum=0, exclusive=True)
    if trials is not None:
        trials = check_int("trials", trials, minimum=1)
    return seconds, trials


class _Trainer:
    """Trains the models of the trials: with the settings that are fixed, and those to try."""

    def __init__(
        self, source: Any, labels: Any, settings: dict[str, Any], seed: int, n_bytes: int | None
    ) -> None:
        self._source, self._labels = source, labels
        self._settings, self._seed, self._n_bytes = settings, seed, n_bytes
        self._fixed = dict(settings)
        self._dsub = self._fixed.pop("dsub", _DEFAULT_DSUB)
        known = TextClassifier().get_params()
        for name in self._fixed:
            if name not in known:
                raise TypeError(
                    f"autotune has no argument {name!r}, and TextClassifier no setting of that "
                    f"name: {', '.join(known)}"
                )

    def proposals(self) -> Proposals:
        """Return what to try, from the settings of a plain classifier on."""
        start = TextClassifier(**self._fixed).get_params()
        tuned = {name: start[name] for name in _TUNED if name != "dsub"} | {"dsub": self._dsub}
        return Proposals(tuned, self._settings, self._seed)

    def train(self, tried: dict[str, Any], out_of_time: Callable[[], bool]) -> TextClassifier:
        """Return a model of these settings, small enough."""
        chosen = {name: value for name, value in tried.items() if name != "dsub"}
        model = TextClassifier(**{"seed": self._seed} | self._fixed | chosen)
        model.set_params(progress=_Deadline(out_of_time))
        with schedule.no_warning():
            model.fit(self._source, self._labels)
        # What was chosen by the data: the next trial starts from there.
        known = {"lr": model.lr_, "epochs": model.epochs_, "loss": model.data.args.loss}
        tried.update(known)
        model.set_params(**known)
        if self._n_bytes is not None:
            model = _shrunk(model, self._n_bytes, tried["dsub"], self._source, self._labels)
        return model.set_params(progress=self._fixed.get("progress"))


def parse_size(size: str | int, name: str = "model_size") -> int:
    """Return the bytes of "500k", "2M" or "1G" (thousands, not 1024), or of a number.

    Parameters
    ----------
    size : str or int
        The size.
    name : str, default "model_size"
        What an error calls it.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    ValueError
        If it is no size.

    Examples
    --------
    >>> from pyw2v.autotune import parse_size
    >>> parse_size("2M")
    2000000
    """
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
        labels = labelled.targets_of(indicator.read_targets(y))
        if not isinstance(labels, indicator.Indicator):
            labels = list(labels)
    if labelled.is_path(X):
        if y is not None:
            raise ValueError("a file has its labels inside: y must be None with a path")
        return X, None
    texts = list(labelled.rows_of(X))
    if labels is not None and len(texts) != len(labels):
        raise ValueError(f"X and y must be of one length, got {len(texts)} and {len(labels)}")
    return texts, labels


class _Validation:
    """Texts and their labels, and how models are judged by them."""

    def __init__(self, X: Any, y: Any, metric: Metric, k: int) -> None:
        self._source: Any = X
        targets = () if y is None else labelled.targets_of(indicator.read_targets(y), "y_valid")
        self._y = None if y is None else [labelled.labels_of(value) for value in targets]
        self._metric, self._k = metric, k
        if not labelled.is_path(X):
            texts = list(labelled.rows_of(X, "X_valid"))
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
        predictions = model.top(texts, self._k)
        true, predicted, scores = [], [], []
        for labels, prediction in zip(truth, predictions, strict=True):
            known = [places[label] for label in labels if label in places]
            if known and prediction:
                true.append(known)
                predicted.append([places[label] for label, _ in prediction])
                scores.append([score for _, score in prediction])
        meter = Meter(true, predicted, scores, len(places))
        return self._metric.score(meter, lambda label: _place(places, label, model.label_prefix))


def _place(places: dict[Any, int], label: str, prefix: str) -> int | None:
    """Place of a label that is written with or without its prefix."""
    names = {str(known): place for known, place in places.items()}
    return names.get(label, names.get(label.removeprefix(prefix)))
