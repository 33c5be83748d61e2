"""Keys and their vectors: storage, access and change.

In come keys and rows of numbers; out go rows, by key or by position, with their norms and any
attribute the user attached to a key. `vectors` may be any 2-D float array, also a view whose rows
lie further apart than they are long.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pyw2v._arrays import nonzero, prep_vectors, row_norms
from pyw2v._checks import check_floats, check_int, check_list
from pyw2v._keys import KEY_TYPES, Key, KeyIndex, unknown_keys
from pyw2v._old_names import warn


class VectorStore(KeyIndex):
    """Keys, their vectors and their attributes; `KeyedVectors` adds queries and files."""

    mapfile_path: str | None = None  # kept for gensim's signature; has no effect

    def __init__(
        self,
        vector_size: int,
        count: int = 0,
        dtype: DTypeLike = np.float32,
        mapfile_path: str | None = None,
    ) -> None:
        self.vector_size = check_int("vector_size", vector_size, minimum=0)
        count = check_int("count", count, minimum=0)
        super().__init__(count)
        self.vectors: NDArray[Any] = np.zeros((count, self.vector_size), dtype=dtype)
        self.norms: NDArray[Any] | None = None
        # Factors on the training updates of the rows; one element stands for all rows.
        self.vectors_lockf: NDArray[np.float32] = np.ones(1, dtype=np.float32)
        self.mapfile_path = mapfile_path

    # -- access ----------------------------------------------------------------------------------

    def get_vector(self, key: Key, norm: bool = False) -> NDArray[Any]:
        """Vector of a key, read-only: a change would leave `norms` behind.

        With `norm` it is scaled to unit length (a zero vector stays zero).
        """
        index = self.get_index(key)
        result: NDArray[Any] = self.vectors[index]
        if norm:
            length = self._filled_norms()[index]
            result = result / (length if length != 0 else 1)
            result = result.astype(self.vectors.dtype, copy=False)
        result.setflags(write=False)
        return result

    def word_vec(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        """Old name of `get_vector`; `use_norm` is its old name of `norm`."""
        warn("word_vec", "get_vector")
        if "use_norm" in kwargs:
            kwargs["norm"] = kwargs.pop("use_norm")
        return self.get_vector(*args, **kwargs)

    def _makes_vectors(self) -> bool:
        """Whether `get_vector` does more than to look rows up."""
        return type(self).get_vector is not VectorStore.get_vector

    def __getitem__(self, key_or_keys: Key | Iterable[Key]) -> NDArray[Any]:
        if isinstance(key_or_keys, slice):
            raise TypeError(
                f"keys have no slices: take those of vectors (the rows) or of index_to_key "
                f"(their keys), got {key_or_keys}"
            )
        if isinstance(key_or_keys, KEY_TYPES) or not isinstance(key_or_keys, Iterable):
            return self.get_vector(key_or_keys)
        keys = list(key_or_keys)
        if not self._makes_vectors():
            rows: NDArray[Any] = self.vectors[self._indices(keys)]
            return rows
        missing = [key for key in keys if key not in self]
        if missing:
            raise unknown_keys(missing, len(keys))
        empty = np.zeros((0, self.vector_size), self.vectors.dtype)
        return np.vstack([empty, *(self.get_vector(key) for key in keys)])

    def __iter__(self) -> NoReturn:
        # Without this method Python asks for the keys 0, 1, 2...
        raise TypeError(
            f"{type(self).__name__} is not iterable: iterate over index_to_key (the keys) or "
            "vectors (the rows)"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """All rows: what np.asarray of vectors gives."""
        return np.array(self.vectors, dtype, copy=copy)

    def get_mean_vector(
        self,
        keys: Sequence[Key | NDArray[Any]] | NDArray[Any],
        weights: ArrayLike | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> NDArray[Any]:
        """Mean of the vectors of `keys`, weighted, divided by the sum of absolute weights.

        An item of `keys` may be an array, which is used as it is. `pre_normalize` scales the vector
        of every key to unit length first, `post_normalize` scales the result. Unknown keys are
        skipped, or raise KeyError with `ignore_missing=False`.
        """
        keys = check_list("keys", keys, "keys")
        if not keys:
            raise ValueError("cannot compute mean with no input")
        factors = np.ones(len(keys)) if weights is None else check_floats("weights", weights)
        if factors.shape != (len(keys),):
            raise ValueError(
                f"keys and weights must have the same number of elements, "
                f"got {len(keys)} keys and weights of shape {factors.shape}"
            )
        if not np.isfinite(factors).all():
            raise ValueError(f"weights must be finite, got {weights!r:.80}")
        mean = np.zeros(self.vector_size)
        total = 0.0
        for key, factor in zip(keys, factors, strict=True):
            if isinstance(key, np.ndarray):
                vector = self._checked_vector(key)
            elif key in self:
                vector = self.get_vector(key, norm=pre_normalize)
            elif ignore_missing:
                continue
            else:
                raise unknown_keys([key], 1)
            mean += factor * vector.astype(np.float64, copy=False)
            total += abs(factor)
        if total > 0:
            mean /= total
        if post_normalize:
            mean /= np.linalg.norm(mean) or 1.0
        return mean.astype(self.vectors.dtype)

    def _checked_vector(self, vector: NDArray[Any]) -> NDArray[Any]:
        if vector.shape != (self.vector_size,):
            raise ValueError(f"a vector must have shape ({self.vector_size},), got {vector.shape}")
        return vector

    # -- change ----------------------------------------------------------------------------------

    def _own_vectors(self) -> None:
        """Makes `vectors` writable, by a copy when it is a view on a mapped file."""
        if not self.vectors.flags.writeable:
            self.vectors = self.vectors.copy()

    def add_vector(self, key: Key, vector: ArrayLike) -> int:
        """Adds one vector, into a pre-allocated slot if there is a free one; returns its index.

        A key that is already there has its vector replaced. Without free slots every call copies
        the whole matrix: `add_vectors` takes many keys at once.
        """
        row = self._rows([key], np.asarray(vector)[np.newaxis])
        if key not in self.key_to_index and not self._has_free_slot():
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
        """Adds keys and their vectors, one row of `weights` a key; free slots are filled first.

        Of keys already present (or repeated), the first vector is kept, with `replace` the last.
        `extras` maps attribute names to one value a key. All norms are computed anew when next
        needed.
        """
        if isinstance(keys, KEY_TYPES):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        keys = check_list("keys", keys, "keys")
        rows = self._rows(keys, weights)
        self._indices(keys, missing="skip")  # they can be keys
        if not isinstance(extras, Mapping | None):
            raise TypeError(f"extras must map names to one value a key, got {extras!r:.80}")
        attributes = {name: np.asarray(values) for name, values in (extras or {}).items()}
        for name, values in attributes.items():
            if values.shape[:1] != (len(keys),):
                found = f"{len(values)} values" if values.ndim else repr(values[()])
                raise ValueError(
                    f"extras[{name!r}] must have one value a key, got {found} for {len(keys)} keys"
                )
        self.allocate_vecattrs(list(attributes), [values.dtype for values in attributes.values()])

        n_old = len(self)
        appended: list[int] = []  # positions in keys, of those that need a new row
        placed: dict[int, int] = {}  # row -> position in keys, of those that have one
        for position, key in enumerate(keys):
            index = self.key_to_index.get(key, -1)
            if index >= 0:
                if replace:
                    placed[index] = position
                continue
            if self._has_free_slot():
                index = self.next_index
                self.next_index += 1
                self.index_to_key[index] = key
                placed[index] = position
            else:
                index = len(self)
                self.index_to_key.append(key)
                appended.append(position)
            self.key_to_index[key] = index
        if appended:
            self.vectors = np.concatenate([self.vectors, rows[appended]])
        self.allocate_vecattrs()
        into, origin = list(placed), list(placed.values())
        if placed:
            self._own_vectors()
            self.vectors[into] = rows[origin]
        for name, values in attributes.items():
            self.expandos[name][n_old:] = values[appended]
            self.expandos[name][into] = values[origin]
        self._rows_changed(np.array([*into, *range(n_old, len(self))], np.intp))

    def _rows_changed(self, rows: NDArray[np.intp]) -> None:
        """Called after these rows of `vectors` were added or replaced by the user."""
        self.norms = None

    def _has_free_slot(self) -> bool:
        return self.next_index < len(self) and self.index_to_key[self.next_index] is None

    def _rows(self, keys: Sequence[Key], weights: ArrayLike) -> NDArray[Any]:
        """Checks `weights` against `keys` and returns them in the type of `vectors`."""
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

    def resize_vectors(self, seed: int | None = 0) -> None:
        """Makes `vectors` as long as `index_to_key`; new rows get small random numbers."""
        shape = (len(self.index_to_key), self.vector_size)
        self.vectors = prep_vectors(shape, self.vectors, seed=seed, dtype=self.vectors.dtype)
        self.allocate_vecattrs()
        self.norms = None

    def sort_by_descending_frequency(self) -> None:
        """Orders everything by attribute `count`, largest first; of equal counts, last first."""
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
        """Puts row order[i] in place i, of everything that has a row a key."""
        if len(self.vectors):
            self.vectors = self.vectors[order]
        if len(self.vectors_lockf) == len(order):
            self.vectors_lockf = self.vectors_lockf[order]
        self.norms = None

    # -- norms -----------------------------------------------------------------------------------

    def fill_norms(self, force: bool = False) -> None:
        """Computes `norms` if they are not there; `force` after changing `vectors` in place."""
        if self.norms is None or force:
            self.norms = row_norms(self.vectors)

    def _filled_norms(self) -> NDArray[Any]:
        self.fill_norms()
        assert self.norms is not None
        return self.norms

    def get_normed_vectors(self) -> NDArray[Any]:
        """All vectors scaled to unit length, as a new array; zero vectors stay zero."""
        result: NDArray[Any] = self.vectors / nonzero(self._filled_norms())[:, np.newaxis]
        return result.astype(self.vectors.dtype, copy=False)

    def unit_normalize_all(self) -> None:
        """Scales all vectors to unit length in place. Training cannot sensibly go on after it."""
        norms = self._filled_norms()
        self._own_vectors()
        divisors = nonzero(norms)[:, np.newaxis]
        np.divide(self.vectors, divisors, out=self.vectors, casting="same_kind")
        self.norms = (norms != 0).astype(norms.dtype)

    def init_sims(self, replace: bool = False) -> None:
        """Old name of `fill_norms`, or with `replace` of `unit_normalize_all`."""
        warn("init_sims", "fill_norms, or unit_normalize_all for replace=True")
        self.fill_norms()
        if replace:
            self.unit_normalize_all()
