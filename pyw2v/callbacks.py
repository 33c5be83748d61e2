"""Hooks into training: what a callback may define, and how one ends the training early.

Any object with some of the four methods of `CallbackAny2Vec` is a callback; no base class is
needed. What a hook returns is ignored, as in gensim; to stop, it raises `StopTraining`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from pyw2v._shared.checks import check_float, check_int, check_list

HOOKS = ("on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end")


class StopTraining(Exception):  # noqa: N818 (a signal like StopIteration, not an error)
    """Raised by a callback to end training here: `train()` returns normally."""


class CallbackAny2Vec:
    """A base class with gensim's name whose four hooks do nothing.

    See Also
    --------
    EarlyStopping : A callback that ends training by a score.

    Examples
    --------
    >>> from pyw2v import CallbackAny2Vec, Word2Vec
    >>> class Count(CallbackAny2Vec):
    ...     n_epochs = 0
    ...
    ...     def on_epoch_end(self, model):
    ...         self.n_epochs += 1
    >>> count = Count()
    >>> model = Word2Vec([["a", "b"]] * 20, vector_size=4, min_count=1, epochs=3, callbacks=[count])
    >>> count.n_epochs
    3
    """

    def on_train_begin(self, model: Any) -> None:
        """Run before the first epoch.

        Parameters
        ----------
        model : object
            The model in training.
        """

    def on_epoch_begin(self, model: Any) -> None:
        """Run before each epoch.

        Parameters
        ----------
        model : object
            The model in training.
        """

    def on_epoch_end(self, model: Any) -> None:
        """Run after each epoch.

        Parameters
        ----------
        model : object
            The model in training; `model.loss_history[-1]` is the mean loss of the epoch, NaN if it
            had no examples.
        """

    def on_train_end(self, model: Any) -> None:
        """Run after the last epoch, also when a callback stopped the training.

        Parameters
        ----------
        model : object
            The model in training.
        """


class EarlyStopping(CallbackAny2Vec):
    """Ends training when a score no longer rises; for every model that is trained in epochs.

    Every training begins anew, also one that goes on from a checkpoint.

    Parameters
    ----------
    score : callable, optional
        A function of the model, called after every epoch: the higher, the better. None takes the
        training loss, the lower the better. The loss falls with the learning rate and says little
        about other text: a score on text that was held back is the better judge.
    patience : int, default 2
        How many epochs in a row may bring nothing before training ends.
    min_delta : float, default 0.0
        What a score must be better by to count.
    restore_best : bool, default False
        Whether the weights become those of the best epoch again when training ends; takes the
        memory of the matrices once more. Training cannot be resumed from there.

    Attributes
    ----------
    scores : list of float
        The scores so far.
    best_epoch : int or None
        The epoch of the best score, from 0 on.

    Raises
    ------
    TypeError
        If `score` cannot be called.
    ValueError
        If `patience` is below 1 or `min_delta` is negative.

    Examples
    --------
    >>> from pyw2v import EarlyStopping, TextClassifier
    >>> texts, labels = ["good film", "bad film"] * 20, ["+", "-"] * 20
    >>> stop = EarlyStopping(lambda model: model.score(texts, labels), restore_best=True)
    >>> model = TextClassifier(dim=4, lr=1.0, epochs=30, workers=1)
    >>> model = model.fit(texts, labels, callbacks=[stop])
    >>> max(stop.scores) == stop.scores[stop.best_epoch]
    True
    """

    def __init__(
        self,
        score: Callable[[Any], float] | None = None,
        *,
        patience: int = 2,
        min_delta: float = 0.0,
        restore_best: bool = False,
    ) -> None:
        if score is not None and not callable(score):
            raise TypeError(f"score must be a function of the model, got {score!r:.80}")
        self.score = score
        self.patience = check_int("patience", patience, 1)
        self.min_delta = check_float("min_delta", min_delta, 0.0)
        self.restore_best = bool(restore_best)
        self.on_train_begin(None)

    def on_train_begin(self, model: Any) -> None:
        """Forget the training before.

        Parameters
        ----------
        model : object
            The model in training.
        """
        self.scores: list[float] = []
        self.best_epoch: int | None = None
        self._best: list[Any] = []

    def on_epoch_end(self, model: Any) -> None:
        """Compute the score; raise StopTraining when it has not risen for long enough.

        Parameters
        ----------
        model : object
            The model in training.

        Raises
        ------
        StopTraining
            If `patience` epochs have brought no better score.
        ValueError
            If there is neither a score nor a loss.
        """
        score = _minus_loss(model) if self.score is None else float(self.score(model))
        epoch = len(self.scores)
        best = -math.inf if self.best_epoch is None else self.scores[self.best_epoch]
        self.scores.append(score)
        if score > best + self.min_delta:  # NaN never is
            self.best_epoch = epoch
            if self.restore_best:
                self._best = [array.copy() for array in model._learnt()]
        since = -1 if self.best_epoch is None else self.best_epoch
        if epoch - since >= self.patience:
            raise StopTraining(f"{self.patience} epochs have brought no better score than {best:g}")

    def on_train_end(self, model: Any) -> None:
        """Put the best weights back, if `restore_best` is set.

        Parameters
        ----------
        model : object
            The model in training.
        """
        if self._best and self.best_epoch != len(self.scores) - 1:
            for array, best in zip(model._learnt(), self._best, strict=True):
                array[...] = best
            model._inputs_changed()
            if model._run_record is not None:
                model._run_record.lose_place()
        self._best = []


def _minus_loss(model: Any) -> float:
    losses = model.loss_history
    if not losses:
        raise ValueError("EarlyStopping without a score needs the loss: track_loss must be True")
    return -float(losses[-1])


class Callbacks:
    """The callbacks of one training run, called in the order given.

    Parameters
    ----------
    callbacks : iterable
        Objects with some of the four hooks.

    Raises
    ------
    TypeError
        If it is no list of such objects.
    """

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
        """Call a hook on every callback that has it.

        Parameters
        ----------
        hook : str
            Name of the hook.
        model : object
            Its argument.
        """
        for callback in self._callbacks:
            method = getattr(callback, hook, None)
            if method is not None:
                method(model)
