"""Matrices of which few rows exist: what they hold, how they grow, that models never fill them."""

import copy
import pickle

import numpy as np
import pytest
from models import SENTENCES
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText, TextClassifier, fasttext
from pyw2v._core.matrix import can_spread
from pyw2v._core.ngrams import place_buckets
from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v.fasttext_model import ft_ngram_hashes, load_facebook_model, save_facebook_model

DIM = 5
N_BUCKETS = 50
IDS = np.array([7, 3, 7, 40, 3], np.uint32)
TEXTS = ["good fine good day", "bad sad bad night", "fine day out", "sad night in"] * 5
LABELS = ["yes", "no", "yes", "no"] * 5


def ids(*numbers):
    return np.array(numbers, np.uint32)


def grown(n_words=2):
    return BucketRows.none(N_BUCKETS, DIM).grown(n_words, IDS, seed=1)


def test_buckets_get_places_in_the_order_of_first_sight():
    places = np.zeros(10, np.uint32)
    places[4] = 1
    assert place_buckets(ids(9, 4, 2, 9), 1, places).tolist() == [9, 2]
    assert places.tolist() == [0, 0, 3, 0, 1, 0, 0, 0, 0, 2]
    with pytest.raises(ValueError, match="below 10, got 10"):
        place_buckets(ids(10), 3, places)


def test_rows_of_used_buckets_are_random_and_all_others_zero():
    rows = grown()
    dense = rows.to_dense()
    assert rows.shape == dense.shape == (2 + N_BUCKETS, DIM)
    assert can_spread(rows.values)
    assert can_spread(dense)
    used = {0, 1, 2 + 3, 2 + 7, 2 + 40}
    assert set(np.flatnonzero(dense.any(axis=1)).tolist()) == used
    assert 0.5 / DIM < np.abs(dense).max() <= 1 / DIM


def test_a_matrix_is_read_as_its_array():
    rows = grown()
    dense = np.asarray(rows)
    assert len(rows) == len(dense)
    assert_array_equal(rows[0:60], dense)
    assert_array_equal(rows[3:50:7], dense[3:50:7])
    assert_array_equal(rows[[0, -1, 9, 42]], dense[[0, -1, 9, 42]])
    assert_array_equal(rows[9], dense[9])
    assert_array_equal(list(rows), list(dense))
    assert_array_equal(rows.values[2 + rows.at(ids(40, 0))], dense[[42, 2]])


def test_growing_keeps_the_rows_there_are_and_adds_random_ones():
    old = grown()
    new = old.grown(3, ids(3, 8), seed=2)
    before, after = old.to_dense(), new.to_dense()
    assert_array_equal(after[:2], before[:2])
    kept = [3, 7, 40]
    assert_array_equal(after[3:][kept], before[2:][kept])
    assert after[2].any()
    assert after[3 + 8].any()
    assert np.count_nonzero(after.any(axis=1)) == 3 + 4
    assert not new.values[3].any()
    assert old.grown(2, IDS, seed=5) is old


def test_a_full_matrix_stays_as_it_is_when_it_grows():
    values = np.zeros((N_BUCKETS, DIM), np.float32)
    full = BucketRows.full(values)
    assert full.grown(0, IDS, seed=1) is full
    assert full.to_dense() is values
    assert_array_equal(full.at(IDS), IDS)
    assert_array_equal(full.existing()[1], np.arange(N_BUCKETS))


def test_factors_of_buckets_become_those_of_rows():
    factors = np.arange(N_BUCKETS, dtype=np.float32)
    assert grown(0).by_row(factors).tolist() == [0, 7, 3, 40]
    assert grown(0).by_row(None) is None


def test_rows_that_exist_come_without_the_row_of_zeros():
    values, buckets = grown().existing()
    assert values.shape == (5, DIM)
    assert values.any(axis=1).all()
    assert buckets.tolist() == [7, 3, 40]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda rows: pickle.loads(pickle.dumps(rows))])
def test_copies_are_equal_and_as_small(way):
    rows = grown()
    again = way(rows)
    assert_array_equal(again.to_dense(), rows.to_dense())
    assert len(again.values) == len(rows.values)


