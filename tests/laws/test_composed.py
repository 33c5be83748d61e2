"""Words composed of n-grams: the twin's numbers, the gradient, the locks."""

import engine
import numpy as np
import pytest
import reference
import test_gradients
from numpy.testing import assert_allclose, assert_array_equal

OBJECTIVES = ["ns", "hs", "both"]
MODELS = [
    {"sg": True},
    {"sg": False, "cbow_mean": True, "cbow_grad": "sum"},
    {"sg": False, "cbow_mean": True, "cbow_grad": "mean"},
    {"sg": False, "cbow_mean": False, "cbow_grad": "sum"},
]


def ids(model):
    return "-".join(map(str, model.values()))


def problem(objective="ns", lock=False, dim=17, lengths=(9, 0, 1, 14, 2, 30), **settings):
    rng = np.random.default_rng(3)
    tokens, ends = engine.corpus(rng, 40, lengths)
    made = engine.problem(rng, tokens, ends, 3000, dim, objective, negative=2, seed=9, epochs=2)
    made = engine.with_subwords(rng, made, 500, rng.integers(0, 9, 3000)) | settings
    if lock:
        factors = np.array([0, 0.5, 1, 2], np.float32)
        made |= {"input_lock": rng.choice(factors, 3000), "ngrams_lock": rng.choice(factors, 500)}
    return made


def assert_same_as_twin(arguments, atol=4e-6):
    before = engine.copied(arguments)
    twin = reference.Twin(**engine.copied(arguments, np.float64))
    expected = [twin.epoch(epoch) for epoch in range(2)]
    for result, (loss, examples, words) in zip(engine.train(arguments), expected, strict=True):
        assert (result.examples, result.words_trained) == (examples, words)
        assert_allclose(result.loss, loss, rtol=1e-5)
    for name in engine.ALL_MATRICES:
        if name in arguments:
            change = getattr(twin, name) - before[name]
            assert np.abs(change).max() > 0.005
            assert_allclose(arguments[name] - before[name], change, atol=atol, err_msg=name)


@pytest.mark.parametrize("lock", [False, True], ids=["free", "locked"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_training_is_the_twins_to_rounding(isa, model, objective, lock):
    assert_same_as_twin(problem(objective, lock, **model))


@pytest.mark.parametrize("dim", [1, 7, 8, 9, 15, 16, 100])
def test_any_dimension(isa, dim):
    assert_same_as_twin(problem(dim=dim), atol=1e-5)


@pytest.mark.parametrize("window", [1, 2, 7, 50, 20_000])
@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
def test_any_window(isa, sg, window):
    assert_same_as_twin(problem(sg=sg, window=window), atol=1e-5)


def test_words_without_ngrams_are_plain_words(isa):
    """But for the order of sums: here no word comes twice."""
    plain = problem("both", lengths=(14, 26))  # with negative sampling alone, centres go in twos
    del plain["subwords"], plain["input_ngrams"]
    composed = engine.copied(plain) | {
        "subwords": (np.zeros(3001, np.int64), np.zeros(0, np.uint32)),
        "input_ngrams": engine.matrix(np.zeros((1, 17), np.float32)),
    }
    plain["tokens"] = composed["tokens"] = np.arange(40, dtype=np.int32)
    engine.train(plain)
    engine.train(composed)
    assert_allclose(composed["input"], plain["input"], atol=1e-6)
    assert_allclose(composed["output_ns"], plain["output_ns"], atol=1e-6)
    assert_allclose(composed["output_hs"], plain["output_hs"], atol=1e-6)


def test_a_word_of_very_many_ngrams_is_learnt_like_others(isa):
    arguments = problem()
    offsets = np.arange(3001) + 5000 * (np.arange(3001) > arguments["tokens"][0])
    arguments["subwords"] = (offsets, np.random.default_rng(1).integers(0, 500, 8000, np.uint32))
    assert_same_as_twin(arguments, atol=1e-4)


def test_one_worker_repeats_bit_for_bit(isa):
    first, second = problem(), problem()
    assert engine.train(first) == engine.train(second)
    for name in ("input", "input_ngrams", "output_ns"):
        assert_array_equal(first[name], second[name])


SIZE = 3  # rows of every word: its own and two n-grams


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    ("model", "factor"),
    [
        # The change of the mean goes to every row whole, as fastText does it.
        (test_gradients.SKIPGRAM, SIZE),
        (test_gradients.CBOW_MEAN, 1),
        (test_gradients.CBOW_SUM, 1),
    ],
    ids=["skipgram", "cbow-mean", "cbow-sum"],
)
def test_change_is_minus_rate_times_gradient(model, factor, objective, rng):
    start = test_gradients.parameters(rng, objective)
    start["input_ngrams"] = rng.normal(size=(7, test_gradients.DIM)) * 0.7
    n_words = test_gradients.N_WORDS
    offsets = np.arange(n_words + 1) * (SIZE - 1)
    subwords = (offsets, rng.integers(0, 7, offsets[-1]).astype(np.uint32))
    settings = model | {"window": 3, "shrink_windows": True, "subwords": subwords}
    expected = test_gradients.gradient(start, **settings)
    found = test_gradients.change_over_rate(start, **settings)
    for name, values in expected.items():
        assert np.abs(values).max() > 0.1
        scale = factor if name.startswith("input") else 1
        assert_allclose(found[name], -scale * values, **test_gradients.TOLERANCE, err_msg=name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"input_ngrams": None}, "subwords need input_ngrams"),
        ({"subwords": (np.zeros(5, np.int64), np.zeros(0, np.uint32))}, "3001 offsets"),
        ({"subwords": (np.arange(3001), np.full(3000, 500, np.uint32))}, "below 500, got 500"),
        ({"ngrams_lock": np.ones(3, np.float32)}, "ngrams_lock must hold 500"),
    ],
    ids=["no rows", "offsets", "ids", "lock"],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        engine.word_run(**problem() | change)
