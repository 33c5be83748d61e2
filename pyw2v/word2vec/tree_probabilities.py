"""Log probabilities under outputs that are trees: hierarchical softmax and classes of words.

A word's probability is the product of the decisions on its path, so that of a few words needs the
rows that their paths meet and no others: some dozens for hierarchical softmax, about 2 sqrt(V) for
classes. `words` are the ids wanted, None stands for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.arrays import runs
from pyw2v.word2vec import outputs
from pyw2v.word2vec.state import ModelState

Array = NDArray[Any]


def huffman_log_p(model: ModelState, hidden: Array, words: Array | None) -> Array:
    """Hierarchical softmax: each turn on a word's path is a logistic decision."""
    tree = model._huffman_tree()
    words = np.arange(tree.n_words) if words is None else words
    if tree.n_words < 2 or not len(words):  # a single word is certain
        return np.zeros(len(words))
    steps, starts = runs(tree.offsets, words)
    scores = _scores_at(model.syn1, hidden, tree.points[steps])
    turns = -np.logaddexp(0.0, -(1.0 - 2.0 * tree.codes[steps]) * scores)
    return np.asarray(np.add.reduceat(turns, starts))


def class_log_p(model: ModelState, hidden: Array, words: Array | None) -> Array:
    """Class softmax: on each level a softmax over the members of one group."""
    tree = outputs.class_tree(model)
    groups, places = (part.reshape(-1, tree.depth) for part in (tree.path_groups, tree.path_places))
    if words is not None:
        groups, places = groups[words], places[words]
    if not len(groups):
        return np.zeros(0)
    met, which = np.unique(groups, return_inverse=True)
    members, starts = runs(tree.offsets, met)
    n_nodes = int(np.searchsorted(members, tree.offsets[tree.n_inner]))  # words come behind nodes
    scores = np.concatenate(
        [
            _scores_at(rows, hidden, at) + (0.0 if bias is None else bias[at])
            for rows, bias, at in (
                (model.syn1class, model.syn1class_bias, tree.members[members[:n_nodes]]),
                (model.syn1neg, model.syn1bias, tree.members[members[n_nodes:]]),
            )
        ]
    )
    sizes = np.diff(np.append(starts, len(scores)))
    shifted = scores - np.repeat(np.maximum.reduceat(scores, starts), sizes)
    log_p = shifted - np.repeat(np.log(np.add.reduceat(np.exp(shifted), starts)), sizes)
    return np.asarray(log_p[starts[which.reshape(groups.shape)] + places].sum(axis=1))


def _scores_at(rows: Any, hidden: Array, at: Array) -> Array:
    """Return the scores of rows by number, in doubles; many paths meet the same rows often."""
    if len(at) < len(rows):
        return np.asarray(np.asarray(rows[at], np.float64) @ hidden)
    return np.asarray((np.asarray(rows, np.float64) @ hidden)[at])
