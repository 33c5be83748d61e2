"""Files that gensim 3 and 4 wrote with `save`: a pickle, and arrays in files beside it.

A pickle can run any code when it is loaded. This reader builds nothing but what these files need:
plain Python data, NumPy arrays of numbers, and `Saved` objects, which only remember the name of
gensim's class and the attributes. Any other name in a file is refused.

Layout: large arrays are moved to `<file>.<attribute>.npy` (`.npz` with one member `val` beside a
compressed file); the attributes of an object say which those are (`__numpys`), which parts have
such files of their own (`__recursive_saveloads`), and which were left out (`__ignoreds`).
"""

from __future__ import annotations

import os
import pickle
import re
from collections import OrderedDict, defaultdict
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

import numpy as np

from pyw2v.io.streams import DAMAGED, StrPath, open_binary

# What a protocol from 2 on starts with; gensim has always used 2 or a later one.
_MAGIC = re.compile(rb"\x80[\x02-\x05]")
# Numbers, truth values, bytes, text and references to other objects of the pickle.
_DTYPE = re.compile(r"[|<>=]?([?bBhHiIlLqQefdg]|[biufSUO]\d+|O)")

# What reading a damaged pickle may raise.
_UNSOUND: tuple[type[Exception], ...] = (
    *(*DAMAGED, pickle.UnpicklingError, ValueError, TypeError, KeyError, IndexError),
    *(AttributeError, ImportError, MemoryError, OverflowError, RecursionError),
)


class Saved:
    """An object of one of gensim's classes, as data: its class's `name` and its attributes."""

    name = ""

    def __init__(self, *args: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict):
            raise ValueError(f"an object of {self.name} must have attributes by name")
        self.__dict__.update(state)


class ForbiddenNameError(ValueError):
    """A pickle names something that a gensim model has no need of."""


def is_pickle(path: StrPath) -> bool:
    """Whether a file, which may be compressed, starts as a pickle does."""
    try:
        with open_binary(path) as file:
            return _MAGIC.match(file.read(2)) is not None
    except DAMAGED:
        return False


def read(path: StrPath, mmap: bool = False, package: str | None = None) -> Saved:
    """Return the object in a file with all its arrays, those beside it mapped if asked for.

    The caller may trust one `package`, imported already: the file may name its classes, too. Those
    made of gensim's come as `Saved`, others as they are.
    """
    try:
        with open_binary(path) as file:
            saved = _Unpickler(file, package).load()
    except (ForbiddenNameError, FileNotFoundError):
        raise
    except _UNSOUND as error:
        raise ValueError(f"{path} is no sound gensim file: {error!r}") from error
    if not isinstance(saved, Saved):
        raise ValueError(f"{path} holds {type(saved).__name__}, not a gensim object")
    resolved: Saved = _resolve(saved, {})
    _read_arrays(resolved, os.fspath(path), mmap)
    return resolved


def _read_arrays(saved: Saved, base: str, mmap: bool) -> None:
    """Fill in the attributes that have files of their own."""
    attributes = saved.__dict__
    for name in attributes.pop("__recursive_saveloads", []):
        part = attributes.get(name)
        if isinstance(part, Saved):
            _read_arrays(part, f"{base}.{_plain_name(name)}", mmap)
    for name in attributes.pop("__numpys", []):
        attributes[name] = _array_file(f"{base}.{_plain_name(name)}", mmap)
    for name in attributes.pop("__ignoreds", []):
        attributes[name] = None
    if attributes.pop("__scipys", []):
        raise ValueError(f"{base} refers to sparse matrices, which models of words do not have")


def _array_file(stem: str, mmap: bool) -> Any:
    if Path(stem + ".npz").exists() and not Path(stem + ".npy").exists():
        with np.load(stem + ".npz", allow_pickle=False) as members:
            return members["val"]
    return np.load(stem + ".npy", mmap_mode="r" if mmap else None, allow_pickle=False)


