"""The parameters of a GloVe model: vectors, biases, and the sums of squares of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core import matrix
from pyw2v.vectors import KeyedVectors

Array = npt.NDArray[Any]

KINDS = ("sum", "word", "context")

_PIECE_ROWS = 4096


class GloveParameters:
    """A row for every word, then one for every context.

    A row of `values` is a vector and, in its last column, its bias; `squares` has the sums of
    squares of their gradients. Both are C-contiguous, and may be changed in place.
    """

    def __init__(self, n_words: int, dim: int, dtype: npt.DTypeLike) -> None:
        self.n_words, self.dim, self.dtype = n_words, dim, np.dtype(dtype)
        self.values: Array = self._matrix()
        self.squares: Array = self._matrix()
        self.squares[:] = 1

    def _matrix(self) -> Array:
        shape = (2 * self.n_words, self.dim + 1)
        return matrix.zeros(*shape) if self.dtype == np.float32 else np.zeros(shape, self.dtype)

    def spread(self, layout: matrix.SpreadRows) -> None:
        """Lay the matrices out for the core, which trains doubles as they are."""
        if self.dtype == np.float32:
            layout.spread([self.values], [self])
            layout.spread([self.squares], [self], padding=1)  # nothing is ever divided by 0

    def randomize(self, seed: int | None) -> None:
        """Draw all values from [-0.5, 0.5) / dim, biases too, as the C program does."""
        rng = np.random.default_rng(seed)
        values = self.values
        for first in range(0, len(values), _PIECE_ROWS):
            piece = values[first : first + _PIECE_ROWS]
            piece[:] = (rng.random(piece.shape) - 0.5) / self.dim

    def vectors(self, kind: str) -> Array:
        """Return the vectors of words, those of contexts, or their sum: a copy."""
        if kind not in KINDS:
            raise ValueError(f"vectors must be one of {', '.join(KINDS)}, got {kind!r}")
        words, contexts = self.values[: self.n_words, :-1], self.values[self.n_words :, :-1]
        if kind == "sum":
            return np.asarray(words + contexts)
        return np.array(words if kind == "word" else contexts, order="C")

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
        words, contexts = rows, rows + self.n_words
        if kind == "sum":  # shared out, so that the sum is what was given
            self.values[words, :-1] = vectors / 2
            self.values[contexts, :-1] = vectors / 2
        else:
            self.values[words if kind == "word" else contexts, :-1] = vectors
        return len(known)
