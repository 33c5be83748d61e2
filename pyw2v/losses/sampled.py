"""Losses over the true classes and drawn ones; the formulas of word2vec and of TensorFlow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v.functions import log_softmax
from pyw2v.losses.arguments import Arguments, check_expected, check_flag, check_ids, checked
from pyw2v.losses.full import logistic_parts
from pyw2v.losses.gradients import Gradients, Rows, merged, pair_gradients

Array = NDArray[Any]


class _Drawn(NamedTuple):
    """Drawn classes, shared by all examples, (k,), or for each its own, (n, k)."""

    ids: NDArray[np.int64]
    log_true: Array | None  # None where nothing is taken off the scores
    log_drawn: Array | None


def negative_sampling(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    sampled: Any,
    biases: ArrayLike | None = None,
    *,
    remove_accidental_hits: bool = True,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return the loss of negative sampling, as word2vec has it, and its gradients.

    -log sigma(s(t)) of each true class t, -log sigma(-s(w)) of each drawn class w. Every true class
    has label 1.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_classes, dim)
        The row y(w) of each class: s(w) = x . y(w) + b(w).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several.
    sampled : array_like of int, shape (k,) or (n, k), or tuple
        The drawn classes, the same for all examples or for each its own; of a tuple
        (ids, true_expected, sampled_expected) only the ids are used.
    biases : array_like, shape (n_classes,), optional
        The number b(w) of each class.
    remove_accidental_hits : bool, default True
        Whether a drawn class is left out where it is true, as word2vec.c does.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; see `pyw2v.losses`.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss; by weights and biases they are `Rows`.

    Raises
    ------
    ValueError
        If shapes do not fit, or ids are out of range.

    Examples
    --------
    >>> from pyw2v import losses
    >>> x, y = [[1.0, 2.0]], [[0.0, 0.0]] * 3
    >>> loss, gradients = losses.negative_sampling(x, y, labels=[1], sampled=[0, 1, 0])
    >>> gradients.weights.ids.tolist(), gradients.weights.values.tolist()
    ([0, 1], [[1.0, 2.0], [-0.5, -1.0]])
    """
    given = checked(inputs, weights, labels, biases, reduction)
    drawn = _drawn(given, sampled, False)
    hits = check_flag("remove_accidental_hits", remove_accidental_hits)
    return _compared(given, drawn, hits, softmax=False, label=1.0)


def nce(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    sampled: Any,
    biases: ArrayLike | None = None,
    *,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return the loss of noise-contrastive estimation, as TensorFlow's nce_loss, and its gradients.

    The logistic loss of s - log Q, with label 1 / num_true for each true class and 0 for each drawn
    one. Q(w) is the expected count of a class among the drawn ones.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_classes, dim)
        The row y(w) of each class: s(w) = x . y(w) + b(w).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several.
    sampled : tuple
        (ids, true_expected, sampled_expected), as TensorFlow's samplers return them: drawn classes,
        of shape (k,) or, for each example its own, (n, k); Q of the labels; Q of the ids.
    biases : array_like, shape (n_classes,), optional
        The number b(w) of each class.
    subtract_log_q : bool, default True
        Whether log Q is taken off the scores. If not, `sampled` may be the ids alone.
    remove_accidental_hits : bool, default False
        Whether a drawn class is left out where it is true; that is `sampled_logistic`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; "none" is TensorFlow's.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss; by weights and biases they are `Rows`.

    Raises
    ------
    ValueError
        If shapes do not fit, ids are out of range, or expected counts are not positive.

    Examples
    --------
    >>> from pyw2v import losses
    >>> x, y = [[1.0, 2.0]], [[0.0, 0.0]] * 3
    >>> loss, gradients = losses.nce(x, y, [1], sampled=([0], [[1.0]], [1.0]))
    >>> round(loss, 4), gradients.weights.values.tolist()
    (1.3863, [[0.5, 1.0], [-0.5, -1.0]])
    """
    given = checked(inputs, weights, labels, biases, reduction)
    drawn = _drawn(given, sampled, check_flag("subtract_log_q", subtract_log_q))
    hits = check_flag("remove_accidental_hits", remove_accidental_hits)
    return _compared(given, drawn, hits, softmax=False, label=1 / given.labels.shape[1])


def sampled_logistic(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    sampled: Any,
    biases: ArrayLike | None = None,
    *,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = True,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return the sampled logistic loss, and its gradients: `nce` with accidental hits removed.

    Its scores learn to be log odds, those of NCE log probabilities.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_classes, dim)
        The row y(w) of each class: s(w) = x . y(w) + b(w).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several, each with label 1 / num_true.
    sampled : tuple
        (ids, true_expected, sampled_expected), as for `nce`.
    biases : array_like, shape (n_classes,), optional
        The number b(w) of each class.
    subtract_log_q : bool, default True
        Whether log Q is taken off the scores. If not, `sampled` may be the ids alone.
    remove_accidental_hits : bool, default True
        Whether a drawn class is left out where it is true.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; see `pyw2v.losses`.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss; by weights and biases they are `Rows`.

    Raises
    ------
    ValueError
        If shapes do not fit, ids are out of range, or expected counts are not positive.
    """
    return nce(
        inputs,
        weights,
        labels,
        sampled,
        biases,
        subtract_log_q=subtract_log_q,
        remove_accidental_hits=remove_accidental_hits,
        reduction=reduction,
    )


