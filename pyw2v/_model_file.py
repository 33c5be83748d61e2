"""A whole model to and from one native file: matrices and counts, words, settings.

Callbacks, trim_rule and hashfxn are code and stay out. What is derived (Huffman tree, norms,
tables) is made again.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyw2v import _settings, _weights
from pyw2v._state import ModelState
from pyw2v.io import native
from pyw2v.vectors import KeyedVectors

if TYPE_CHECKING:
    class_only = classmethod
else:

    class class_only(classmethod):  # noqa: N801 (a decorator)
        """A classmethod that an instance does not have: model.load(path) would change nothing."""

        def __get__(self, instance, owner=None):
            """Return the method bound to the class."""
            if instance is not None:
                name = f"{type(instance).__name__}.{self.__name__}"
                raise AttributeError(f"{name} is called on the class, not on a model: {name}(path)")
            return super().__get__(None, owner)


Model = TypeVar("Model", bound=ModelState)

_ATTRIBUTE_PREFIX = "attribute."  # of a tensor that is a per-word attribute in wv.expandos


def save(model: ModelState, target: Any) -> None:
    """Write `model` to a path, or to an open binary file."""
    tensors: dict[str, np.ndarray[Any, Any]] = {
        "vectors": model.wv.vectors,
        "vectors_lockf": np.asarray(model.wv.vectors_lockf, dtype=np.float32),
    }
    for name in ("syn1neg", "syn1"):
        if getattr(model, name) is not None:
            tensors[name] = getattr(model, name)
    for name, values in model.wv.expandos.items():
        if values.dtype != object:  # objects (Huffman paths, Python values) have no safe form
            tensors[_ATTRIBUTE_PREFIX + name] = np.ascontiguousarray(values)
    settings = {name: getattr(model, name) for name in _settings.STORED}
    settings |= {"type": type(model).__name__}
    settings = json.loads(json.dumps(settings, default=str))
    words = {"index_to_key": model.wv.index_to_key}
    if not hasattr(target, "write"):
        native.save(target, tensors, words, settings)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        native.save(path, tensors, words, settings)
        with path.open("rb") as file:
            shutil.copyfileobj(file, target)


def load(cls: type[Model], source: Any, mmap: Any) -> Model:
    """Return the model of class `cls` in a path or an open binary file."""
    with _as_path(source) as path:
        # Mapped even when it is then copied, so that two private copies never exist.
        file = native.load(path, mmap=True)
        kind = file.settings.get("type")
        if kind != cls.__name__:
            hint = " (KeyedVectors.load reads it)" if kind == "KeyedVectors" else ""
            raise ValueError(f"{source} holds a {kind}, not a {cls.__name__}{hint}")
        model = cls.__new__(cls)
        for name in _settings.STORED:
            setattr(model, name, file.settings[name])
        model.hashfxn = hash
        model.raw_vocab = None
        entropy, n_seeds = model._entropy, model._n_seeds
        model._init_random()
        model._entropy, model._n_seeds = entropy, n_seeds
        model._forget_tables()
        keep_mapping = bool(mmap) and not hasattr(source, "read")
        _restore(model, file, keep_mapping)
    return model


def _restore(model: ModelState, file: native.NativeFile, keep_mapping: bool) -> None:
    wv = model.wv = KeyedVectors(model.vector_size)
    wv.index_to_key = list(file.words["index_to_key"])
    wv.key_to_index = {word: i for i, word in enumerate(wv.index_to_key)}
    tensors = file.tensors
    for name, values in tensors.items():
        if name.startswith(_ATTRIBUTE_PREFIX):
            wv.expandos[name.removeprefix(_ATTRIBUTE_PREFIX)] = np.array(values)
    wv.vectors_lockf = np.array(tensors["vectors_lockf"])

    def matrix(name: str) -> Any:
        if name not in tensors:
            return None
        values = tensors[name]
        if keep_mapping:
            return values
        return _weights.grown(values, len(values), model.vector_size)

    wv.vectors = matrix("vectors")
    model.syn1neg, model.syn1 = matrix("syn1neg"), matrix("syn1")


@contextmanager
def _as_path(source: Any) -> Iterator[Any]:
    """Yield a path to the bytes of `source`, which may be an open binary file."""
    if not hasattr(source, "read"):
        yield source
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        with path.open("wb") as file:
            shutil.copyfileobj(source, file)
        yield path
