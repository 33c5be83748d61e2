"""Losses whose classes are found step by step: hierarchical softmax and classes of words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._core.huffman import HuffmanTree
from pyw2v._shared.arrays import runs
from pyw2v.functions import as_floats, log_softmax
from pyw2v.losses.arguments import Arguments, check_biases, check_ids, check_rows, checked
from pyw2v.losses.full import logistic_parts
from pyw2v.losses.full import softmax as full_softmax
from pyw2v.losses.gradients import (
    ClassGradients,
    Gradients,
    Rows,
    merged,
    pair_gradients,
    summed_by_id,
)

Array = NDArray[Any]
Paths = tuple[Array, Array, Array]


def hierarchical_softmax(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    paths: Any,
    biases: ArrayLike | None = None,
    *,
    reduction: str = "mean",
) -> tuple[Any, Gradients]:
    """Return -log P of the true class, a product along its path in a tree, and its gradients.

    At each inner node of the path, code 0 has probability sigma(s(node)) and code 1 the rest, as in
    word2vec. With several true classes it is the mean over them.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_nodes, dim)
        The row y of each inner node: s(node) = x . y(node) + b(node).
    labels : array_like of int, shape (n,) or (n, num_true)
        The true class of each example, or several.
    paths : HuffmanTree or tuple
        `pyw2v.losses.HuffmanTree` of int64 counts; or (points, codes), each with a sequence for
        every class, from the root down: the nodes, and the branches taken, 0 or 1.
    biases : array_like, shape (n_nodes,), optional
        The number b of each inner node.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; see `pyw2v.losses`.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : Gradients
        Of the loss; by weights and biases they are `Rows`, of nodes.

    Raises
    ------
    ValueError
        If shapes do not fit, or labels, nodes or codes are out of range.

    Examples
    --------
    >>> from pyw2v import losses
    >>> points, codes = [[1], [1, 0], [1, 0]], [[0], [1, 0], [1, 1]]
    >>> loss, gradients = losses.hierarchical_softmax([[1.0]], [[0.0], [0.0]], [2], (points, codes))
    >>> round(loss, 4), gradients.weights.values.tolist()
    (1.3863, [[0.5], [0.5]])
    """
    offsets, points, codes = _paths(paths)
    given = checked(inputs, weights, labels, biases, reduction, n_classes=len(offsets) - 1)
    check_ids("points", points, len(given.weights))
    n, n_true = given.labels.shape
    classes = given.labels.ravel()
    steps, _ = runs(offsets, classes)
    examples = np.repeat(np.repeat(np.arange(n), n_true), np.diff(offsets)[classes])
    nodes, rows = points[steps], given.inputs[examples]
    node_rows = given.weights[nodes]
    scores = np.einsum("sd,sd->s", rows, node_rows)
    if given.biases is not None:
        scores += given.biases[nodes]
    sign = np.where(codes[steps] == 0, -1, 1).astype(scores.dtype)
    terms, wrong = logistic_parts(sign * scores)
    losses = np.bincount(examples, terms, minlength=n) / n_true
    errors = sign * wrong * scores.dtype.type(given.scale / n_true)
    (by_inputs,) = summed_by_id(examples, errors[:, np.newaxis] * node_rows)
    by_weights, by_biases = pair_gradients(nodes, errors, rows)
    return given.reduced(losses), Gradients(
        by_inputs.dense(n), by_weights, None if given.biases is None else by_biases
    )


def class_softmax(
    inputs: ArrayLike,
    weights: ArrayLike,
    labels: ArrayLike,
    classes: ArrayLike,
    class_weights: ArrayLike,
    biases: ArrayLike | None = None,
    class_biases: ArrayLike | None = None,
    *,
    reduction: str = "mean",
) -> tuple[Any, ClassGradients]:
    """Return -log P(class of t) - log P(t among the words of its class), and the gradients.

    Both are softmaxes: over the scores of all classes, and over those of the words of one. With
    several true words it is the mean over them.

    Parameters
    ----------
    inputs : array_like, shape (n, dim)
        The row x of each example.
    weights : array_like, shape (n_words, dim)
        The row of each word.
    labels : array_like of int, shape (n,) or (n, num_true)
        The true word of each example, or several.
    classes : array_like of int, shape (n_words,)
        The class of each word; no class is without a word.
    class_weights : array_like, shape (n_classes, dim)
        The row of each class.
    biases : array_like, shape (n_words,), optional
        A number for each word, part of its score.
    class_biases : array_like, shape (n_classes,), optional
        A number for each class, part of its score.
    reduction : {"mean", "sum", "none"}, default "mean"
        What is done with the losses of the examples; see `pyw2v.losses`.

    Returns
    -------
    loss : float or ndarray of float64, shape (n,)
        The loss; an array with ``reduction="none"``.
    gradients : ClassGradients
        Of the loss; by the rows and biases of words they are `Rows`.

    Raises
    ------
    ValueError
        If shapes do not fit, labels or classes are out of range, or a class has no word.

    Examples
    --------
    >>> from pyw2v import losses
    >>> loss, gradients = losses.class_softmax(
    ...     [[1.0]], [[0.0], [0.0], [0.0]], labels=[2], classes=[0, 1, 1], class_weights=[[0.0]] * 2
    ... )
    >>> round(loss, 4), gradients.weights.ids.tolist()
    (1.3863, [1, 2])
    """
    x, class_rows = as_floats("inputs", inputs), as_floats("class_weights", class_weights)
    x = x.astype(np.result_type(x, class_rows), copy=False)
    given = checked(x, weights, labels, biases, reduction)
    dtype = given.inputs.dtype
    class_rows = check_rows("class_weights", class_rows, x.shape[1], dtype)
    word_classes = _checked_classes(classes, len(given.weights), len(class_rows))
    upper, by_class = full_softmax(
        given.inputs,
        class_rows,
        word_classes[given.labels],
        check_biases("class_biases", class_biases, len(class_rows), dtype),
        reduction="none",
    )
    losses, by_inputs, by_words = _within_classes(given, word_classes)
    scale = dtype.type(given.scale)
    return given.reduced(upper + losses), ClassGradients(
        by_inputs + scale * by_class.inputs,
        by_words[0],
        None if given.biases is None else by_words[1],
        scale * by_class.weights,
        None if by_class.biases is None else scale * by_class.biases,
    )


def _within_classes(given: Arguments, classes: Array) -> tuple[Array, Array, tuple[Rows, Rows]]:
    """The softmax over the words of each true word's class: one product for each class met."""
    n, n_true = given.labels.shape
    members = np.argsort(classes, kind="stable")
    sizes = np.bincount(classes)
    first = np.cumsum(sizes) - sizes
    place = np.empty(len(classes), np.int64)
    place[members] = np.arange(len(classes)) - first[classes[members]]
    words = given.labels.ravel()
    order = np.argsort(classes[words], kind="stable")
    met, starts = np.unique(classes[words][order], return_index=True)
    losses, by_inputs, parts = np.zeros(n), np.zeros_like(given.inputs), []
    scale = given.inputs.dtype.type(given.scale / n_true)
    for which, pairs in zip(met, np.split(order, starts[1:]), strict=True):
        ids = members[first[which] : first[which] + sizes[which]]
        examples, rows = pairs // n_true, given.weights[ids]
        x = given.inputs[examples]
        scores = x @ rows.T
        if given.biases is not None:
            scores += given.biases[ids]
        log_p = log_softmax(scores)
        true = np.arange(len(pairs)), place[words[pairs]]
        losses += np.bincount(examples, -log_p[true], minlength=n) / n_true
        errors = np.exp(log_p, out=log_p)
        errors[true] -= 1
        errors *= scale
        (back,) = summed_by_id(examples, errors @ rows)
        by_inputs[back.ids] += back.values
        parts.append((Rows(ids, errors.T @ x), Rows(ids, errors.sum(axis=0))))
    return losses, by_inputs, merged(*parts)


