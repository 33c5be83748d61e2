"""From a query, keys and arrays with weights, to the vector it searches for."""

from collections.abc import Hashable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.arrays import nonzero
from pyw2v._shared.lengths import Lengths, row_norms
from pyw2v.vectors.keys import KEY_TYPES, Key, unknown_keys
from pyw2v.vectors.similarity import Similarities

Item: TypeAlias = Any  # a key, an array, or a tuple (key or array, weight)
Weighted: TypeAlias = tuple[Any, float]  # a key or an array, and its weight


def items_of(value: Any) -> list[Item]:
    """The items of one query: a key or vector alone stands for a list of one."""
    if value is None:
        return []
    if isinstance(value, np.ndarray) and value.ndim < 2 and value.dtype.kind not in "OSU":
        return [value]
    if isinstance(value, KEY_TYPES) or not isinstance(value, Iterable):
        return [value]
    return list(value)


class QueryVectors(Similarities):
    """Turns queries into vectors."""

    def _weighted(self, positive: list[Item], negative: list[Item]) -> list[Weighted]:
        """The keys and arrays of a query, each with its weight."""
        if not positive and not negative:
            raise ValueError("cannot compute mean with no input")
        return [
            self._weighted_item(item, sign)
            for items, sign in ((positive, 1.0), (negative, -1.0))
            for item in items
        ]

    def _weighted_item(self, item: Item, sign: float) -> Weighted:
        if isinstance(item, str | int | np.ndarray):
            return item, sign
        if isinstance(item, tuple | list):
            try:
                key, weight = item
                return key, float(weight)
            except (TypeError, ValueError):
                pass
        elif isinstance(item, bytes | np.generic) or (
            isinstance(item, Hashable) and item in self.key_to_index
        ):
            return item, sign
        raise TypeError(
            f"an item of a query must be a key, an array or a tuple (key or array, weight), "
            f"got {item!r}"
        )

    def _known_queries(self, queries: list[list[Weighted]], skip: bool) -> list[int]:
        """Which queries have no unknown key; unknown keys raise KeyError unless skipped."""
        known: list[int] = []
        missing: list[Key] = []
        n_keys = 0
        for number, query in enumerate(queries):
            keys = [key for key, _ in query if not isinstance(key, np.ndarray)]
            unknown = [key for key in keys if key not in self]
            if not unknown:
                known.append(number)
            missing += unknown
            n_keys += len(keys)
        if missing and not skip:
            raise unknown_keys(missing, n_keys)
        return known

    def _query_vectors(
        self, queries: list[list[Weighted]], lengths: Lengths
    ) -> tuple[NDArray[np.float32], list[list[int]]]:
        """Unit mean of each query's items, and the rows of those items that have one."""
        indices: list[int] = []  # row of each item, 0 for those in `special`
        weights: list[float] = []
        special: dict[int, NDArray[Any]] = {}  # items without a row: arrays, composed words
        starts: list[int] = []
        known: list[list[int]] = []
        for query in queries:
            starts.append(len(indices))
            rows: list[int] = []
            for key, weight in query:
                index = -1 if isinstance(key, np.ndarray) else self.get_index(key, -1)
                if index >= 0:
                    rows.append(index)
                else:
                    special[len(indices)] = self._item_vector(key)
                indices.append(max(index, 0))
                weights.append(weight)
            known.append(rows)

        at = np.asarray(indices)
        if special and not len(self.vectors):
            vectors = np.zeros((len(at), self.vector_size))
        else:
            # As get_vector(norm=True) gives them: a query by key or by vector is the same.
            unit_rows = lengths.unit_rows(self.vectors[at], at)
            vectors = unit_rows.astype(self.vectors.dtype, copy=False).astype(np.float64)
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
        return self.get_vector(item, norm=True)
