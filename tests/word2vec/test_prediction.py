"""Predicted words against a softmax, scores against the tree, both in plain NumPy."""

import itertools

import numpy as np
import pytest
from models import N_WORDS, SENTENCES, small
from numpy.testing import assert_allclose


def test_predict_output_word_is_a_softmax_over_the_outputs():
    model = small(epochs=20)
    context = ["system", "unheard", "user"]
    rows = model.wv.vectors[[model.wv.key_to_index[w] for w in ("system", "user")]]
    scores = np.exp(model.syn1neg @ rows.mean(axis=0))
    best = np.argsort(-scores)[:3]
    got = model.predict_output_word(context, topn=3)
    assert [word for word, _ in got] == [model.wv.index_to_key[i] for i in best]
    assert_allclose([p for _, p in got], scores[best] / scores.sum(), rtol=1e-5)
    assert_allclose(sum(p for _, p in model.predict_output_word(context, topn=99)), 1, rtol=1e-5)
    assert model.predict_output_word(context, topn=0) == []


def test_predict_output_word_of_unknown_words_is_none():
    assert small().predict_output_word(["unheard"]) is None


def test_predict_output_word_needs_negative_sampling():
    with pytest.raises(RuntimeError, match="negative"):
        small(hs=1, negative=0).predict_output_word(["system"])


@pytest.mark.parametrize("sg", [0, 1])
def test_score_is_the_log_probability_under_the_tree(sg):
    model = small(hs=1, negative=0, epochs=30, sg=sg, alpha=0.1, window=2)

    def log_p(word, hidden):
        codes, points = model._huffman_tree().path(word)
        p = 1 / (1 + np.exp(-(model.syn1[points].astype(float) @ hidden)))
        return np.log(np.where(codes == 0, p, 1 - p)).sum()

    a, b, c = (model.wv.key_to_index[word] for word in ("graph", "minors", "trees"))
    x = model.wv.vectors.astype(float)
    expected = 0.0
    for centre, context in ((a, [b, c]), (b, [a, c]), (c, [a, b])):
        hidden = x[context] if sg else [x[context].mean(axis=0)]
        expected += sum(log_p(centre, h) for h in hidden)
    scores = model.score([["graph", "minors", "unheard", "trees"], ["trees"], []])
    assert scores.dtype == np.float32
    assert_allclose(scores, [expected, 0, 0], rtol=1e-5)
    total = sum(np.exp(log_p(word, x[a])) for word in range(N_WORDS))
    assert_allclose(total, 1)


def test_score_stops_after_total_sentences():
    model = small(hs=1, negative=0)
    assert len(model.score(itertools.repeat(["graph", "trees"]), total_sentences=4)) == 4


def test_score_needs_hierarchical_softmax():
    with pytest.raises(RuntimeError, match="hs=1"):
        small().score(SENTENCES)
