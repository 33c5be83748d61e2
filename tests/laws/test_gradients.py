"""What training changes is minus the learning rate times the gradient of its loss, in double.

A chunk at rate 0 changes nothing and returns the loss of all its centres: a function of the
parameters, since the draws follow from the seed, whose gradient central differences give. A chunk
at a tiny rate changes every parameter by -rate times that gradient, but for terms of rate^2.
"""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose

from pyw2v._core import probe
from pyw2v._core.huffman import HuffmanTree

N_WORDS, DIM = 11, 5
COUNTS = np.arange(30, 30 - N_WORDS, -1).astype(np.int64)
OBJECTIVES = ["ns", "hs", "both"]
TINY, STEP = 1e-8, 1e-5
TOLERANCE = {"atol": 1e-6, "rtol": 1e-6}

# Sentences of three: with a fixed window of 2 or more, every centre has two context words.
TOKENS = np.array([3, 8, 1, 0, 8, 5, 5, 3, 5], np.int32)
ENDS = np.array([3, 6, 9], np.int64)
N_CONTEXT = 2

SKIPGRAM = {"sg": True}
CBOW_MEAN = {"sg": False, "average_context": True, "average_gradient": True}
CBOW_SUM = {"sg": False, "average_context": False, "average_gradient": False}


def parameters(rng, objective):
    made = {"input": rng.normal(size=(N_WORDS, DIM)) * 0.7}
    if objective in ("ns", "both"):
        made["output_ns"] = rng.normal(size=(N_WORDS, DIM)) * 0.7
    if objective in ("hs", "both"):
        made["output_hs"] = rng.normal(size=(N_WORDS - 1, DIM)) * 0.7
    return made


def chunk(parameters, lr, **settings):
    """Train one chunk of every sentence at one rate; parameters are changed in place."""
    return probe.train_chunk(
        "double",
        **{"tokens": TOKENS, "ends": ENDS, "window": 2, "shrink_windows": False} | settings,
        **parameters,
        lr_begin=lr,
        lr_end=lr,
        negative=3,
        noise_weights=COUNTS**0.75,
        huffman=HuffmanTree(COUNTS),
        seed=4,
    )


def gradient(parameters, **settings):
    """Of the loss of a chunk, by central differences."""
    gradients = {}
    for name, rows in parameters.items():
        gradients[name] = np.zeros_like(rows)
        for place in np.ndindex(rows.shape):
            losses = []
            for step in (STEP, -STEP):
                moved = parameters | {name: rows.copy()}
                moved[name][place] += step
                losses.append(chunk(moved, 0.0, **settings).loss)
            gradients[name][place] = (losses[0] - losses[1]) / (2 * STEP)
    return gradients


def change_over_rate(parameters, **settings):
    moved = {name: rows.copy() for name, rows in parameters.items()}
    chunk(moved, TINY, **settings)
    return {name: (moved[name] - rows) / TINY for name, rows in parameters.items()}


@pytest.mark.parametrize("shrink_windows", [True, False], ids=["shrinking", "fixed"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "model", [SKIPGRAM, CBOW_MEAN, CBOW_SUM], ids=["skipgram", "cbow-mean", "cbow-sum"]
)
def test_change_is_minus_rate_times_gradient(model, objective, shrink_windows, rng):
    start = parameters(rng, objective)
    settings = model | {"shrink_windows": shrink_windows, "window": 3}
    expected = gradient(start, **settings)
    found = change_over_rate(start, **settings)
    for name, values in expected.items():
        assert np.abs(values).max() > 0.1
        assert_allclose(found[name], -values, **TOLERANCE, err_msg=name)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    ("mean", "shared", "factor"),
    [
        (True, False, N_CONTEXT),  # cbow_grad="sum", as word2vec.c and gensim: n times too long
        (False, True, 1 / N_CONTEXT),  # cbow_mean=False, as gensim: n times too short
    ],
    ids=["mean-undivided", "sum-divided"],
)
def test_historical_cbow_scales_the_gradient_of_input_rows(mean, shared, factor, objective, rng):
    start = parameters(rng, objective)
    settings = {"sg": False, "average_context": mean, "average_gradient": shared}
    expected = gradient(start, **settings)
    found = change_over_rate(start, **settings)
    for name, values in expected.items():
        scale = factor if name == "input" else 1
        assert_allclose(found[name], -scale * values, **TOLERANCE, err_msg=name)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", [SKIPGRAM, CBOW_MEAN], ids=["skipgram", "cbow"])
def test_locks_scale_the_gradient_of_input_rows(model, objective, rng):
    start = parameters(rng, objective)
    lock = rng.choice(np.array([0, 0.5, 1, 2], np.float32), N_WORDS)
    found = change_over_rate(start, **model, input_lock=lock)
    for name, values in gradient(start, **model).items():
        scale = lock[:, np.newaxis] if name == "input" else 1
        assert_allclose(found[name], -scale * values, **TOLERANCE, err_msg=name)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", [SKIPGRAM, CBOW_MEAN, CBOW_SUM], ids=["sg", "mean", "sum"])
def test_loss_is_the_references(model, objective, rng):
    start = parameters(rng, objective)
    twin = reference.Twin(
        TOKENS,
        ENDS,
        None,
        COUNTS,
        **start,
        huffman=HuffmanTree(COUNTS),
        sg=model["sg"],
        negative=3,
        window=4,
        cbow_mean=model is not CBOW_SUM,
        lr_start=0.0,
        lr_end=0.0,
        total_tokens=len(TOKENS),
        seed=4,
    )
    expected = twin.epoch(0)
    found = chunk(start, 0.0, **model, window=4, shrink_windows=True)
    assert_allclose(found, expected, rtol=1e-12)
