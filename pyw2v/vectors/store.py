"""Keys and their vectors: storage and access.

Out go rows, by key or by position, with their norms and any attribute the user attached to a key;
what changes them is in `changes`. `vectors` may be any 2-D float array, also a view whose rows
lie further apart than they are long.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pyw2v._shared.checks import check_floats, check_int, check_list
from pyw2v._shared.lengths import Lengths, unit
from pyw2v._shared.old_names import warn
from pyw2v._shared.reading import consistent
from pyw2v.io.mapped import check_unchanged
from pyw2v.vectors.keys import KEY_TYPES, Key, KeyIndex, unknown_keys


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
        """Return the vector of a key, read-only.

        It is a view of the row, not a copy, and shows what is written there later. A change through
        it would leave `norms` out of date, hence read-only.

        Parameters
        ----------
        key : str or int
            The key.
        norm : bool, default False
            Whether to scale it to unit length, which makes a copy. A zero vector stays zero.

        Returns
        -------
        ndarray of shape (vector_size,)
            The vector.

        Raises
        ------
        KeyError
            If the key is unknown.
        """
        guard = self._guard  # as the decorator `consistent` does, in less time
        begun = guard.number
        try:
            index = self.get_index(key)
            result: NDArray[Any] = self._unit_row(index) if norm else self.vectors[index]
        except Exception:
            if guard.number == begun and not begun & 1:
                raise
        else:
            if guard.number == begun and not begun & 1:
                result.setflags(write=False)
                return result
        with guard.lock:
            index = self.get_index(key)
            result = self._unit_row(index) if norm else self.vectors[index]
        result.setflags(write=False)
        return result

    def _unit_row(self, index: int) -> NDArray[Any]:
        row = self.vectors[index]
        lengths = None if self._guard.moving else self._lengths()
        if lengths is None or (lengths.mask is not None and lengths.mask[index]):
            result = unit(row)
        else:
            result = row / lengths.divisors[index]
        return result.astype(row.dtype, copy=False)

    def word_vec(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        """Return the vector of a key: old name of `get_vector`.

        Parameters
        ----------
        *args : object
            Arguments of `get_vector`.
        **kwargs : object
            The same by name; `use_norm` is the old name of `norm`.

        Returns
        -------
        ndarray of shape (vector_size,)
            The vector.
        """
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
        return self._vectors_of(list(key_or_keys))

    @consistent
    def _vectors_of(self, keys: list[Key]) -> NDArray[Any]:
        if not self._makes_vectors():
            rows: NDArray[Any] = self.vectors[self._indices(keys)]
            return rows
        missing = [key for key in keys if key not in self]
        if missing:
            raise unknown_keys(missing, len(keys))
        empty = np.zeros((0, self.vector_size), self.vectors.dtype)
        return np.vstack([empty, *(self.get_vector(key) for key in keys)])

    def __iter__(self) -> NoReturn:
        # Without this method Python would read the keys 0, 1, 2...
        raise TypeError(
            f"{type(self).__name__} is not iterable: iterate over index_to_key (the keys) or "
            "vectors (the rows)"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """All rows: what np.asarray of vectors gives."""
        return self._as_array(dtype, copy)

    @consistent
    def _as_array(self, dtype: Any, copy: Any) -> NDArray[Any]:
        return np.array(self.vectors, dtype, copy=copy)

    def get_mean_vector(
        self,
        keys: Sequence[Key | NDArray[Any]] | NDArray[Any],
        weights: ArrayLike | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> NDArray[Any]:
        """Return the weighted mean of the vectors of some keys.

        The sum is divided by the sum of the absolute weights.

        Parameters
        ----------
        keys : sequence
            Keys, or arrays, which are used as they are.
        weights : array_like, optional
            One number for each item; 1 by default.
        pre_normalize : bool, default True
            Whether to scale the vector of every key to unit length first.
        post_normalize : bool, default False
            Whether to scale the result to unit length.
        ignore_missing : bool, default True
            Whether to skip unknown keys instead of raising KeyError.

        Returns
        -------
        ndarray of shape (vector_size,)
            The mean; zeros if no key is known.

        Raises
        ------
        KeyError
            If a key is unknown and `ignore_missing` is False.
        ValueError
            If `keys` is empty, the weights do not match it, or an array has another shape.
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
        return self._mean(keys, factors, pre_normalize, post_normalize, ignore_missing)

    @consistent
    def _mean(
        self,
        keys: list[Any],
        factors: NDArray[Any],
        pre_normalize: bool,
        post_normalize: bool,
        ignore_missing: bool,
    ) -> NDArray[Any]:
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
            mean = unit(mean)
        return mean.astype(self.vectors.dtype)

    def _checked_vector(self, vector: NDArray[Any]) -> NDArray[Any]:
        if vector.shape != (self.vector_size,):
            raise ValueError(f"a vector must have shape ({self.vector_size},), got {vector.shape}")
        return vector

    # -- norms -----------------------------------------------------------------------------------

    def fill_norms(self, force: bool = False) -> None:
        """Compute `norms` if they are not there.

        Parameters
        ----------
        force : bool, default False
            Whether to compute them anew: needed after changing `vectors` in place.
        """
        with self._guard:
            if force:
                self.norms = None
            if self.norms is None:
                self.norms = self._lengths().norms

    def _lengths(self) -> Lengths:
        """The lengths of the rows as they are now.

        They are known until `norms` is set (to None, to have them computed anew) or `vectors` is
        another array. Those of rows that are being trained are of the moment.
        """
        guard = self._guard
        if guard.moving:
            return Lengths(self.vectors)
        known: Lengths | None = guard.derived
        if known is not None and known.norms is self.norms and known.vectors() is self.vectors:
            return known
        with guard.lock:  # no writer clears `norms` before they are stored
            known, vectors, norms = guard.derived, self.vectors, self.norms
            if known is not None and known.norms is norms:
                if known.vectors() is vectors:
                    return known
                norms = None
            if norms is not None and len(norms) != len(vectors):
                norms = None
            check_unchanged(vectors)
            lengths = Lengths(vectors, norms)
            if not guard.moving:
                self.norms, guard.derived = lengths.norms, lengths
            return lengths

    def _rows_moved(self) -> None:
        """Called after all rows may have changed."""
        with self._guard:
            self.norms = None

    @consistent
    def get_normed_vectors(self) -> NDArray[Any]:
        """Return all vectors scaled to unit length, as a new array.

        Returns
        -------
        ndarray of shape (n_keys, vector_size)
            Zero vectors stay zero.
        """
        result = self._lengths().unit_rows(self.vectors, slice(None))
        return result.astype(self.vectors.dtype, copy=False)

    def init_sims(self, replace: bool = False) -> None:
        """Compute norms: old name of `fill_norms`, or of `unit_normalize_all`.

        Parameters
        ----------
        replace : bool, default False
            Whether to scale all vectors to unit length in place.
        """
        warn("init_sims", "fill_norms, or unit_normalize_all for replace=True")
        self.fill_norms()
        if replace:
            self.unit_normalize_all()