def sampled_softmax(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    sampled: Any,
    biases: ArrayLike | None = None,
    *,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = True,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return the softmax loss over true and drawn classes, as TensorFlow's, and its gradients.

    The cross entropy of softmax(s - log Q) over these classes; each true class has probability
    1 / num_true.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_classes, dim)
        The row y(w) of each class: s(w) = x . y(w) + b(w).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several.
    sampled : tuple
        (ids, true_expected, sampled_expected), as for `nce`.
    biases : array_like, shape (n_classes,), optional
        The number b(w) of each class.
    subtract_log_q : bool, default True
        Whether log Q is taken off the scores. If not, `sampled` may be the ids alone.
    remove_accidental_hits : bool, default True
        Whether a drawn class is left out where it is true.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; "none" is TensorFlow's.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss; by weights and biases they are `Rows`.

    Raises
    ------
    ValueError
        If shapes do not fit, ids are out of range, or expected counts are not positive.

    Examples
    --------
    >>> from pyw2v import losses
    >>> x, y = [[1.0, 2.0]], [[0.0, 0.0]] * 3
    >>> loss, gradients = losses.sampled_softmax(x, y, [1], sampled=([0], [[1.0]], [1.0]))
    >>> round(loss, 4), gradients.weights.values.tolist()
    (0.6931, [[0.5, 1.0], [-0.5, -1.0]])
    """
    given = checked(inputs, weights, labels, biases, reduction)
    drawn = _drawn(given, sampled, check_flag("subtract_log_q", subtract_log_q))
    hits = check_flag("remove_accidental_hits", remove_accidental_hits)
    return _compared(given, drawn, hits, softmax=True, label=1 / given.labels.shape[1])


def _drawn(given: Arguments, sampled: Any, corrected: bool) -> _Drawn:
    """Return the drawn classes, checked; the ids alone will do where scores are not corrected."""
    parts = sampled
    if not (isinstance(sampled, tuple) and len(sampled) == 3 and np.ndim(sampled[0])):
        if corrected:
            raise ValueError(
                "sampled must be a tuple (ids, true_expected, sampled_expected), "
                f"got {sampled!r:.80}"
            )
        parts = (sampled, None, None)
    ids = check_ids("sampled", parts[0], len(given.weights))
    n = len(given.inputs)
    if ids.ndim not in (1, 2) or not ids.size or (ids.ndim == 2 and len(ids) != n):
        raise ValueError(
            f"sampled must be k classes for all, or for each of the {n} inputs, "
            f"got shape {ids.shape}"
        )
    if not corrected:
        return _Drawn(ids, None, None)
    return _Drawn(
        ids,
        check_expected("true_expected", parts[1], given.labels.shape, "labels"),
        check_expected("sampled_expected", parts[2], ids.shape, "the drawn classes"),
    )


def _compared(
    given: Arguments, drawn: _Drawn, remove_hits: bool, softmax: bool, label: float
) -> tuple[Any, Gradients]:
    """Gather the rows, score them, turn scores into errors, and scatter these."""
    x, labels, ids = given.inputs, given.labels, drawn.ids
    true_rows, drawn_rows = given.weights[labels], given.weights[ids]
    scores = np.concatenate([_scores(x, true_rows), _scores(x, drawn_rows)], axis=1)
    n_true = labels.shape[1]
    every = np.concatenate([labels, np.broadcast_to(ids, (len(x), ids.shape[-1]))], axis=1)
    if given.biases is not None:
        scores += given.biases[every]
    if drawn.log_true is not None:
        scores[:, :n_true] -= drawn.log_true
        scores[:, n_true:] -= drawn.log_drawn
    hit = np.zeros(scores.shape, bool)
    if remove_hits:
        hit[:, n_true:] = _hits(labels, every[:, n_true:])
    errors_of = _softmax_errors if softmax else _logistic_errors
    losses, errors = errors_of(scores, hit, n_true, label)
    errors *= given.scale
    by_inputs = _back(errors[:, :n_true], true_rows) + _back(errors[:, n_true:], drawn_rows)
    n_pairs = n_true if ids.ndim == 1 else every.shape[1]  # the others are shared
    by_rows = pair_gradients(
        every[:, :n_pairs].ravel(), errors[:, :n_pairs].ravel(), np.repeat(x, n_pairs, axis=0)
    )
    if ids.ndim == 1:
        shared = errors[:, n_true:]
        by_rows = merged(by_rows, (Rows(ids, shared.T @ x), Rows(ids, shared.sum(axis=0))))
    by_biases = None if given.biases is None else by_rows[1]
    return given.reduced(losses), Gradients(by_inputs, by_rows[0], by_biases)


def _scores(x: Array, rows: Array) -> Array:
    """Dot products with rows that are shared, (k, dim), or each example's own, (n, k, dim)."""
    return x @ rows.T if rows.ndim == 2 else np.einsum("nd,nkd->nk", x, rows)


