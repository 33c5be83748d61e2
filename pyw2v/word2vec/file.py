"""A whole model to and from one native file: matrices and counts, words, settings.

Callbacks, trim_rule and hashfxn are code and stay out. What is derived (Huffman tree, norms,
tables) is made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyw2v import _matrices
from pyw2v._shared import kinds
from pyw2v.io import fields, gensim_format, handles, native
from pyw2v.vectors import ATTRIBUTE_PREFIX, width_in
from pyw2v.word2vec import gensim as gensim_models
from pyw2v.word2vec import outputs
from pyw2v.word2vec import settings as _settings
from pyw2v.word2vec.state import ModelState

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

_OUTPUTS = "n_outputs"  # how many words have output rows, if not all

# Of the words, where they are known: vectors of other programs may have none.
_COUNTS: dict[str, Callable[[int], fields.Rule]] = {
    "count": lambda n: fields.default(None, fields.counts(n)),
    "sample_int": lambda n: fields.default(None, fields.array("u4", n)),
}


def save(model: ModelState, target: Any) -> None:
    """Write `model` to a path, or to an open binary file."""
    handles.save(target, *contents(model))


def contents(model: ModelState) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the arrays, words and settings of a file; the arrays are the model's own."""
    tensors = model.wv._arrays(slice(None))
    for name in ("syn1neg", "syn1", "syn1bias", *outputs.STORED):
        if getattr(model, name) is not None:
            tensors[name] = getattr(model, name)
    words: dict[str, Any] = {"index_to_key": model.wv.index_to_key}
    for name, values in model.wv.expandos.items():
        if values.dtype != object:
            tensors[ATTRIBUTE_PREFIX + name] = np.ascontiguousarray(values)
        elif all(isinstance(value, str | int) for value in values):
            words[ATTRIBUTE_PREFIX + name] = values.tolist()
        # Other objects, such as Huffman paths, have no safe form, or can be made again.
    settings = _settings.stored(model) | {"type": kinds.kind_of(type(model))}
    if _n_outputs(model) != len(model.wv):
        settings[_OUTPUTS] = _n_outputs(model)
    return tensors, words, json.loads(json.dumps(settings, default=str))


def load(cls: type[Model], source: Any, mmap: Any, verify: bool = False) -> Model:
    """Return the model in a path or an open binary file: a `cls`, or what else was saved."""
    with handles.as_path(source) as path:
        if gensim_format.is_pickle(path):
            if verify:
                native.no_checksum(source)
            saved = gensim_format.read(path)
            kind = kinds.class_of(cls, saved.name.rpartition(".")[2], kinds.MODELS, source)
            with gensim_format.sound(source):
                return gensim_models.model_of(kind, saved)
        is_mapped = bool(mmap) and path is source
        file = native.load(path, mmap=is_mapped, make=_matrices.room, verify=verify)
        kind = kinds.class_of(cls, file.settings.get("type"), kinds.MODELS, source)
        model = kind.__new__(kind)
        with fields.sound(source, kind.__name__):
            _restore_settings(model, file.settings)
            _restore_matrices(model, file)
    return model


def _restore_settings(model: ModelState, settings: dict[str, Any]) -> None:
    _settings.restore(model, settings)
    model.raw_vocab = None
    entropy, n_seeds = model._entropy, model._n_seeds
    model._init_random()
    model._entropy, model._n_seeds = entropy, n_seeds


def _restore_matrices(model: ModelState, file: native.NativeFile) -> None:
    def convert(matrix: Any) -> Any:
        if matrix.dtype != np.float32:
            raise ValueError(f"a matrix must be float32, got {matrix.dtype}")
        return matrix

    # Before memory is allocated by what the settings say.
    width_in(file, "vectors_vocab" if "vectors_vocab" in file.tensors else "vectors")
    wv = model.wv = model._new_vectors()
    wv._restore(file, convert)
    fields.checked(wv.expandos, {name: rule(len(wv)) for name, rule in _COUNTS.items()})
    model._forget_tables()
    n_outputs = fields.checked(
        file.settings, {_OUTPUTS: fields.default(len(wv), fields.integer(0, len(wv)))}
    )[_OUTPUTS]
    for name in ("syn1neg", "syn1"):
        stored = name in file.tensors
        output = convert(wv._checked(file.tensors, name, n_outputs)) if stored else None
        setattr(model, name, output)
    bias = file.tensors.get("syn1bias")
    if bias is not None:
        fields.array("f4", n_outputs)("syn1bias", bias)
        bias = _matrices.numbers_for_training(bias.copy(), n_outputs, "syn1bias")
    model.syn1bias = bias
    for name, dtype in outputs.STORED.items():
        array = file.tensors.get(name)
        if array is not None:
            fields.array(dtype, *([None] * (2 if name == "syn1class" else 1)))(name, array)
        setattr(model, name, None if array is None else array.copy())
    outputs.check_stored(model, n_outputs)


def _n_outputs(model: ModelState) -> int:
    """Return how many words have output rows: those added to trained vectors have none."""
    rows = model.syn1 if model.syn1neg is None else model.syn1neg
    return len(model.wv) if rows is None else len(rows)
