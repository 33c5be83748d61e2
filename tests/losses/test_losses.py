"""Losses as functions: their formulas written out, finite differences, and wrong calls."""

import numpy as np
import pytest
from loss_cases import CASES, CLASSES, N_CLASSES, TREE, dense, problem
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import losses
from pyw2v.losses import HuffmanTree, Rows

EVERY = pytest.mark.parametrize("case", CASES)
SHAPES = pytest.mark.parametrize(
    "settings",
    [{}, {"num_true": 3}, {"num_true": 2, "biases": False}, {"num_true": 2, "own_draws": True}],
    ids=["one true class", "three", "no biases", "own draws"],
)


@SHAPES
@EVERY
def test_losses_are_their_formulas(case, settings, rng):
    call, formula = CASES[case]
    p = problem(rng, **settings)
    expected = formula(p)
    assert_allclose(call(p, reduction="none")[0], expected, rtol=1e-12)
    assert_allclose(call(p, reduction="sum")[0], expected.sum(), rtol=1e-12)
    assert_allclose(call(p)[0], expected.mean(), rtol=1e-12)


@SHAPES
@EVERY
def test_gradients_are_finite_differences(case, settings, rng):
    call, _ = CASES[case]
    p = problem(rng, **settings)
    gradients = dense(call(p)[1], p.parameters())
    assert ("biases" in gradients) == (p.biases is not None)
    for name, found in gradients.items():
        start, step = p.parameters()[name], 1e-6
        slopes = np.empty_like(start)
        for at in np.ndindex(start.shape):
            ends = []
            for sign in (1, -1):
                value = start.copy()
                value[at] += sign * step
                ends.append(call(p.with_parameter(name, value))[0])
            slopes[at] = (ends[0] - ends[1]) / (2 * step)
        assert_allclose(found, slopes, atol=2e-9, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("reduction", ["sum", "none"])
@EVERY
def test_gradients_without_a_mean_are_those_of_the_sum(case, reduction, rng):
    call, _ = CASES[case]
    p = problem(rng, num_true=2)
    mean = dense(call(p)[1], p.parameters())
    for name, found in dense(call(p, reduction=reduction)[1], p.parameters()).items():
        assert_allclose(found, mean[name] * len(p.inputs), rtol=1e-12, atol=1e-14)


@EVERY
def test_single_precision_is_kept_and_close_to_double(case, rng):
    call, _ = CASES[case]
    p = problem(rng, num_true=2)
    loss, gradients = call(p)
    single_loss, single = call(p.cast(np.float32))
    assert_allclose(single_loss, loss, rtol=1e-5)
    expected = dense(gradients, p.parameters())
    for name, found in dense(single, p.parameters()).items():
        assert found.dtype == np.float32
        assert expected[name].dtype == np.float64
        assert_allclose(found, expected[name], atol=1e-5, err_msg=name)


@EVERY
def test_scores_of_any_size_leave_losses_and_gradients_finite(case, rng):
    call, _ = CASES[case]
    p = problem(rng, num_true=2)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for dtype in (np.float32, np.float64):
            large = p.with_parameter("weights", p.weights * 1e8).cast(dtype)
            loss, gradients = call(large)
            assert np.isfinite(loss)
            for found in dense(gradients, p.parameters()).values():
                assert np.isfinite(found).all()


@EVERY
def test_arguments_are_left_as_they_were(case, rng):
    call, _ = CASES[case]
    p = problem(rng, num_true=2)
    for array in p.parameters().values():
        array.flags.writeable = False
    call(p)


def test_rows_have_each_id_once_and_only_those_that_were_met(rng):
    p = problem(rng, own_draws=True)
    rows = losses.nce(*p.common(), p.sampled, p.biases)[1].weights
    assert_array_equal(rows.ids, np.unique(np.concatenate([p.labels, p.sampled[0]], axis=1)))
    with pytest.raises(ValueError, match=f"n_rows must be at least {rows.ids[-1] + 1}, got 2"):
        rows.dense(2)
    assert_array_equal(Rows(np.array([1]), np.ones(1)).dense(3), [0, 1, 0])


def test_large_problems_are_computed_in_blocks(rng, monkeypatch):
    p = problem(rng, num_true=2)
    whole = losses.softmax(*p.common(), p.biases)
    monkeypatch.setattr("pyw2v.losses.full._CHUNK_VALUES", 2 * N_CLASSES)
    parts = losses.softmax(*p.common(), p.biases)
    assert_allclose(parts[0], whole[0])
    for found, expected in zip(parts[1], whole[1], strict=True):
        assert_allclose(found, expected, rtol=1e-12)


def test_sampled_softmax_of_every_other_class_is_the_softmax(rng):
    """Drawn once each for certain, so that log Q is 0, and hits removed."""
    p = problem(rng)
    everything = np.arange(N_CLASSES), np.ones((5, 1)), np.ones(N_CLASSES)
    found = losses.sampled_softmax(*p.common(), everything, p.biases)
    expected = losses.softmax(*p.common(), p.biases)
    assert_allclose(found[0], expected[0])
    assert_allclose(found[1].weights.dense(N_CLASSES), expected[1].weights, atol=1e-15)
    logistic = losses.logistic(*p.common(), p.biases)
    assert_allclose(losses.sampled_logistic(*p.common(), everything, p.biases)[0], logistic[0])


def test_negative_sampling_takes_ids_alone_or_the_triple(rng):
    p = problem(rng)
    by_triple = losses.negative_sampling(*p.common(), p.sampled)[0]
    assert losses.negative_sampling(*p.common(), p.sampled[0])[0] == by_triple
    assert losses.negative_sampling(*p.common(), tuple(p.sampled[0][:3]))[0] < by_triple


def test_a_true_class_named_twice_counts_once_for_logistic_and_twice_for_softmax(rng):
    p = problem(rng)
    once, twice = (p.inputs, p.weights, p.labels[:, 0]), (p.inputs, p.weights, p.labels[:, [0, 0]])
    for function in (losses.logistic, losses.softmax):
        expected = function(*once)
        assert_allclose(function(*twice)[0], expected[0])
        assert_allclose(function(*twice)[1].weights, expected[1].weights, atol=1e-15)


def test_probabilities_of_trees_sum_to_one(rng):
    p = problem(rng)
    x, every = np.repeat(p.inputs[:1], N_CLASSES, axis=0), np.arange(N_CLASSES)
    for loss, _ in (
        losses.hierarchical_softmax(x, p.weights, every, TREE, reduction="none"),
        losses.class_softmax(x, p.weights, every, CLASSES, p.class_weights, reduction="none"),
    ):
        assert_allclose(np.exp(-loss).sum(), 1)


def test_the_only_class_of_a_tree_is_certain():
    one = HuffmanTree(np.array([3], np.int64))
    for paths in (one, ([[]], [[]])):
        loss, gradients = losses.hierarchical_softmax([[1.0]], [[2.0]], [0], paths)
        assert loss == 0
        assert_array_equal(gradients.inputs, [[0]])
        assert len(gradients.weights.ids) == 0


X, Y, T = np.ones((2, 3)), np.ones((4, 3)), np.array([0, 1])
DRAWN = np.array([2, 3]), np.ones((2, 1)), np.ones(2)
WRONG = {
    "flat inputs": (lambda: losses.softmax(X[0], Y, T), r"inputs must be a matrix.*\(3,\)"),
    "no inputs": (lambda: losses.softmax(X[:0], Y, T[:0]), r"inputs must be a mat.*\(0, 3\)"),
    "width": (lambda: losses.softmax(X, Y[:, 1:], T), r"weights .*rows of 3 numbers.*\(4, 2\)"),
    "few labels": (lambda: losses.logistic(X, Y, T[:1]), r"labels .*of the 2 inputs, got .*\(1,\)"),
    "label": (lambda: losses.softmax(X, Y, [0, 4]), "labels must be between 0 and 3.*got 4"),
    "below 0": (lambda: losses.nce(X, Y, [0, -1], DRAWN), "labels must be .*0 and 3.*got -1"),
    "biases": (lambda: losses.softmax(X, Y, T, [1.0]), r"biases .*each of the 4 rows.*\(1,\)"),
    "reduction": (lambda: losses.softmax(X, Y, T, reduction="max"), "reduction .*mean.*'max'"),
    "drawn": (lambda: losses.negative_sampling(X, Y, T, [9]), "sampled must be between.*got 9"),
    "no triple": (lambda: losses.nce(X, Y, T, [2, 3]), r"sampled must be a tuple.*got \[2, 3\]"),
    "drawn rows": (
        lambda: losses.negative_sampling(X, Y, T, np.ones((3, 2), int)),
        r"sampled .*each of the 2 inputs, got shape \(3, 2\)",
    ),
    "zero": (
        lambda: losses.nce(X, Y, T, (DRAWN[0], DRAWN[1], [1.0, 0.0])),
        r"sampled_expected must be positive and finite, got 0\.0",
    ),
    "negative": (
        lambda: losses.sampled_softmax(X, Y, T, (DRAWN[0], [[-1.5], [1]], DRAWN[2])),
        r"true_expected must be positive and finite, got -1\.5",
    ),
    "counts": (
        lambda: losses.sampled_logistic(X, Y, T, (DRAWN[0], DRAWN[1], [1.0])),
        r"sampled_expected must have .*shape \(2,\), got \(1,\)",
    ),
    "hits": (
        lambda: losses.nce(X, Y, T, DRAWN, remove_accidental_hits=2),
        "remove_accidental_hits must be True or False, got 2",
    ),
    "log Q": (
        lambda: losses.nce(X, Y, T, DRAWN, subtract_log_q=None),
        "subtract_log_q must be True or False, got None",
    ),
    "paths": (lambda: losses.hierarchical_softmax(X, Y, T, 3), "paths must be a Huff.*got 3"),
    "node": (
        lambda: losses.hierarchical_softmax(X, Y, T, ([[7], [7]], [[0], [1]])),
        "points must be between 0 and 3.*got 7",
    ),
    "code": (
        lambda: losses.hierarchical_softmax(X, Y, T, ([[0], [0]], [[0], [2]])),
        "codes must be between 0 and 1.*got 2",
    ),
    "lengths": (
        lambda: losses.hierarchical_softmax(X, Y, T, ([[0], [0]], [[0], [1, 1]])),
        r"points and codes .*same lengths.*\[1, 1\] and \[1, 2\]",
    ),
    "few classes": (
        lambda: losses.class_softmax(X, Y, T, [0, 1], Y[:2]),
        r"classes must be one class for each of the 4 words, got shape \(2,\)",
    ),
    "class": (
        lambda: losses.class_softmax(X, Y, T, [0, 1, 2, 0], Y[:2]),
        "classes must be between 0 and 1.*got 2",
    ),
    "no word": (
        lambda: losses.class_softmax(X, Y, T, [0, 2, 2, 0], Y[:3]),
        "every class must have a word, got none for class 1",
    ),
    "class rows": (
        lambda: losses.class_softmax(X, Y, T, [0, 1, 1, 0], Y[:2, 1:]),
        r"class_weights must be .*rows of 3.*\(2, 2\)",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG)
def test_wrong_calls_name_thing_rule_and_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_no_number_is_a_type_error():
    for call, message in (
        (lambda: losses.softmax("x", Y, T), "inputs must be numbers, got 'x'"),
        (lambda: losses.softmax(X, Y, [0.5, 1.0]), r"labels must be whole numbers, got \[0\.5"),
        (lambda: losses.softmax(X, Y, [[1], [1, 2]]), "labels must be whole numbers, got"),
        (lambda: losses.nce(X, Y, T, (DRAWN[0], "x", [1.0])), "true_expected must be numbers"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
