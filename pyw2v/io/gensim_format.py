"""Files that gensim 3 and 4 wrote with `save`: a pickle, and arrays in files beside it.

A pickle can run any code when pickle loads it; here it is only read. `pickle_stream` makes of it
data and markers of what it would import and call, and `pickle_values` makes of those plain Python
data, NumPy arrays, and `Saved` objects, which only remember the name of gensim's class and the
attributes. Any other name in a file is refused.

Layout: large arrays are moved to `<file>.<attribute>.npy` (`.npz` with one member `val` beside a
compressed file); the attributes of an object say which those are (`__numpys`), which parts have
such files of their own (`__recursive_saveloads`), and which were left out (`__ignoreds`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyw2v.io import pickle_stream
from pyw2v.io.pickle_stream import ForbiddenNameError
from pyw2v.io.pickle_values import Converter, Saved
from pyw2v.io.streams import DAMAGED, StrPath, open_binary, read_whole

__all__ = ["ForbiddenNameError", "Saved", "UnsoundTypeError", "is_pickle", "read", "sound"]

# What a protocol from 2 on starts with; gensim has always used 2 or a later one.
_MAGIC = re.compile(rb"\x80[\x02-\x05]")
_MAX_PARTS = 4  # within each other; gensim's models have one
_MAX_NAME = 100

# What the code that makes a model raises on values that do not fit together.
_UNFIT = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    NotImplementedError,
)


class UnsoundTypeError(ValueError, TypeError):
    """A value in a file is of the wrong type.

    A ValueError like every other fault of a file's content, and a TypeError like the same fault of
    an argument.
    """


def is_pickle(path: StrPath) -> bool:
    """Whether a file, which may be compressed, starts as a pickle does."""
    try:
        with open_binary(path) as file:
            return _MAGIC.match(file.read(2)) is not None
    except DAMAGED:
        return False
    except OSError as error:
        if error.errno is not None:
            raise
        return False  # what gzip and bz2 raise on damaged data


def read(path: StrPath, mmap: bool = False, package: str | None = None) -> Saved:
    """Return the object in a file with all its arrays, those beside it mapped on request.

    The caller may trust one `package`, imported already: the file may name its classes, too. Those
    made of gensim's come as `Saved`, others as they are.
    """
    stream = read_whole(path)
    with sound(path):
        converter = Converter(len(stream), package)
        saved = converter.value_of(pickle_stream.read(stream, converter.check_name))
        if not isinstance(saved, Saved):
            raise ValueError(f"holds {type(saved).__name__}, not a gensim object")
        _read_arrays(saved, os.fspath(path), mmap)
    return saved


@contextmanager
def sound(path: Any) -> Iterator[None]:
    """Make whatever is wrong with the content of a file a ValueError that names the file."""
    try:
        yield
    except ForbiddenNameError as error:
        raise ForbiddenNameError(f"{path}: {error}") from error
    except _UNFIT as error:
        kind = UnsoundTypeError if isinstance(error, TypeError) else ValueError
        what = f"{error} is missing" if type(error) is KeyError else error
        raise kind(f"{path} is no sound gensim file: {what!s:.300}") from error


def _array_files() -> Any:
    """Return the module, which few files need, and which imports zipfile."""
    from pyw2v.io import array_files  # noqa: PLC0415

    return array_files


def _read_arrays(saved: Saved, base: str, mmap: bool, depth: int = 0) -> None:
    """Fill in the attributes that have files of their own."""
    if depth > _MAX_PARTS:
        raise ValueError(f"more than {_MAX_PARTS} parts within each other")
    attributes = vars(saved)
    for name in _names(attributes, "__recursive_saveloads"):
        part = attributes.get(name)
        if isinstance(part, Saved):
            _read_arrays(part, f"{base}.{name}", mmap, depth + 1)
    for name in _names(attributes, "__numpys"):
        attributes[name] = _array_files().load(f"{base}.{name}", mmap)
    for name in _names(attributes, "__ignoreds"):
        attributes[name] = None
    if _names(attributes, "__scipys"):
        raise ValueError(f"{base} refers to sparse matrices, which models of words do not have")


def _names(attributes: dict[str, Any], note: str) -> list[str]:
    """Take a note out of the attributes: names, each once, that lead to no other folder."""
    names = attributes.pop(note, None)
    if names is None:
        return []
    if not isinstance(names, (list, tuple, set, frozenset)):
        raise ValueError(f"{note} must be a list of names, got a {type(names).__name__}")
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or len(name) > _MAX_NAME:
            raise ValueError(f"{name!r:.80} is no name of an attribute")
    return list(dict.fromkeys(names))
