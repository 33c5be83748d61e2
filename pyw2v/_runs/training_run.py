"""One call of a training method, whatever it trains: epochs, callbacks, checkpoints, progress.

The core's threads do the work. This, the calling thread, only polls: it shows progress, runs the
callbacks between epochs, writes checkpoints, and stops the threads when something is raised here,
be it by Ctrl-C, a callback or the core.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from pyw2v._core.matrix import SpreadRows
from pyw2v._core.runs import EpochResult, Run
from pyw2v._runs.checkpoint import Checkpoints, Contents, recorded
from pyw2v._runs.epochs import call_last_hook, run_epoch, run_epochs
from pyw2v._runs.record import RecordedRun, RunRecord
from pyw2v.callbacks import Callbacks
from pyw2v.progress import Progress

logger = logging.getLogger(__name__)


class TrainingRun:
    """The epochs of `record` that are left. Word2Vec, classifiers and GloVe derive from this.

    Rows are spread for the core from the first epoch on, and packed for all who may look at them:
    callbacks, and who called.
    """

    unit = "words"
    """What progress counts, `n_units` of them an epoch."""

    def __init__(
        self,
        record: RunRecord,
        n_units: int,
        progress: Progress,
        saver: Checkpoints | None,
        first_epoch: int = 0,
    ) -> None:
        self.record = record
        self.layout = SpreadRows()
        self._n_units = n_units
        self._progress = progress
        self._saver = saver
        self._first_epoch = first_epoch  # what epochs of the core count from

    # -- what differs --------------------------------------------------------------------------

    def core_run(self) -> Run:
        """Spread the rows, if they are not, and return the core's run for them."""
        raise NotImplementedError

    def take(self, epoch: int, result: EpochResult) -> None:
        """Add the results of an epoch to the model; raise FloatingPointError if they are absurd."""
        raise NotImplementedError

    def rows_changed(self, seconds: float) -> None:
        """Take note that the rows have changed, for so long, whatever ended the epoch."""

    def contents(self) -> Contents:
        """Return what a checkpoint holds."""
        raise NotImplementedError

    def loss_note(self) -> str:
        """Return the last loss, for the progress meter; empty if there is none."""
        raise NotImplementedError

    def advice(self) -> str:
        """Say what to do about weights that have left the finite numbers."""
        raise NotImplementedError

    def over(self) -> None:
        """Called after the last epoch, before the last hook."""

    @property
    def settle(self) -> Callable[[], object]:
        """What makes the model what users are to see."""
        return self.layout.pack

    # -- what does not ---------------------------------------------------------------------------

    def train(self, model: Any, callbacks: Callbacks) -> None:
        """Train; callbacks get `model`."""
        record = self.record
        self._progress.begin("train", record.epochs * self._n_units, self.unit)
        with recorded(record, self._saver, self.contents):
            epochs = range(record.epochs_done, record.epochs)
            try:
                run_epochs(model, epochs, self._epoch, callbacks, self.settle)
            finally:
                self._progress.close()
            self.over()
            call_last_hook(model, callbacks)

    def _epoch(self, epoch: int) -> None:
        core = self.core_run()
        watched = RecordedRun(core, self.record, self._saver, self._first_epoch)
        done = epoch * self._n_units
        note = self._note(epoch)
        started = time.perf_counter()
        try:
            try:
                result = run_epoch(
                    watched, epoch, lambda: self._progress.update(done + core.n_done, note)
                )
            finally:
                seconds = time.perf_counter() - started
                self.rows_changed(seconds)
            self.take(epoch, result)
        except FloatingPointError as error:
            raise FloatingPointError(f"{error}; {self.advice()}") from error
        self.record.end_epoch(result)
        self._progress.update(done + self._n_units, self._note(epoch))
        logger.info("epoch %d took %.1f s%s", epoch + 1, seconds, self.loss_note())

    def _note(self, epoch: int) -> str:
        return f"epoch {epoch + 1}/{self.record.epochs}{self.loss_note()}"
