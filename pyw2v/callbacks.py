"""Hooks into training: what a callback may define, and how one ends the training early.

Any object with some of the four methods of `CallbackAny2Vec` is a callback; no base class is
needed. What a hook returns is ignored, as in gensim; to stop, it raises `StopTraining`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyw2v._checks import check_list

HOOKS = ("on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end")


class StopTraining(Exception):  # noqa: N818 (a signal like StopIteration, not an error)
    """Raised by a callback to end training here: `train()` returns normally."""


class CallbackAny2Vec:
    """A base class with gensim's name whose four hooks do nothing."""

    def on_train_begin(self, model: Any) -> None:
        """Run before the first epoch."""

    def on_epoch_begin(self, model: Any) -> None:
        """Run before each epoch."""

    def on_epoch_end(self, model: Any) -> None:
        """Run after each epoch; `model.loss_history[-1]` is its mean loss, NaN without examples."""

    def on_train_end(self, model: Any) -> None:
        """Run after the last epoch, also when a callback stopped the training."""


class Callbacks:
    """The callbacks of one training run, called in the order given."""

    def __init__(self, callbacks: Iterable[Any]) -> None:
        if callbacks is None or any(hasattr(callbacks, hook) for hook in HOOKS):
            raise TypeError(
                f"callbacks must be a list of callback objects, got {callbacks!r}; "
                "put a single one in a list"
            )
        self._callbacks = check_list("callbacks", callbacks, "callback objects")
        for callback in self._callbacks:
            if not any(hasattr(callback, hook) for hook in HOOKS):
                raise TypeError(
                    f"a callback must have one of the methods {', '.join(HOOKS)}, "
                    f"got {callback!r:.80}"
                )

    def __bool__(self) -> bool:
        return bool(self._callbacks)

    def call(self, hook: str, model: Any) -> None:
        """Call `hook` on every callback that has it."""
        for callback in self._callbacks:
            method = getattr(callback, hook, None)
            if method is not None:
                method(model)
