"""Models with outputs over all words: they learn, repeat, grow, and survive their files."""

import numpy as np
import pytest
from models import N_WORDS, SENTENCES, small
from numpy.testing import assert_allclose

from pyw2v import FastText, Word2Vec

SETTINGS = {
    "softmax": {"objective": "softmax"},
    "self-norm": {"objective": "softmax", "self_norm": 0.1, "output_bias": True},
    "logistic": {"objective": "logistic"},
    "classes": {"objective": "class_softmax", "output_bias": True},
    "given-classes": {
        "objective": "class_softmax",
        "classes": {word: len(word) for sentence in SENTENCES for word in sentence},
        "class_depth": 3,
    },
    "dsoftmax": {"objective": "dsoftmax"},
}


@pytest.fixture(params=SETTINGS, ids=str)
def settings(request):
    return SETTINGS[request.param]


def pair_counts(n_words, rng):
    """A law of word pairs with structure: neighbours on a circle are likely."""
    distance = np.abs(np.subtract.outer(np.arange(n_words), np.arange(n_words)))
    distance = np.minimum(distance, n_words - distance)
    joint = np.exp(-distance.astype(float)) * rng.uniform(0.5, 1.5, (n_words, n_words))
    joint = joint + joint.T
    return joint / joint.sum()


def pair_sentences(joint, n, rng):
    n_words = len(joint)
    drawn = rng.choice(n_words * n_words, size=n, p=joint.ravel())
    return [[f"w{i // n_words}", f"w{i % n_words}"] for i in drawn]


@pytest.mark.parametrize("objective", ["softmax", "class_softmax", "logistic"])
def test_perplexity_comes_near_the_entropy_of_the_source(objective, rng):
    """On pairs drawn by a known law nothing beats the law's own conditional entropy."""
    joint = pair_counts(20, rng)
    conditional = joint / joint.sum(axis=1, keepdims=True)
    bound = -(joint * np.log2(conditional)).sum()
    model = Word2Vec(
        pair_sentences(joint, 20_000, rng),
        vector_size=20,
        window=1,
        min_count=1,
        sample=0,
        sg=1,
        alpha=0.1,
        epochs=8,
        workers=1,
        objective=objective,
        output_bias=True,
    )
    held_out = model.cross_entropy(pair_sentences(joint, 20_000, rng))
    assert bound - 0.02 < held_out < bound + 0.06


def test_self_norm_brings_log_z_near_zero(rng):
    sentences = pair_sentences(pair_counts(20, rng), 10_000, rng)
    spread = {}
    for alpha in (0.0, 0.5):
        model = Word2Vec(
            sentences,
            vector_size=10,
            window=1,
            min_count=1,
            sample=0,
            sg=1,
            alpha=0.1,
            epochs=5,
            workers=1,
            objective="softmax",
            self_norm=alpha,
            output_bias=True,
        )
        scores = model.wv.vectors @ model.syn1neg.T + model.syn1bias
        spread[alpha] = np.abs(np.log(np.exp(scores).sum(axis=1))).mean()
    assert spread[0.5] < 0.1
    assert spread[0.0] > 1


def test_one_worker_repeats_bit_for_bit(settings):
    a, b = small(**settings), small(**settings)
    assert np.array_equal(a.wv.vectors, b.wv.vectors)
    assert np.array_equal(a.syn1neg, b.syn1neg)


@pytest.mark.parametrize("sg", [0, 1])
@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_training_lowers_the_loss(settings, kind, sg):
    model = kind(
        SENTENCES, vector_size=8, min_count=1, sample=0, sg=sg, alpha=0.2, epochs=30, workers=1,
        **settings, **({"bucket": 60} if kind is FastText else {}),
    )  # fmt: skip
    assert model.loss_history[-1] < 0.8 * model.loss_history[0]


def test_models_survive_their_files(settings, tmp_path):
    model = small(**settings, epochs=20, alpha=0.1)
    model.save(tmp_path / "model")
    for mmap in (None, "r"):
        again = Word2Vec.load(tmp_path / "model", mmap=mmap)
        words = model.wv.index_to_key
        assert np.array_equal(again.log_prob(words, "system"), model.log_prob(words, "system"))
        assert_allclose(again.perplexity(SENTENCES), model.perplexity(SENTENCES), rtol=1e-12)
        again.train(SENTENCES, total_examples=len(SENTENCES), epochs=2)
        assert np.isfinite(again.wv.vectors).all()


def test_models_learn_new_words(settings):
    model = small(**settings | {"classes": None} if "class_depth" in settings else settings)
    old = model.log_prob("human", "system")
    model.build_vocab([["system", "novel", "words"]] * 3, update=True)
    assert len(model.wv) == N_WORDS + 2
    model.train([["system", "novel", "words"]] * 3, total_examples=3, epochs=3)
    log_p = model.log_prob(model.wv.index_to_key, "system")
    assert_allclose(np.exp(log_p).sum(), 1, rtol=1e-9)
    assert log_p[model.wv.key_to_index["human"]] != old


def test_bands_leave_narrow_rows_narrow():
    model = small(objective="dsoftmax", bands=[(3, 8), (4, 5), (5, 2)], epochs=20, alpha=0.2)
    assert (np.abs(model.syn1neg[:3]).min(axis=1) > 0).all()
    assert not model.syn1neg[3:, 5:].any()
    assert not model.syn1neg[7:, 2:].any()
    assert (np.abs(model.syn1neg[7:, :2]).min(axis=1) > 0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objective": "class_softmax", "classes": {"human": 1}}, "every word, got None for"),
        ({"objective": "class_softmax", "classes": 13}, "between 1 and 12"),
        ({"objective": "dsoftmax", "bands": [(5, 8)]}, "12, the vocabulary"),
        ({"objective": "softmax", "self_norm": -1.0}, "self_norm"),
        ({"objective": "softmax", "hs": 1}, "hs must be left"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        small(**settings)


def test_divergence_is_an_error():
    with pytest.raises(FloatingPointError, match="alpha"):
        small(objective="softmax", alpha=1e4, epochs=50, sample=0)
