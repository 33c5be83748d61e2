"""`BucketRows`: a matrix with a row for every bucket of n-grams, of which few exist.

A corpus has n-grams in few of the millions of buckets. Only these have rows of their own, next to
each other; all others share one row of zeros, since nothing is known of them.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyw2v import _matrices
from pyw2v._core.ngrams import place_buckets

Id = np.uint32
Ids = NDArray[np.uint32]


# A table of all buckets is quickest, unless it is out of proportion to the rows: a file of some
# kilobytes may speak of billions of buckets.
_TABLE_BUCKETS = 1 << 24
_TABLE_BUCKETS_A_ROW = 64


class Places:
    """The row of each of `n_buckets` buckets, of which few may have one; others have `absent`.

    Either `table` has the row of every bucket, or `kept` has the buckets with rows, in ascending
    order, and their rows.
    """

    def __init__(self, buckets: Ids, rows: Ids, n_buckets: int, absent: int = 0) -> None:
        self.n_buckets, self.n_rows, self.absent = n_buckets, len(rows), absent
        self.table: Ids | None = None
        self.kept: tuple[Ids, Ids] | None = None
        if _can_be_table(n_buckets, len(buckets)):
            table = np.full(n_buckets, absent, np.uint32) if absent else np.zeros(n_buckets, Id)
            table[buckets] = rows
            self.table = table
        else:
            order = np.argsort(buckets, kind="stable")
            rising = buckets[order]
            last = np.append(rising[1:] != rising[:-1], True)[: len(rising)]  # as in a table
            self.kept = (rising[last].astype(Id), rows[order][last].astype(Id))

    def __getitem__(self, ids: Any) -> Ids:
        """Return the rows of these buckets."""
        if self.kept is None:
            assert self.table is not None
            found: Ids = self.table[ids]
            return found
        buckets, rows = self.kept
        if not len(buckets):
            return np.full(len(ids), self.absent, Id)
        at = np.minimum(np.searchsorted(buckets, ids), len(buckets) - 1)
        return np.where(buckets[at] == ids, rows[at], Id(self.absent))

    def without(self, ids: Ids) -> Ids:
        """Return those of `ids` that have no row yet, each once, as they first occur."""
        if _can_be_table(self.n_buckets, self.n_rows + len(ids)):
            table = np.zeros(self.n_buckets, Id)
            if self.table is not None:
                table[:] = self.table
            elif self.kept is not None:
                table[self.kept[0]] = self.kept[1]
            return place_buckets(ids, self.n_rows, table)
        found, first = np.unique(ids, return_index=True)
        found = found[np.argsort(first)]
        new: Ids = found[self[found] == self.absent]
        return new


def _can_be_table(n_buckets: int, n_rows: int) -> bool:
    return n_buckets <= max(_TABLE_BUCKETS, _TABLE_BUCKETS_A_ROW * n_rows)


class BucketRows:
    """The rows of `n_words` words, then those of `n_buckets` buckets; read by row as an array is.

    `values` holds the rows that exist: of the words, the row of zeros, then of `buckets`. With
    `buckets=None` all buckets have rows and there is no row of zeros: `values` is the matrix.
    """

    def __init__(
        self, values: NDArray[Any], n_words: int, n_buckets: int, buckets: Ids | None
    ) -> None:
        self.values = values
        self.n_words = n_words
        self.buckets = buckets
        self.shape = (n_words + n_buckets, values.shape[1])
        self.places: Places | None = None  # of each bucket: its row behind those of the words
        if buckets is None:
            self.shape = values.shape  # whatever a user gave; training checks it
            return
        if len(values) != n_words + 1 + len(buckets) or (buckets >= n_buckets).any():
            raise ValueError(
                f"{n_words} words and {len(buckets)} of {n_buckets} buckets cannot have "
                f"{len(values)} rows"
            )
        self.places = Places(buckets, np.arange(1, len(buckets) + 1, dtype=np.uint32), n_buckets)

    @classmethod
    def none(cls, n_buckets: int, dim: int, dtype: Any = np.float32) -> Self:
        """No words, and buckets of zeros."""
        return cls(np.zeros((1, dim), dtype), 0, n_buckets, np.empty(0, np.uint32))

    @classmethod
    def full(cls, values: NDArray[Any]) -> Self:
        """A matrix of a row for every bucket."""
        return cls(values, 0, values.shape[0], None)

    def __reduce__(self) -> tuple[Any, ...]:
        n_buckets = self.shape[0] - self.n_words
        return type(self), (self.values, self.n_words, n_buckets, self.buckets)

    def grown(self, n_words: int, ids: Ids, seed: int | None) -> Self:
        """Return a matrix with random rows for further words, and for `ids` that have none.

        A full matrix has all that it can have, and stays as it is.
        """
        if self.places is None or self.buckets is None:
            return self
        new = self.places.without(np.ascontiguousarray(ids))
        if not len(new) and n_words == self.n_words:
            return self
        n_rows = n_words + 1 + len(self.buckets) + len(new)
        values = _matrices.uniform_rows(n_rows, self.shape[1], seed)
        values[: self.n_words] = self.values[: self.n_words]
        values[n_words : n_rows - len(new)] = self.values[self.n_words :]
        buckets = np.concatenate([self.buckets, new])
        return type(self)(values, n_words, self.shape[0] - self.n_words, buckets)

    def with_values(self, values: NDArray[Any]) -> Self:
        """Return the same matrix on this memory."""
        if values is self.values:
            return self
        n_buckets = self.shape[0] - self.n_words
        return type(self)(values, self.n_words, n_buckets, self.buckets)

    def at(self, ids: Ids) -> Ids:
        """Where in `values`, behind the words, the rows of these buckets are."""
        return ids if self.places is None else self.places[ids]

    def existing(self) -> tuple[NDArray[Any], Ids]:
        """Return the rows of the words and of some buckets, and which buckets those are."""
        if self.buckets is None:
            return self.values, np.arange(len(self) - self.n_words, dtype=np.uint32)
        return np.delete(self.values, self.n_words, axis=0), self.buckets

    def by_row(self, factors: Any) -> Any:
        """Turn factors of all buckets into factors of the rows of `values`; None stays None."""
        if factors is None or self.buckets is None:
            return factors
        return np.concatenate([np.zeros(1, factors.dtype), factors[self.buckets]])

    # -- as an array -----------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self.values.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.to_dense(), dtype)

    def __getitem__(self, which: Any) -> NDArray[Any]:
        if isinstance(which, slice):
            which = np.arange(*which.indices(len(self)))
        return self.rows(which)

    def rows(self, ids: Any) -> NDArray[Any]:
        """Return some rows, copied."""
        ids = np.array(ids, np.int64)
        if self.places is not None:
            ids[ids < 0] += len(self)
            behind = ids >= self.n_words
            ids[behind] = self.n_words + self.places[ids[behind] - self.n_words].astype(np.int64)
        found: NDArray[Any] = self.values[ids]
        return found

    def to_dense(self) -> NDArray[Any]:
        """Return all rows in one matrix."""
        if self.buckets is None:
            return self.values
        dense: NDArray[Any] = (
            _matrices.zeros(*self.shape)
            if self.dtype == np.float32
            else np.zeros(self.shape, self.dtype)
        )
        dense[: self.n_words] = self.values[: self.n_words]
        dense[self.n_words + self.buckets.astype(np.int64)] = self.values[self.n_words + 1 :]
        return dense
