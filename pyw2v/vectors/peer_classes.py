"""Vectors of other people's classes whose matrices are objects of theirs, such as compressed ones.

Only a pickle can hold these. It is written as gensim would write it, so that gensim reads it, too.
When it is read, the file may name classes of one package besides gensim's and NumPy's: that of the
class whose `load` was called, which the program has imported and trusts already.
"""

from __future__ import annotations

import copyreg
import pickle
from typing import Any

from pyw2v.io import gensim_format
from pyw2v.io.atomic import atomic_write

# What is made again after loading, and what gensim does not know.
_NOT_STORED = ("_ngrams", "_has_ngrams", "_table", "_given_buckets", "norms")


def package_of(cls: type) -> str | None:
    """The package that a class is defined in; None for pyw2v's own."""
    package = cls.__module__.partition(".")[0]
    return None if package == "pyw2v" else package


def save(vectors: Any, target: Any) -> None:
    """Write vectors to a path, or to an open binary file, as gensim's `save` does."""
    if hasattr(target, "write"):
        _Pickler(target, vectors).dump(vectors)
        return
    with atomic_write(target) as file:
        _Pickler(file, vectors).dump(vectors)


class _Pickler(pickle.Pickler):
    """Writes one object with the attributes that gensim's have, all others as they are."""

    def __init__(self, file: Any, vectors: Any) -> None:
        super().__init__(file, protocol=4)
        self._vectors = vectors

    def reducer_override(self, obj: Any) -> Any:
        if obj is not self._vectors:
            return NotImplemented
        state = {name: value for name, value in vars(obj).items() if name not in _NOT_STORED}
        state |= {
            "vectors_ngrams": obj.vectors_ngrams,
            "buckets_word": None,
            "compatible_hash": True,
            "norms": None,
        }
        # What pickle itself names for new objects; the stubs leave it out.
        return copyreg.__newobj__, (type(obj),), state  # type: ignore[attr-defined]


def read(cls: Any, path: Any) -> Any:
    """Return the object of a class of `cls`'s package that a pickle holds; None if it has none."""
    package = package_of(cls)
    if package is None or not gensim_format.is_pickle(path):
        return None
    saved = gensim_format.read(path, package=package)
    if saved.name.partition(".")[0] != package:
        return None
    with gensim_format.sound(path):
        vectors = cls.__new__(cls)
        for name, value in vars(saved).items():
            if isinstance(getattr(cls, name, None), property):
                setattr(vectors, name, value)
            else:
                vars(vectors)[name] = value
    return vectors
