"""Small problems for pyw2v.losses: every loss with its formula, over the same arguments."""

from dataclasses import dataclass, replace

import numpy as np
import reference_losses as formula

from pyw2v import losses
from pyw2v.losses import HuffmanTree

N, DIM, N_CLASSES, N_DRAWN = 5, 3, 11, 4
COUNTS = np.array([50, 31, 20, 9, 9, 7, 4, 3, 2, 2, 1], np.int64)
CLASSES = np.array([0, 2, 1, 1, 0, 2, 2, 3, 3, 0, 1])
TREE = HuffmanTree(COUNTS)
POINTS = [TREE.path(w)[1] for w in range(N_CLASSES)]
CODES = [TREE.path(w)[0] for w in range(N_CLASSES)]


@dataclass
class Problem:
    inputs: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    biases: np.ndarray | None
    sampled: tuple
    class_weights: np.ndarray
    class_biases: np.ndarray | None

    def parameters(self):
        names = ("inputs", "weights", "biases", "class_weights", "class_biases")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def with_parameter(self, name, value):
        return replace(self, **{name: value})

    def common(self):
        return self.inputs, self.weights, self.labels

    def cast(self, dtype):
        return replace(
            self, **{name: array.astype(dtype) for name, array in self.parameters().items()}
        )


def problem(rng, num_true=1, biases=True, own_draws=False):
    """Drawn classes with repeats and with accidental hits."""
    labels = rng.integers(0, N_CLASSES, (N, num_true))
    ids = rng.integers(0, N_CLASSES, (N, N_DRAWN) if own_draws else N_DRAWN)
    ids[..., 1] = labels[2, 0]
    ids[..., 3] = ids[..., 0]
    expected = rng.uniform(0.1, 2.0, N_CLASSES)
    return Problem(
        rng.normal(size=(N, DIM)),
        rng.normal(size=(N_CLASSES, DIM)),
        labels,
        rng.normal(size=N_CLASSES) if biases else None,
        (ids, expected[labels], expected[ids]),
        rng.normal(size=(4, DIM)),
        rng.normal(size=4) if biases else None,
    )


def _sampled(function, **settings):
    return lambda p, **more: function(*p.common(), p.sampled, p.biases, **settings, **more)


# The call, and the losses of all examples by the formula.
CASES = {
    "softmax": (lambda p, **more: losses.softmax(*p.common(), p.biases, **more), formula.softmax),
    "logistic": (
        lambda p, **more: losses.logistic(*p.common(), p.biases, **more),
        formula.logistic,
    ),
    "negative_sampling": (_sampled(losses.negative_sampling), formula.negative_sampling),
    "negative_sampling, hits kept": (
        _sampled(losses.negative_sampling, remove_accidental_hits=False),
        lambda p: formula.negative_sampling(p, remove_hits=False),
    ),
    "nce": (_sampled(losses.nce), formula.nce),
    "nce, hits removed": (
        _sampled(losses.nce, remove_accidental_hits=True),
        lambda p: formula.nce(p, remove_hits=True),
    ),
    "nce without log Q": (
        _sampled(losses.nce, subtract_log_q=False),
        lambda p: formula.nce(p, corrected=False),
    ),
    "sampled_logistic": (
        _sampled(losses.sampled_logistic),
        lambda p: formula.nce(p, remove_hits=True),
    ),
    "sampled_softmax": (_sampled(losses.sampled_softmax), formula.sampled_softmax),
    "sampled_softmax, hits kept": (
        _sampled(losses.sampled_softmax, remove_accidental_hits=False),
        lambda p: formula.sampled_softmax(p, remove_hits=False),
    ),
    "sampled_softmax without log Q": (
        _sampled(losses.sampled_softmax, subtract_log_q=False),
        lambda p: formula.sampled_softmax(p, corrected=False),
    ),
    "hierarchical_softmax": (
        lambda p, **more: losses.hierarchical_softmax(*p.common(), TREE, p.biases, **more),
        lambda p: formula.hierarchical_softmax(p, POINTS, CODES),
    ),
    "hierarchical_softmax by paths": (
        lambda p, **more: losses.hierarchical_softmax(
            *p.common(), (POINTS, CODES), p.biases, **more
        ),
        lambda p: formula.hierarchical_softmax(p, POINTS, CODES),
    ),
    "class_softmax": (
        lambda p, **more: losses.class_softmax(
            *p.common(), CLASSES, p.class_weights, p.biases, p.class_biases, **more
        ),
        lambda p: formula.class_softmax(p, CLASSES, p.class_weights, p.class_biases),
    ),
}


def dense(gradients, parameters):
    """The gradients by name, whole arrays."""
    found = {}
    for name, value in gradients._asdict().items():
        if value is not None:
            rows = isinstance(value, losses.Rows)
            found[name] = value.dense(len(parameters[name])) if rows else value
    return found
