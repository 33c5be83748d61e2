"""Probabilities under every objective: they add up, agree with the losses, and with samples."""

import itertools

import numpy as np
import pytest
from models import N_WORDS, SENTENCES, small
from numpy.testing import assert_allclose

from pyw2v import FastText, Uniform, Unigram, Word2Vec

OBJECTIVES = [
    {},
    {"hs": 1, "negative": 0},
    {"objective": "ns"},
    {"objective": "nce"},
    {"objective": "sampled_logistic", "output_bias": True},
    {"objective": "sampled_softmax"},
    {"objective": "logistic"},
    {"objective": "softmax"},
    {"objective": "softmax", "output_bias": True, "self_norm": 0.1},
    {"objective": "hs"},
    {"objective": "class_softmax"},
    {"objective": "class_softmax", "class_depth": 3, "output_bias": True},
    {"objective": "dsoftmax", "bands": [(4, 8), (8, 3)]},
]


def name_of(settings):
    return "-".join(str(value) for value in settings.values()) or "classic"


@pytest.fixture(params=OBJECTIVES, ids=name_of, scope="module")
def settings(request):
    return request.param


@pytest.fixture(params=["skipgram", "cbow", "fasttext", "fasttext-cbow"], scope="module")
def model(request, settings):
    kind = FastText if "fasttext" in request.param else Word2Vec
    more = {"bucket": 50} if kind is FastText else {}
    return kind(
        SENTENCES,
        vector_size=8,
        min_count=1,
        sample=0,
        alpha=0.1,
        epochs=40,
        workers=1,
        window=2,
        sg=int("cbow" not in request.param),
        **more,
        **settings,
    )


def predictions(model, sentences):
    """Every (context, word) that the model predicts on whole windows."""
    for sentence in sentences:
        for i, word in enumerate(sentence):
            around = sentence[max(0, i - model.window) : i] + sentence[i + 1 : i + 1 + model.window]
            if model.sg:
                yield from (([word], other) for other in around)
            elif around:
                yield around, word


def test_probabilities_add_up_to_one(model):
    for context in ("system", ["graph", "trees"], ["user", "unheard", "user"]):
        log_p = model.log_prob(model.wv.index_to_key, context)
        assert_allclose(np.exp(log_p).sum(), 1, rtol=1e-9)


def test_cross_entropy_is_the_mean_of_log_prob(model):
    expected = -np.mean([model.log_prob(w, c) for c, w in predictions(model, SENTENCES)])
    assert_allclose(model.cross_entropy(SENTENCES, unit="nats"), expected, rtol=1e-5)
    assert_allclose(model.cross_entropy(SENTENCES), expected / np.log(2), rtol=1e-5)
    assert_allclose(model.perplexity(SENTENCES), np.exp(expected), rtol=1e-4)


def test_training_beats_chance(model):
    assert model.perplexity(SENTENCES) < 0.95 * N_WORDS


def test_judging_a_text_changes_no_weight(model):
    before = [np.array(array) for array in model._align_weights()]
    model.cross_entropy(SENTENCES)
    for array, old in zip(model._align_weights(), before, strict=True):
        assert np.array_equal(array, old)


def test_predicted_words_are_the_most_probable(model, settings):
    if settings in ({}, {"hs": 1, "negative": 0}):
        pytest.skip("as in gensim, which test_prediction checks")
    context = ["system", "unheard", "user"]
    log_p = model.log_prob(model.wv.index_to_key, context)
    for temperature in (1.0, 0.2, 5.0):
        p = np.exp(log_p / temperature)
        p /= p.sum()
        got = model.predict_output_word(context, topn=N_WORDS, temperature=temperature)
        assert_allclose([q for _, q in got], np.sort(p)[::-1], rtol=1e-6)
        assert got[0][0] == model.wv.index_to_key[int(np.argmax(log_p))]
    assert model.predict_output_word(["unheard"]) is None


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_samples_follow_the_softmax(temperature):
    """Chi-square with 11 degrees of freedom: above 31.3 once in a thousand runs."""
    model = small(objective="softmax", epochs=60, alpha=0.3, sample=0)
    n = 20_000
    drawn = model.sample_output_word("system", n=n, temperature=temperature, seed=3)
    p = np.exp(model.log_prob(model.wv.index_to_key, "system") / temperature)
    expected = n * p / p.sum()
    counts = np.array([drawn.count(word) for word in model.wv.index_to_key])
    assert ((counts - expected) ** 2 / expected).sum() < 31.3


