"""The epochs of the core's threads, watched by the calling thread, which only polls."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from pyw2v.callbacks import Callbacks, StopTraining

logger = logging.getLogger(__name__)

Result_co = TypeVar("Result_co", covariant=True)

# Seconds between two looks at the threads; Ctrl-C is answered within about as much.
_POLL_SECONDS = 0.05


class EpochTrainer(Protocol[Result_co]):
    """What the core's trainers have in common."""

    def start(self, epoch: int) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def finish(self) -> Result_co: ...


def run_epoch(trainer: EpochTrainer[Result_co], epoch: int, look: Callable[[], Any]) -> Result_co:
    """Run an epoch to its end and return its sums; `look` is called now and then.

    Whatever is raised here, by Ctrl-C, by `look` or by a thread, no thread is left.
    """
    try:
        trainer.start(epoch)
        while not trainer.wait(_POLL_SECONDS):
            look()
        return trainer.finish()
    finally:
        trainer.stop()


def run_epochs(
    model: Any,
    n_epochs: int,
    run_one: Callable[[int], object],
    callbacks: Callbacks,
    settle: Callable[[], object],
) -> None:
    """Run `run_one` for each epoch, and the callbacks of `model` around them.

    Before callbacks and at the end, `settle` makes the model what users are to see; without
    callbacks nobody looks between two epochs. It should be no Python function, at whose start
    Ctrl-C could come between. A callback that raises `StopTraining` ends this early, and without
    an error.
    """

    def call(hook: str) -> None:
        if callbacks:
            settle()
            callbacks.call(hook, model)

    try:
        call("on_train_begin")
        for epoch in range(n_epochs):
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
