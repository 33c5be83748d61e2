"""The output side of a model: which matrices its objective has, and what the trainer gets of them.

`syn1neg` has a row for each word, `syn1` one for each inner node of the Huffman tree. Objectives
beyond the familiar two may have more: `output_nodes`, a row for each node of a tree of classes;
`word_bias` and `node_bias`; `class_of`, the class of each word; `band_ends` and `band_widths`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyw2v import _classes, _weights
from pyw2v._core.full_output import FullOutput
from pyw2v._state import ModelState
from pyw2v.objectives import (
    ClassSoftmax,
    DifferentiatedSoftmax,
    FullLogistic,
    FullSoftmax,
    Objective,
)

FULL = (FullSoftmax, FullLogistic, ClassSoftmax, DifferentiatedSoftmax)

# Arrays of the output side that a file holds besides syn1neg and syn1, and their dimensions.
STORED = {
    "output_nodes": 2,
    "word_bias": 1,
    "node_bias": 1,
    "class_of": 1,
    "band_ends": 1,
    "band_widths": 1,
}


def is_full(objective: Objective | None) -> bool:
    """Whether inputs meet all words, or all members of a class."""
    return isinstance(objective, FULL)


def start(model: ModelState) -> None:
    """Make the state of the model's objective afresh, all weights zero."""
    n_words, dim = len(model.wv), model.vector_size
    objective = model._objective
    model.syn1 = _weights.zeros(n_words, dim) if model._has_tree else None
    model.syn1neg = _weights.zeros(n_words, dim) if model._has_word_rows else None
    for name in STORED:
        setattr(model, name, None)
    if objective is None:
        return
    if isinstance(objective, DifferentiatedSoftmax):
        model.band_ends, model.band_widths = _classes.bands(objective.bands, n_words, dim)
    if isinstance(objective, ClassSoftmax):
        counts = model.wv.expandos["count"]
        model.class_of = _classes.assign(
            objective.classes, model.wv.index_to_key, counts, objective.depth
        )
        model.output_nodes = _weights.zeros(_class_tree(model).n_nodes, dim)
    if objective.output_bias:
        model.word_bias = np.zeros(n_words, np.float32)
        if model.output_nodes is not None:
            model.node_bias = np.zeros(len(model.output_nodes), np.float32)


def grow(model: ModelState) -> None:
    """Give new words their part of the state; that of old ones stays."""
    n_words, objective = len(model.wv), model._objective
    if model.syn1neg is not None:
        model.syn1neg = _weights.grown(model.syn1neg, n_words, model.vector_size)
    if model.word_bias is not None:
        more = np.zeros(n_words - len(model.word_bias), np.float32)
        model.word_bias = np.concatenate([model.word_bias, more])
    if model.band_ends is not None:
        model.band_ends = np.append(model.band_ends[:-1], np.int32(n_words))
    if model.class_of is not None and isinstance(objective, ClassSoftmax):
        # The tree above the classes stays as it is: it is made of the counts it was made of.
        model.class_of = _classes.extended(
            model.class_of, objective.classes, model.wv.index_to_key
        )


def _class_tree(model: ModelState) -> _classes.ClassTree:
    """Return the tree of a class softmax.

    Its levels above the classes depend on the number of words in each class only, so that a tree
    is the same after a file was read, or counts have changed.
    """
    assert model.class_of is not None
    assert isinstance(model._objective, ClassSoftmax)
    return _classes.tree(model.class_of, model._objective.depth)


def align(model: ModelState) -> list[Any]:
    """Make the arrays such that the core trains on them in place; return them."""
    shape = (len(model.wv), model.vector_size)
    arrays: list[Any] = []
    for name, used in (("syn1neg", model._has_word_rows), ("syn1", model._has_tree)):
        if not used:
            continue
        array = getattr(model, name)
        if array is None:  # an objective switched on after the vocabulary was built
            array = _weights.zeros(*shape)
        arrays.append(_weights.for_training(array, *shape, name))
        setattr(model, name, arrays[-1])
    if model.output_nodes is not None:
        n_nodes = _class_tree(model).n_nodes
        model.output_nodes = _weights.for_training(
            model.output_nodes, n_nodes, model.vector_size, "output_nodes", "nodes"
        )
        arrays.append(model.output_nodes)
    for name in ("word_bias", "node_bias"):
        bias = getattr(model, name)
        if bias is not None:
            if bias.dtype != np.float32 or not (
                bias.flags.writeable and bias.flags.c_contiguous and bias.flags.owndata
            ):
                setattr(model, name, np.array(bias, np.float32))
            arrays.append(getattr(model, name))
    return arrays


def trainer_outputs(model: ModelState) -> dict[str, Any]:
    """Return those arguments of the Trainer that make up the output."""
    familiar = model._objective is None
    return {
        "output_ns": model.syn1neg if familiar and model.negative else None,
        "negative": model.negative if familiar else 0,
        "ns_exponent": float(model.ns_exponent),
        "output_hs": model.syn1 if model._has_tree else None,
        "huffman": model._huffman_tree() if model._has_tree else None,
        "full": full_output(model),
    }


def full_output(model: ModelState, update: bool = True) -> FullOutput | None:
    """Return what the trainer needs of an objective over all words; None for other objectives."""
    objective = model._objective
    if not is_full(objective):
        return None
    return FullOutput(
        _loss(objective),
        model.syn1neg,
        nodes=model.output_nodes,
        word_bias=model.word_bias,
        node_bias=model.node_bias,
        self_norm=objective.self_norm if isinstance(objective, FullSoftmax) else 0.0,
        bands=None if model.band_ends is None else (model.band_ends, model.band_widths),
        tree=None if model.class_of is None else tuple(_class_tree(model)),
        update=update,
    )


def _loss(objective: Objective | None) -> str:
    if isinstance(objective, ClassSoftmax):
        return "classes"
    return "logistic" if isinstance(objective, FullLogistic) else "softmax"