def test_buckets_and_rows_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="cannot have 3 rows"):
        BucketRows(np.zeros((3, DIM), np.float32), 0, N_BUCKETS, IDS)
    with pytest.raises(ValueError, match="1 of 3 buckets"):
        BucketRows(np.zeros((2, DIM), np.float32), 0, 3, ids(3))


# -- word vectors --------------------------------------------------------------------------------


def word_model(**settings):
    defaults = {"vector_size": 8, "min_count": 1, "workers": 1, "sample": 0, "bucket": 1_000_000}
    return FastText(SENTENCES, **defaults | settings)


def used_buckets(wv):
    return set(np.concatenate(wv.buckets_word).tolist())


def test_ordinary_use_of_a_word_model_makes_no_row_for_unused_buckets(tmp_path):
    model = word_model()
    model.wv.most_similar("computer")
    model.wv["computers"]
    model.build_vocab([["computers", "interfaces"]] * 5, update=True)
    model.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)
    model.save(tmp_path / "model")
    again = FastText.load(tmp_path / "model")
    again.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)
    pickle.loads(pickle.dumps(again)).wv["unseen"]
    save_facebook_model(model, tmp_path / "model.bin")
    for wv in (model.wv, again.wv):
        assert len(wv._ngrams.values) == 1 + len(used_buckets(wv))
        assert not wv._ngrams.values[0].any()
    assert (tmp_path / "model").stat().st_size < 1_000_000


def test_all_rows_of_buckets_can_be_read_and_changed():
    model = word_model()
    words, unseen = model.wv.vectors.copy(), model.wv["computers"].copy()
    rows = model.wv.vectors_ngrams
    assert rows.shape == (1_000_000, 8)
    assert set(np.flatnonzero(rows.any(axis=1)).tolist()) == used_buckets(model.wv)
    model.wv.adjust_vectors()
    assert_array_equal(model.wv.vectors, words)
    assert_array_equal(model.wv["computers"], unseen)
    rows[ft_ngram_hashes("qqq", 3, 6, 1_000_000)] = 1
    assert model.wv.vectors_ngrams is rows
    assert_array_equal(model.wv["qqq"], np.ones(8))


def test_training_on_all_rows_is_training_on_the_used_ones():
    few, all_ = word_model(epochs=1), word_model(epochs=1)
    assert all_.wv.vectors_ngrams.shape == (1_000_000, 8)
    for model in (few, all_):
        model.train(SENTENCES, total_examples=len(SENTENCES), epochs=3)
    assert_array_equal(all_.wv.vectors, few.wv.vectors)
    assert_array_equal(all_.wv.vectors_ngrams, few.wv.vectors_ngrams)


def test_factors_lock_single_buckets():
    model = word_model(epochs=1)
    locked, free = sorted(used_buckets(model.wv))[:2]
    before = model.wv._ngrams[[locked, free]]
    factors = np.ones(1_000_000, np.float32)
    factors[locked] = 0
    model.wv.vectors_ngrams_lockf = factors
    model.train(SENTENCES, total_examples=len(SENTENCES), epochs=3)
    after = model.wv._ngrams[[locked, free]]
    assert_array_equal(after[0], before[0])
    assert not np.array_equal(after[1], before[1])


def test_ngrams_of_new_words_get_random_rows():
    model = word_model()
    new = set(ft_ngram_hashes("zwieback", 3, 6, 1_000_000)) - used_buckets(model.wv)
    assert new
    model.build_vocab([["zwieback", "computer"]] * 5, update=True)
    assert model.wv._ngrams[sorted(new)].any(axis=1).all()


def test_ngrams_given_by_the_user_get_rows_when_they_are_trained():
    model = word_model()
    model.wv.buckets_word = [ids(999_999 - i) for i in range(len(model.wv))]
    model.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)
    assert model.wv._ngrams[[999_999, 999_998]].any(axis=1).all()
    assert not model.wv._ngrams.values[0].any()


