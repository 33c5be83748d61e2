"""A whole model to and from one native file: matrices and counts, words, settings.

Callbacks, trim_rule and hashfxn are code and stay out. What is derived (Huffman tree, norms,
tables) is made again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyw2v import _gensim_models, _kinds, _outputs, _settings, _weights
from pyw2v._state import ModelState
from pyw2v.io import gensim_format, handles, native
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
    for name in ("syn1neg", "syn1", "syn1bias", *_outputs.STORED):
        if getattr(model, name) is not None:
            tensors[name] = getattr(model, name)
    words: dict[str, Any] = {"index_to_key": model.wv.index_to_key}
    for name, values in model.wv.expandos.items():
        if values.dtype != object:
            tensors[ATTRIBUTE_PREFIX + name] = np.ascontiguousarray(values)
        elif all(isinstance(value, str | int) for value in values):
            words[ATTRIBUTE_PREFIX + name] = values.tolist()
        # Other objects, such as Huffman paths, have no safe form, or can be made again.
    settings = _settings.stored(model) | {"type": _kinds.kind_of(type(model))}
    settings = json.loads(json.dumps(settings, default=str))
    handles.save(target, tensors, words, settings)


def load(cls: type[Model], source: Any, mmap: Any) -> Model:
    """Return the model in a path or an open binary file: a `cls`, or what else was saved."""
    with handles.as_path(source) as path:
        if gensim_format.is_pickle(path):
            saved = gensim_format.read(path)
            kind = _kinds.class_of(cls, saved.name.rpartition(".")[2], _kinds.MODELS, source)
            return _gensim_models.model_of(kind, saved)
        file = native.load(path, mmap=True)  # also to copy, so that two copies never exist
        kind = _kinds.class_of(cls, file.settings.get("type"), _kinds.MODELS, source)
        model = kind.__new__(kind)
        try:
            _restore_settings(model, file.settings)
            _restore_matrices(model, file, keep_mapping=bool(mmap) and path is source)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{source} is not a sound {kind.__name__} file: {error}") from error
    return model


def _restore_settings(model: ModelState, settings: dict[str, Any]) -> None:
    _settings.restore(model, settings)
    _settings.check_settings(model)
    model.hashfxn = hash
    model.raw_vocab = None
    entropy, n_seeds = int(model._entropy), int(model._n_seeds)
    model._init_random()
    model._entropy, model._n_seeds = entropy, n_seeds


def _restore_matrices(model: ModelState, file: native.NativeFile, keep_mapping: bool) -> None:
    def convert(matrix: Any) -> Any:
        if matrix.dtype != np.float32:
            raise ValueError(f"a matrix must be float32, got {matrix.dtype}")
        return matrix if keep_mapping else _weights.grown(matrix, *matrix.shape)

    wv = model.wv = model._new_vectors()
    wv._restore(file, convert)
    model._forget_tables()
    for name in ("syn1neg", "syn1"):
        stored = name in file.tensors
        output = convert(wv._checked(file.tensors, name, len(wv))) if stored else None
        setattr(model, name, output)
    bias = file.tensors.get("syn1bias")
    if bias is not None:
        bias = _weights.numbers_for_training(bias.copy(), len(wv), "syn1bias")
    model.syn1bias = bias
    for name, dtype in _outputs.STORED.items():
        array = file.tensors.get(name)
        if array is not None and array.dtype != dtype:
            raise ValueError(f"{name} must be {np.dtype(dtype)}, got {array.dtype}")
        setattr(model, name, None if array is None else array.copy())
    _outputs.check_stored(model)
