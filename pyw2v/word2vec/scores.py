"""What scores mean: the share of probability that follows from one, and the bias to begin with.

Trained for long, the score of a word of probability P becomes

| objective | hits removed | hits kept |
| --- | --- | --- |
| "ns" (and `negative=k`, which removes them) | log P/(1 - P) - log Q | log P - log Q |
| "nce" | log P/(1 - P) + log Z | log P + log Z |
| "sampled_logistic" | log P/(1 - P) | log P |
| "logistic" | log P/(1 - P) | |
| "softmax", "dsoftmax", "class_softmax", "sampled_softmax" | log P + any constant | the same |

since a logistic loss tells the P that a word is right from the Q that it is drawn as noise; where
hits are removed it is noise only when it is not right, Q (1 - P).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyw2v.objectives import FullLogistic, SampledObjective
from pyw2v.objectives.samplers import Sampler, Unigram
from pyw2v.word2vec.state import ModelState

Array = NDArray[np.float64]

# log Q of words that are never drawn: no noise keeps their scores down, so they must not count.
_NEVER = -1e4


class Meaning(NamedTuple):
    """How scores turn into log probabilities."""

    offset: Array | None
    """What is added to the scores of words, biases included."""
    odds: bool
    """Whether that gives log P/(1 - P), else log P up to a constant."""


def meaning(model: ModelState) -> Meaning:
    """Return how the scores of a model are read, one with an output row a word."""
    objective = model._objective()
    offset = _correction(model)
    if model._has_bias and model.syn1bias is not None:
        offset = offset + np.asarray(model.syn1bias, np.float64)
    odds = objective is None or isinstance(objective, FullLogistic)
    if isinstance(objective, SampledObjective):
        odds = objective.remove_accidental_hits and not objective.softmax
    return Meaning(offset if np.any(offset) else None, odds)


def first_biases(model: ModelState) -> NDArray[np.float32]:
    """Return the biases whose scores say how frequent each word is, and nothing of contexts.

    Without that start every score has to learn first that words are rare. One-vs-all adds up the
    errors of all words, a half each, which moves the inputs much too far; NCE takes each word for
    certain at first.
    """
    counts = np.maximum(np.asarray(model.wv.expandos["count"], np.float64), 0.5)
    p = counts / max(counts.sum(), 1.0)
    if meaning(model).odds:
        p = p / np.maximum(1 - p, 1e-6)
    correction = _correction(model)
    return np.asarray(np.where(correction > _NEVER, np.log(p) - correction, 0.0), np.float32)


def _correction(model: ModelState) -> Array:
    """Return what is added to the scores of words besides biases."""
    zeros = np.zeros(len(model.wv))
    objective = model._objective()
    if objective is not None and objective.name == "nce":
        return zeros - model.nce_log_z
    if objective is None and not model.negative:  # a model that was trained elsewhere, say
        return zeros
    if objective is not None and objective.name != "ns":
        return zeros
    sampler: Sampler = Unigram(model.ns_exponent)
    if isinstance(objective, SampledObjective):
        sampler = objective.sampler
    counts = np.maximum(model.wv.expandos["count"], 1)
    expected = sampler.expected_counts(counts, model.negative, model.wv.index_to_key)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log(expected), _NEVER))
