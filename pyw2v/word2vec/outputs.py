"""What objectives over all words, or over classes of them, have beyond an output row a word.

`class_of` is the class of each word, and `syn1class` has a row for each node of the tree of classes
(with the biases `syn1class_bias`); `band_ends` and `band_widths` say how wide the rows of
`syn1neg` are. They are attributes of a model, and None where its objective has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyw2v import _matrices
from pyw2v._core.full_output import FullOutput
from pyw2v._core.matrix import spread_copy
from pyw2v.objectives import (
    ClassSoftmax,
    DifferentiatedSoftmax,
    FullLogistic,
    FullSoftmax,
    Objective,
)
from pyw2v.objectives import classes as _classes
from pyw2v.word2vec import scores
from pyw2v.word2vec.state import ModelState

# Arrays that a file holds, and their types.
STORED = {
    "class_of": "i4",
    "syn1class": "f4",
    "syn1class_bias": "f4",
    "band_ends": "i4",
    "band_widths": "i4",
}


def start(model: ModelState) -> None:
    """Make these arrays afresh for the vocabulary, all weights zero."""
    objective = model._objective()
    for name in STORED:
        setattr(model, name, None)
    if isinstance(objective, DifferentiatedSoftmax):
        ends, widths = _classes.bands(objective.bands, len(model.wv), model.vector_size)
        model.band_ends, model.band_widths = ends, widths
    if isinstance(objective, ClassSoftmax):
        model.class_of = _classes.assign(
            objective.classes,
            model.wv.index_to_key,
            model.wv.expandos["count"],
            objective.depth,
        )
        n_nodes = class_tree(model).n_nodes
        model.syn1class = _matrices.zeros(n_nodes, model.vector_size)
    if objective is not None and objective.output_bias and len(model.wv):
        model.syn1bias = scores.first_biases(model)
        if model.class_of is not None:
            model.syn1class_bias = _first_node_biases(model)


def _first_node_biases(model: ModelState) -> _matrices.Matrix:
    tree = class_tree(model)
    counts = np.maximum(np.asarray(model.wv.expandos["count"], np.float64), 0.5)
    mass = np.zeros(tree.n_nodes)
    nodes = tree.members[tree.offsets[tree.path_groups] + tree.path_places]
    for level in range(tree.depth - 1):
        mass += np.bincount(nodes[level :: tree.depth], counts, minlength=tree.n_nodes)
    return np.asarray(np.log(mass / counts.sum()), np.float32)


def grow(model: ModelState, n_old: int) -> None:
    """Make room for words after the first n_old: in the last band, in the classes there are."""
    if model.syn1bias is not None:
        model.syn1bias[n_old:] = scores.first_biases(model)[n_old:]
    if model.band_ends is not None:
        model.band_ends = np.append(model.band_ends[:-1], np.int32(len(model.wv)))
    if model.class_of is not None:
        model.class_of = _classes.extended(model.class_of, model.classes, model.wv.index_to_key)


def align(model: ModelState) -> list[Any]:
    """Make the arrays such that the core trains on them in place; return them."""
    objective = model._objective()
    missing = (isinstance(objective, ClassSoftmax) and model.class_of is None) or (
        isinstance(objective, DifferentiatedSoftmax) and model.band_ends is None
    )
    if missing:  # an objective switched on after the vocabulary was built
        start(model)
    elif model._has_bias and model.syn1bias is None:
        model.syn1bias = scores.first_biases(model)
    if not isinstance(objective, ClassSoftmax):
        return []
    n_nodes = class_tree(model).n_nodes
    model.syn1class = _matrices.for_training(
        model.syn1class, n_nodes, model.vector_size, "syn1class", "nodes"
    )
    if objective.output_bias:
        model.syn1class_bias = _matrices.numbers_for_training(
            model.syn1class_bias, n_nodes, "syn1class_bias"
        )
        return [model.syn1class, model.syn1class_bias]
    return [model.syn1class]


def class_tree(model: ModelState) -> _classes.ClassTree:
    """Return the tree of a class softmax; it is kept until there are other classes."""
    objective = model._objective()
    classes = model.class_of
    assert classes is not None
    assert isinstance(objective, ClassSoftmax)
    kept = model._class_tree
    if kept is None or kept[0] is not classes or kept[1] != objective.depth:
        classes.flags.writeable = False  # other classes must be another array, to be noticed
        kept = model._class_tree = (
            classes,
            objective.depth,
            _classes.tree(classes, objective.depth),
        )
    return kept[2]


def full_output(model: ModelState, update: bool = True) -> FullOutput | None:
    """Return what the trainer needs of an objective over all words; None for other objectives.

    To update them, the matrices must be spread; otherwise they are copied.
    """
    objective = model._objective()
    loss = _loss(objective)
    if objective is None or loss is None or model.syn1neg is None:
        return None
    bands = None
    if isinstance(objective, DifferentiatedSoftmax):
        assert model.band_ends is not None
        assert model.band_widths is not None
        bands = (model.band_ends, model.band_widths)
    classes = isinstance(objective, ClassSoftmax)
    words, nodes = model.syn1neg, model.syn1class if classes else None
    if not update:
        words, nodes = spread_copy(words), None if nodes is None else spread_copy(nodes)
    return FullOutput(
        loss,
        words,
        nodes=nodes,
        word_bias=model.syn1bias if objective.output_bias else None,
        node_bias=model.syn1class_bias if classes and objective.output_bias else None,
        # A term of the loss, but no part of what a word's probability says.
        self_norm=objective.self_norm if update and isinstance(objective, FullSoftmax) else 0.0,
        bands=bands,
        tree=class_tree(model) if classes else None,
        update=update,
    )


def _loss(objective: Objective | None) -> str | None:
    """The name that the core has for it."""
    if isinstance(objective, ClassSoftmax):
        return "classes"
    if isinstance(objective, FullLogistic):
        return "logistic"
    return "softmax" if isinstance(objective, FullSoftmax | DifferentiatedSoftmax) else None


def check_stored(model: ModelState, n_words: int) -> None:
    """Raise a ValueError where arrays read from a file do not fit so many words."""
    partial = isinstance(model._objective(), ClassSoftmax | DifferentiatedSoftmax)
    if partial and model.syn1neg is None:
        raise ValueError("syn1neg is missing")
    if isinstance(model._objective(), DifferentiatedSoftmax):
        ends, widths = model.band_ends, model.band_widths
        if ends is None or widths is None or not len(ends) or ends[-1] != n_words:
            raise ValueError("the bands of the output rows do not fit the vocabulary")
        rising = ends[0] > 0 and (np.diff(ends.astype(np.int64)) > 0).all()
        within = widths.min(initial=1) >= 1 and widths.max(initial=1) <= model.vector_size
        if not rising or not within or len(widths) != len(ends):
            raise ValueError("band_ends must rise, and band_widths be one of each, to vector_size")
    if isinstance(model._objective(), ClassSoftmax):
        classes = model.class_of
        if classes is None or len(classes) != n_words or not len(classes) or classes.min() < 0:
            raise ValueError("the classes do not fit the vocabulary")
        if len(np.unique(classes)) != classes.max() + 1:
            raise ValueError("the numbers of classes have gaps")
        if model.syn1class is None or model.syn1class.shape != (
            class_tree(model).n_nodes,
            model.vector_size,
        ):
            raise ValueError("syn1class does not fit the classes")
