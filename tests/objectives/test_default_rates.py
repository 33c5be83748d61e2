"""Every objective of every model trains at its defaults, on vocabularies of three sizes.

What it is to train: the loss falls and stays finite, and words of one topic end up together. Only
`sample` is not the default: in texts so small every word is a frequent one.
"""

import numpy as np
import pytest

from pyw2v import FastText, Word2Vec
from pyw2v.objectives import OBJECTIVES

# Topics, words of a topic, sentences.
SIZES = {"24 words": (4, 6, 300), "200 words": (20, 10, 700), "600 words": (60, 10, 2500)}
MODELS = [*((Word2Vec, size) for size in SIZES), (FastText, "200 words")]


def planted(n_topics, n_words, n_sentences, length=12):
    """Sentences of one topic each, whose words are of falling frequency."""
    rng = np.random.default_rng(5)
    topics = rng.integers(n_topics, size=n_sentences)
    weights = 1 / (np.arange(n_words) + 2)
    words = rng.choice(n_words, size=(n_sentences, length), p=weights / weights.sum())
    return [[f"{t}-{w}" for w in row] for t, row in zip(topics, words.tolist(), strict=True)]


CORPORA = {size: planted(*shape) for size, shape in SIZES.items()}


def share_of_neighbours_in_topic(wv, n_neighbours):
    """Of the words nearest to every word, how many are of its topic."""
    topics = np.array([int(word.split("-")[0]) for word in wv.index_to_key])
    units = wv.vectors / np.linalg.norm(wv.vectors, axis=1, keepdims=True)
    similar = units @ units.T
    np.fill_diagonal(similar, -2)
    nearest = np.argsort(-similar, axis=1)[:, :n_neighbours]
    return np.mean(topics[nearest] == topics[:, np.newaxis])


def trained(kind, size, **settings):
    more = {"bucket": 5000} if kind is FastText else {}
    return kind(CORPORA[size], sample=0, workers=1, **more, **settings)


@pytest.mark.parametrize(("kind", "size"), MODELS)
@pytest.mark.parametrize("sg", [1, 0], ids=["skip-gram", "cbow"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_trains_at_its_defaults(kind, size, sg, objective):
    model = trained(kind, size, sg=sg, objective=objective)
    losses = model.loss_history
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0] == max(losses)
    share = share_of_neighbours_in_topic(model.wv, SIZES[size][1] - 1)
    assert share > 0.8  # by chance 0.02 to 0.25


def test_logistic_has_biases_unless_told_otherwise(tmp_path):
    for given, expected in ((None, True), (True, True), (False, False)):
        model = Word2Vec(objective="logistic", output_bias=given, min_count=1)
        model.build_vocab(CORPORA["24 words"])
        assert (model.syn1bias is not None) == expected
        model.save(tmp_path / "model")
        loaded = Word2Vec.load(tmp_path / "model")
        assert loaded.output_bias == given
        assert (loaded.syn1bias is not None) == expected
    assert Word2Vec(objective="softmax")._objective().output_bias is False


def test_the_loss_of_logistic_starts_at_that_of_the_frequencies():
    """Each word by itself, at the share p of the text: the sum of the binary entropies."""
    sentences = CORPORA["600 words"]
    model = Word2Vec(sentences, objective="logistic", sg=1, sample=0, epochs=1, alpha=1e-9)
    p = model.wv.expandos["count"] / model.wv.expandos["count"].sum()
    expected = -(p * np.log(p) + (1 - p) * np.log1p(-p)).sum()
    assert model.loss_history[0] == pytest.approx(expected, rel=0.01)


def test_a_model_that_turns_logistic_later_gets_its_biases():
    model = Word2Vec(sg=1, sample=0, workers=1)
    model.build_vocab(CORPORA["600 words"])
    model.objective = "logistic"
    model.train(CORPORA["600 words"], total_examples=model.corpus_count, epochs=3)
    assert model.loss_history[-1] < model.loss_history[0] < 10
    assert model.syn1bias.max() < -2


def test_divergence_without_biases_is_told_how_to_mend():
    message = r"a smaller alpha \(now 0.025\) or output_bias=True"
    with pytest.raises(FloatingPointError, match=message):
        trained(Word2Vec, "600 words", objective="logistic", sg=1, output_bias=False)
