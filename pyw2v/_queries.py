"""Questions about vectors: nearest keys, similarities, the odd one out."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v import _search
from pyw2v._checks import check_int, check_list
from pyw2v._keys import Key, skips_missing
from pyw2v._query_vectors import QueryVectors, items_of

Neighbours: TypeAlias = list[tuple[Key, float]]

# Queries, and places for their answers, in one pass: bounds the memory for both.
_BATCH = 16384
_BATCH_PLACES = 1 << 21


class Queries(QueryVectors):
    """Searches for the keys nearest to something."""

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
        *,
        missing: str = "error",
    ) -> Any:
        """Finds the keys nearest (by cosine) to the mean of positive and negated negative items.

        An item is a key, an array, or a tuple `(key or array, weight)`; the weight replaces the 1
        of positive and the -1 of negative items. Keys are taken at unit length, arrays as they
        are. The keys of a query are not among its answers.

        Only rows from `clip_start` to before `clip_end` are searched, or the first
        `restrict_vocab`. `topn=None` returns the similarities of all of them as an array.
        `indexer`, an object with `most_similar(vector, topn)`, replaces the exact search.
        An unknown key is a KeyError; with `missing="skip"` the answer to its query is empty.

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
            return self.most_similar_batch(positive, negative, *options, missing=missing)
        query, minus = [items_of(positive)], [items_of(negative)]
        return self.most_similar_batch(query, minus, *options, missing=missing)[0]

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
        *,
        missing: str = "error",
    ) -> Any:
        """Answers many queries in one multi-threaded pass; each answer as of `most_similar`.

        `positive` has one entry a query: a key, an array, or a list of items; a 2-D array is one
        query a row. `negative`, if given, has as many entries, each an item, a list or None.
        With `topn=None` the result is an array, one row of similarities a query.

        Unknown keys are a KeyError, which names them. With `missing="skip"` a query with an unknown
        key has an empty list for an answer (a row of NaN with `topn=None`), so that there are as
        many answers as queries, in their order.
        """
        limit = None if topn is None else check_int("topn", topn)
        skip = skips_missing(missing)
        positives = [items_of(query) for query in check_list("positive", positive, "queries")]
        negatives = [[]] * len(positives) if negative is None else [items_of(q) for q in negative]
        if len(negatives) != len(positives):
            raise ValueError(
                f"negative must have one entry a query, got {len(negatives)} entries "
                f"for {len(positives)} queries"
            )
        if limit is not None and limit < 1:
            return [[] for _ in positives]
        if restrict_vocab:
            clip_start, clip_end = 0, check_int("restrict_vocab", restrict_vocab)
        clip_start = check_int("clip_start", clip_start)
        clip_end = check_int("clip_end", clip_end) if clip_end else None
        start, end, _ = slice(clip_start, clip_end).indices(len(self.vectors))
        end = max(start, end)
        norms = self._filled_norms()

        every = [self._weighted(*query) for query in zip(positives, negatives, strict=True)]
        known = self._known_queries(every, skip)
        queries = [every[i] for i in known]
        width = end - start if limit is None else min(limit, end - start)
        step = max(1, min(_BATCH, _BATCH_PLACES // max(1, width)))
        answers: list[Any] = []
        for first in range(0, len(queries), step):
            means, rows = self._query_vectors(queries[first : first + step])
            if indexer is not None and limit is not None:
                answers += [indexer.most_similar(mean, limit) for mean in means]
            elif limit is None:
                answers.append(_search.cosines(self.vectors[start:end], norms[start:end], means))
            else:
                answers += self._nearest_to(means, limit, rows, start, end, workers)
        if limit is None:
            dtype = np.result_type(self.vectors.dtype, np.float32)
            cosines = np.concatenate([np.zeros((0, end - start), dtype), *answers])
            if len(known) < len(every):
                found, cosines = cosines, np.full((len(every), end - start), np.nan, dtype)
                cosines[known] = found
            return cosines
        at = dict(zip(known, answers, strict=True))
        return [at.get(i, []) for i in range(len(every))]

    def _nearest_to(
        self,
        queries: NDArray[np.float32],
        topn: int,
        exclude: Sequence[Sequence[int]] | NDArray[np.int64],
        start: int,
        end: int,
        workers: int = -1,
    ) -> list[Neighbours]:
        """The keys of rows [start, end) nearest to each query but those of the excluded rows."""
        norms = self._filled_norms()
        k = min(topn, end - start)
        if k == 0:
            return [[] for _ in queries]
        found = _search.nearest(self.vectors, norms, queries, k, exclude, start, end, workers)
        ids: list[int] = found[0].ravel().tolist()
        keys = [self.index_to_key[i] for i in ids]  # any key for -1
        pairs = list(zip(keys, found[1].ravel().tolist(), strict=True))
        answers = [pairs[at : at + k] for at in range(0, len(pairs), k)]
        if -1 in ids or None in keys:  # places that stayed empty, rows without a key
            for q, answer in enumerate(answers):
                places = zip(ids[q * k : (q + 1) * k], answer, strict=True)
                answers[q] = [pair for i, pair in places if i >= 0 and pair[0] is not None]
        return answers

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
        limit = None if topn is None else check_int("topn", topn)
        if limit is not None and limit < 1:
            return []
        plus, minus = items_of(positive), items_of(negative)
        if not plus:
            raise ValueError("cannot compute similarity with no positive input")
        end = check_int("restrict_vocab", restrict_vocab) if restrict_vocab else None
        end = len(self.vectors[:end])
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
