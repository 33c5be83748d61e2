"""gensim's models to ours and back: from a file's `Saved` objects, or live ones.

Only attributes are read, so the two are alike. Those of gensim 3 are spread over the parts
`vocabulary` and `trainables`.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

import numpy as np

from pyw2v import _weights
from pyw2v._gensim_vectors import (
    SUBWORD_SIZES,
    fill_gensim_vectors,
    fill_vectors,
    gensim_models,
)
from pyw2v._state import ModelState

Model = TypeVar("Model", bound=ModelState)

_HISTORY = (
    *("corpus_count", "corpus_total_words", "train_count", "total_train_time", "lifecycle_events"),
    *("running_training_loss", "min_alpha_yet_reached", "effective_min_count", "layer1_size"),
)


def model_of(cls: type[Model], source: Any) -> Model:
    """Return a model of ours made of one of gensim's."""
    attributes = _gathered(source)
    wv = attributes.get("wv", source)  # before 1.0 the words were the model's own
    # FastText keeps these with its vectors.
    sizes = {name: vars(wv)[name] for name in SUBWORD_SIZES if name in vars(wv)}
    known = inspect.signature(cls).parameters.keys() - {"callbacks", "trim_rule", "hashfxn"}
    given = {name: attributes[name] for name in known if attributes.get(name) is not None}
    model = cls(**given | {name: sizes[name] for name in known & sizes.keys()})
    fill_vectors(model.wv, wv, attributes)
    for name in ("syn1", "syn1neg"):
        rows = attributes.get(name)
        setattr(model, name, None if rows is None else _weights.grown(rows, *np.shape(rows)))
    for name in _HISTORY:
        if attributes.get(name) is not None:
            setattr(model, name, attributes[name])
        elif name.startswith("corpus_"):  # unknown before 3.0 and 3.3
            setattr(model, name, None)
    model.raw_vocab = dict(attributes.get("raw_vocab") or {})
    return model


def _gathered(source: Any) -> dict[str, Any]:
    """Return the attributes of a model of gensim 4, or of gensim 3 and its parts."""
    attributes: dict[str, Any] = {}
    for part in ("vocabulary", "trainables"):
        if part in vars(source):
            attributes |= vars(vars(source)[part])
    attributes |= vars(source)
    for old, new in (("iter", "epochs"), ("syn0_lockf", "vectors_lockf"), ("size", "vector_size")):
        if old in attributes:
            attributes.setdefault(new, attributes[old])
    return attributes


def gensim_model(model: ModelState) -> Any:
    """Return gensim's model with the settings, words and weights of ours, copied."""
    kind = getattr(gensim_models(), type(model).__name__)
    known = inspect.signature(kind).parameters.keys() - {"callbacks", "trim_rule", "hashfxn"}
    known -= {"sentences", "corpus_file"}
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