def test_samples_without_replacement_follow_successive_draws():
    """Pairs by P(a) P(b) / (1 - P(a)): chi-square with 131 degrees of freedom, one in 1000."""
    model = small(objective="softmax", epochs=30, alpha=0.2, sample=0)
    words = model.wv.index_to_key
    p = np.exp(model.log_prob(words, "system"))
    n = 6000
    counts = np.zeros((N_WORDS, N_WORDS))
    for seed in range(n):
        a, b = model.sample_output_word("system", n=2, replace=False, seed=seed)
        counts[words.index(a), words.index(b)] += 1
    expected = n * p[:, np.newaxis] * p / (1 - p[:, np.newaxis])
    off = ~np.eye(N_WORDS, dtype=bool)
    assert counts[~off].sum() == 0
    assert ((counts - expected)[off] ** 2 / expected[off]).sum() < 187


def test_samples_without_replacement_are_all_words_once():
    model = small(objective="class_softmax")
    drawn = model.sample_output_word("system", n=N_WORDS, replace=False)
    assert sorted(drawn) == sorted(model.wv.index_to_key)
    with pytest.raises(ValueError, match=f"and {N_WORDS}"):
        model.sample_output_word("system", n=N_WORDS + 1, replace=False)


@pytest.mark.parametrize("temperature", [0, -1.0, float("nan"), float("inf")])
def test_temperatures_must_be_positive_numbers(temperature):
    model = small(objective="softmax")
    for call in (model.predict_output_word, model.sample_output_word):
        with pytest.raises(ValueError, match="temperature"):
            call(["system"], temperature=temperature)


def test_any_temperature_is_safe():
    model = small(objective="softmax", epochs=60, alpha=0.3, sample=0)
    log_p = model.log_prob(model.wv.index_to_key, "system")
    best = model.wv.index_to_key[int(np.argmax(log_p))]
    for coldest in (1e-12, 1e-300, 5e-324):
        (word, p), *others = model.predict_output_word(["system"], temperature=coldest)
        assert (word, p) == (best, 1)
        assert all(other == 0 for _, other in others)
        assert set(model.sample_output_word("system", n=9, temperature=coldest)) == {best}
    hot = model.predict_output_word(["system"], topn=N_WORDS, temperature=1e300)
    assert_allclose([p for _, p in hot], 1 / N_WORDS)


def test_scores_of_any_size_are_safe():
    model = small(objective="softmax")
    model.syn1neg[:] = 0
    model.syn1neg[:, 0] = np.linspace(-3000, 3000, N_WORDS)
    model.wv.vectors[:] = 1
    log_p = model.log_prob(model.wv.index_to_key, "system")
    assert np.isfinite(log_p).all()
    assert_allclose(log_p[-1], 0, atol=1e-12)
    assert np.isfinite(model.cross_entropy(SENTENCES))
    assert model.perplexity(SENTENCES) == np.inf


def test_threads_agree_about_a_text():
    sentences = list(itertools.islice(itertools.cycle(SENTENCES), 9000))
    model = small(objective="softmax")
    one = model.cross_entropy(sentences)
    model.workers = 3
    assert_allclose(model.cross_entropy(sentences), one, rtol=1e-12)


def test_texts_without_predictions_are_refused():
    model = small(objective="softmax")
    with pytest.raises(ValueError, match="none of the 2 words"):
        model.cross_entropy([["unheard", "of"]])
    with pytest.raises(ValueError, match="nothing to predict"):
        model.perplexity([["system"], ["user"]])
    with pytest.raises(ValueError, match="unit"):
        model.cross_entropy(SENTENCES, unit="hartleys")
    with pytest.raises(KeyError, match="unheard"):
        model.log_prob("system", "unheard")


@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "ns"},
        {"objective": "ns", "remove_accidental_hits": False, "sampler": Uniform()},
        {"objective": "ns", "negative": 3, "sampler": Unigram(1.0, unique=True)},
        {"objective": "nce"},
        {"objective": "nce", "nce_z": 7.0, "remove_accidental_hits": True},
        {"objective": "sampled_logistic"},
        {"objective": "sampled_softmax"},
        {"objective": "logistic"},
        {"objective": "softmax"},
        {"objective": "class_softmax"},
        {"objective": "class_softmax", "class_depth": 3},
        {"objective": "dsoftmax"},
    ],
    ids=name_of,
)
def test_with_biases_an_untrained_model_knows_how_frequent_words_are(settings):
    model = Word2Vec(min_count=1, vector_size=8, output_bias=True, **settings)
    model.build_vocab(SENTENCES)
    counts = model.wv.expandos["count"]
    p = np.exp(model.log_prob(model.wv.index_to_key, "system"))
    assert_allclose(p, counts / counts.sum(), rtol=1e-5)
