"""Keys, the places of their rows, and what is known about each besides its vector."""

import itertools
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pyw2v._lifecycle import Lifecycle
from pyw2v._old_names import OldNames, VocabView

Key: TypeAlias = Any  # a str or an int; any other hashable object works, but not in files
Tree: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
# What is one key wherever one or several may be given.
KEY_TYPES = (str, bytes, int, float, np.generic)
_INTEGERS = (int, np.integer)
# Equal to 0 and 1 and yet no numbers: who asks for True means neither row 1 nor item 1.
_TRUTH_VALUES = frozenset((bool, np.bool_))
_N_NAMED = 5  # unknown keys that an error lists

# The ways to the words in a Huffman tree: turns and nodes, one array a word.
PATHS = ("code", "point")


def unknown_keys(keys: Sequence[Key], n_asked: int) -> KeyError:
    """The error for keys without a vector, of so many asked for."""
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


class KeyIndex(Lifecycle, OldNames):
    """Keys in the order of their rows, with any number of named attributes for each.

    An attribute is an array with one value a key, in `expandos`. A slot whose key is None has been
    allocated but not filled.

    An integer that is no key is the position of a row, as in gensim; but only while no key is a
    number, since any other row than that of the key asked for would be a wrong answer.
    """

    vector_size: int
    # Of the keys looked through so far: where they are, how many, whether one is a number.
    _scanned: tuple[dict[Key, int] | None, int, bool] = (None, 0, False)
    # From counts to (offsets, codes, points), if the attributes of PATHS are to be had. Not an
    # attribute of every object: programs that look at vars() expect gensim's.
    _make_tree: Callable[[NDArray[np.int64]], Tree] | None = None
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
        """The vectors themselves: what a program asks for that loads them in place of a model."""
        return self

    def _old_vectors_norm(self) -> Any:
        return self.get_normed_vectors()

    _old_syn0norm = _old_vectors_norm

    def __len__(self) -> int:
        return len(self.index_to_key)

    def get_index(self, key: Key, default: int | None = None) -> int:
        """Row of a key. Where no key is a number, an unknown integer is the position of a row."""
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

        Every key is looked at once, when it is first needed.
        """
        if not 0 <= number < len(self.index_to_key):
            return False
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
        if attr in PATHS and attr not in self.expandos and self._make_tree is not None:
            self._add_paths(self._make_tree(np.asarray(self.expandos["count"], np.int64)))
        if attr not in self.expandos:
            known = ", ".join(map(str, self.expandos)) or "none"
            raise KeyError(f"there is no attribute {attr!r}; those that are set: {known}")
        return self.expandos[attr][self.get_index(key)]

    def _add_paths(self, tree: Tree) -> None:
        """Takes the attributes of PATHS from a tree, which has them end to end."""
        offsets, codes, points = tree
        for name, values in zip(PATHS, (codes, points), strict=True):
            paths = np.empty(len(self), dtype=object)
            for i in range(len(paths)):
                paths[i] = values[offsets[i] : offsets[i + 1]]
            self.expandos[name] = paths
