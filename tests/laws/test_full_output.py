"""Outputs over all words and over classes: what training changes is minus rate times gradient."""

import numpy as np
import pytest
from full import Output, inputs_and_targets
from numpy.testing import assert_allclose

from pyw2v._core import probe
from pyw2v._core.full_output import FullOutput

N_WORDS, DIM = 11, 3
TINY, STEP = 1e-8, 1e-5
TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}
TOKENS = np.array([3, 8, 1, 0, 5, 5, 3, 5, 9], np.int32)
ENDS = np.array([3, 5, 9], np.int64)
WINDOW = 2

OUTPUTS = {
    "softmax": {"loss": "softmax"},
    "softmax-bias": {"loss": "softmax", "bias": True},
    "self-norm": {"loss": "softmax", "self_norm": 0.3},
    "logistic": {"loss": "logistic"},
    "logistic-bias": {"loss": "logistic", "bias": True},
    "bands": {"loss": "softmax", "bands": [(2, 3), (6, 2), (11, 1)]},
    "classes": {"loss": "classes", "depth": 2},
    "classes-bias": {"loss": "classes", "depth": 2, "bias": True},
    "deep-classes": {"loss": "classes", "depth": 3},
}
MODELS = {
    "skipgram": {"sg": True},
    "cbow-mean": {"sg": False, "average_context": True, "average_gradient": True},
    "cbow-sum": {"sg": False, "average_context": False, "average_gradient": False},
}
SUBWORDS = (np.concatenate([[0], np.cumsum(np.arange(N_WORDS) % 4)]).astype(np.int64), 7)


@pytest.fixture(params=OUTPUTS, ids=str)
def output(request, rng):
    return Output(rng, n_words=N_WORDS, dim=DIM, **OUTPUTS[request.param])


@pytest.fixture(params=MODELS, ids=str)
def model(request):
    return MODELS[request.param]


@pytest.fixture(params=[False, True], ids=["words", "n-grams"])
def rows(request, rng):
    made = {"input": rng.normal(size=(N_WORDS, DIM)) * 0.7}
    if request.param:
        offsets, n_buckets = SUBWORDS
        ids = rng.integers(0, n_buckets, offsets[-1]).astype(np.uint32)
        made["input_ngrams"] = rng.normal(size=(n_buckets, DIM)) * 0.7
        return made, (offsets, ids)
    return made, None


def hidden_of(rows, subwords, positions, model):
    parts = []
    for position in positions:
        word = TOKENS[position]
        parts.append(rows["input"][word])
        if subwords is not None:
            offsets, ids = subwords
            parts.extend(rows["input_ngrams"][ids[offsets[word] : offsets[word + 1]]])
    mean = model["sg"] or model["average_context"]
    return np.mean(parts, axis=0) if mean else np.sum(parts, axis=0)


def composed_rows(rows, subwords):
    offsets, ids = subwords
    return np.array(
        [
            np.mean([row, *rows["input_ngrams"][ids[offsets[w] : offsets[w + 1]]]], axis=0)
            for w, row in enumerate(rows["input"])
        ]
    )


def formula_loss(rows, subwords, output, model):
    return sum(
        output.pair_loss(hidden_of(rows, subwords, positions, model), target)
        for positions, targets in inputs_and_targets(TOKENS, ENDS, WINDOW, model["sg"])
        for target in targets
    )


def chunk(rows, subwords, output, model, lr, isa="double", update=True):
    """Loss and parameters after a chunk of all sentences."""
    dtype = np.float64 if isa == "double" else np.float32
    full, arrays = output.made(dtype, update)
    moved = {name: array.astype(dtype) for name, array in rows.items()}
    result = probe.train_chunk(
        isa,
        tokens=TOKENS,
        ends=ENDS,
        window=WINDOW,
        shrink_windows=False,
        subwords=subwords,
        full=full,
        lr_begin=lr,
        lr_end=lr,
        **moved,
        **model,
    )
    return result, moved | {name: np.array(array) for name, array in arrays.items()}


