"""Search for good settings of a classifier: what to try next, and what to make of the outcome.

The space and the steps in it are fastText's autotune (`autotune.cc`); which model is trained, and
how, is the caller's business.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyw2v._runs.interrupt import hand_over
from pyw2v.classifier.meters import Meter

_MIN_N_CHOICES = (0, 2, 3)
_MAX_N_ABOVE = 3  # max_n is min_n and this
_DEFAULT_BUCKET = 2_000_000
_IF_OPEN = {"lr": 0.1, "epochs": 5, "loss": "softmax"}  # fastText's
# Rows of n-grams times dim, 1 GB: the ends of both ranges together would need 40.
_MAX_NUMBERS = 250_000_000


class MetricError(ValueError, RuntimeError):
    """No such metric, or no such label; fastText raises RuntimeError."""


@dataclass(frozen=True)
class Metric:
    """What a model is judged by, higher is better."""

    kind: str
    value: float | None = None  # precision or recall that must be reached
    label: str | None = None

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read "f1", "f1:label", or "precisionAtRecall:30", "recallAtPrecision:30:label"."""
        kind, _, rest = text.partition(":") if isinstance(text, str) else ("", "", "")
        if kind == "f1" and (rest or ":" not in text):
            return cls("f1", None, rest or None)
        if kind in ("precisionAtRecall", "recallAtPrecision"):
            per_cent, _, label = rest.partition(":")
            try:
                value = float(per_cent)
            except ValueError:
                value = math.nan
            if 0 <= value <= 100:
                return cls(kind, value / 100, label or None)
        raise MetricError(
            f"metric must be f1, f1:<label>, precisionAtRecall:<per cent>[:<label>] or "
            f"recallAtPrecision:<per cent>[:<label>], got {text!r}"
        )

    def score(self, meter: Meter, label_number: Callable[[str], int | None]) -> float:
        """Judge predictions; `label_number` gives the meter's number of a label."""
        number = None
        if self.label is not None:
            number = label_number(self.label)
            if number is None:
                raise MetricError(f"the label {self.label!r} of the metric is not in the model")
        if self.value is None:
            return meter.f1_score(number)
        if self.kind == "precisionAtRecall":
            return meter.precision_at_recall(self.value, number)
        return meter.recall_at_precision(self.value, number)


@dataclass(frozen=True)
class Knob:
    """A setting that is varied: its bounds, and the deviation of a step early and late."""

    low: float
    high: float
    sigma_start: float
    sigma_end: float
    additive: bool = False  # else a step is a factor, its deviation that of log2
    whole: bool = True

    def step(self, value: float, done: float, rng: np.random.Generator) -> float:
        """A value near this one, ever nearer from a quarter to three quarters of the budget."""
        share = min(max(done - 0.25, 0.0), 0.5) / 0.5
        move = rng.normal(0.0, self.sigma_start + (self.sigma_end - self.sigma_start) * share)
        moved = value + move if self.additive else value * 2.0**move
        moved = min(max(moved, self.low), self.high)
        return round(moved) if self.whole else moved


KNOBS = {
    "epochs": Knob(1, 100, 2.8, 2.5),
    "lr": Knob(0.01, 5.0, 1.9, 1.0, whole=False),
    "dim": Knob(1, 1000, 1.4, 0.3),
    "word_ngrams": Knob(1, 5, 4.3, 2.4, additive=True),
    "dsub": Knob(1, 4, 2.0, 1.0, additive=True),  # the exponent of 2
    "min_n": Knob(0, len(_MIN_N_CHOICES) - 1, 4.0, 1.4, additive=True),  # among the choices
    "bucket": Knob(10_000, 10_000_000, 2.0, 1.5),
}


