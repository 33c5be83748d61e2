"""Keys and their vectors: storage, access and change.

In come keys and rows of numbers; out go rows, by key or by position, with their norms and any
attribute the user attached to a key. `vectors` may be any 2-D float array, also a view whose rows
lie further apart than they are long.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pyw2v._arrays import nonzero, prep_vectors, row_norms
from pyw2v._checks import check_int

Key: TypeAlias = Any  # a str or an int; any other hashable object works, but not in files
KEY_TYPES = (str, int, np.integer)

# What gensim 3 called things, and what to use now.
_REMOVED = {
    "vocab": "use key_to_index, index_to_key, get_vecattr(key, attr) and set_vecattr(...)",
    "index2word": "use index_to_key",
    "index2entity": "use index_to_key",
    "vectors_norm": "use get_normed_vectors()",
    "syn0": "use vectors",
    "syn0norm": "use get_normed_vectors()",
}


class VectorStore:
    """Keys, their vectors and their attributes; `KeyedVectors` adds queries and files."""

    def __init__(
        self,
        vector_size: int,
        count: int = 0,
        dtype: DTypeLike = np.float32,
        mapfile_path: str | None = None,
    ) -> None:
        self.vector_size = check_int("vector_size", vector_size, minimum=0)
        count = check_int("count", count, minimum=0)
        self.index_to_key: list[Key] = [None] * count
        self.next_index = 0  # the first slot that add_vector may fill
        self.key_to_index: dict[Key, int] = {}
        self.vectors: NDArray[Any] = np.zeros((count, self.vector_size), dtype=dtype)
        self.norms: NDArray[Any] | None = None
        self.expandos: dict[str, NDArray[Any]] = {}
        # Factors on the training updates of the rows; one element stands for all rows.
        self.vectors_lockf: NDArray[np.float32] = np.ones(1, dtype=np.float32)
        self.mapfile_path = mapfile_path  # kept for gensim's signature; has no effect

    def __repr__(self) -> str:
        return f"{type(self).__name__}<vector_size={self.vector_size}, {len(self)} keys>"

    def __getattr__(self, name: str) -> Any:
        if name in _REMOVED:
            raise AttributeError(f"{type(self).__name__}.{name} was removed; {_REMOVED[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __len__(self) -> int:
        return len(self.index_to_key)

    # -- access ----------------------------------------------------------------------------------

    def get_index(self, key: Key, default: int | None = None) -> int:
        """Row of a key. An int that is not itself a key is taken as the row's position."""
        index = self.key_to_index.get(key, -1)
        if index >= 0:
            return index
        if isinstance(key, int | np.integer) and 0 <= key < len(self.index_to_key):
            return int(key)
        if default is not None:
            return default
        raise KeyError(f"Key '{key}' not present")

    def has_index_for(self, key: Key) -> bool:
        """Whether the key has a row here (a subclass may make vectors for keys that have none)."""
        return self.get_index(key, -1) >= 0

    def __contains__(self, key: Key) -> bool:
        return self.has_index_for(key)

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
        if "use_norm" in kwargs:
            kwargs["norm"] = kwargs.pop("use_norm")
        return self.get_vector(*args, **kwargs)

    def __getitem__(self, key_or_keys: Key | Iterable[Key]) -> NDArray[Any]:
        if isinstance(key_or_keys, KEY_TYPES):
            return self.get_vector(key_or_keys)
        keys = list(key_or_keys)
        if type(self).get_vector is VectorStore.get_vector:
            rows: NDArray[Any] = self.vectors[[self.get_index(key) for key in keys]]
            return rows
        empty = np.zeros((0, self.vector_size), self.vectors.dtype)
        return np.vstack([empty, *(self.get_vector(key) for key in keys)])

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
        if len(keys) == 0:
            raise ValueError("cannot compute mean with no input")
        factors = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
        if factors.shape != (len(keys),):
            raise ValueError(
                f"keys and weights must have the same number of elements, "
                f"got {len(keys)} keys and weights of shape {factors.shape}"
            )
        mean = np.zeros(self.vector_size)
        total = 0.0
        for key, factor in zip(keys, factors, strict=True):
            if isinstance(key, np.ndarray):
                vector = key
            elif key in self:
                vector = self.get_vector(key, norm=pre_normalize)
            elif ignore_missing:
                continue
            else:
                raise KeyError(f"Key '{key}' not present in vocabulary")
            mean += factor * vector.astype(np.float64, copy=False)
            total += abs(factor)
        if total > 0:
            mean /= total
        if post_normalize:
            mean /= np.linalg.norm(mean) or 1.0
        return mean.astype(self.vectors.dtype)

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
        index = self.key_to_index.get(key, -1)
        if index >= 0:
            self.add_vectors([key], row, replace=True)
            return index
        index = self.next_index
        if index >= len(self) or self.index_to_key[index] is not None:
            index = len(self)
            warnings.warn(
                "add_vector copies the whole matrix when there is no free slot; "
                "use add_vectors for many keys, or KeyedVectors(vector_size, count=...)",
                UserWarning,
                stacklevel=2,
            )
            self.add_vectors([key], row)
        else:
            self._own_vectors()
            self.index_to_key[index] = key
            self.key_to_index[key] = index
            self.vectors[index] = row[0]
            self.norms = None
        self.next_index = index + 1
        return index

    def add_vectors(
        self,
        keys: Key | Sequence[Key],
        weights: ArrayLike,
        extras: Mapping[str, ArrayLike] | None = None,
        replace: bool = False,
    ) -> None:
        """Appends keys and their vectors, one row of `weights` a key.

        Of keys already present (or repeated), the first vector is kept, with `replace` the last.
        `extras` maps attribute names to one value a key. All norms are computed anew when next
        needed.
        """
        if isinstance(keys, KEY_TYPES):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        keys = list(keys)
        rows = self._rows(keys, weights)
        attributes = {name: np.asarray(values) for name, values in (extras or {}).items()}
        for name, values in attributes.items():
            if len(values) != len(keys):
                raise ValueError(
                    f"extras[{name!r}] must have one value a key, got {len(values)} values "
                    f"for {len(keys)} keys"
                )
        self.allocate_vecattrs(list(attributes), [values.dtype for values in attributes.values()])

        sources: list[int] = []  # positions in keys, of the new ones
        targets: dict[int, int] = {}  # row -> position in keys, of those to be replaced
        for position, key in enumerate(keys):
            index = self.key_to_index.get(key, -1)
            if index < 0:
                self.key_to_index[key] = len(self.index_to_key)
                self.index_to_key.append(key)
                sources.append(position)
            elif replace:
                targets[index] = position
        if sources:
            self.vectors = np.concatenate([self.vectors, rows[sources]])
        self.allocate_vecattrs()
        n_old = len(self) - len(sources)
        into, origin = list(targets), list(targets.values())
        if targets:
            self._own_vectors()
            self.vectors[into] = rows[origin]
        for name, values in attributes.items():
            self.expandos[name][n_old:] = values[sources]
            self.expandos[name][into] = values[origin]
        self.norms = None

    def _rows(self, keys: Sequence[Key], weights: ArrayLike) -> NDArray[Any]:
        """Checks `weights` against `keys` and returns them in the type of `vectors`."""
        rows = np.asarray(weights, dtype=self.vectors.dtype)
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
        if len(self.vectors):
            self.vectors = self.vectors[order]
        if len(self.vectors_lockf) == len(order):
            self.vectors_lockf = self.vectors_lockf[order]
        self.norms = None

    # -- attributes ------------------------------------------------------------------------------

    def allocate_vecattrs(
        self, attrs: Iterable[str] | None = None, types: Iterable[Any] | None = None
    ) -> None:
        """Makes an array as long as `index_to_key` for each attribute; without names, for all."""
        if attrs is None:
            attrs = list(self.expandos)
            types = [self.expandos[attr].dtype for attr in attrs]
        for attr, given in zip(attrs, types or (), strict=True):
            # str as object: NumPy's own strings have the width of the longest.
            kind = {int: np.int64, str: object}.get(given, given)
            old = self.expandos.get(attr)
            if old is None:
                self.expandos[attr] = np.zeros(len(self), dtype=kind)
                continue
            if not np.issubdtype(kind, old.dtype):
                raise TypeError(
                    f"attribute {attr!r} holds {old.dtype}, which cannot store {given!r}"
                )
            if len(old) != len(self):
                new = np.zeros(len(self), dtype=old.dtype)
                shared = min(len(old), len(new))
                new[:shared] = old[:shared]
                self.expandos[attr] = new

    def set_vecattr(self, key: Key, attr: str, val: Any) -> None:
        """Stores one value of an attribute; the first one fixes the attribute's type."""
        index = self.get_index(key)
        self.allocate_vecattrs([attr], [type(val)])
        self.expandos[attr][index] = val

    def get_vecattr(self, key: Key, attr: str) -> Any:
        """Value of a key's attribute; KeyError when key or attribute is unknown."""
        return self.expandos[attr][self.get_index(key)]

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
        self.fill_norms()
        if replace:
            self.unit_normalize_all()