def test_files_of_fasttext_hold_all_rows(tmp_path):
    model = word_model()
    save_facebook_model(model, tmp_path / "model.bin")
    again = load_facebook_model(tmp_path / "model.bin")
    assert_array_equal(again.wv.vectors_ngrams, model.wv.vectors_ngrams)
    assert_array_equal(again.wv["computers"], model.wv["computers"])


def test_word_models_under_fasttexts_names_have_few_rows(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join(map(" ".join, SENTENCES)), encoding="utf-8")
    model = fasttext.train_unsupervised(path, dim=8, minCount=1, thread=1, bucket=100_000, epoch=1)
    words = model.get_words()
    assert len(model.f.data.input.values) < 5000
    model.save_model(tmp_path / "model.bin")
    again = fasttext.load_model(tmp_path / "model.bin")
    for word in [*words, "computers"]:
        assert_array_equal(again[word], model[word])
    assert_array_equal(again.get_input_matrix(), model.get_input_matrix())
    assert model.get_input_matrix().shape == (len(words) + 100_000, 8)


# -- classifiers ---------------------------------------------------------------------------------


def classifier(**settings):
    defaults = {"dim": 8, "word_ngrams": 2, "min_n": 2, "max_n": 3, "epochs": 5, "lr": 0.5}
    return TextClassifier(**defaults | {"workers": 1, "bucket": 1_000_000} | settings)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_classifier_has_rows_for_what_it_has_seen(workers):
    model = classifier(workers=workers).fit(TEXTS, LABELS)
    rows = model.data.input
    lines = [model._state.predictor.line(text.encode() + b"\n")[0] for text in TEXTS]
    used = {row for line in lines for row in line}
    assert used == set(range(rows.n_words)) | set(range(rows.n_words + 1, len(rows.values)))
    assert not rows.values[rows.n_words].any()


def test_unseen_ngrams_count_as_rows_of_zeros(tmp_path):
    model = classifier().fit(TEXTS, LABELS)
    texts = ["good goodness", "never seen before", "sad out day"]
    full = TextClassifier.from_data(model.data.replace(input=np.asarray(model.data.input)))
    assert_allclose(model.text_vectors(texts), full.text_vectors(texts), rtol=1e-6, atol=1e-7)
    assert_allclose(model.predict_proba(texts), full.predict_proba(texts), rtol=1e-6)


def test_classifiers_are_the_same_after_any_file(tmp_path):
    model = classifier().fit(TEXTS, LABELS)
    texts = ["good goodness", "never seen before", "sad out day"]
    expected = model.predict_proba(texts)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert_array_equal(again.predict_proba(texts), expected)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(texts), expected)
    assert (tmp_path / "model").stat().st_size < 100_000


@pytest.mark.parametrize("way", ["partial_fit", "retrain"])
def test_training_on_gives_rows_to_new_ngrams(way, tmp_path):
    model = classifier().fit(TEXTS, LABELS)
    model.save(tmp_path / "model")
    model = TextClassifier.load(tmp_path / "model")
    n_rows = len(model.data.input.values)
    getattr(model, way)(["night day good", "out sad"] * 3, ["yes", "no"] * 3)
    rows = model.data.input
    assert len(rows.values) > n_rows
    assert not rows.values[rows.n_words].any()
    assert model.score(TEXTS, LABELS) == 1


def test_pruning_drops_what_was_never_seen():
    texts = [f"{text} {i} {i * 7919}" for i, text in enumerate(TEXTS)]
    model = classifier().fit(texts, LABELS)
    n_rows = len(model.data.input.values)
    small = model.quantize(cutoff=500_000)
    assert len(small.data.pruned) + len(small.data.words) == n_rows - 1
    assert small.score(texts, LABELS) > 0.9


@pytest.mark.parametrize("more", ["", " {} {}"])
def test_a_quantised_classifier_has_codes_for_all_buckets(more):
    texts = [text + more.format(i, i * 7919) for i, text in enumerate(TEXTS)]
    model = classifier(bucket=10_000).fit(texts, LABELS)
    assert (len(model.data.input.values) >= 256) == bool(more)
    small = model.quantize()
    assert small.data.input.shape == model.data.input.shape
    assert small.score(texts, LABELS) > 0.9