def _back(errors: Array, rows: Array) -> Array:
    return errors @ rows if rows.ndim == 2 else np.einsum("nk,nkd->nd", errors, rows)


def _hits(labels: Array, ids: Array) -> Array:
    hit = np.zeros(ids.shape, bool)
    for label in labels.T:
        hit |= ids == label[:, np.newaxis]
    return hit


def _softmax_errors(scores: Array, hit: Array, n_true: int, label: float) -> tuple[Array, Array]:
    scores[hit] = -np.inf
    log_p = log_softmax(scores)
    losses = -log_p[:, :n_true].sum(axis=1, dtype=np.float64) * label
    errors = np.exp(log_p, out=log_p)
    errors[:, :n_true] -= label
    return losses, errors


def _logistic_errors(scores: Array, hit: Array, n_true: int, label: float) -> tuple[Array, Array]:
    terms, errors = logistic_parts(scores)
    true = scores[:, :n_true]
    # -label log sigma(s) - (1 - label) log sigma(-s), each without cancellation.
    others, wrong = logistic_parts(-true)
    terms[:, :n_true] = label * others + (1 - label) * terms[:, :n_true]
    errors[:, :n_true] = -label * wrong + (1 - label) * errors[:, :n_true]
    terms[hit] = 0
    errors[hit] = 0
    return terms.sum(axis=1, dtype=np.float64), errors
