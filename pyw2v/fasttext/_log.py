"""What fastText writes to standard error while it trains: counts, then one line that is redrawn."""

from __future__ import annotations

import sys
import time

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
            self._write(
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
        self._write("\r" + self._line())

    def close(self) -> None:
        if self._stage == "train":
            self._write(f"\r{self._line()}\n")
        self._stage = None

    def _line(self) -> str:
        seconds, share = time.monotonic() - self._start, self._share
        words = share * self._args.epoch * self._tokens
        speed = int(words / max(seconds, 1e-9) / self._args.thread)
        left = int(seconds * (1 - share) / share) if share else _UNKNOWN_SECONDS
        loss = f"{'unknown':>9}" if self._loss is None else f"{self._loss:9.6f}"
        return (
            f"Progress: {100 * share:5.1f}% words/sec/thread: {speed:7d} "
            f"lr: {self._args.lr * (1 - share):9.6f} avg.loss: {loss} "
            f"ETA: {left // 3600:3d}h{left // 60 % 60:2d}m{left % 60:2d}s"
        )

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def log_of(args: Arguments) -> Progress:
    """Return the log that `verbose` asks for."""
    return TrainingLog(args) if args.verbose > 0 and sys.stderr is not None else Progress()