def numerical_gradient(rows, subwords, output, model):
    if subwords is not None and model["sg"]:
        # The whole change of a mean goes to each row that it is the mean of: that moves the mean
        # by the change, where their own gradients would move it by the n-th part.
        composed = {"input": composed_rows(rows, subwords)}
        gradients = numerical_gradient(composed, None, output, model)
        gradients["input_ngrams"] = np.zeros_like(rows["input_ngrams"])
        words = np.repeat(np.arange(N_WORDS), np.diff(subwords[0]))
        np.add.at(gradients["input_ngrams"], subwords[1], gradients["input"][words])
        return gradients
    gradients = {}
    for name, array in (rows | output.parameters()).items():
        gradients[name] = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            before = array[place]
            losses = []
            for step in (STEP, -STEP):
                array[place] = before + step
                losses.append(formula_loss(rows, subwords, output, model))
            array[place] = before
            gradients[name][place] = (losses[0] - losses[1]) / (2 * STEP)
    return gradients


def without_padding(gradients, output):
    """Numbers beyond the width of a band are no parameters."""
    first = 0
    for end, width in output.bands or []:
        gradients["words"][first:end, width:] = 0
        first = end
    return gradients


def test_loss_is_the_formulas(output, model, rows):
    result, after = chunk(*rows, output, model, 0.0)
    assert_allclose(result.loss, formula_loss(*rows, output, model), rtol=1e-12)
    for name, array in (rows[0] | output.parameters()).items():
        assert_allclose(after[name], array, rtol=1e-12, err_msg=name)


def test_change_is_minus_rate_times_gradient(output, model, rows):
    expected = without_padding(numerical_gradient(*rows, output, model), output)
    _, after = chunk(*rows, output, model, TINY)
    start = rows[0] | output.parameters()
    for name, gradient in expected.items():
        assert np.abs(gradient).max() > 0.05
        assert_allclose((after[name] - start[name]) / TINY, -gradient, **TOLERANCE, err_msg=name)


def test_instruction_sets_agree_with_double(output, model, rows, isa):
    expected, moved = chunk(*rows, output, model, 0.05)
    found, single = chunk(*rows, output, model, 0.05, isa)
    assert_allclose(found.loss, expected.loss, rtol=1e-5)
    for name, array in moved.items():
        assert_allclose(single[name], array, rtol=1e-4, atol=1e-5, err_msg=name)


def test_without_update_nothing_is_written(output, model, rows, isa):
    result, after = chunk(*rows, output, model, 0.1, isa, update=False)
    for name, array in (rows[0] | output.parameters()).items():
        assert_allclose(after[name], array.astype(np.float32), rtol=0, err_msg=name)
    if output.loss == "logistic":  # as a distribution: sigmoids divided by their sum
        expected = 0.0
        for positions, targets in inputs_and_targets(TOKENS, ENDS, WINDOW, model["sg"]):
            hidden = hidden_of(*rows, positions, model)
            scores = output.words @ hidden
            scores += 0 if output.word_bias is None else output.word_bias
            p = 1 / (1 + np.exp(-scores))
            expected -= np.log(p[targets] / p.sum()).sum()
    else:
        expected = formula_loss(*rows, output, model)
    assert_allclose(result.loss, expected, rtol=1e-5)


@pytest.mark.parametrize("dim", [1, 7, 8, 9, 31, 33, 100])
@pytest.mark.parametrize("n_words", [1, 2, 63, 64, 65, 131])
def test_softmax_of_any_size_agrees_with_double(isa, dim, n_words, rng):
    tokens = rng.integers(0, n_words, 300).astype(np.int32)
    ends = np.array([100, 300], np.int64)
    results = {}
    for kind in ("double", isa):
        dtype = np.float64 if kind == "double" else np.float32
        output = Output(np.random.default_rng(5), "softmax", n_words, dim, bias=True)
        full, arrays = output.made(dtype)
        rows = (np.random.default_rng(6).normal(size=(n_words, dim)) * 0.3).astype(dtype)
        result = probe.train_chunk(
            kind, tokens=tokens, ends=ends, input=rows, full=full, lr_begin=0.02, lr_end=0.01
        )
        results[kind] = [result.loss, rows, arrays["words"], arrays["word_bias"]]
    for found, expected in zip(results[isa], results["double"], strict=True):
        assert_allclose(found, expected, rtol=2e-3, atol=2e-4)


