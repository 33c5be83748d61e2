"""Outputs over all words and over classes, again in NumPy: distributions, losses, gradients."""

import numpy as np
import reference

from pyw2v._core import probe
from pyw2v._core.full_output import FullOutput
from pyw2v.objectives import classes

BATCH_INPUTS, BATCH_REACH, STRETCHES = 48, 8, 64


def log_softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def log_sum_exp(scores):
    highest = scores.max(axis=-1)
    return highest + np.log(np.exp(scores - highest[..., np.newaxis]).sum(axis=-1))


def softmax_loss(scores, target, self_norm=0.0):
    log_z = log_sum_exp(scores)
    return log_z - scores[target] + self_norm * log_z**2


def logistic_loss(scores, target):
    return reference.softplus(scores).sum() - scores[target]


def class_scores(hidden, words, nodes, word_bias, node_bias, tree, group):
    """The scores of a group's members."""
    members = tree.members[tree.offsets[group] : tree.offsets[group + 1]]
    inner = group < tree.n_inner
    rows, bias = (nodes, node_bias) if inner else (words, word_bias)
    return rows[members] @ hidden + (0 if bias is None else bias[members])


def class_loss(hidden, target, words, nodes, tree, word_bias=None, node_bias=None):
    total = 0.0
    for level in range(tree.depth):
        at = target * tree.depth + level
        scores = class_scores(
            hidden, words, nodes, word_bias, node_bias, tree, tree.path_groups[at]
        )
        total -= log_softmax(scores)[tree.path_places[at]]
    return total


def aligned(array, dtype):
    """The same numbers in rows on cache lines."""
    return probe.padded(np.asarray(array), dtype)[:, : np.shape(array)[1]]


class Output:
    """The parameters of an output, and the loss of one pair by the formula."""

    def __init__(self, rng, loss, n_words, dim, bias=False, self_norm=0.0, bands=None, depth=0):
        self.loss, self.self_norm, self.bands = loss, self_norm, bands
        self.words = rng.normal(size=(n_words, dim)) * 0.7
        self.nodes = self.word_bias = self.node_bias = self.tree = None
        for first, (end, width) in zip(
            [0, *(b[0] for b in bands or [])], bands or [], strict=False
        ):
            self.words[first:end, width:] = 0
        if loss == "classes":
            class_of = (np.arange(n_words) * 4 // n_words).astype(np.int32)
            self.tree = classes.tree(rng.permutation(class_of), depth)
            self.nodes = rng.normal(size=(self.tree.n_nodes, dim)) * 0.7
        if bias:
            self.word_bias = rng.normal(size=n_words)
            self.node_bias = None if self.nodes is None else rng.normal(size=len(self.nodes))

    NAMES = ("words", "nodes", "word_bias", "node_bias")

    def parameters(self):
        found = {name: getattr(self, name) for name in self.NAMES}
        return {name: array for name, array in found.items() if array is not None}

    def pair_loss(self, hidden, target):
        if self.loss == "classes":
            return class_loss(
                hidden, target, self.words, self.nodes, self.tree, self.word_bias, self.node_bias
            )
        scores = self.words @ hidden + (0 if self.word_bias is None else self.word_bias)
        if self.loss == "logistic":
            return logistic_loss(scores, target)
        return softmax_loss(scores, target, self.self_norm)

    def made(self, dtype=np.float64, update=True):
        """What the core takes, with arrays of its own, and those arrays."""
        arrays = {
            name: aligned(array, dtype) if array.ndim == 2 else array.astype(dtype)
            for name, array in self.parameters().items()
        }
        bands = None
        if self.bands:
            bands = tuple(np.array(part, np.int32) for part in zip(*self.bands, strict=True))
        given = dict(arrays)
        full = FullOutput(
            self.loss,
            given.pop("words"),
            **given,
            self_norm=self.self_norm,
            bands=bands,
            tree=None if self.tree is None else tuple(self.tree),
            update=update,
        )
        return full, arrays


def inputs_and_targets(tokens, ends, window, sg):
    """All examples of fixed windows: positions that make an input, and words it predicts."""
    first = 0
    for end in ends:
        for i in range(first, end):
            around = [j for j in range(max(first, i - window), min(end, i + window + 1)) if j != i]
            if not around:
                continue
            if sg:
                yield [i], [tokens[j] for j in around]
            else:
                yield around, [tokens[i]]
        first = end
