"""Queries for the keys nearest to other keys or vectors."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._shared.checks import check_int, check_list
from pyw2v._shared.lengths import Lengths
from pyw2v._shared.reading import consistent
from pyw2v.io.mapped import check_unchanged
from pyw2v.vectors import search
from pyw2v.vectors.keys import Key, skips_missing
from pyw2v.vectors.query_vectors import Item, QueryVectors, items_of

Neighbours: TypeAlias = list[tuple[Key, float]]

# Queries in one pass, and places for their results: bounds the memory for both.
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
        """Return the keys nearest (by cosine) to the mean of some keys and vectors.

        An item is a key, an array, or a tuple ``(key or array, weight)``. Keys are taken at unit
        length, arrays as they are. The keys of a query are not among its results.

        Parameters
        ----------
        positive : item, list of items or list of lists, optional
            Items of weight 1. A list of lists is a batch, one inner list a query; the result is
            then that of `most_similar_batch`.
        negative : item, list of items or list of lists, optional
            Items of weight -1; in a batch one list a query.
        topn : int or None, default 10
            How many keys to return; None returns the similarities of all rows as an array.
        clip_start : int, default 0
            The first row to search.
        clip_end : int, optional
            The row to stop before.
        restrict_vocab : int, optional
            Search only the first so many rows; replaces `clip_start` and `clip_end`.
        indexer : object, optional
            An object with ``most_similar(vector, topn)``, used instead of the exact search.
        missing : {"error", "skip"}, default "error"
            Whether an unknown key raises KeyError or makes the result of its query empty.

        Returns
        -------
        list of tuple
            (key, cosine), nearest first; for a batch a list of such lists.

        Raises
        ------
        KeyError
            If keys are unknown; it names them.
        ValueError
            If a query is empty, or an array has another shape.

        See Also
        --------
        most_similar_batch : Many queries at once.
        most_similar_cosmul : The product of similarities instead of their sum.

        Examples
        --------
        >>> from pyw2v import KeyedVectors
        >>> kv = KeyedVectors(2)
        >>> kv.add_vectors(["king", "queen", "man", "woman"], [[2, 1], [2, -1], [0, 1], [0, -1]])
        >>> kv.most_similar(["king", "woman"], ["man"], topn=1)[0][0]
        'queen'
        >>> len(kv.most_similar([["king"], ["man"], ["woman"]]))
        3
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
        """Run many queries of `most_similar` in one multi-threaded pass.

        Parameters
        ----------
        positive : sequence or 2-D ndarray
            One entry a query: a key, an array, or a list of items. A 2-D array is one query a row.
        negative : sequence, optional
            As many entries, each an item, a list of items or None.
        topn : int or None, default 10
            How many keys each query returns; None returns the similarities of all rows.
        clip_start : int, default 0
            The first row to search.
        clip_end : int, optional
            The row to stop before.
        restrict_vocab : int, optional
            Search only the first so many rows.
        indexer : object, optional
            An object with ``most_similar(vector, topn)``, used instead of the exact search.
        workers : int, default -1
            Threads; 0 or less for all cores.
        missing : {"error", "skip"}, default "error"
            Whether unknown keys raise KeyError, or the result of their query is an empty list (a
            row of NaN with ``topn=None``).

        Returns
        -------
        list of list of tuple, or ndarray
            One result a query, in order. With ``topn=None`` an array of shape (n_queries, n_rows).

        Raises
        ------
        KeyError
            If keys are unknown; it names them.
        ValueError
            If a query is empty, or `negative` has another length than `positive`.
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
        rows = slice(clip_start, check_int("clip_end", clip_end) if clip_end else None)
        pairs = list(zip(positives, negatives, strict=True))
        return self._search_in_batches(pairs, limit, rows, indexer, workers, skip)

    @consistent
    def _search_in_batches(
        self,
        pairs: list[tuple[list[Item], list[Item]]],
        limit: int | None,
        among: slice,
        indexer: Any,
        workers: int,
        skip: bool,
    ) -> Any:
        check_unchanged(self.vectors)
        start, end, _ = among.indices(len(self.vectors))
        end = max(start, end)
        lengths = self._lengths()

        every = [self._weighted(*query) for query in pairs]
        known = self._known_queries(every, skip)
        queries = [every[i] for i in known]
        width = end - start if limit is None else min(limit, end - start)
        step = max(1, min(_BATCH, _BATCH_PLACES // max(1, width)))
        results: list[Any] = []
        for first in range(0, len(queries), step):
            means, rows = self._query_vectors(queries[first : first + step], lengths)
            if indexer is not None and limit is not None:
                results += [indexer.most_similar(mean, limit) for mean in means]
            elif limit is None:
                results.append(search.cosines(self.vectors, lengths, slice(start, end), means))
            else:
                results += self._nearest_to(means, lengths, limit, rows, start, end, workers)
        if limit is None:
            dtype = np.result_type(self.vectors.dtype, np.float32)
            cosines = np.concatenate([np.zeros((0, end - start), dtype), *results])
            if len(known) < len(every):
                found, cosines = cosines, np.full((len(every), end - start), np.nan, dtype)
                cosines[known] = found
            return cosines
        at = dict(zip(known, results, strict=True))
        return [at.get(i, []) for i in range(len(every))]

    def _nearest_to(
        self,
        queries: NDArray[np.float32],
        lengths: Lengths,
        topn: int,
        exclude: Sequence[Sequence[int]] | NDArray[np.int64],
        start: int,
        end: int,
        workers: int = -1,
    ) -> list[Neighbours]:
        """The keys of rows [start, end) nearest to each query but those of the excluded rows."""
        k = min(topn, end - start)
        if k == 0:
            return [[] for _ in queries]
        found = search.nearest(self.vectors, lengths, queries, k, exclude, start, end, workers)
        ids: list[int] = found[0].ravel().tolist()
        keys = [self.index_to_key[i] for i in ids]  # any key for -1
        pairs = list(zip(keys, found[1].ravel().tolist(), strict=True))
        results = [pairs[at : at + k] for at in range(0, len(pairs), k)]
        if -1 in ids or None in keys:  # places that stayed empty, rows without a key
            for q, result in enumerate(results):
                places = zip(ids[q * k : (q + 1) * k], result, strict=True)
                results[q] = [pair for i, pair in places if i >= 0 and pair[0] is not None]
        return results

    def similar_by_key(
        self, key: Key, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Return the keys nearest to a key.

        Parameters
        ----------
        key : str or int
            The key.
        topn : int or None, default 10
            How many to return; None returns all similarities as an array.
        restrict_vocab : int, optional
            Search only the first so many rows.

        Returns
        -------
        list of tuple
            (key, cosine), nearest first.

        Raises
        ------
        KeyError
            If the key is unknown.
        """
        return self.most_similar([key], topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_word(
        self, word: Key, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Return the words nearest to a word: other name of `similar_by_key`.

        Parameters
        ----------
        word : str or int
            The word.
        topn : int or None, default 10
            How many to return; None returns all similarities as an array.
        restrict_vocab : int, optional
            Search only the first so many rows.

        Returns
        -------
        list of tuple
            (word, cosine), nearest first.
        """
        return self.similar_by_key(word, topn, restrict_vocab)

    def similar_by_vector(
        self, vector: ArrayLike, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Return the keys nearest to a vector.

        Parameters
        ----------
        vector : array_like of shape (vector_size,)
            The vector. A key that has this vector comes first.
        topn : int or None, default 10
            How many to return; None returns all similarities as an array.
        restrict_vocab : int, optional
            Search only the first so many rows.

        Returns
        -------
        list of tuple
            (key, cosine), nearest first.
        """
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_cosmul(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> Any:
        """Return the nearest keys by the product of similarities (3CosMul).

        Levy and Goldberg 2014, "Linguistic Regularities in Sparse and Explicit Word
        Representations", equation 4, with similarities shifted to [0, 1] (footnote 7).

        Parameters
        ----------
        positive : item or list of items, optional
            Keys or arrays whose similarity is multiplied.
        negative : item or list of items, optional
            Keys or arrays whose similarity is divided by.
        topn : int or None, default 10
            How many to return; None returns the products of all rows as an array.
        restrict_vocab : int, optional
            Search only the first so many rows.

        Returns
        -------
        list of tuple
            (key, product), best first.

        Raises
        ------
        KeyError
            If a key is unknown.
        ValueError
            If there is no positive item.
        """
        limit = None if topn is None else check_int("topn", topn)
        if limit is not None and limit < 1:
            return []
        plus, minus = items_of(positive), items_of(negative)
        if not plus:
            raise ValueError("cannot compute similarity with no positive input")
        clip_end = check_int("restrict_vocab", restrict_vocab) if restrict_vocab else None
        return self._by_product(plus, minus, limit, clip_end)

    @consistent
    def _by_product(
        self, plus: list[Item], minus: list[Item], limit: int | None, clip_end: int | None
    ) -> Any:
        check_unchanged(self.vectors)
        end = len(self.vectors[:clip_end])
        terms = np.array([self._unit_item(item) for item in plus + minus], np.float32)
        cosines = search.cosines(self.vectors, self._lengths(), slice(0, end), terms)
        shifted = (1 + cosines) / 2
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

    @consistent
    def relative_cosine_similarity(self, wa: Key, wb: Key, topn: int = 10) -> float:
        """Return the similarity of two words relative to the sum over the nearest to `wa`.

        Leeuwenberg et al. 2016, "A Minimally Supervised Approach for Synonym Extraction with Word
        Embeddings", equation 1.

        Parameters
        ----------
        wa : str or int
            One word.
        wb : str or int
            The other word.
        topn : int, default 10
            How many neighbours of `wa` the sum is over.

        Returns
        -------
        float
            The ratio.

        Raises
        ------
        KeyError
            If a word is unknown.
        ValueError
            If `topn` is below 1, or there is no other word.
        """
        neighbours = self.similar_by_key(wa, topn)
        if not neighbours:
            raise ValueError("relative_cosine_similarity needs topn of at least 1 and other words")
        total: float = sum(cosine for _, cosine in neighbours)
        return float(self.similarity(wa, wb)) / total