def _checked_classes(classes: Any, n_words: int, n_classes: int) -> Array:
    found = check_ids("classes", classes, n_classes)
    if found.shape != (n_words,):
        raise ValueError(
            f"classes must be one class for each of the {n_words} words, got shape {found.shape}"
        )
    sizes = np.bincount(found, minlength=n_classes)
    if not sizes.all():
        raise ValueError(f"every class must have a word, got none for class {sizes.argmin()}")
    return found


def _paths(paths: Any) -> Paths:
    """Return offsets, points and codes, class after class."""
    if isinstance(paths, HuffmanTree):
        return paths.offsets, paths.points.astype(np.int64), paths.codes
    if not isinstance(paths, tuple) or len(paths) != 2:
        raise ValueError(f"paths must be a HuffmanTree or (points, codes), got {paths!r:.80}")
    points = [_path("points", path, 2**31) for path in paths[0]]
    codes = [_path("codes", path, 2) for path in paths[1]]
    sizes = np.array([len(path) for path in points], np.int64)
    if not points or sizes.tolist() != [len(path) for path in codes]:
        raise ValueError(
            "points and codes must have paths of the same lengths, one for each class, got lengths "
            f"{sizes.tolist()!r:.80} and {[len(path) for path in codes]!r:.80}"
        )
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return offsets, np.concatenate(points), np.concatenate(codes)


def _path(name: str, path: Any, limit: int) -> Array:
    if not np.size(path):  # a class alone in its tree is certain; an empty list has no integer type
        return np.empty(0, np.int64)
    return np.ravel(check_ids(name, path, limit))
