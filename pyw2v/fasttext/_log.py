"""What fastText writes to standard error while it trains: counts, then one line that is redrawn."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

from pyw2v.fasttext._arguments import Arguments
from pyw2v.progress import Progress

_INTERVAL = 0.1  # seconds between two updates
_UNKNOWN_SECONDS = 720 * 3600  # told as the time left before anything is done


class TrainingLog(Progress):
    """fastText's log; `verbose` 1 leaves out the updates on the way.

    The mean loss is that of the last whole epoch, so that none is known during the first.
    """

    def __init__(self, args: Arguments) -> None:
        self._args = args
        self._tokens = 0.0  # of an epoch
        self._loss: float | None = None
        self._share = 0.0
        self._shown = 0.0

    def tell(self, **facts: float) -> None:
        self._tokens = facts.get("tokens", self._tokens)
        self._loss = facts.get("loss", self._loss)
        if "words" in facts:
            _write(
                f"\rRead {int(self._tokens) // 10**6}M words\n"
                f"Number of words:  {facts['words']}\nNumber of labels: {facts['labels']}\n"
            )

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        self._stage, self._total = stage, total or 1
        self._start = time.monotonic()
        self._share = 0.0

    def update(self, done: int, note: str = "") -> None:
        self._share = min(done / self._total, 1.0)
        now = time.monotonic()
        if self._stage != "train" or self._args.verbose < 2 or now - self._shown < _INTERVAL:
            return
        self._shown = now
        _write("\r" + self._line())

    def close(self) -> None:
        if self._stage == "train":
            _write(f"\r{self._line()}\n")
        self._stage = None

    def _line(self) -> str:
        seconds, share = time.monotonic() - self._start, self._share
        words = share * self._args.epoch * self._tokens
        speed = int(words / max(seconds, 1e-9) / self._args.thread)
        left = int(seconds * (1 - share) / share) if share else _UNKNOWN_SECONDS
        loss = f"{'unknown':>9}" if self._loss is None else f"{self._loss:9.6f}"
        return (
            f"Progress: {100 * share:5.1f}% words/sec/thread: {speed:7d} "
            f"lr: {self._args.lr * (1 - share):9.6f} avg.loss: {loss} {_eta(left)}"
        )


class AutotuneLog(Progress):
    """The line of a search: redrawn after every trial; `verbose` 1 shows the last one only."""

    def __init__(self, args: Arguments) -> None:
        self._args = args
        self._trials = 0
        self._score = math.nan
        self._share = 0.0

    def tell(self, **facts: float) -> None:
        self._trials = int(facts.get("trials", self._trials))
        self._score = facts.get("score", self._score)

    def update(self, done: int, note: str = "") -> None:
        self._share = done / 100
        if self._args.verbose > 1:
            _write("\r" + self._line())

    def close(self) -> None:
        _write(f"\r{self._line()}\n")

    def _line(self) -> str:
        score = f"{'unknown':>9}" if math.isnan(self._score) else f"{self._score:9.6f}"
        left = int(self._args.autotuneDuration * (1 - self._share))
        return (
            f"Progress: {100 * self._share:5.1f}% Trials: {self._trials:4d} "
            f"Best score: {score} {_eta(left)}"
        )


def _eta(seconds: int) -> str:
    return f"ETA: {seconds // 3600:3d}h{seconds // 60 % 60:2d}m{seconds % 60:2d}s"


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def log_of(
    args: Arguments, asked_for: bool, kind: Callable[[Arguments], Progress] = TrainingLog
) -> Progress:
    """Return the log of this `verbose`: on a terminal, and elsewhere only if it was given.

    fastText writes it anywhere; a program's log files are spared it here.
    """
    shown = sys.stderr is not None and (asked_for or sys.stderr.isatty())
    return kind(args) if shown and args.verbose > 0 else Progress()
