"""The steps of the text classifier: the twin's numbers, and the gradient of their loss."""

import numpy as np
import pytest
import reference
import reference_classifier
from numpy.testing import assert_allclose

from pyw2v._core import classifier_probe, probe
from pyw2v._core.huffman import HuffmanTree

LOSSES = ["softmax", "hs", "ns", "ova"]
N_ROWS = 23
COUNTS = np.array([9, 7, 7, 4, 2, 1, 1], np.int64)
N_LABELS = len(COUNTS)
FEATURES = [[0, 3, 5, 3], [], [22], [1, 2, 4, 6, 8, 10], [7, 0], [9, 9, 9]]
LABELS = [[2], [1], [6], [0, 3, 5], [], [4, 1]]
TINY, STEP = 1e-8, 1e-5


def parameters(rng, dim, scale=0.7):
    return {
        "input": rng.normal(size=(N_ROWS, dim)) * scale,
        "output": rng.normal(size=(N_LABELS, dim)) * scale,
    }


def train(isa, start, loss, lr, **settings):
    """Train on all lines at one rate; the parameters are changed in place."""
    return classifier_probe.train_lines(
        isa,
        features=FEATURES,
        labels=LABELS,
        loss=loss,
        lr=lr,
        negative=3,
        noise_weights=COUNTS**0.5,
        huffman=HuffmanTree.fasttext(COUNTS),
        seed=5,
        **start,
        **settings,
    )


def twin(start, loss, lr, **settings):
    made = reference_classifier.ClassifierTwin(
        **start,
        loss=loss,
        negative=3,
        noise_weights=COUNTS**0.5,
        huffman=HuffmanTree.fasttext(COUNTS),
        **settings,
    )
    rng = reference.SplitMix64(5, 0, 0)
    return made.train(FEATURES, LABELS, [lr] * len(FEATURES), rng)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dim", [1, 7, 8, 9, 33, 100])
def test_lines_are_trained_on_as_by_the_twin(isa, dim, loss, weighted, rng):
    start = {name: rows.astype(np.float32) for name, rows in parameters(rng, dim, 0.3).items()}
    weights = rng.random(N_LABELS).astype(np.float32) if weighted else None
    expected = {name: rows.astype(np.float64) for name, rows in start.items()}
    loss_sum, examples = twin(expected, loss, 0.3, class_weights=weights)
    found = train(isa, start, loss, 0.3, class_weights=weights)
    assert found.examples == examples == 4
    assert_allclose(found.loss, loss_sum, rtol=1e-5)
    for name, rows in expected.items():
        assert_allclose(start[name], rows, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("loss", LOSSES)
def test_change_is_minus_rate_times_gradient(loss, rng):
    start = parameters(rng, 5)
    moved = {name: rows.copy() for name, rows in start.items()}
    train("double", moved, loss, TINY)
    for name, rows in start.items():
        gradient = np.zeros_like(rows)
        for place in np.ndindex(rows.shape):
            losses = []
            for step in (STEP, -STEP):
                shifted = {key: values.copy() for key, values in start.items()}
                shifted[name][place] += step
                losses.append(train("double", shifted, loss, 0.0).loss)
            gradient[place] = (losses[0] - losses[1]) / (2 * STEP)
        assert np.abs(gradient).max() > 0.1
        assert_allclose((moved[name] - rows) / TINY, -gradient, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("loss", LOSSES)
def test_loss_is_not_finite_when_a_row_is_not(isa, loss, rng):
    for value in (np.nan, np.inf):
        start = {name: rows.astype(np.float32) for name, rows in parameters(rng, 9).items()}
        start["input"][3, 2] = value
        padded = {name: probe.padded(rows, np.float32)[:, :9] for name, rows in start.items()}
        assert not np.isfinite(train(isa, padded, loss, 0.1).loss)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_labels", [2, 3, 15, 16, 17, 40])
def test_any_number_of_labels(isa, loss, n_labels, rng):
    counts = np.sort(rng.integers(1, 50, n_labels))[::-1].astype(np.int64)
    start = {
        "input": rng.normal(size=(N_ROWS, 12)) * 0.3,
        "output": rng.normal(size=(n_labels, 12)) * 0.3,
    }
    labels = [[n_labels - 1], [0], [1], [0, 1], [0], [n_labels - 1, 0]]
    made = {"noise_weights": counts**0.5, "huffman": HuffmanTree.fasttext(counts), "negative": 2}
    expected = {name: rows.copy() for name, rows in start.items()}
    twin = reference_classifier.ClassifierTwin(**expected, loss=loss, **made)
    loss_sum, _ = twin.train(FEATURES, labels, [0.2] * 6, reference.SplitMix64(1, 0, 0))
    single = {name: rows.astype(np.float32) for name, rows in start.items()}
    found = classifier_probe.train_lines(
        isa, features=FEATURES, labels=labels, loss=loss, lr=0.2, seed=1, **made, **single
    )
    assert_allclose(found.loss, loss_sum, rtol=1e-5)
    for name, rows in expected.items():
        assert_allclose(single[name], rows, rtol=1e-4, atol=1e-5, err_msg=name)


def test_fasttext_tree_has_the_shortest_codes(rng):
    for n in (2, 3, 8, 31, 100):
        counts = np.sort(rng.integers(1, 40, n))[::-1].astype(np.int64)
        tree = HuffmanTree.fasttext(counts)
        lengths = np.diff(tree.offsets)
        assert (counts * lengths).sum() == reference.huffman_cost(counts)
        assert_allclose((0.5**lengths).sum(), 1)
        assert tree.points.max() == n - 2
        assert set(tree.codes.tolist()) <= {0, 1}
