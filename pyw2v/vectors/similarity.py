"""How near given keys are to each other: pairs, sets, documents."""

import importlib
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._shared.checks import check_list
from pyw2v._shared.lengths import Lengths, row_norms, unit
from pyw2v._shared.old_names import warn
from pyw2v._shared.reading import consistent
from pyw2v.vectors.keys import KEY_TYPES, Key, skips_missing, unknown_keys
from pyw2v.vectors.store import VectorStore

logger = logging.getLogger(__name__)


def _cosine(one: NDArray[Any], other: NDArray[Any]) -> Any:
    """In double precision, and rounded: a key is at distance 0 from itself."""
    cosine = np.dot(unit(one.astype(np.float64)), unit(other.astype(np.float64)))
    return cosine.astype(np.result_type(one.dtype, np.float32))


class Similarities(VectorStore):
    """Cosines between given keys. The cosine with a zero vector is 0 everywhere."""

    @staticmethod
    def cosine_similarities(vector_1: ArrayLike, vectors_all: ArrayLike) -> NDArray[Any]:
        """Return the cosine of one vector with each row of a matrix.

        Parameters
        ----------
        vector_1 : array_like of shape (n,)
            The vector.
        vectors_all : array_like of shape (n_rows, n)
            The matrix.

        Returns
        -------
        ndarray of shape (n_rows,)
            The cosines; 0 for zero vectors.
        """
        one, all_rows = np.asarray(vector_1), np.asarray(vectors_all)
        return Lengths(all_rows).cosines(all_rows, unit(one))

    def distances(
        self,
        word_or_vector: Key | NDArray[Any],
        other_words: Iterable[Key] = (),
        *,
        missing: str = "error",
    ) -> NDArray[Any]:
        """Return cosine distances (1 - cosine) to other words.

        Parameters
        ----------
        word_or_vector : key or array_like
            Where to measure from.
        other_words : iterable, default ()
            The words to measure; all words if there are none.
        missing : {"error", "skip"}, default "error"
            Whether unknown words raise KeyError or get the distance NaN.

        Returns
        -------
        ndarray of shape (n_words,)
            The distances.

        Raises
        ------
        KeyError
            If words are unknown; it names them.
        """
        others = check_list("other_words", other_words)
        return self._distances(word_or_vector, others, missing)

    @consistent
    def _distances(
        self, word_or_vector: Key | NDArray[Any], others: list[Key], missing: str
    ) -> NDArray[Any]:
        vector = word_or_vector
        if isinstance(word_or_vector, KEY_TYPES) or not isinstance(word_or_vector, Iterable):
            vector = self.get_vector(word_or_vector)
        vector = self._checked_vector(np.asarray(vector))
        rows = np.array(self._indices(others, missing), np.int64)
        if len(rows):
            distances = 1 - self.cosine_similarities(vector, self.vectors[rows])
            distances[rows < 0] = np.nan
            return distances
        return np.asarray(1 - self._lengths().cosines(self.vectors, unit(vector)))

    @consistent
    def similarity(self, w1: Key, w2: Key) -> Any:
        """Return the cosine of the vectors of two keys.

        Parameters
        ----------
        w1 : str or int
            One key.
        w2 : str or int
            The other key.

        Returns
        -------
        numpy.floating
            From -1 to 1; 0 for a zero vector.

        Raises
        ------
        KeyError
            If a key is unknown.
        """
        return _cosine(self.get_vector(w1), self.get_vector(w2))

    def distance(self, w1: Key, w2: Key) -> Any:
        """Return the cosine distance of two keys, 1 - `similarity`.

        Parameters
        ----------
        w1 : str or int
            One key.
        w2 : str or int
            The other key.

        Returns
        -------
        numpy.floating
            From 0 to 2.

        Raises
        ------
        KeyError
            If a key is unknown.
        """
        return 1 - self.similarity(w1, w2)

    def n_similarity(self, ws1: Sequence[Key], ws2: Sequence[Key]) -> Any:
        """Return the cosine of the mean vectors of two lists of keys.

        Parameters
        ----------
        ws1 : sequence
            Keys; unknown ones are skipped.
        ws2 : sequence
            More keys.

        Returns
        -------
        numpy.floating
            From -1 to 1.

        Raises
        ------
        ZeroDivisionError
            If a list is empty.
        """
        ws1, ws2 = check_list("ws1", ws1), check_list("ws2", ws2)
        if not (ws1 and ws2):
            raise ZeroDivisionError("n_similarity needs two lists that are not empty")
        return self._cosine_of_means(ws1, ws2)

    @consistent
    def _cosine_of_means(self, ws1: list[Key], ws2: list[Key]) -> Any:
        mean1 = self.get_mean_vector(ws1, pre_normalize=False)
        mean2 = self.get_mean_vector(ws2, pre_normalize=False)
        return _cosine(mean1, mean2)

    def most_similar_to_given(
        self, key1: Key, keys_list: Sequence[Key], *, missing: str = "error"
    ) -> Key:
        """Return the key of a list that is most similar to `key1`.

        Parameters
        ----------
        key1 : str or int
            The key to compare with.
        keys_list : sequence
            The keys to choose from.
        missing : {"error", "skip"}, default "error"
            Whether unknown keys of the list raise KeyError or are skipped.

        Returns
        -------
        str or int
            The chosen key.

        Raises
        ------
        KeyError
            If keys are unknown; it names them.
        ValueError
            If there is no key to choose from.
        """
        skip = skips_missing(missing)
        return self._most_similar_of(key1, check_list("keys_list", keys_list, "keys"), skip)

    @consistent
    def _most_similar_of(self, key1: Key, keys_list: list[Key], skip: bool) -> Key:
        known = [key for key in keys_list if key in self]
        if len(known) < len(keys_list) and not skip:
            raise unknown_keys([key for key in keys_list if key not in self], len(keys_list))
        if not known:
            raise ValueError(f"keys_list must hold a key to choose, got {keys_list!r:.200}")
        return known[int(np.argmax([self.similarity(key1, key) for key in known]))]

    @consistent
    def closer_than(self, key1: Key, key2: Key) -> list[Key]:
        """Return all keys that are nearer to `key1` than `key2` is.

        Parameters
        ----------
        key1 : str or int
            Where to measure from.
        key2 : str or int
            How far to go.

        Returns
        -------
        list
            The keys, in the order of the rows.

        Raises
        ------
        KeyError
            If a key is unknown.
        """
        distances = self.distances(key1)
        own, other = self.get_index(key1), self.get_index(key2)
        nearer = np.flatnonzero(distances < distances[other]).tolist()
        return [self.index_to_key[index] for index in nearer if index != own]

    def words_closer_than(self, word1: Key, word2: Key) -> list[Key]:
        """Return all words nearer to one than another is: old name of `closer_than`.

        Parameters
        ----------
        word1 : str or int
            Where to measure from.
        word2 : str or int
            How far to go.

        Returns
        -------
        list
            The words, in the order of the rows.
        """
        warn("words_closer_than", "closer_than")
        return self.closer_than(word1, word2)

    def rank(self, key1: Key, key2: Key) -> int:
        """Return the rank of `key2` among the neighbours of `key1`; the nearest has rank 1.

        Parameters
        ----------
        key1 : str or int
            Where to measure from.
        key2 : str or int
            The key to place.

        Returns
        -------
        int
            From 1 on.

        Raises
        ------
        KeyError
            If a key is unknown.
        """
        return len(self.closer_than(key1, key2)) + 1

    def rank_by_centrality(
        self, words: Sequence[Key], use_norm: bool = True
    ) -> list[tuple[float, Key]]:
        """Rank words by their similarity to the mean of all of them.

        Parameters
        ----------
        words : sequence
            The words; unknown ones are skipped.
        use_norm : bool, default True
            Whether to take all vectors at unit length.

        Returns
        -------
        list of tuple
            (similarity, word), most central first.

        Raises
        ------
        ValueError
            If no word is known.
        """
        return self._by_centrality(check_list("words", words), use_norm)

    @consistent
    def _by_centrality(self, words: list[Key], use_norm: bool) -> list[tuple[float, Key]]:
        known = [word for word in words if word in self]
        if len(known) != len(words):
            logger.warning("not in the vocabulary, ignored: %s", set(words) - set(known))
        if not known:
            raise ValueError("cannot select a word from an empty list")
        vectors = np.vstack([self.get_vector(word, norm=use_norm) for word in known])
        vectors = vectors.astype(np.float32, copy=False)
        similarities = vectors @ unit(vectors.mean(axis=0))
        # Equals by their keys, as gensim's; numbers and texts cannot be compared.
        return sorted(
            zip(similarities, known, strict=True),
            key=lambda pair: (pair[0], isinstance(pair[1], str), pair[1]),
            reverse=True,
        )

    def doesnt_match(self, words: Sequence[Key]) -> Key:
        """Return the word that is furthest from the mean of all words given.

        Parameters
        ----------
        words : sequence
            The words; unknown ones are skipped.

        Returns
        -------
        str or int
            The odd one out.

        Raises
        ------
        ValueError
            If no word is known.
        """
        return self.rank_by_centrality(words)[-1][1]

    def wmdistance(
        self, document1: Sequence[Key], document2: Sequence[Key], norm: bool = True
    ) -> float:
        """Return the Word Mover's Distance of two lists of words (Kusner et al. 2015).

        Needs the package POT: ``pip install 'pyw2v[wmd]'``.

        Parameters
        ----------
        document1 : sequence
            Words; unknown ones are skipped.
        document2 : sequence
            Words of the other document.
        norm : bool, default True
            Whether to take all vectors at unit length.

        Returns
        -------
        float
            Infinite if a document has no known word.

        Raises
        ------
        ImportError
            If POT is not installed.
        """
        document1 = check_list("document1", document1)
        document2 = check_list("document2", document2)
        try:
            solve = importlib.import_module("ot").emd2
        except ImportError as error:
            raise ImportError(
                "wmdistance needs the POT package: pip install 'pyw2v[wmd]'"
            ) from error
        counts, vectors = self._counted(document1, document2, norm)
        if not (counts[0] and counts[1]):
            logger.warning("a document has no word of the vocabulary: its distance is infinite")
            return float("inf")
        if len(counts[0] | counts[1]) == 1:
            return 0.0
        rows1, rows2 = (np.array([vectors[word] for word in count]) for count in counts)
        gaps = np.array([row_norms(rows2 - row) for row in rows1])
        if gaps.sum() < 1e-8:
            return float("inf")  # as gensim: the solver does not end on a matrix of zeros
        shares = [np.array(list(count.values())) / count.total() for count in counts]
        return float(solve(*shares, gaps))

    @consistent
    def _counted(
        self, document1: list[Key], document2: list[Key], norm: bool
    ) -> tuple[list[Counter[Key]], dict[Key, NDArray[np.float64]]]:
        """How often the known words are in each document, and their vectors."""
        counts = [Counter(word for word in doc if word in self) for doc in (document1, document2)]
        words = counts[0] | counts[1]
        vectors = {word: self.get_vector(word, norm=norm).astype(np.float64) for word in words}
        return counts, vectors

    def similarity_unseen_docs(self, *args: Any, **kwargs: Any) -> float:
        """Raise NotImplementedError: the method belongs to document models.

        Parameters
        ----------
        *args : object
            Ignored.
        **kwargs : object
            Ignored.
        """
        raise NotImplementedError("similarity_unseen_docs needs a document model")
