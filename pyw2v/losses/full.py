"""Losses over all classes: softmax and one-vs-all logistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._shared.arrays import blocks
from pyw2v.functions import log_softmax
from pyw2v.losses.arguments import Arguments, checked
from pyw2v.losses.gradients import Gradients

Array = NDArray[Any]

# Scores computed at a time: 64 MB of floats. Fewer would add up the gradient of all rows too often.
_CHUNK_VALUES = 1 << 24


def softmax(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    biases: ArrayLike | None = None,
    *,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return the cross entropy of softmax(s) over all classes, and its gradients.

    -log p(t) of the true class t; with several, the mean over them: each has probability
    1 / num_true.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_classes, dim)
        The row y(w) of each class: s(w) = x . y(w) + b(w).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several.
    biases : array_like, shape (n_classes,), optional
        The number b(w) of each class.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; see `pyw2v.losses`.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss, by inputs, weights and biases.

    Raises
    ------
    ValueError
        If shapes do not fit, or labels are out of range.

    Examples
    --------
    >>> from pyw2v import losses
    >>> loss, gradients = losses.softmax([[1.0, 2.0]], [[0.0, 0.0]] * 2, [1])
    >>> round(loss, 4), gradients.weights.tolist()
    (0.6931, [[0.5, 1.0], [-0.5, -1.0]])
    """
    return _over_all(checked(inputs, weights, labels, biases, reduction), _softmax_errors)


def logistic(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    biases: ArrayLike | None = None,
    *,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return the one-vs-all logistic loss over all classes, and its gradients.

    -log sigma(s(t)) of every true class t, -log sigma(-s(w)) of every other class. Several classes
    may be true at once: each has label 1, and a class that is named twice counts once.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_classes, dim)
        The row y(w) of each class: s(w) = x . y(w) + b(w).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several.
    biases : array_like, shape (n_classes,), optional
        The number b(w) of each class.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; see `pyw2v.losses`.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss, by inputs, weights and biases.

    Raises
    ------
    ValueError
        If shapes do not fit, or labels are out of range.

    Examples
    --------
    >>> from pyw2v import losses
    >>> loss, gradients = losses.logistic([[1.0, 2.0]], [[0.0, 0.0]] * 2, [1])
    >>> round(loss, 4), gradients.weights.tolist()
    (1.3863, [[0.5, 1.0], [-0.5, -1.0]])
    """
    return _over_all(checked(inputs, weights, labels, biases, reduction), _logistic_errors)


def _over_all(
    given: Arguments, errors_of: Callable[[Array, Array], tuple[Array, Array]]
) -> tuple[Any, Gradients]:
    """Scores of all classes, block by block; `errors_of` makes losses and errors of them."""
    weights = given.weights
    losses = np.empty(len(given.inputs))
    by_inputs, by_weights = np.empty_like(given.inputs), np.zeros_like(weights)
    by_biases = None if given.biases is None else np.zeros_like(given.biases)
    for block in blocks(len(losses), max(1, _CHUNK_VALUES // len(weights))):
        x = given.inputs[block]
        scores = x @ weights.T
        if given.biases is not None:
            scores += given.biases
        losses[block], errors = errors_of(scores, given.labels[block])
        errors *= given.scale
        np.matmul(errors, weights, out=by_inputs[block])
        by_weights += errors.T @ x
        if by_biases is not None:
            by_biases += errors.sum(axis=0)
    return given.reduced(losses), Gradients(by_inputs, by_weights, by_biases)


def _softmax_errors(scores: Array, labels: Array) -> tuple[Array, Array]:
    log_p, n_true = log_softmax(scores), labels.shape[1]
    losses = -np.take_along_axis(log_p, labels, axis=1).mean(axis=1, dtype=np.float64)
    errors = np.exp(log_p, out=log_p)
    examples = np.arange(len(errors))
    for label in labels.T:  # one after the other: a class may be named twice
        errors[examples, label] -= 1 / n_true
    return losses, errors


def _logistic_errors(scores: Array, labels: Array) -> tuple[Array, Array]:
    true_scores = np.take_along_axis(scores, labels, axis=1)
    terms, errors = logistic_parts(scores)
    # Assignments: whatever is named twice is done once.
    np.put_along_axis(terms, labels, logistic_parts(-true_scores)[0], axis=1)
    np.put_along_axis(errors, labels, -logistic_parts(-true_scores)[1], axis=1)
    return terms.sum(axis=1, dtype=np.float64), errors


def logistic_parts(scores: Array) -> tuple[Array, Array]:
    """Return -log sigma(-s) and sigma(s), without overflow or loss of small numbers."""
    small = np.exp(-np.abs(scores))
    terms = np.maximum(scores, 0) + np.log1p(small)
    return terms, np.where(scores >= 0, 1, small) / (1 + small)