def test_far_scores_neither_overflow_nor_vanish(isa, rng):
    """All scores near -1000 or +1000: the loss is that of their differences."""
    for loss in ("softmax", "logistic"):
        for shift in (-1000.0, 1000.0):
            output = Output(rng, loss, N_WORDS, DIM, bias=True)
            output.word_bias = np.float64(np.float32(rng.normal(size=N_WORDS) + shift))
            full, _ = output.made(np.float32, update=False)
            rows = np.zeros((N_WORDS, DIM), np.float32)
            found = probe.train_chunk(
                isa,
                tokens=TOKENS[:3],
                ends=ENDS[:1],
                window=1,
                input=rows,
                full=full,
                lr_begin=0,
                lr_end=0,
            )
            bias = output.word_bias if shift < 0 or loss == "softmax" else np.zeros(N_WORDS)
            p = np.exp(bias - bias.max())
            expected = -np.log(p[[8, 3, 1, 8]] / p.sum()).sum()  # of 3 8 1, both ways
            assert_allclose(found.loss, expected, rtol=1e-4)


def test_wide_windows_visit_every_pair(isa, rng):
    tokens = rng.permutation(60).astype(np.int32)
    output = Output(rng, "softmax", 60, 4)
    full, _ = output.made(np.float32, update=False)
    result = probe.train_chunk(
        isa,
        tokens=tokens,
        ends=np.array([60], np.int64),
        input=rng.normal(size=(60, 4)).astype(np.float32),
        window=20,
        shrink_windows=False,
        full=full,
        lr_begin=0,
        lr_end=0,
    )
    assert result.examples == sum(min(60, i + 21) - max(0, i - 20) - 1 for i in range(60))


def test_locks_scale_the_change_of_input_rows(rng):
    output = Output(rng, "softmax", N_WORDS, DIM)
    start = rng.normal(size=(N_WORDS, DIM))
    lock = np.linspace(0, 2, N_WORDS).astype(np.float32)
    changes = []
    for factors in (None, lock):
        full, _ = output.made()
        rows = start.copy()
        probe.train_chunk(
            "double",
            tokens=TOKENS,
            ends=ENDS,
            input=rows,
            input_lock=factors,
            full=full,
            lr_begin=TINY,
            lr_end=TINY,
        )
        changes.append((rows - start) / TINY)
    assert np.abs(changes[0]).max() > 0.1
    assert_allclose(changes[1], lock[:, np.newaxis] * changes[0], rtol=1e-5, atol=1e-6)


def test_damaged_trees_are_refused(rng):
    output = Output(rng, "classes", N_WORDS, DIM, depth=2)
    _, arrays = output.made()
    depth, n_inner, offsets, members, groups, places = output.tree
    for broken in (
        (1, n_inner, offsets, members, groups, places),
        (depth, n_inner + 9, offsets, members, groups, places),
        (depth, n_inner, offsets[:-1], members, groups, places),
        (depth, n_inner, offsets, members[::-1].copy(), groups, places),
        (depth, n_inner, offsets, members, groups[:-1], places),
        (depth, n_inner, offsets, members, groups, places + np.int32(9)),
    ):
        with pytest.raises(ValueError, match="class tree"):
            FullOutput("classes", arrays["words"], nodes=arrays["nodes"], tree=broken)


@pytest.mark.parametrize(
    ("ends", "widths"), [([3, 10], [5, 2]), ([3, 11], [6, 2]), ([3, 3, 11], [5, 3, 1]), ([], [])]
)
def test_bands_that_do_not_fit_are_refused(ends, widths, rng):
    _, arrays = Output(rng, "softmax", N_WORDS, DIM).made()
    bands = np.array(ends, np.int32), np.array(widths, np.int32)
    with pytest.raises(ValueError, match="bands"):
        FullOutput("softmax", arrays["words"], bands=bands)


def test_other_losses_than_the_three_are_refused(rng):
    _, arrays = Output(rng, "softmax", N_WORDS, DIM).made()
    with pytest.raises(ValueError, match="loss must be one of"):
        FullOutput("hinge", arrays["words"])
