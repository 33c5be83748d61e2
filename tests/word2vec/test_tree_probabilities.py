"""Under outputs that are trees the probability of a word is made of its path alone."""

import numpy as np
import pytest
from models import N_WORDS, SENTENCES
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText, Word2Vec
from pyw2v.word2vec import outputs
from pyw2v.word2vec.probabilities import log_distribution

TREES = {
    "classic": {"hs": 1, "negative": 0},
    "hs": {"objective": "hs"},
    "classes": {"objective": "class_softmax"},
    "deep-classes": {"objective": "class_softmax", "class_depth": 3, "output_bias": True},
}


def trained(settings, kind=Word2Vec, **more):
    return kind(
        SENTENCES,
        **{"vector_size": 8, "min_count": 1, "sample": 0, "alpha": 0.1, "epochs": 40, "workers": 1},
        **settings,
        **more,
    )


@pytest.fixture(params=TREES, ids=str)
def settings(request):
    return TREES[request.param]


def rows_on_path(model, word):
    """The rows of each matrix that a word's probability depends on."""
    i = model.wv.key_to_index[word]
    if model._has_tree:
        _, points = model._huffman_tree().path(i)
        return {"syn1": points}
    tree = outputs.class_tree(model)
    found = {"syn1class": [], "syn1neg": []}
    for group in tree.path_groups[i * tree.depth : (i + 1) * tree.depth]:
        members = tree.members[tree.offsets[group] : tree.offsets[group + 1]]
        found["syn1class" if group < tree.n_inner else "syn1neg"].extend(members)
    return found


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
@pytest.mark.parametrize("context", ["graph", ["user", "unheard", "system"]], ids=str)
def test_one_word_some_and_all_agree_with_the_distribution(settings, kind, context):
    model = trained(settings, kind, **({"bucket": 50} if kind is FastText else {}))
    words = model.wv.index_to_key
    whole = log_distribution(model, model._context_row(context))
    assert_allclose(np.exp(whole).sum(), 1, rtol=1e-12)
    one_by_one = [model.log_prob(word, context) for word in words]
    assert all(type(value) is float for value in one_by_one)
    assert_allclose(one_by_one, whole, rtol=1e-12)
    assert_allclose(model.log_prob(words, context), whole, rtol=1e-12)
    some = [3, 0, 3, N_WORDS - 1]
    assert_allclose(model.log_prob([words[i] for i in some], context), whole[some], rtol=1e-12)
    assert model.log_prob([], context).shape == (0,)


def test_a_words_probability_reads_nothing_off_its_path(settings):
    model = trained(settings)
    for word in model.wv.index_to_key:
        expected = model.log_prob(word, "graph")
        kept = {name: np.array(getattr(model, name)) for name in rows_on_path(model, word)}
        for name, rows in rows_on_path(model, word).items():
            off = np.setdiff1d(np.arange(len(kept[name])), rows)
            getattr(model, name)[off] = np.nan
        assert model.log_prob(word, "graph") == expected
        for name, rows in kept.items():
            getattr(model, name)[:] = rows


def test_the_tree_of_classes_is_made_once(monkeypatch):
    model = trained(TREES["classes"])
    expected = model.log_prob("system", "graph")
    monkeypatch.setattr("pyw2v.objectives.classes.tree", None)
    assert model.log_prob("system", "graph") == expected


def test_a_tree_follows_its_classes():
    model = trained(TREES["classes"])
    with pytest.raises(ValueError, match="read-only"):
        model.class_of[0] = 1  # the tree would not follow
    model.class_of = np.arange(N_WORDS, dtype=np.int32) // 3
    assert_array_equal(np.diff(outputs.class_tree(model).offsets)[1:], [3] * (N_WORDS // 3))


@pytest.mark.parametrize("objective", ["hs", "class_softmax"])
def test_a_vocabulary_of_one_word_is_certain(objective):
    model = Word2Vec([["only", "only"]] * 3, min_count=1, vector_size=4, objective=objective)
    assert model.log_prob("only", "only") == 0
    assert_array_equal(model.log_prob(["only"] * 2, "only"), [0, 0])
