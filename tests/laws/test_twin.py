"""Whole trainings by one worker against the twin in NumPy: same draws, same steps, same numbers."""

import functools
import itertools

import engine
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose

N_WORDS, DIM = 3000, 17
SEED = 2  # draws no word twice for a centre, but among 12 words
OBJECTIVES = ["ns", "hs", "both"]


def models():
    """Every model: skip-gram, and CBOW with mean or sum and both of its gradients."""
    yield {"sg": True}
    for mean, grad in itertools.product([True, False], ["sum", "mean"]):
        yield {"sg": False, "cbow_mean": mean, "cbow_grad": grad}


def small_problem(objective, crowded, lock, **settings):
    """Crowded: words come twice in windows and among the noise. Else no row does."""
    rng = np.random.default_rng(11)
    lengths = [9, 0, 1, 14, 2, 0, 30, 7]
    tokens, ends = engine.corpus(rng, 40, lengths)
    n_words = N_WORDS
    if crowded:
        tokens, n_words = tokens % 12, 12
    keep = np.full(n_words, 2**32 - 1, np.uint32)
    keep[::3] = 2**31
    input_lock = None
    if lock:
        input_lock = rng.choice(np.array([0, 0.5, 1, 2], np.float32), n_words)
    # The kernels see a repeated row's first change when they come to the second: a difference of
    # the rate's square, which a low rate keeps small.
    rates = {"lr_start": 0.005, "lr_end": 0.001} if crowded else {}
    return engine.problem(
        rng,
        tokens,
        ends,
        n_words,
        DIM,
        objective,
        **{"negative": 5 if crowded else 2} | settings,
        **rates,
        keep=keep,
        input_lock=input_lock,
        epochs=2,
        seed=SEED,
    )


@functools.cache
def twin_of(objective, crowded, lock, settings):
    arguments = engine.copied(small_problem(objective, crowded, lock, **dict(settings)), np.float64)
    twin = reference.Twin(**arguments)
    return twin, [twin.epoch(epoch) for epoch in range(2)]


def check(objective, crowded, lock, settings):
    arguments = small_problem(objective, crowded, lock, **settings)
    before = engine.copied(arguments)
    twin, expected = twin_of(objective, crowded, lock, tuple(settings.items()))
    found = engine.train(arguments)
    assert (twin.n_repeats == 0) != crowded
    for result, (loss, examples, words) in zip(found, expected, strict=True):
        assert (result.examples, result.words_trained) == (examples, words)
        assert_allclose(result.loss, loss, rtol=1e-3 if crowded else 1e-6)
    for name in engine.MATRICES:
        if name not in arguments:
            continue
        change = getattr(twin, name) - before[name]
        largest = np.abs(change).max()
        assert largest > (0.005 if crowded else 0.02)
        # Rounding; where rows repeat, also what the kernels see of a step's earlier changes.
        atol = largest * 0.02 if crowded else 1e-5
        assert_allclose(arguments[name] - before[name], change, atol=atol, rtol=0, err_msg=name)


@pytest.mark.parametrize("lock", [False, True], ids=["free", "locked"])
@pytest.mark.parametrize("shrink_windows", [True, False], ids=["shrinking", "fixed"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", list(models()), ids=lambda m: "-".join(map(str, m.values())))
def test_training_is_the_twins_to_rounding(isa, model, objective, shrink_windows, lock):
    check(objective, False, lock, model | {"shrink_windows": shrink_windows})


@pytest.mark.parametrize("lock", [False, True], ids=["free", "locked"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", list(models()), ids=lambda m: "-".join(map(str, m.values())))
def test_training_on_repeated_words_stays_close_to_the_twins(isa, model, objective, lock):
    check(objective, True, lock, model)


@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
@pytest.mark.parametrize("negative", [1, 3, 5, 6, 7, 11])
def test_any_number_of_noise_words(isa, negative, sg):
    check("ns", negative > 3, False, {"sg": sg, "negative": negative})


@pytest.mark.parametrize("shrink_windows", [True, False], ids=["shrinking", "fixed"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("window", [1, 2, 5])
def test_narrow_windows(isa, window, objective, shrink_windows):
    check(objective, False, False, {"window": window, "shrink_windows": shrink_windows})


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("window", [8, 9, 17, 30])
def test_wide_windows_are_trained_in_pieces(isa, window, objective):
    check(objective, False, False, {"window": window, "shrink_windows": False})


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_wide_windows_at_a_high_rate_do_not_blow_up(isa, objective):
    """One block of all 160 inputs would overshoot: its loss grows without end."""
    rng = np.random.default_rng(2)
    share = 1 / np.arange(1, 101)
    tokens = rng.choice(100, 4000, p=share / share.sum()).astype(np.int32)
    arguments = engine.problem(
        rng, tokens, np.arange(200, 4001, 200), 100, 16, objective, window=80, lr_start=0.05,
        lr_end=0.05, epochs=3, shrink_windows=False,
    )  # fmt: skip
    losses = [result.loss / result.examples for result in engine.train(arguments)]
    assert max(losses) < 10
    assert np.abs(arguments["input"]).max() < 5
