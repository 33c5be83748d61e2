"""Ctrl-C during training: the exception carries the model, as far as it was trained.

A constructor that is interrupted returns nothing, so this is the only way to what it has learnt.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NOTE = (
    "The model, as far as it was trained, is an attribute of this exception: "
    "`except KeyboardInterrupt as stop: model = stop.model`."
)


def hand_over(stop: KeyboardInterrupt, model: Any) -> None:
    """Give the model to an exception that is about to leave, and say so."""
    stop.model = model  # type: ignore[attr-defined]  # no class of ours, so that all catch it
    if _NOTE not in getattr(stop, "__notes__", ()):
        stop.add_note(_NOTE)


@contextmanager
def handing_over(model: Any) -> Iterator[None]:
    """Give the model to a KeyboardInterrupt that is raised inside."""
    try:
        yield
    except KeyboardInterrupt as stop:
        hand_over(stop, model)
        raise
