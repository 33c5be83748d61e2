"""gensim's models to ours and back: from a file's `Saved` objects, live ones, or a pickle's state.

Only attributes are read, so these are alike. Those of gensim 3 are spread over the parts
`vocabulary` and `trainables`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from pyw2v import _matrices
from pyw2v._shared import kinds
from pyw2v.io import gensim_fields
from pyw2v.io.gensim_format import Saved
from pyw2v.vectors.gensim import (
    SUBWORD_SIZES,
    attributes_of,
    check_whole,
    fill_gensim_vectors,
    fill_vectors,
    gensim_models,
    has_subwords,
    keep_others,
    note_source,
    take_locks,
)
from pyw2v.word2vec.state import ModelState

Model = TypeVar("Model", bound=ModelState)

_PARTS = ("vocabulary", "trainables")  # of gensim 3's models
_CODE = {"callbacks", "trim_rule", "hashfxn"}  # arguments that are not kept

_HISTORY = (
    *("corpus_count", "corpus_total_words", "train_count", "total_train_time", "lifecycle_events"),
    *("running_training_loss", "min_alpha_yet_reached", "effective_min_count", "layer1_size"),
)


def model_of(cls: type[Model], source: Any) -> Model:
    """Return a model of ours made of one of gensim's."""
    attributes = vars(source)
    if isinstance(source, Saved):
        gensim_fields.check_parts(attributes, "wv", *_PARTS)
    wv = attributes.get("wv", source)  # before 1.0 they were the model's own
    vectors = attributes_of(wv)
    whole = _with_parts(attributes) | vectors
    if isinstance(source, Saved):
        gensim_fields.check_vectors(whole, has_subwords(cls))
        gensim_fields.check_model(_with_parts(attributes), *gensim_fields.shape(whole))
    model = cls.__new__(cls)
    _make(model, attributes, vectors)
    fill_vectors(model.wv, whole)
    note_source(model.wv, wv)
    return model


def take_state(model: ModelState, state: dict[str, Any]) -> None:
    """Make a new model of ours of what a pickle of gensim's holds."""
    for each in (state, *(vars(state[part]) for part in _PARTS if part in state)):
        check_whole(model, each)
    wv = state.get("wv")
    _make(model, state, state if wv is None else vars(wv))
    if wv is None:
        fill_vectors(model.wv, state)
    else:  # its own pickle has made vectors of ours of it
        model.wv = wv
        take_locks(wv, _with_parts(state))
        model._forget_tables()
    keep_others(model, state)


def _make(model: ModelState, attributes: dict[str, Any], vectors: Mapping[str, Any]) -> None:
    """Call the constructor with gensim's settings, and give the model all but the vectors."""
    attributes = _with_parts(attributes)
    # FastText keeps these with its vectors.
    attributes |= {name: vectors[name] for name in SUBWORD_SIZES if name in vectors}
    base: Any = kinds.base_of(type(model))  # a user's constructor may want other arguments
    # Those that gensim keeps. Others, such as `sentences`, it never does; a file could have them
    # still.
    kept = [setting.name for setting in base._settings.stored if setting.peer == "gensim"]
    given = base._settings.given({name: attributes.get(name) for name in kept})
    given = {name: value for name, value in given.items() if value is not None}
    base.__init__(model, **given)
    for name in ("syn1", "syn1neg"):
        rows = attributes.get(name)
        setattr(model, name, None if rows is None else _matrices.grown(rows, *np.shape(rows)))
    for name in _HISTORY:
        if attributes.get(name) is not None:
            setattr(model, name, attributes[name])
        elif name.startswith("corpus_"):  # unknown before 3.0 and 3.3
            setattr(model, name, None)
    model.raw_vocab = dict(attributes.get("raw_vocab") or {})


def _with_parts(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a model of gensim 4, or of gensim 3 and its parts."""
    gathered: dict[str, Any] = {}
    for part in _PARTS:
        if part in attributes:
            gathered |= vars(attributes[part])
    gathered |= attributes
    for old, new in (("iter", "epochs"), ("syn0_lockf", "vectors_lockf"), ("size", "vector_size")):
        if old in gathered:
            gathered.setdefault(new, gathered[old])
    return gathered


def gensim_model(model: ModelState) -> Any:
    """Return gensim's model with the settings, words and weights of ours, copied."""
    kind = getattr(gensim_models(), type(model).__name__)
    known = inspect.signature(kind).parameters.keys() - _CODE - {"sentences", "corpus_file"}
    other = kind(**{name: getattr(model, name) for name in known if hasattr(model, name)})
    fill_gensim_vectors(other.wv, model.wv)
    for name in ("syn1", "syn1neg"):
        rows = getattr(model, name)
        if rows is not None:
            setattr(other, name, np.array(rows, np.float32, order="C"))
    for name in _HISTORY:
        setattr(other, name, getattr(model, name))
    if model.hs:
        other.create_binary_tree()
    if model.negative:
        other.make_cum_table()
    return other
