"""Keys, the places of their rows, and what is known about each besides its vector."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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


class KeyIndex:
    """Keys in the order of their rows, with any number of named attributes for each.

    An attribute is an array with one value a key, in `expandos`. A slot whose key is None has been
    allocated but not filled.
    """

    vector_size: int

    def __init__(self, count: int) -> None:
        self.index_to_key: list[Key] = [None] * count
        self.next_index = 0  # where the next new key may find a free slot
        self.key_to_index: dict[Key, int] = {}
        self.expandos: dict[str, NDArray[Any]] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}<vector_size={self.vector_size}, {len(self)} keys>"

    def __getattr__(self, name: str) -> Any:
        if name in _REMOVED:
            raise AttributeError(f"{type(self).__name__}.{name} was removed; {_REMOVED[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __len__(self) -> int:
        return len(self.index_to_key)

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
