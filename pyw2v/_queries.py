"""Questions about vectors: nearest keys, similarities, the odd one out."""

import logging
import operator
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v import _search
from pyw2v._arrays import nonzero, row_norms, unit
from pyw2v._store import KEY_TYPES, Key, VectorStore

logger = logging.getLogger(__name__)

Neighbours: TypeAlias = list[tuple[Key, float]]
Item: TypeAlias = Any  # a key, an array, or a tuple (key or array, weight)

# Queries answered in one pass: bounds the memory for their vectors and results.
_BATCH = 16384


def _items(value: Any) -> list[Item]:
    """The items of one query: a key or array alone stands for a list of one."""
    if value is None:
        return []
    if isinstance(value, KEY_TYPES) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return [value]
    return list(value)


class Queries(VectorStore):
    """Similarity queries over the vectors of a `VectorStore`.

    The cosine with a zero vector is 0 everywhere.
    """

    # -- nearest keys ----------------------------------------------------------------------------

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
    ) -> Any:
        """Finds the keys nearest (by cosine) to the mean of positive and negated negative items.

        An item is a key, an array, or a tuple `(key or array, weight)`; the weight replaces the 1
        of positive and the -1 of negative items. Keys are taken at unit length, arrays as they
        are. The keys of a query are not among its answers.

        Only rows from `clip_start` to before `clip_end` are searched, or the first
        `restrict_vocab`. `topn=None` returns the similarities of all of them as an array.
        `indexer`, an object with `most_similar(vector, topn)`, replaces the exact search.

        A list of lists is a batch: each inner list holds the positive items of one query, and
        `negative`, if given, has one list a query too. It is answered as by
        `most_similar_batch`:

            kv.most_similar("king")                                   # [(key, cosine), ...]
            kv.most_similar(["king", "woman"], ["man"])               # one query of three items
            kv.most_similar([["king", "woman"], ["paris"]])           # two queries, two answers
            kv.most_similar([["king", "woman"]], [["man"]])           # a batch of one
        """
        options = (topn, clip_start, clip_end, restrict_vocab, indexer)
        if isinstance(positive, list) and positive and isinstance(positive[0], list):
            return self.most_similar_batch(positive, negative, *options)
        answers = self.most_similar_batch([_items(positive)], [_items(negative)], *options)
        return answers[0]

    def most_similar_batch(
        self,
        positive: Sequence[Any] | NDArray[Any],
        negative: Sequence[Any] | None = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
        workers: int = -1,
    ) -> Any:
        """Answers many queries in one multi-threaded pass; each answer as of `most_similar`.

        `positive` has one entry a query: a key, an array, or a list of items; a 2-D array is one
        query a row. `negative`, if given, has as many entries, each an item, a list or None.
        With `topn=None` the result is an array, one row of similarities a query.
        """
        limit = None if topn is None else operator.index(topn)
        positives = [_items(query) for query in positive]
        negatives = [[]] * len(positives) if negative is None else [_items(q) for q in negative]
        if len(negatives) != len(positives):
            raise ValueError(
                f"negative must have one entry a query, got {len(negatives)} entries "
                f"for {len(positives)} queries"
            )
        if limit is not None and limit < 1:
            return [[] for _ in positives]
        if restrict_vocab:
            clip_start, clip_end = 0, restrict_vocab
        start, end, _ = slice(clip_start, clip_end or None).indices(len(self.vectors))
        end = max(start, end)
        norms = self._filled_norms()

        answers: list[Any] = []
        for first in range(0, len(positives), _BATCH):
            chunk = slice(first, first + _BATCH)
            means, known = self._query_vectors(positives[chunk], negatives[chunk])
            if indexer is not None and limit is not None:
                answers += [indexer.most_similar(mean, limit) for mean in means]
            elif limit is None:
                answers.append(_search.cosines(self.vectors[start:end], norms[start:end], means))
            else:
                k = min(limit, end - start)
                found = _search.nearest(self.vectors, norms, means, k, known, start, end, workers)
                answers += self._named(*found)
        if limit is None:
            return np.concatenate(answers) if answers else np.zeros((0, end - start), np.float32)
        return answers

    def _query_vectors(
        self, positives: list[list[Item]], negatives: list[list[Item]]
    ) -> tuple[NDArray[np.float32], list[list[int]]]:
        """Unit mean of each query's items, and the rows of those items that have one."""
        norms = self._filled_norms()
        indices: list[int] = []  # row of each item, 0 for those in `special`
        weights: list[float] = []
        special: dict[int, NDArray[Any]] = {}  # items without a row: arrays, keys made up on demand
        starts: list[int] = []
        known: list[list[int]] = []
        for plus, minus in zip(positives, negatives, strict=True):
            if not plus and not minus:
                raise ValueError("cannot compute mean with no input")
            starts.append(len(indices))
            rows: list[int] = []
            for items, sign in ((plus, 1.0), (minus, -1.0)):
                for item in items:
                    key, weight = item, sign
                    if not isinstance(item, (*KEY_TYPES, np.ndarray)):
                        key, weight = item
                    index = -1 if isinstance(key, np.ndarray) else self.get_index(key, -1)
                    if index >= 0:
                        rows.append(index)
                    else:
                        special[len(indices)] = self._item_vector(key)
                    indices.append(max(index, 0))
                    weights.append(float(weight))
            known.append(rows)

        at = np.asarray(indices)
        if special and not len(self.vectors):
            vectors = np.zeros((len(at), self.vector_size))
        else:
            vectors = self.vectors[at].astype(np.float64)
            vectors /= nonzero(norms)[at, np.newaxis]
        for position, vector in special.items():
            vectors[position] = vector
        vectors *= np.asarray(weights)[:, np.newaxis]
        means = np.add.reduceat(vectors, starts, axis=0)
        means /= nonzero(row_norms(means))[:, np.newaxis]
        return means.astype(np.float32), known

    def _item_vector(self, item: Key | NDArray[Any]) -> NDArray[Any]:
        """Vector of an item that has no row."""
        if isinstance(item, np.ndarray):
            if item.shape != (self.vector_size,):
                raise ValueError(
                    f"a vector in a query must have shape ({self.vector_size},), got {item.shape}"
                )
            return item
        if item not in self:
            raise KeyError(f"Key '{item}' not present in vocabulary")
        return self.get_vector(item, norm=True)

    def _named(self, ids: NDArray[np.int64], scores: NDArray[np.float32]) -> list[Neighbours]:
        keys = self.index_to_key
        return [
            [(keys[i], score) for i, score in zip(*row, strict=True) if i >= 0]
            for row in zip(ids.tolist(), scores.tolist(), strict=True)
        ]

    def similar_by_key(
        self, key: Key, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Keys nearest to a key; see `most_similar`."""
        return self.most_similar([key], topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_word(
        self, word: Key, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Other name of `similar_by_key`."""
        return self.similar_by_key(word, topn, restrict_vocab)

    def similar_by_vector(
        self, vector: ArrayLike, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Keys nearest to a vector; a key whose vector it is comes first."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_cosmul(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> Any:
        """Nearest keys by the product of similarities instead of their sum (3CosMul).

        Levy and Goldberg 2014, "Linguistic Regularities in Sparse and Explicit Word
        Representations", equation 4, with similarities shifted to [0, 1] (footnote 7).
        """
        limit = None if topn is None else operator.index(topn)
        if limit is not None and limit < 1:
            return []
        plus, minus = _items(positive), _items(negative)
        if not plus:
            raise ValueError("cannot compute similarity with no positive input")
        end = len(self.vectors[: restrict_vocab or None])
        terms = np.array([self._unit_item(item) for item in plus + minus], np.float32)
        shifted = (1 + _search.cosines(self.vectors[:end], self._filled_norms()[:end], terms)) / 2
        products = shifted[: len(plus)].prod(axis=0) / (shifted[len(plus) :].prod(axis=0) + 1e-6)
        if limit is None:
            return products
        keys = [item for item in plus + minus if not isinstance(item, np.ndarray)]
        used = {self.get_index(key, -1) for key in keys}
        ids = np.lexsort((np.arange(end), -products))[: limit + len(used)].tolist()
        best = [i for i in ids if i not in used and not np.isnan(products[i])][:limit]
        return [(self.index_to_key[i], float(products[i])) for i in best]

    def _unit_item(self, item: Key | NDArray[Any]) -> NDArray[Any]:
        return (
            self._item_vector(item) if isinstance(item, np.ndarray) else self.get_vector(item, True)
        )

    # -- similarities ----------------------------------------------------------------------------

    @staticmethod
    def cosine_similarities(vector_1: ArrayLike, vectors_all: ArrayLike) -> NDArray[Any]:
        """Cosine of one vector with each row of a matrix."""
        one, all_rows = np.asarray(vector_1), np.asarray(vectors_all)
        dots = all_rows @ unit(one)
        return np.asarray(dots / nonzero(row_norms(all_rows)))

    def distances(
        self, word_or_vector: Key | NDArray[Any], other_words: Iterable[Key] = ()
    ) -> NDArray[Any]:
        """Cosine distances (1 - cosine) to other words, or to all words if none are given."""
        vector = word_or_vector
        if isinstance(word_or_vector, KEY_TYPES):
            vector = self.get_vector(word_or_vector)
        indices = [self.get_index(word) for word in other_words]
        if indices:
            return 1 - self.cosine_similarities(vector, self.vectors[indices])
        dots = self.vectors @ unit(np.asarray(vector))
        return np.asarray(1 - dots / nonzero(self._filled_norms()))

    def similarity(self, w1: Key, w2: Key) -> Any:
        """Cosine of the vectors of two keys."""
        return np.dot(unit(self[w1]), unit(self[w2]))

    def distance(self, w1: Key, w2: Key) -> Any:
        """1 - `similarity`."""
        return 1 - self.similarity(w1, w2)

    def n_similarity(self, ws1: Sequence[Key], ws2: Sequence[Key]) -> Any:
        """Cosine of the mean vectors of two lists of keys; unknown keys are skipped."""
        if not (len(ws1) and len(ws2)):
            raise ZeroDivisionError("n_similarity needs two lists that are not empty")
        mean1 = self.get_mean_vector(ws1, pre_normalize=False)
        mean2 = self.get_mean_vector(ws2, pre_normalize=False)
        return np.dot(unit(mean1), unit(mean2))

    def most_similar_to_given(self, key1: Key, keys_list: Sequence[Key]) -> Key:
        """The key of the list that is most similar to `key1`."""
        return keys_list[int(np.argmax([self.similarity(key1, key) for key in keys_list]))]

    def closer_than(self, key1: Key, key2: Key) -> list[Key]:
        """All keys nearer to `key1` than `key2` is."""
        distances = self.distances(key1)
        own, other = self.get_index(key1), self.get_index(key2)
        nearer = np.flatnonzero(distances < distances[other]).tolist()
        return [self.index_to_key[index] for index in nearer if index != own]

    def words_closer_than(self, word1: Key, word2: Key) -> list[Key]:
        """Old name of `closer_than`."""
        return self.closer_than(word1, word2)

    def rank(self, key1: Key, key2: Key) -> int:
        """Place of `key2` among the neighbours of `key1`; the nearest has rank 1."""
        return len(self.closer_than(key1, key2)) + 1

    def rank_by_centrality(
        self, words: Sequence[Key], use_norm: bool = True
    ) -> list[tuple[float, Key]]:
        """(similarity to the mean of all words, word), most central first; unknown ones skipped."""
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

    def relative_cosine_similarity(self, wa: Key, wb: Key, topn: int = 10) -> float:
        """Similarity of two words relative to the sum over the `topn` nearest to `wa`.

        Leeuwenberg et al. 2016, "A Minimally Supervised Approach for Synonym Extraction with Word
        Embeddings", equation 1.
        """
        neighbours = self.similar_by_key(wa, topn)
        if not neighbours:
            raise ValueError("relative_cosine_similarity needs topn of at least 1 and other words")
        total: float = sum(cosine for _, cosine in neighbours)
        return float(self.similarity(wa, wb)) / total