def _plain_name(name: Any) -> str:
    """Check that a name leads to no other folder."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"{name!r} is no name of an attribute")
    return name


# -- what a pickle may name ----------------------------------------------------------------------


class _Dtype:
    """The type of an array; its byte order comes with the state."""

    def __init__(self, code: Any, *_: Any) -> None:
        if not isinstance(code, str) or not _DTYPE.fullmatch(code):
            raise ValueError(f"arrays of {code!r} are none of words")
        self.dtype = np.dtype(code)

    def __setstate__(self, state: Any) -> None:
        order: Any = state[1]
        if order in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(order)


class _Array:
    """An array that is yet to come with the state; `_resolve` puts it in its place."""

    array: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, is_fortran, data = state
        order: Any = "F" if is_fortran else "C"
        kind = _dtype_of(dtype)
        if kind.hasobject:
            self.array = np.empty(len(data), object)
            self.array[:] = data
        else:
            raw = data.encode("latin1") if isinstance(data, str) else bytes(data)
            self.array = np.frombuffer(bytearray(raw), kind)
        self.array = self.array.reshape(shape, order=order)


def _dtype_of(dtype: Any) -> np.dtype[Any]:
    if not isinstance(dtype, _Dtype):
        raise ValueError("an array must have a type")
    return dtype.dtype


def _new_array(subtype: Any, *_: Any) -> _Array:
    if subtype is not np.ndarray:
        raise ValueError(f"an array cannot be a {subtype!r}")
    return _Array()


def _array_of_buffer(buffer: Any, dtype: Any, shape: Any, order: str) -> Any:
    """Protocol 5's form of an array."""
    kind = _dtype_of(dtype)
    flat = np.frombuffer(bytearray(buffer), kind)
    return flat.reshape(shape, order=order)  # type: ignore[call-overload]  # NumPy checks `order`


def _scalar(dtype: Any, data: Any = b"") -> Any:
    raw = data.encode("latin1") if isinstance(data, str) else bytes(data)
    return np.frombuffer(raw, _dtype_of(dtype), 1)[0]


def _encode(text: str, encoding: str = "latin1") -> bytes:
    """Protocol 2's form of bytes."""
    if encoding != "latin1":
        raise ValueError(f"bytes are written in latin1, got {encoding!r}")
    return text.encode("latin1")


