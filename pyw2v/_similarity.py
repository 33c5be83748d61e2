"""How near given keys are to each other: pairs, sets, documents."""

import importlib
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._arrays import dots, nonzero, row_norms, unit
from pyw2v._checks import check_list
from pyw2v._keys import KEY_TYPES, Key, skips_missing, unknown_keys
from pyw2v._old_names import warn
from pyw2v._store import VectorStore

logger = logging.getLogger(__name__)


def _cosine(one: NDArray[Any], other: NDArray[Any]) -> Any:
    """In double precision, and rounded: a key is at distance 0 from itself."""
    cosine = np.dot(unit(one.astype(np.float64)), unit(other.astype(np.float64)))
    return cosine.astype(np.result_type(one.dtype, np.float32))


class Similarities(VectorStore):
    """Cosines between given keys. The cosine with a zero vector is 0 everywhere."""

    @staticmethod
    def cosine_similarities(vector_1: ArrayLike, vectors_all: ArrayLike) -> NDArray[Any]:
        """Cosine of one vector with each row of a matrix."""
        one, all_rows = np.asarray(vector_1), np.asarray(vectors_all)
        return np.asarray(dots(all_rows, unit(one)) / nonzero(row_norms(all_rows)))

    def distances(
        self,
        word_or_vector: Key | NDArray[Any],
        other_words: Iterable[Key] = (),
        *,
        missing: str = "error",
    ) -> NDArray[Any]:
        """Cosine distances (1 - cosine) to other words, or to all words if none are given.

        Unknown words are a KeyError, which names them; with `missing="skip"` their distance is NaN.
        """
        vector = word_or_vector
        if isinstance(word_or_vector, KEY_TYPES) or not isinstance(word_or_vector, Iterable):
            vector = self.get_vector(word_or_vector)
        vector = self._checked_vector(np.asarray(vector))
        others = check_list("other_words", other_words)
        rows = np.array(self._indices(others, missing), np.int64)
        if len(rows):
            distances = 1 - self.cosine_similarities(vector, self.vectors[rows])
            distances[rows < 0] = np.nan
            return distances
        products = dots(self.vectors, unit(vector))
        return np.asarray(1 - products / nonzero(self._filled_norms()))

    def similarity(self, w1: Key, w2: Key) -> Any:
        """Cosine of the vectors of two keys."""
        return _cosine(self.get_vector(w1), self.get_vector(w2))

    def distance(self, w1: Key, w2: Key) -> Any:
        """1 - `similarity`."""
        return 1 - self.similarity(w1, w2)

    def n_similarity(self, ws1: Sequence[Key], ws2: Sequence[Key]) -> Any:
        """Cosine of the mean vectors of two lists of keys; unknown keys are skipped."""
        ws1, ws2 = check_list("ws1", ws1), check_list("ws2", ws2)
        if not (ws1 and ws2):
            raise ZeroDivisionError("n_similarity needs two lists that are not empty")
        mean1 = self.get_mean_vector(ws1, pre_normalize=False)
        mean2 = self.get_mean_vector(ws2, pre_normalize=False)
        return _cosine(mean1, mean2)

    def most_similar_to_given(
        self, key1: Key, keys_list: Sequence[Key], *, missing: str = "error"
    ) -> Key:
        """The key of the list that is most similar to `key1`.

        Unknown keys are a KeyError, which names them; with `missing="skip"` others are chosen from.
        """
        skip = skips_missing(missing)
        keys_list = check_list("keys_list", keys_list, "keys")
        known = [key for key in keys_list if key in self]
        if len(known) < len(keys_list) and not skip:
            raise unknown_keys([key for key in keys_list if key not in self], len(keys_list))
        if not known:
            raise ValueError(f"keys_list must hold a key to choose, got {keys_list!r:.200}")
        return known[int(np.argmax([self.similarity(key1, key) for key in known]))]

    def closer_than(self, key1: Key, key2: Key) -> list[Key]:
        """All keys nearer to `key1` than `key2` is."""
        distances = self.distances(key1)
        own, other = self.get_index(key1), self.get_index(key2)
        nearer = np.flatnonzero(distances < distances[other]).tolist()
        return [self.index_to_key[index] for index in nearer if index != own]

    def words_closer_than(self, word1: Key, word2: Key) -> list[Key]:
        """Old name of `closer_than`."""
        warn("words_closer_than", "closer_than")
        return self.closer_than(word1, word2)

    def rank(self, key1: Key, key2: Key) -> int:
        """Place of `key2` among the neighbours of `key1`; the nearest has rank 1."""
        return len(self.closer_than(key1, key2)) + 1

    def rank_by_centrality(
        self, words: Sequence[Key], use_norm: bool = True
    ) -> list[tuple[float, Key]]:
        """(similarity to the mean of all words, word), most central first; unknown ones skipped."""
        words = check_list("words", words)
        known = [word for word in words if word in self]
        if len(known) != len(words):
            logger.warning("not in the vocabulary, ignored: %s", set(words) - set(known))
        if not known:
            raise ValueError("cannot select a word from an empty list")
        vectors = np.vstack([self.get_vector(word, norm=use_norm) for word in known])
        vectors = vectors.astype(np.float32, copy=False)
        similarities = vectors @ unit(vectors.mean(axis=0))
        return sorted(zip(similarities, known, strict=True), reverse=True)

    def doesnt_match(self, words: Sequence[Key]) -> Key:
        """The word furthest from the mean of all the words."""
        return self.rank_by_centrality(words)[-1][1]

    def wmdistance(
        self, document1: Sequence[Key], document2: Sequence[Key], norm: bool = True
    ) -> float:
        """Word Mover's Distance of two lists of words (Kusner et al. 2015); needs POT.

        Unknown words are skipped; infinite when that leaves a document empty. `norm` takes all
        vectors at unit length.
        """
        document1 = check_list("document1", document1)
        document2 = check_list("document2", document2)
        try:
            solve = importlib.import_module("ot").emd2
        except ImportError as error:
            raise ImportError(
                "wmdistance needs the POT package: pip install 'pyw2v[wmd]'"
            ) from error
        counts = [Counter(word for word in doc if word in self) for doc in (document1, document2)]
        if not (counts[0] and counts[1]):
            logger.warning("a document has no word of the vocabulary: its distance is infinite")
            return float("inf")
        if len(counts[0] | counts[1]) == 1:
            return 0.0
        rows1, rows2 = (
            np.array([self.get_vector(word, norm=norm) for word in count], np.float64)
            for count in counts
        )
        gaps = np.array([row_norms(rows2 - row) for row in rows1])
        if gaps.sum() < 1e-8:
            return float("inf")  # as gensim: the solver does not end on a matrix of zeros
        shares = [np.array(list(count.values())) / count.total() for count in counts]
        return float(solve(*shares, gaps))

    def similarity_unseen_docs(self, *args: Any, **kwargs: Any) -> float:
        """Not offered: it belongs to document models."""
        raise NotImplementedError("similarity_unseen_docs needs a document model")
