"""Structure planted in a small corpus is learnt by every model with every objective."""

import itertools

import numpy as np
import pytest

from pyw2v import Word2Vec

N_TOPICS, WORDS_PER_TOPIC = 4, 6


def planted_sentences(n_sentences=1500, length=12, seed=5):
    """Sentences of one topic each: words of a topic share contexts, words of two do not."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(N_TOPICS, size=n_sentences)
    words = rng.integers(WORDS_PER_TOPIC, size=(n_sentences, length))
    return [[f"{t}-{w}" for w in row] for t, row in zip(topics, words.tolist(), strict=True)]


SENTENCES = planted_sentences()
OBJECTIVES = {
    "ns": {"negative": 5},
    "hs": {"hs": 1, "negative": 0},
    "both": {"hs": 1, "negative": 5},
}


def share_of_neighbours_in_topic(wv):
    """Of the nearest words of every word, how many are of its own topic."""
    hits = [
        other.split("-")[0] == word.split("-")[0]
        for word in wv.index_to_key
        for other, _ in wv.most_similar(word, topn=WORDS_PER_TOPIC - 1)
    ]
    return np.mean(hits)


@pytest.mark.parametrize(("sg", "objective"), list(itertools.product([0, 1], OBJECTIVES)), ids=str)
@pytest.mark.parametrize("workers", [1, 2])
def test_words_of_a_topic_end_up_together(sg, objective, workers):
    model = Word2Vec(
        SENTENCES,
        sg=sg,
        vector_size=16,
        window=4,
        sample=0,
        alpha=0.05,
        epochs=10,
        workers=workers,
        **OBJECTIVES[objective],
    )
    assert share_of_neighbours_in_topic(model.wv) == 1
    losses = model.loss_history
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("settings", [{"cbow_mean": 0}, {"cbow_grad": "mean"}])
def test_every_kind_of_cbow_learns(settings):
    rate = 0.02 if "cbow_mean" in settings else 0.2
    model = Word2Vec(
        SENTENCES, vector_size=16, window=4, sample=0, alpha=rate, epochs=10, workers=1, **settings
    )
    assert share_of_neighbours_in_topic(model.wv) == 1


@pytest.mark.parametrize("settings", [{"shrink_windows": False}, {"sample": 0.05}])
def test_every_kind_of_window_and_sampling_learns(settings):
    model = Word2Vec(
        SENTENCES,
        **{"sg": 1, "vector_size": 16, "sample": 0, "alpha": 0.05, "epochs": 10} | settings,
    )
    assert share_of_neighbours_in_topic(model.wv) == 1


def test_skip_gram_outputs_predict_the_topic():
    model = Word2Vec(SENTENCES, sg=1, vector_size=16, sample=0, alpha=0.05, epochs=10)
    best = model.predict_output_word(["2-0", "2-1"], topn=WORDS_PER_TOPIC)
    assert all(word.startswith("2-") for word, _ in best)


def test_score_prefers_sentences_of_one_topic():
    model = Word2Vec(SENTENCES, hs=1, negative=0, vector_size=16, sample=0, alpha=0.05, epochs=10)
    plain, mixed = model.score([["0-1", "0-2", "0-3", "0-4"], ["0-1", "1-2", "2-3", "3-4"]])
    assert plain > mixed