class _RandomState:
    """A generator of random numbers; ours are seeded anew."""

    def __init__(self, *args: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        pass


def _on_class_only(*args: Any) -> NoReturn:
    raise AttributeError("load is called on the class, not on a model")


def _reconstructor(kind: Any, base: Any, state: Any) -> Any:
    """Protocol 2's form of a new object."""
    if not (isinstance(kind, type) and issubclass(kind, Saved)):
        raise ValueError(f"no object of {kind!r} is needed")
    return kind()


def _posix_path(*parts: str) -> str:
    return str(PurePosixPath(*parts))


class _Object:
    """Stands for `object`, the base class in protocol 2's form of a new object."""


_CLASSES = {
    "gensim.models.word2vec": ("Word2Vec", "Word2VecVocab", "Word2VecTrainables", "Vocab"),
    "gensim.models.keyedvectors": (
        *("KeyedVectors", "BaseKeyedVectors", "WordEmbeddingsKeyedVectors"),
        *("Word2VecKeyedVectors", "EuclideanKeyedVectors", "FastTextKeyedVectors"),
        *("Vocab", "CompatVocab", "SimpleVocab"),
    ),
    "gensim.models.fasttext": (
        *("FastText", "FastTextVocab", "FastTextTrainables", "FastTextKeyedVectors"),
    ),
    "gensim.models.wrappers.fasttext": ("FastText", "FastTextKeyedVectors"),
    "gensim.models.deprecated.fasttext": ("FastText",),
    "gensim.models.deprecated.word2vec": ("Word2Vec", "Vocab"),
    "gensim.models.deprecated.keyedvectors": ("EuclideanKeyedVectors", "Vocab"),
    "gensim.models.phrases": ("Phrases", "Phraser", "FrozenPhrases", "PhrasesTransformation"),
}
_BUILTINS: dict[str, Any] = {
    **{kind.__name__: kind for kind in (set, frozenset, dict, list, tuple, int, float, str)},
    **{kind.__name__: kind for kind in (bool, bytes, bytearray, complex)},
    **{"hash": hash, "long": int, "unicode": str, "object": _Object},
}
_NUMPY_RANDOM = (
    *("__RandomState_ctor", "__randomstate_ctor", "__bit_generator_ctor", "__generator_ctor"),
    *("RandomState", "Generator", "MT19937", "PCG64", "SeedSequence"),
)
_SCALAR_TYPES = ("float16", "float32", "float64", "int32", "int64", "uint32", "uint64", "bool_")


def _known_names() -> dict[tuple[str, str], Any]:
    known: dict[tuple[str, str], Any] = {}
    for module, names in _CLASSES.items():
        for name in names:
            known[module, name] = type(name, (Saved,), {"name": f"{module}.{name}"})
    for module in ("builtins", "__builtin__"):
        known |= {(module, name): value for name, value in _BUILTINS.items()}
    for module in ("numpy.core", "numpy._core"):
        known[f"{module}.multiarray", "_reconstruct"] = _new_array
        known[f"{module}.multiarray", "scalar"] = _scalar
        known[f"{module}.numeric", "_frombuffer"] = _array_of_buffer
    for module in ("numpy.random", "numpy.random._pickle", "numpy.random.mtrand", "mtrand"):
        known |= {(module, name): _RandomState for name in _NUMPY_RANDOM}
    known["numpy.random._mt19937", "MT19937"] = _RandomState
    known["numpy.random.bit_generator", "SeedSequence"] = _RandomState
    known |= {("numpy", name): getattr(np, name) for name in _SCALAR_TYPES}
    for module in ("pathlib", "pathlib._local"):
        known |= {(module, f"{kind}Path"): _posix_path for kind in ("Posix", "Windows")}
    for name in ("original_scorer", "npmi_scorer"):
        known["gensim.models.phrases", name] = name
    return known | {
        ("numpy", "dtype"): _Dtype,
        ("numpy", "ndarray"): np.ndarray,
        ("_codecs", "encode"): _encode,
        ("copyreg", "_reconstructor"): _reconstructor,
        ("copy_reg", "_reconstructor"): _reconstructor,
        ("collections", "defaultdict"): defaultdict,
        ("collections", "OrderedDict"): OrderedDict,
        ("gensim.utils", "call_on_class_only"): _on_class_only,
    }


_KNOWN = _known_names()


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, package: str | None) -> None:
        super().__init__(file, encoding="latin1")
        self._package = package

    def find_class(self, module: str, name: str) -> Any:
        if self._package is not None and module.partition(".")[0] == self._package:
            return self._class_of_package(module, name)
        try:
            return _KNOWN[module, name]
        except KeyError:
            raise ForbiddenNameError(
                f"the file names {module}.{name}, which no model of words needs: it is not loaded, "
                "since a pickle could run any code by it"
            ) from None

    def _class_of_package(self, module: str, name: str) -> Any:
        """Return a class that the trusted package itself defines, or what stands for it."""
        found = None if "." in name else super().find_class(module, name)
        home = getattr(found, "__module__", "").partition(".")[0]
        if not isinstance(found, type) or home != self._package:
            raise ForbiddenNameError(f"the file names {module}.{name}, which is no class there")
        if hasattr(found, "get_vector"):
            return type(name, (Saved,), {"name": f"{module}.{name}"})
        return found

    def persistent_load(self, pid: Any) -> NoReturn:
        raise pickle.UnpicklingError("gensim's files refer to nothing outside")


def _resolve(value: Any, done: dict[int, Any]) -> Any:
    """Return `value` with the arrays in place of their stand-ins, changed in place where it can."""
    if isinstance(value, _Array):
        if isinstance(value.array, np.ndarray) and value.array.dtype == object:
            for i, item in enumerate(value.array.flat):
                value.array.flat[i] = _resolve(item, done)
        return value.array
    if isinstance(value, (dict, list)) or hasattr(value, "__dict__"):
        if id(value) in done or isinstance(value, type):
            return value
        done[id(value)] = value
        content: Any = value if isinstance(value, (dict, list)) else value.__dict__
        items = enumerate(content) if isinstance(content, list) else list(content.items())
        for key, item in items:
            if isinstance(item, (_Array, dict, list, tuple)) or hasattr(item, "__dict__"):
                content[key] = _resolve(item, done)
    elif isinstance(value, tuple):
        return tuple(_resolve(item, done) for item in value)
    return value
