"""The matrices of a model: how they start, grow and are shared."""

import itertools

import numpy as np
import pytest
from models import N_WORDS, SENTENCES, built, gensim_rows, small
from numpy.testing import assert_array_equal

from pyw2v import Word2Vec
from pyw2v._core.matrix import can_spread
from pyw2v._matrices import _CHUNK_VALUES, random_rows


@pytest.mark.parametrize("dim", [1, 7, 16, 100])
def test_initial_vectors_are_gensims_numbers(dim):
    model = built(vector_size=dim, seed=7)
    assert_array_equal(model.wv.vectors, gensim_rows(N_WORDS, dim, 7))
    assert not np.any(model.syn1neg)
    assert can_spread(model.wv.vectors)


def test_initial_vectors_do_not_depend_on_the_pieces_they_are_drawn_in():
    n_rows, dim = 2 * _CHUNK_VALUES // 333 + 5, 333
    assert_array_equal(random_rows(n_rows, dim, 3), gensim_rows(n_rows, dim, 3))


def test_growing_keeps_old_rows_and_draws_new_ones_as_gensim_does():
    prior = np.ones((5, 9), dtype=np.float32)
    rows = random_rows(8, 9, 4, prior)
    assert_array_equal(rows[:5], prior)
    assert_array_equal(rows[5:], gensim_rows(8, 9, 4)[5:])


def test_seed_none_gives_another_model_each_time():
    one, two = (small(seed=None) for _ in range(2))
    assert np.any(one.wv.vectors != two.wv.vectors)


def test_build_vocab_again_starts_afresh():
    model = small()
    model.build_vocab(SENTENCES)
    assert_array_equal(model.wv.vectors, built().wv.vectors)


@pytest.mark.parametrize("objective", [{"negative": 5}, {"hs": 1, "negative": 0}])
def test_update_adds_new_words_and_keeps_what_was_learnt(objective):
    model = small(epochs=20, sample=0, **objective)
    old_words, old = list(model.wv.index_to_key), model.wv.vectors.copy()
    news = [["graph", "new", "word"], ["newer", "word", "system"]]
    model.build_vocab(news, update=True)
    assert model.wv.index_to_key == [*old_words, "new", "word", "newer"]
    assert_array_equal(model.wv.vectors[:N_WORDS], old)
    assert_array_equal(model.wv.vectors[N_WORDS:], gensim_rows(N_WORDS + 3, 8, 1)[N_WORDS:])
    assert model.wv.get_vecattr("graph", "count") == 4
    assert model.wv.get_vecattr("word", "count") == 2
    before = model.wv.vectors.copy()
    model.train(news, total_examples=2, epochs=5)
    assert np.all(np.any(model.wv.vectors[N_WORDS:] != before[N_WORDS:], axis=1))


def test_update_keeps_the_outputs_of_old_words():
    model = small()
    old = model.syn1neg.copy()
    model.build_vocab([["brand", "new"]], update=True)
    assert_array_equal(model.syn1neg[:N_WORDS], old)
    assert not np.any(model.syn1neg[N_WORDS:])


def tree_rows(model):
    """The row of each inner node of the Huffman tree, by the turns that lead to it."""
    tree = model._huffman_tree()
    offsets, codes, points = tree.offsets, tree.codes, tree.points
    paths = {}
    for begin, end in itertools.pairwise(offsets.tolist()):
        for at in range(begin, end):
            paths[tuple(codes[begin:at].tolist())] = model.syn1[points[at]].copy()
    return paths


def test_update_keeps_the_tree_rows_at_the_same_turns_from_the_root():
    model = small(hs=1, negative=0, epochs=20)
    before = tree_rows(model)
    assert np.all(np.any(list(before.values()), axis=1))
    model.build_vocab([["brand", "new", "words"]], update=True)
    after = tree_rows(model)
    assert len(after) == N_WORDS + 2
    assert () in before
    for turns, row in after.items():
        assert_array_equal(row, before.get(turns, np.zeros(8)))


def test_update_that_changes_nothing_leaves_the_tree_rows_alone():
    model = small(hs=1, negative=0)
    before = model.syn1.copy()
    model.build_vocab([["stranger"]], update=True, min_count=2)
    assert_array_equal(model.syn1, before)


def test_update_without_a_vocabulary_is_an_error():
    with pytest.raises(RuntimeError, match="no vocabulary"):
        Word2Vec().build_vocab(SENTENCES, update=True)


def test_arrays_put_in_by_the_user_are_trained():
    model = built()
    vectors = np.full((N_WORDS, 8), 0.01)
    model.wv.vectors, model.syn1neg = vectors, np.zeros((N_WORDS, 8), dtype=np.float32)
    model.train(SENTENCES, total_examples=9, epochs=5)
    assert can_spread(model.wv.vectors)
    assert can_spread(model.syn1neg)
    assert np.any(model.wv.vectors != np.float32(0.01))
    assert np.all(vectors == 0.01)


def test_arrays_of_a_wrong_shape_are_an_error():
    model = built()
    model.syn1neg = np.zeros((3, 8), dtype=np.float32)
    with pytest.raises(ValueError, match=r"syn1neg.*\(3, 8\)"):
        model.train(SENTENCES, total_examples=9, epochs=1)


@pytest.mark.parametrize("sg", [0, 1])
def test_locked_vectors_do_not_change(sg):
    model = built(sg=sg, sample=0)
    model.wv.vectors_lockf = np.ones(N_WORDS, dtype=np.float32)
    model.wv.vectors_lockf[2:4] = 0
    before = model.wv.vectors.copy()
    model.train(SENTENCES, total_examples=9, epochs=5)
    assert_array_equal(model.wv.vectors[2:4], before[2:4])
    assert np.any(model.wv.vectors[:2] != before[:2])


def test_reset_from_shares_the_vocabulary_and_starts_fresh_weights():
    model, other = small(), small(None, vector_size=16)
    other.reset_from(model)
    assert other.wv.index_to_key is model.wv.index_to_key
    assert other.corpus_count == model.corpus_count
    assert_array_equal(other.wv.vectors, gensim_rows(N_WORDS, 16, 1))
    other.build_vocab([["brand", "new"]], update=True)
    assert len(model.wv) == N_WORDS  # the growth of one does not reach the other
    other.train(SENTENCES, total_examples=9, epochs=1)
