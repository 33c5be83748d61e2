"""One epoch of the core's threads, watched by the calling thread, which only polls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

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
