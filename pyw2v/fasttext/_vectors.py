"""Vectors of words and lines of a model, and the words nearest to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pyw2v._core.compose import WordMeans
from pyw2v._shared.lengths import Lengths
from pyw2v.classifier.state import ClassifierState
from pyw2v.fasttext._dictionary import Dictionary, Rows
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.vectors.search import nearest

Floats = npt.NDArray[np.float32]

_TINY = 1e-8  # lengths below it count as none
_BLOCK_WORDS = 2000  # whose rows are gathered at once


class Vectors:
    """Means of input rows; those of all words are made by the first query for neighbours."""

    def __init__(self, data: FastTextData, dictionary: Dictionary) -> None:
        self._data = data
        self._dictionary = dictionary
        self._unit: Floats | None = None
        state = ClassifierState(data, "", False)
        rows = state.input_rows
        # Quantised rows are decoded by NumPy, below.
        self._means = (
            WordMeans(rules=state.rules, ids=dictionary.ids, rows=rows)
            if isinstance(rows, np.ndarray)
            else None
        )

    def rows(self, rows: Rows) -> Floats:
        """Rows of the input matrix."""
        matrix = self._data.input
        found: Floats = matrix[rows] if isinstance(matrix, np.ndarray) else matrix.rows(rows)
        return found

    def word(self, word: bytes) -> Floats:
        """Mean of the rows of the word and its n-grams; zeros if there are none."""
        if self._means is not None:
            return self._means.word(word)
        rows = self._dictionary.word_rows(word)
        if rows and rows[0] >= self._data.input.shape[0]:
            rows = rows[1:]  # a label counts as a word, with a number beyond the matrix
        if not rows:
            return np.zeros(self._data.args.dim, np.float32)
        total: Floats = np.add.reduce(self.rows(np.array(rows)), axis=0, dtype=np.float32)
        return total * np.float32(1 / len(rows))

    def words(self, words: list[bytes], numbers: Rows | None = None) -> Floats:
        """The same of many words, in a matrix; `numbers` are theirs if they are known already."""
        if numbers is None:
            numbers = np.array([self._dictionary.id_of(word) for word in words], np.int64)
        numbers = np.where(numbers < self._data.input.shape[0], numbers, -1)
        rows, n_rows = self._dictionary.rows_of(words, numbers)
        means = np.zeros((len(words), self._data.args.dim), np.float32)
        some = n_rows > 0
        if some.any():
            starts = np.cumsum(n_rows[some]) - n_rows[some]
            scales = (1 / n_rows[some]).astype(np.float32)
            means[some] = np.add.reduceat(self.rows(rows), starts) * scales[:, np.newaxis]
        return means

    def all_words(self) -> Iterator[Floats]:
        """The vectors of the vocabulary, some after the others."""
        words = self._data.words
        for first in range(0, len(words), _BLOCK_WORDS):
            some = words[first : first + _BLOCK_WORDS]
            yield self.words(some, np.arange(first, first + len(some)))

    def sentence(self, words: list[bytes]) -> Floats:
        """Mean of the words' vectors, each divided by its length; words without one are left out.

        Zeros if no word is left.
        """
        if self._means is not None:
            return self._means.line(words)
        vectors = self.words(words)
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        some = norms > 0
        if not some.any():
            return np.zeros(self._data.args.dim, np.float32)
        unit = vectors[some] / norms[some, np.newaxis]
        total: Floats = np.add.reduce(unit, axis=0, dtype=np.float32)
        return total * np.float32(1 / len(unit))

    def nearest(self, query: Floats, k: int, banned: list[bytes]) -> list[tuple[float, bytes]]:
        """Pairs (cosine, word) of the k words nearest to a vector, none of them banned."""
        words = self._data.words
        if self._unit is None:
            self._unit = self._unit_vectors()
        numbers = {self._dictionary.id_of(word) for word in banned}
        exclude = sorted(i for i in numbers if 0 <= i < len(words))
        k = min(k, len(words) - len(exclude))
        if k <= 0:
            return []
        norm = float(np.linalg.norm(query))
        unit = query / np.float32(norm if norm >= _TINY else 1)
        lengths = Lengths(self._unit, np.ones(len(words), np.float32))
        ids, scores = nearest(self._unit, lengths, unit[np.newaxis], k, [exclude], 0, len(words))
        pairs = zip(scores[0].tolist(), ids[0].tolist(), strict=True)
        return [(score, words[i]) for score, i in pairs if i >= 0]

    def _unit_vectors(self) -> Floats:
        vectors = np.empty((len(self._data.words), self._data.args.dim), np.float32)
        done = 0
        for block in self.all_words():
            norms = np.sqrt(np.einsum("ij,ij->i", block, block))[:, np.newaxis]
            np.divide(block, norms, out=block, where=norms > 0)
            vectors[done : done + len(block)] = block
            done += len(block)
        return vectors


def normalised(vector: Floats) -> Floats:
    """A term of an analogy: fastText adds a little to its length, so that none is zero."""
    return vector / (np.linalg.norm(vector) + np.float32(_TINY))
