"""The parameters of a GloVe model: vectors, biases, and the sums of squares of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core import matrix
from pyw2v.vectors import KeyedVectors

Array = npt.NDArray[Any]

KINDS = ("sum", "word", "context")

_LINE_BYTES = 64
_PIECE_ROWS = 4096


class GloveParameters:
    """A row for every word, then one for every context, laid out as the core trains them.

    A row has two halves, each padded to whole cache lines: the vector and its bias, then their sums
    of squares. csrc/models/glove_model.h says more.
    """

    def __init__(self, n_words: int, dim: int, dtype: npt.DTypeLike) -> None:
        self.n_words, self.dim, self.dtype = n_words, dim, np.dtype(dtype)
        step = _LINE_BYTES // self.dtype.itemsize
        self._half = -(-(dim + 1) // step) * step
        shape = (2 * n_words, 2 * self._half)
        self.rows: Array
        if self.dtype == np.float32:
            self.rows = matrix.aligned(*shape)
        else:
            self.rows = np.zeros(shape, self.dtype)
        self.rows[:, self._half :] = 1

    def randomize(self, seed: int | None) -> None:
        """Draw all values from [-0.5, 0.5) / dim, biases too, as the C program does."""
        rng = np.random.default_rng(seed)
        values = self.values
        for first in range(0, len(values), _PIECE_ROWS):
            piece = values[first : first + _PIECE_ROWS]
            piece[:] = (rng.random(piece.shape) - 0.5) / self.dim

    @property
    def values(self) -> Array:
        """Vectors with their biases in the last column: words, then contexts. A view."""
        return self.rows[:, : self.dim + 1]

    @property
    def squares(self) -> Array:
        """The sums of squares of the gradients of `values`. A view."""
        return self.rows[:, self._half : self._half + self.dim + 1]

    def vectors(self, kind: str) -> Array:
        """Return the vectors of words, those of contexts (views), or their sum."""
        if kind not in KINDS:
            raise ValueError(f"vectors must be one of {', '.join(KINDS)}, got {kind!r}")
        words, contexts = self.rows[: self.n_words], self.rows[self.n_words :]
        if kind == "sum":
            return words[:, : self.dim] + contexts[:, : self.dim]
        return (words if kind == "word" else contexts)[:, : self.dim]

    def start_from(self, places: dict[Any, int], given: KeyedVectors, kind: str) -> int:
        """Give the words that `given` has its vectors, as those of `kind`; return how many."""
        if given.vector_size != self.dim:
            raise ValueError(
                f"init_vectors have {given.vector_size} numbers each, but vector_size is {self.dim}"
            )
        known = [(row, word) for word, row in places.items() if word in given.key_to_index]
        if not known:
            return 0
        rows = np.array([row for row, _ in known])
        vectors = given.vectors[[given.key_to_index[word] for _, word in known]]
        if kind == "sum":  # shared out, so that the sum is what was given
            self.vectors("word")[rows] = vectors / 2
            self.vectors("context")[rows] = vectors / 2
        else:
            self.vectors(kind)[rows] = vectors
        return len(known)