class Proposals:
    """Settings to try: first those given, then ones near the best so far.

    Settings in `fixed` stay. `start` has lr, epochs, dim, word_ngrams, min_n, max_n, bucket, loss
    and dsub; lr, epochs and loss may be None, which leaves them to the data.
    """

    def __init__(self, start: dict[str, Any], fixed: Collection[str], seed: int) -> None:
        self._start = start
        self._fixed = set(fixed)
        self._rng = np.random.default_rng(seed)
        self._n_asked = 0
        # Settings that are left open have a value after the first trial, unless that fails.
        self._best = start | {k: v for k, v in _IF_OPEN.items() if start[k] is None}
        self._best_bucket = start["bucket"] or _DEFAULT_BUCKET

    def next(self, done: float) -> dict[str, Any]:
        """What to try when the share `done` of the budget is used up."""
        self._n_asked += 1
        if self._n_asked == 1:
            return dict(self._start)
        tried = dict(self._best)
        for name in ("epochs", "lr", "dim", "word_ngrams"):
            self._move(tried, name, done)
        if "dsub" not in self._fixed:
            exponent = math.log2(tried["dsub"])
            tried["dsub"] = 2 ** int(KNOBS["dsub"].step(exponent, done, self._rng))
        self._move_char_ngrams(tried, done)
        if "bucket" not in self._fixed:
            tried["bucket"] = self._best_bucket
            self._move(tried, "bucket", done)
            tried["bucket"] = min(tried["bucket"], max(_MAX_NUMBERS // tried["dim"], 10_000))
        if "loss" not in self._fixed:
            tried["loss"] = "softmax"
        if tried["word_ngrams"] <= 1 and tried["max_n"] == 0 and "bucket" not in self._fixed:
            tried["bucket"] = 0
        return tried

    def _move(self, tried: dict[str, Any], name: str, done: float) -> None:
        if name not in self._fixed:
            tried[name] = KNOBS[name].step(tried[name], done, self._rng)

    def _move_char_ngrams(self, tried: dict[str, Any], done: float) -> None:
        if "min_n" not in self._fixed:
            known = tried["min_n"] in _MIN_N_CHOICES
            place = _MIN_N_CHOICES.index(tried["min_n"]) if known else 0
            tried["min_n"] = _MIN_N_CHOICES[int(KNOBS["min_n"].step(place, done, self._rng))]
        if "max_n" not in self._fixed:
            tried["max_n"] = tried["min_n"] + _MAX_N_ABOVE if tried["min_n"] else 0

    def better(self, settings: dict[str, Any]) -> None:
        """Say that these settings are the best so far."""
        self._best = dict(settings)
        if settings["bucket"]:
            self._best_bucket = settings["bucket"]


@dataclass
class Trial:
    """One model that was tried.

    Parameters
    ----------
    settings : dict
        What it was trained with.
    score : float
        Its score; not a number if there is none.
    seconds : float
        How long it took.
    error : str, default ""
        Why there is no score.
    """

    settings: dict[str, Any]
    score: float
    seconds: float
    error: str = ""


@dataclass
class Outcome:
    """The best model that a search found, and all trials.

    Parameters
    ----------
    model : TextClassifier, optional
        The best model; None if no trial was finished.
    settings : dict, optional
        Its settings.
    score : float, optional
        Its score.
    trials : list of Trial, optional
        All trials, in order.
    interrupted : bool, default False
        Whether Ctrl-C ended the search before its budget was used up.
    """

    model: Any = None
    settings: dict[str, Any] = field(default_factory=dict)
    score: float = math.nan
    trials: list[Trial] = field(default_factory=list)
    interrupted: bool = False


class OutOfTimeError(Exception):
    """Raised inside a trial when the budget is used up."""


# What ends a trial and not the search: divergence, no memory, a size that cannot be reached.
_TRIAL_ERRORS = (FloatingPointError, MemoryError, ValueError)


def search(
    train: Callable[[dict[str, Any], Callable[[], bool]], Any],
    judge: Callable[[Any], float],
    proposals: Proposals,
    *,
    seconds: float | None,
    max_trials: int | None,
    on_interrupt: str = "return",
    report: Callable[[Outcome, float], None] = lambda outcome, done: None,
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Try settings until the budget is used up; the best model is kept as it is.

    `train(settings, out_of_time)` makes a model, and raises OutOfTimeError soon after
    `out_of_time()`; `judge` gives its score. Ctrl-C ends the search with the best so far, if there
    is one; with `on_interrupt="raise"` the KeyboardInterrupt carries it.
    """
    started = clock()
    outcome = Outcome()

    def elapsed() -> float:
        return clock() - started

    def out_of_time() -> bool:
        return seconds is not None and elapsed() >= seconds

    def done() -> float:
        shares = [elapsed() / seconds if seconds else 0.0]
        if max_trials:
            shares.append(len(outcome.trials) / max_trials)
        return min(max(shares), 1.0)

    def try_next() -> None:
        settings = proposals.next(done())
        began = elapsed()
        trial = Trial(settings, math.nan, 0.0)
        try:
            model = train(settings, out_of_time)
            trial.score = judge(model)
            if math.isnan(outcome.score) or trial.score > outcome.score:
                outcome.model, outcome.settings, outcome.score = model, settings, trial.score
                proposals.better(settings)
        except MetricError:
            raise
        except OutOfTimeError:
            trial.error = "out of time"
        except _TRIAL_ERRORS as error:
            trial.error = f"{type(error).__name__}: {error}"
        trial.seconds = elapsed() - began
        outcome.trials.append(trial)
        report(outcome, done())

    try:
        while not out_of_time() and (max_trials is None or len(outcome.trials) < max_trials):
            try_next()
    except KeyboardInterrupt as stop:
        if outcome.model is None:
            raise
        outcome.interrupted = True
        if on_interrupt == "raise":
            hand_over(stop, outcome.model)
            raise
    return outcome
