"""The epochs of the core's threads, watched by the calling thread, which only polls."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

from pyw2v._core.runs import EpochResult
from pyw2v.callbacks import Callbacks, StopTraining

logger = logging.getLogger(__name__)

# Seconds between two polls of the threads; Ctrl-C takes effect within about as much.
_POLL_SECONDS = 0.05


class PolledRun(Protocol):
    """A run as the calling thread sees it: the core's, or one that keeps a record."""

    def start(self, epoch: int) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def finish(self) -> EpochResult: ...


def run_epoch(run: PolledRun, epoch: int, poll: Callable[[], Any]) -> EpochResult:
    """Run an epoch to its end and return its sums; `poll` is called now and then.

    Whatever is raised here, by Ctrl-C, by `poll` or by a thread, no thread is left.
    """
    try:
        run.start(epoch)
        while not run.wait(_POLL_SECONDS):
            poll()
        return run.finish()
    finally:
        run.stop()


def run_epochs(
    model: Any,
    epochs: range,
    run_one: Callable[[int], object],
    callbacks: Callbacks,
    settle: Callable[[], object],
) -> None:
    """Run `run_one` for each epoch, and the callbacks of `model` around them.

    Before callbacks and at the end, `settle` makes the model what users are to see; without
    callbacks nobody reads it between two epochs. It should not be a Python function, which
    Ctrl-C could interrupt at its start. A callback that raises `StopTraining` ends this early, and
    without an error.
    """

    def call(hook: str) -> None:
        if callbacks:
            settle()
            callbacks.call(hook, model)

    try:
        call("on_train_begin")
        for epoch in epochs:
            call("on_epoch_begin")
            run_one(epoch)
            call("on_epoch_end")
    except StopTraining as stop:
        logger.info("training stopped by a callback: %s", stop)
    finally:
        settle()


def call_last_hook(model: Any, callbacks: Callbacks) -> None:
    """Run the last hook; training is over, so StopTraining has nothing left to stop."""
    try:
        callbacks.call("on_train_end", model)
    except StopTraining:
        logger.info("StopTraining raised after the last epoch is ignored")
