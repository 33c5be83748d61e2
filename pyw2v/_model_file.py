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
from pyw2v.vectors import ATTRIBUTE_PREFIX

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


def save(model: ModelState, target: Any) -> None:
    """Write `model` to a path, or to an open binary file."""
    tensors = model.wv._arrays(slice(None))
    for name in ("syn1neg", "syn1", "syn1bias"):
        if getattr(model, name) is not None:
            tensors[name] = getattr(model, name)
    words: dict[str, Any] = {"index_to_key": model.wv.index_to_key}
    for name, values in model.wv.expandos.items():
        if values.dtype != object:
            tensors[ATTRIBUTE_PREFIX + name] = np.ascontiguousarray(values)
        elif all(isinstance(value, str | int) for value in values):
            words[ATTRIBUTE_PREFIX + name] = values.tolist()
        # Other objects, such as Huffman paths, have no safe form, or can be made again.
    settings = _settings.stored(model) | {"type": type(model).__name__}
    settings = json.loads(json.dumps(settings, default=str))
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
        file = _read(path)
        kind = file.settings.get("type")
        if kind != cls.__name__:
            hint = " (KeyedVectors.load reads it)" if kind == "KeyedVectors" else ""
            raise ValueError(f"{source} holds {kind or 'no model'}, not a {cls.__name__}{hint}")
        model = cls.__new__(cls)
        try:
            _restore_settings(model, file.settings)
            _restore_matrices(model, file, keep_mapping=bool(mmap) and path is source)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{source} is not a sound {cls.__name__} file: {error}") from error
    return model


def _read(path: Any) -> native.NativeFile:
    try:
        # Mapped even when it is then copied, so that two private copies never exist.
        return native.load(path, mmap=True)
    except ValueError as error:
        with open(path, "rb") as file:
            start = file.read(2)
        if start[:1] == b"\x80" and start[1:] in (b"\2", b"\3", b"\4", b"\5"):
            raise ValueError(
                f"{path} is a pickle, as gensim saves models, which pyw2v does not read: save its "
                "vectors in gensim by model.wv.save_word2vec_format(path) and read those with "
                "KeyedVectors.load_word2vec_format(path)"
            ) from error
        raise


def _restore_settings(model: ModelState, settings: dict[str, Any]) -> None:
    _settings.restore(model, settings)
    _settings.check_settings(model)
    model.hashfxn = hash
    model.raw_vocab = None
    entropy, n_seeds = int(model._entropy), int(model._n_seeds)
    model._init_random()
    model._entropy, model._n_seeds = entropy, n_seeds
    model._forget_tables()


def _restore_matrices(model: ModelState, file: native.NativeFile, keep_mapping: bool) -> None:
    def convert(matrix: Any) -> Any:
        if matrix.dtype != np.float32:
            raise ValueError(f"a matrix must be float32, got {matrix.dtype}")
        return matrix if keep_mapping else _weights.grown(matrix, *matrix.shape)

    wv = model.wv = model._new_vectors()
    wv._restore(file, convert)
    for name in ("syn1neg", "syn1"):
        stored = name in file.tensors
        output = convert(wv._checked(file.tensors, name, len(wv))) if stored else None
        setattr(model, name, output)
    bias = file.tensors.get("syn1bias")
    if bias is not None:
        bias = _weights.numbers_for_training(bias.copy(), len(wv), "syn1bias")
    model.syn1bias = bias


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
