"""What changes vectors: rows are added, replaced, sorted and scaled. Read-only kinds lack it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._shared.arrays import prep_vectors
from pyw2v._shared.checks import check_floats, check_list
from pyw2v._shared.reading import writing
from pyw2v.vectors.keys import KEY_TYPES, Key
from pyw2v.vectors.store import VectorStore


class Changes(VectorStore):
    """The part of `KeyedVectors` that changes it, each method at once for all readers."""

    def _own_vectors(self) -> None:
        """Make `vectors` writable, by a copy when it is a view on a mapped file."""
        if not self.vectors.flags.writeable:
            self.vectors = self.vectors.copy()

    def add_vector(self, key: Key, vector: ArrayLike) -> int:
        """Add one vector, into a pre-allocated row if one is free.

        The vector of a known key is replaced. Without a free row every call copies the whole
        matrix: `add_vectors` takes many keys at once.

        Parameters
        ----------
        key : str or int
            The key.
        vector : array_like of shape (vector_size,)
            Its vector.

        Returns
        -------
        int
            The row of the key.

        Raises
        ------
        ValueError
            If the vector has another shape.

        Warns
        -----
        UserWarning
            If the matrix had to be copied.
        """
        row = self._rows([key], np.asarray(vector)[np.newaxis])
        with self._guard:
            if key not in self.key_to_index and not self._has_free_slot(self.next_index):
                warnings.warn(
                    "add_vector copies the whole matrix when there is no free slot; "
                    "use add_vectors for many keys, or KeyedVectors(vector_size, count=...)",
                    UserWarning,
                    stacklevel=2,
                )
                self.next_index = len(self) + 1
            self.add_vectors([key], row, replace=True)
            return self.key_to_index[key]

    def add_vectors(
        self,
        keys: Key | Sequence[Key],
        weights: ArrayLike,
        extras: Mapping[str, ArrayLike] | None = None,
        replace: bool = False,
    ) -> None:
        """Add keys and their vectors; free rows are filled first.

        All norms are computed anew when next needed.

        Parameters
        ----------
        keys : sequence or key
            The keys.
        weights : array_like of shape (n_keys, vector_size)
            One row a key.
        extras : dict of str to array_like, optional
            Attributes, each with one value a key.
        replace : bool, default False
            For keys that are there already, or repeated: keep the last vector instead of the first.

        Raises
        ------
        ValueError
            If the shapes do not match.
        TypeError
            If `extras` is not a mapping.
        """
        if isinstance(keys, KEY_TYPES):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        keys = check_list("keys", keys, "keys")
        rows = self._rows(keys, weights)
        self._indices(keys, missing="skip")  # raises unless they can be keys
        if not isinstance(extras, Mapping | None):
            raise TypeError(f"extras must map names to one value a key, got {extras!r:.80}")
        attributes = {name: np.asarray(values) for name, values in (extras or {}).items()}
        for name, values in attributes.items():
            if values.shape[:1] != (len(keys),):
                found = f"{len(values)} values" if values.ndim else repr(values[()])
                raise ValueError(
                    f"extras[{name!r}] must have one value a key, got {found} for {len(keys)} keys"
                )
        self._add_rows(keys, rows, attributes, replace)

    @writing
    def _add_rows(
        self,
        keys: list[Key],
        rows: NDArray[Any],
        attributes: dict[str, NDArray[Any]],
        replace: bool,
    ) -> None:
        if attributes:
            self.allocate_vecattrs(list(attributes), [a.dtype for a in attributes.values()])
        n_old, next_index = len(self), self.next_index
        new: dict[Key, int] = {}  # their rows
        appended: list[int] = []  # positions in keys, of those that need a new row
        placed: dict[int, int] = {}  # row -> position in keys, of those that have one
        for position, key in enumerate(keys):
            index = self.key_to_index.get(key, -1)
            if index < 0:
                index = new.get(key, -1)
            if index >= 0:
                if replace:
                    placed[index] = position
            elif self._has_free_slot(next_index):
                placed[next_index] = position
                new[key] = next_index
                next_index += 1
            else:
                new[key] = n_old + len(appended)
                appended.append(position)
        if appended:  # what may fail, for lack of memory, comes before all changes
            self.vectors = np.concatenate([self.vectors, rows[appended]])
        into, origin = list(placed), list(placed.values())
        if placed:
            self._own_vectors()
            self.vectors[into] = rows[origin]
        self.key_to_index.update(new)  # first: a key that another thread sees listed can be found
        for key, index in new.items():
            if index < n_old:
                self.index_to_key[index] = key
        self.index_to_key.extend([keys[position] for position in appended])
        self.next_index = next_index
        if self.expandos:
            self.allocate_vecattrs()
        for name, values in attributes.items():
            self.expandos[name][n_old:] = values[appended]
            self.expandos[name][into] = values[origin]
        self._rows_changed(np.array([*into, *range(n_old, len(self))], np.intp))

    def _rows_changed(self, rows: NDArray[np.intp]) -> None:
        """Called after these rows of `vectors` were added or replaced by the user."""
        self.norms = None

    def _has_free_slot(self, index: int) -> bool:
        return index < len(self) and self.index_to_key[index] is None

    def _rows(self, keys: Sequence[Key], weights: ArrayLike) -> NDArray[Any]:
        """Check `weights` against `keys` and return them in the type of `vectors`."""
        rows = check_floats("vectors", weights, self.vectors.dtype)
        if rows.size == 0 and not keys:
            rows = rows.reshape(0, self.vector_size)
        if rows.shape != (len(keys), self.vector_size):
            raise ValueError(
                f"vectors must have shape ({len(keys)}, {self.vector_size}) "
                f"(keys, vector_size), got {rows.shape}"
            )
        return rows

    def __setitem__(self, keys: Key | list[Key], weights: ArrayLike) -> None:
        if not isinstance(keys, list):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        self.add_vectors(keys, weights, replace=True)

    @writing
    def resize_vectors(self, seed: int | None = 0) -> None:
        """Make `vectors` as long as `index_to_key`; new rows get small random numbers.

        Parameters
        ----------
        seed : int or None, default 0
            Seed of the numbers; None draws new ones every time.
        """
        shape = (len(self.index_to_key), self.vector_size)
        self.vectors = prep_vectors(shape, self.vectors, seed=seed, dtype=self.vectors.dtype)
        self.allocate_vecattrs()
        self.norms = None

    @writing
    def sort_by_descending_frequency(self) -> None:
        """Sort everything by the attribute `count`, largest first; of equal counts, last first.

        Raises
        ------
        KeyError
            If there are keys but no attribute `count`.
        """
        if not len(self):
            return
        if "count" not in self.expandos:
            raise KeyError("sorting by frequency needs the attribute 'count', which is not set")
        counts = np.asarray(self.expandos["count"], dtype=np.int64)
        order = np.lexsort((-np.arange(len(counts)), -counts))
        self.index_to_key = [self.index_to_key[index] for index in order]
        self.key_to_index = {key: i for i, key in enumerate(self.index_to_key) if key is not None}
        self.allocate_vecattrs()
        for name in self.expandos:
            self.expandos[name] = self.expandos[name][order]
        self._reorder(order)

    def _reorder(self, order: NDArray[np.intp]) -> None:
        """Put row order[i] in place i, of everything that has a row a key."""
        if len(self.vectors):
            self.vectors = self.vectors[order]
        if len(self.vectors_lockf) == len(order):
            self.vectors_lockf = self.vectors_lockf[order]
        self.norms = None

    @writing
    def unit_normalize_all(self) -> None:
        """Scale all vectors to unit length in place; training on from there makes no sense."""
        lengths = self._lengths()
        self._own_vectors()
        lengths.normalize(self.vectors)
        self.norms = (lengths.norms != 0).astype(lengths.norms.dtype)
