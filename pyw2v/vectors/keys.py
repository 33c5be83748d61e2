"""Keys, the places of their rows, and what is known about each besides its vector."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.lifecycle import Lifecycle
from pyw2v._shared.old_names import OldNames, VocabView
from pyw2v._shared.reading import Guarded, consistent, writing

if TYPE_CHECKING:
    from pyw2v._core.huffman import HuffmanTree

Key: TypeAlias = Any  # a str or an int; any other hashable object works, but not in files
# What is one key wherever one or several may be given.
KEY_TYPES = (str, bytes, int, float, np.generic)
_INTEGERS = (int, np.integer)
# Equal to 0 and 1 and yet no numbers: True means neither row 1 nor item 1.
_TRUTH_VALUES = frozenset((bool, np.bool_))
_N_NAMED = 5  # unknown keys that an error lists

# The paths of the words in a Huffman tree: turns and nodes, one array a word.
PATHS = ("code", "point")


def unknown_keys(keys: Sequence[Key], n_asked: int) -> KeyError:
    """The error for keys without a vector, among `n_asked` keys."""
    if len(keys) == 1:
        return KeyError(f"Key '{keys[0]}' not present in vocabulary")
    named = ", ".join(f"'{key}'" for key in keys[:_N_NAMED])
    more = f" and {len(keys) - _N_NAMED} more" if len(keys) > _N_NAMED else ""
    return KeyError(f"{len(keys)} of {n_asked} keys not present in vocabulary: {named}{more}")


def _unhashable(key: Any) -> TypeError:
    return TypeError(f"a key must be hashable, such as a str or an int, got {key!r:.80}")


def skips_missing(missing: str) -> bool:
    """Whether unknown keys among many are to be skipped, by the argument `missing`."""
    if missing not in ("error", "skip"):
        raise ValueError(f'missing must be "error" or "skip", got {missing!r}')
    return missing == "skip"


def check_attributes(attributes: Mapping[str, NDArray[Any]], n_keys: int) -> None:
    """Raise unless every attribute that a file holds has one value a key, counts being numbers."""
    for name, values in attributes.items():
        is_count = name in ("count", "sample_int")
        if values.shape[:1] != (n_keys,) or (is_count and values.shape != (n_keys,)):
            raise ValueError(
                f"attribute {name!r} has values of shape {values.shape} for {n_keys} keys"
            )
        if is_count and values.dtype.kind not in "iuf":
            raise ValueError(f"attribute {name!r} must be numbers, got {values.dtype}")


class KeyIndex(Guarded, Lifecycle, OldNames):
    """Keys in the order of their rows, with any number of named attributes for each.

    An attribute is an array with one value a key, in `expandos`. A slot whose key is None has been
    allocated but not filled.

    An integer that is no key is the position of a row, as in gensim; but only while no key is a
    number, since any row but that of the given key would be a wrong result.
    """

    vector_size: int
    # Of the keys checked so far: where they are, how many, whether one is a number.
    _scanned: tuple[dict[Key, int] | None, int, bool] = (None, 0, False)
    # From counts to their Huffman tree, if the attributes of PATHS are available. Not an
    # attribute of every object: programs that inspect vars() expect gensim's.
    _make_tree: Callable[[NDArray[np.int64]], HuffmanTree] | None = None
    _old_names: ClassVar[Mapping[str, str]] = {
        "vocab": "key_to_index, index_to_key, get_vecattr and set_vecattr",
        "index2word": "index_to_key",
        "index2entity": "index_to_key",
        "syn0": "vectors",
        "syn0norm": "get_normed_vectors()",
        "vectors_norm": "get_normed_vectors()",
        "syn0_vocab": "vectors_vocab",
        "syn0_ngrams": "vectors_ngrams",
        "num_ngram_vectors": "bucket",
        "add": "add_vectors",
        "accuracy": "evaluate_word_analogies",
    }

    def __init__(self, count: int) -> None:
        self.index_to_key: list[Key] = [None] * count
        self.next_index = 0  # where the next new key may find a free slot
        self.key_to_index: dict[Key, int] = {}
        self.expandos: dict[str, NDArray[Any]] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}<vector_size={self.vector_size}, {len(self)} keys>"

    def _old_vocab(self) -> VocabView:
        return VocabView(self)

    @property
    def wv(self) -> Self:
        """The vectors themselves, for programs that expect a model."""
        return self

    def _old_vectors_norm(self) -> Any:
        return self.get_normed_vectors()

    _old_syn0norm = _old_vectors_norm

    def __len__(self) -> int:
        return len(self.index_to_key)

    def get_index(self, key: Key, default: int | None = None) -> int:
        """Return the row of a key.

        Where no key is a number, an integer that is not a key is the position of a row.

        Parameters
        ----------
        key : str or int
            The key.
        default : int, optional
            What to return for an unknown key instead of raising an error.

        Returns
        -------
        int
            Position in `vectors` and `index_to_key`.

        Raises
        ------
        KeyError
            If the key is unknown and there is no default.
        TypeError
            If the key is not hashable.
        """
        try:
            index = self.key_to_index.get(key, -1)
        except TypeError:
            raise _unhashable(key) from None
        if type(key) in _TRUTH_VALUES:
            if index >= 0 and type(self.index_to_key[index]) in _TRUTH_VALUES:
                return index
        elif index >= 0:
            return index
        elif isinstance(key, _INTEGERS) and self._is_position(key):
            return int(key)
        if default is not None:
            return default
        raise KeyError(f"Key '{key}' not present")

    def _is_position(self, number: int | np.integer[Any]) -> bool:
        """Whether a number that is no key is the position of a row: where no key is a number.

        Every key is checked once, when this is first needed.
        """
        if not 0 <= number < len(self.index_to_key):
            return False
        with self._guard.lock:
            keys = self.key_to_index
            scanned, n_scanned, found = self._scanned
            if scanned is not keys or len(keys) < n_scanned:
                n_scanned, found = 0, False
            if not found and len(keys) > n_scanned:
                newest = itertools.islice(reversed(keys), len(keys) - n_scanned)
                found = any(issubclass(kind, numbers.Number) for kind in set(map(type, newest)))
            self._scanned = (keys, len(keys), found)
            return not found

    def _indices(self, keys: Sequence[Key], missing: str = "error") -> list[int]:
        """Rows of many keys; -1 for unknown ones if they are skipped, else a KeyError names all."""
        rows = [self.get_index(key, -1) for key in keys]
        if not skips_missing(missing) and -1 in rows:
            unknown = [key for key, row in zip(keys, rows, strict=True) if row < 0]
            raise unknown_keys(unknown, len(keys))
        return rows

    def has_index_for(self, key: Key) -> bool:
        """Return whether a key has a row here; a subclass may compose vectors for others.

        Parameters
        ----------
        key : str or int
            The key.

        Returns
        -------
        bool
            True if it has a row.
        """
        return self.get_index(key, -1) >= 0

    def __contains__(self, key: Key) -> bool:
        return self.has_index_for(key)

    @writing
    def allocate_vecattrs(
        self, attrs: Iterable[str] | None = None, types: Iterable[Any] | None = None
    ) -> None:
        """Make an array as long as `index_to_key` for each attribute.

        Parameters
        ----------
        attrs : iterable of str, optional
            Names of the attributes; without them all existing ones are resized.
        types : iterable of type, optional
            Type of each attribute.

        Raises
        ------
        ValueError
            If there are not as many types as names.
        TypeError
            If an existing attribute cannot store values of its new type.
        """
        if attrs is None:
            attrs = list(self.expandos)
            types = [self.expandos[attr].dtype for attr in attrs]
        attrs, types = list(attrs), list(types or ())
        if len(attrs) != len(types):
            raise ValueError(
                f"every attribute needs a type, got {len(attrs)} attributes and {len(types)} types"
            )
        for attr, given in zip(attrs, types, strict=True):
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
                new = np.zeros((len(self), *old.shape[1:]), dtype=old.dtype)
                shared = min(len(old), len(new))
                new[:shared] = old[:shared]
                self.expandos[attr] = new

    @writing
    def set_vecattr(self, key: Key, attr: str, val: Any) -> None:
        """Store one value of an attribute; the first one sets the attribute's type.

        Parameters
        ----------
        key : str or int
            The key.
        attr : str
            Name of the attribute.
        val : object
            The value.

        Raises
        ------
        KeyError
            If the key is unknown.
        TypeError
            If the attribute has values of another type.

        Examples
        --------
        >>> from pyw2v import KeyedVectors
        >>> kv = KeyedVectors(2)
        >>> kv.add_vectors(["a", "b"], [[1, 0], [0, 1]])
        >>> kv.set_vecattr("a", "count", 7)
        >>> int(kv.get_vecattr("a", "count")), int(kv.get_vecattr("b", "count"))
        (7, 0)
        """
        index = self.get_index(key)
        self.allocate_vecattrs([attr], [type(val)])
        self.expandos[attr][index] = val

    @consistent
    def get_vecattr(self, key: Key, attr: str) -> Any:
        """Return the value of a key's attribute.

        Parameters
        ----------
        key : str or int
            The key.
        attr : str
            Name of the attribute, such as "count".

        Returns
        -------
        object
            The value.

        Raises
        ------
        KeyError
            If the key or the attribute is unknown.
        """
        if attr in PATHS and attr not in self.expandos and self._make_tree is not None:
            with self._guard:
                self._add_paths(self._make_tree(np.asarray(self.expandos["count"], np.int64)))
        if attr not in self.expandos:
            known = ", ".join(map(str, self.expandos)) or "none"
            raise KeyError(f"there is no attribute {attr!r}; those that are set: {known}")
        return self.expandos[attr][self.get_index(key)]

    def _add_paths(self, tree: HuffmanTree) -> None:
        """Take the attributes of PATHS from a tree, which has them end to end."""
        offsets = tree.offsets
        parts: tuple[NDArray[Any], ...] = (tree.codes.copy(), tree.points.copy())
        for name, values in zip(PATHS, parts, strict=True):
            paths = np.empty(len(self), dtype=object)
            for i in range(len(paths)):
                paths[i] = values[offsets[i] : offsets[i + 1]]
            self.expandos[name] = paths
