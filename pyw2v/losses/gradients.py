"""What losses return besides the loss, and the sums by row that it is made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.checks import check_int

Array = NDArray[Any]


class Rows(NamedTuple):
    """Some rows of a matrix, by number; all others are zero.

    Parameters
    ----------
    ids : ndarray of int64, shape (m,)
        The numbers of the rows, rising and each once: ``weights[rows.ids] -= lr * rows.values``
        is a step of gradient descent.
    values : ndarray, shape (m, dim) or (m,)
        The rows; numbers if they are of biases.
    """

    ids: NDArray[np.int64]
    values: Array

    def dense(self, n_rows: int) -> Array:
        """Return the whole matrix, with its zeros.

        Parameters
        ----------
        n_rows : int
            How many rows the matrix has.

        Returns
        -------
        ndarray, shape (n_rows, dim) or (n_rows,)
            The matrix.

        Raises
        ------
        ValueError
            If a row has a number beyond that.
        """
        least = int(self.ids[-1]) + 1 if len(self.ids) else 0
        matrix = np.zeros(
            (check_int("n_rows", n_rows, minimum=least), *self.values.shape[1:]), self.values.dtype
        )
        matrix[self.ids] = self.values
        return matrix


class Gradients(NamedTuple):
    """The gradients of a loss, in the types of its arguments.

    Parameters
    ----------
    inputs : ndarray, shape (n, dim)
        By the inputs.
    weights : ndarray, shape (n_classes, dim), or Rows
        By the weights; losses that do not look at all rows have `Rows`.
    biases : ndarray, shape (n_classes,), or Rows or None
        By the biases, as those by the weights; None without biases.
    """

    inputs: Array
    weights: Any
    biases: Any


class ClassGradients(NamedTuple):
    """The gradients of `class_softmax`.

    Parameters
    ----------
    inputs : ndarray, shape (n, dim)
        By the inputs.
    weights : Rows
        By the rows of words.
    biases : Rows or None
        By the biases of words.
    class_weights : ndarray, shape (n_classes, dim)
        By the rows of word classes.
    class_biases : ndarray, shape (n_classes,), or None
        By the biases of word classes.
    """

    inputs: Array
    weights: Rows
    biases: Rows | None
    class_weights: Array
    class_biases: Array | None


def summed_by_id(ids: Array, *parts: Array) -> list[Rows]:
    """Return sums of rows with the same id: of sorted segments, as np.add.at is many times slower.

    Parts are arrays with a row, or a number, for each id.
    """
    ids = np.asarray(ids, np.int64)
    if not len(ids):
        return [Rows(ids, part) for part in parts]
    order = np.argsort(ids, kind="stable")
    in_order = ids[order]
    starts = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]]))
    found = in_order[starts]
    return [Rows(found, np.add.reduceat(part[order], starts, axis=0)) for part in parts]


def pair_gradients(ids: Array, errors: Array, rows: Array) -> tuple[Rows, Rows]:
    """Return the gradients by weights and biases of pairs: an id, an error, and an input row."""
    weights, biases = summed_by_id(ids, errors[:, np.newaxis] * rows, errors)
    return weights, biases


def merged(*parts: tuple[Rows, Rows]) -> tuple[Rows, Rows]:
    """Return the sums of gradients by weights and biases whose ids may be the same."""
    ids = np.concatenate([weights.ids for weights, _ in parts])
    values = [np.concatenate([part[i].values for part in parts]) for i in range(2)]
    weights, biases = summed_by_id(ids, *values)
    return weights, biases
