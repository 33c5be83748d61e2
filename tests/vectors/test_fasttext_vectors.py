"""Vectors of words and n-grams: composed, looked up, changed, stored."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText, FastTextKeyedVectors, KeyedVectors
from pyw2v.fasttext_model import ft_ngram_hashes

WORDS = ["night", "nights", "day", "</s>", "ёлка"]
DIM = 6


def vectors(bucket=40, min_n=3, max_n=5):
    kv = FastTextKeyedVectors(DIM, min_n, max_n, bucket)
    kv._set_keys(list(WORDS))
    kv.resize_vectors(seed=3)
    kv.expandos["count"] = np.array([5, 4, 9, 1, 2])
    return kv


def ngram_rows(kv, word):
    return kv.vectors_ngrams[ft_ngram_hashes(word, kv.min_n, kv.max_n, kv.bucket)]


def test_a_vector_is_the_mean_of_the_rows_of_word_and_ngrams():
    kv = vectors()
    for i, word in enumerate(WORDS):
        rows = [] if word == "</s>" else list(ngram_rows(kv, word))
        assert_allclose(kv[word], np.mean([kv.vectors_vocab[i], *rows], axis=0), rtol=1e-5)
        assert len(kv.buckets_word[i]) == len(rows)
    assert kv.vectors_ngrams.shape == (40, DIM)
    assert np.abs(kv.vectors_ngrams).max() <= 1 / DIM
    assert not np.array_equal(kv.vectors_vocab, kv.vectors_ngrams[: len(WORDS)])


def test_a_word_outside_the_vocabulary_has_the_mean_of_its_ngrams():
    kv = vectors()
    expected = ngram_rows(kv, "tonight").mean(axis=0)
    assert "tonight" in kv
    assert not kv.has_index_for("tonight")
    assert_allclose(kv["tonight"], expected, rtol=1e-5)
    assert_allclose(
        kv.get_vector("tonight", norm=True), expected / np.linalg.norm(expected), rtol=1e-5
    )
    assert_array_equal(kv[["tonight", "day"]], [kv["tonight"], kv["day"]])
    assert len(kv.most_similar("tonight", topn=3)) == 3
    assert kv.similarity("tonight", "tonight") == pytest.approx(1, abs=1e-5)
    assert list(kv.vectors_for_all(["tonight", "day"]).index_to_key) == ["tonight", "day"]


def test_a_word_without_ngrams_is_zero_and_said_to_be(caplog):
    kv = vectors(min_n=5)
    assert_array_equal(kv["a"], np.zeros(DIM))
    assert "could not extract any ngrams" in caplog.text
    assert_array_equal(kv.get_vector("a", norm=True), np.zeros(DIM))


def test_without_buckets_only_words_of_the_vocabulary_have_vectors():
    kv = vectors(bucket=0)
    assert "tonight" not in kv
    assert "night" in kv
    with pytest.raises(KeyError):
        kv["tonight"]
    assert_array_equal(kv.vectors, kv.vectors_vocab)
    assert all(len(ids) == 0 for ids in kv.buckets_word)


def test_sentence_vector_is_the_mean_of_unit_vectors():
    kv = vectors()
    expected = (kv.get_vector("day", norm=True) + kv.get_vector("tonight", norm=True)) / 2
    assert_allclose(kv.get_sentence_vector(["day", "tonight"]), expected, rtol=1e-5)
    with pytest.raises(TypeError):
        kv.get_sentence_vector("day tonight")


def test_buckets_can_be_replaced():
    kv = vectors()
    kv.buckets_word = [np.array([i]) for i in range(len(WORDS))]
    kv.adjust_vectors()
    assert_allclose(kv["day"], (kv.vectors_vocab[2] + kv.vectors_ngrams[2]) / 2, rtol=1e-5)
    kv.recalc_char_ngram_buckets()
    assert kv.buckets_word[0].tolist() == ft_ngram_hashes("night", 3, 5, 40)


def test_methods_that_others_override_are_called_through_self():
    class Own(FastTextKeyedVectors):
        def recalc_char_ngram_buckets(self):
            self.buckets_word = [np.array([0], np.uint32)] * len(self)

    kv = Own(DIM, 3, 5, 40)
    kv._set_keys(list(WORDS))
    kv.resize_vectors()
    assert_allclose(kv.vectors, (kv.vectors_vocab + kv.vectors_ngrams[0]) / 2, rtol=1e-5)


@pytest.mark.parametrize("bucket", [40, 0])
def test_vectors_given_by_the_user_stay_when_all_are_composed_anew(bucket, rng):
    kv = vectors(bucket)
    given = rng.normal(size=(3, DIM)).astype(np.float32)
    kv.add_vectors(["day", "morning", "</s>"], given, replace=True)
    kv["evening"] = given[0] * 2
    before = kv.vectors.copy()
    kv.adjust_vectors()
    assert_allclose(kv.vectors, before, rtol=1e-4, atol=1e-5)
    assert_allclose(kv["morning"], given[1], rtol=1e-4, atol=1e-5)
    assert len(kv.buckets_word) == len(kv) == len(kv.vectors_vocab) == 7


def test_free_slots_take_vectors(rng):
    kv = FastTextKeyedVectors(DIM, 3, 5, 40, count=3)
    kv.vectors_ngrams = rng.normal(size=(40, DIM)).astype(np.float32)
    kv.add_vector("some", np.ones(DIM))
    kv.adjust_vectors()
    assert_allclose(kv["some"], np.ones(DIM), rtol=1e-5)


def test_sorting_keeps_vectors_with_their_words():
    kv = vectors()
    before = {word: kv[word].copy() for word in WORDS}
    kv.vectors_vocab_lockf = np.arange(5, dtype=np.float32)
    kv.sort_by_descending_frequency()
    kv.adjust_vectors()
    assert kv.index_to_key[0] == "day"
    assert kv.vectors_vocab_lockf[0] == 2
    for word in WORDS:
        assert_allclose(kv[word], before[word], rtol=1e-6)


def test_vectors_of_a_fasttext_matrix_are_split(rng):
    kv = FastTextKeyedVectors(DIM, 3, 5, 10)
    kv._set_keys(["a", "b"])
    kv.init_post_load(rng.normal(size=(12, DIM)).astype(np.float32))
    assert kv.vectors_ngrams.shape == (10, DIM)
    assert kv.vectors.shape == (2, DIM)
    with pytest.raises(ValueError, match="shape"):
        kv.init_post_load(np.zeros((11, DIM), np.float32))


def through_file(kv, folder):
    kv.save(folder / "vectors")
    return FastTextKeyedVectors.load(folder / "vectors")


def through_mapping(kv, folder):
    kv.save(folder / "vectors")
    return FastTextKeyedVectors.load(folder / "vectors", mmap="r")


def through_pickle(kv, folder):
    return pickle.loads(pickle.dumps(kv))


def through_copy(kv, folder):
    return copy.deepcopy(kv)


@pytest.mark.parametrize("way", [through_file, through_mapping, through_pickle, through_copy])
@pytest.mark.parametrize("bucket", [40, 0])
def test_vectors_are_the_same_after(way, bucket, tmp_path):
    kv = vectors(bucket)
    kv.vectors_ngrams_lockf = np.zeros(1, np.float32)
    again = way(kv, tmp_path)
    assert type(again) is FastTextKeyedVectors
    assert again.index_to_key == kv.index_to_key
    names = ("vectors", "vectors_vocab", "vectors_ngrams", "vectors_ngrams_lockf")
    for name in names:
        assert_array_equal(getattr(again, name), getattr(kv, name))
    assert (again.min_n, again.max_n, again.bucket) == (3, 5, bucket)
    assert again.get_vecattr("day", "count") == 9
    if bucket:
        assert_array_equal(again["tonight"], kv["tonight"])


def test_composed_vectors_are_not_stored(tmp_path):
    vectors(bucket=1000).save(tmp_path / "vectors")
    n_numbers = (1000 + len(WORDS)) * DIM
    assert (tmp_path / "vectors").stat().st_size < 4 * n_numbers + 2000


def test_the_file_says_which_class_it_is(tmp_path):
    vectors().save(tmp_path / "fasttext")
    assert type(KeyedVectors.load(tmp_path / "fasttext")) is FastTextKeyedVectors
    plain = KeyedVectors(2)
    plain.add_vectors(["a"], [[1, 2]])
    plain.save(tmp_path / "plain")
    assert type(FastTextKeyedVectors.load(tmp_path / "plain")) is KeyedVectors


def test_word2vec_files_hold_the_composed_vectors(tmp_path):
    kv = vectors()
    kv.save_word2vec_format(tmp_path / "vectors.bin", binary=True)
    again = KeyedVectors.load_word2vec_format(tmp_path / "vectors.bin", binary=True)
    assert_array_equal(again["ёлка"], kv["ёлка"])
    words = FastTextKeyedVectors.load_word2vec_format(tmp_path / "vectors.bin", binary=True)
    assert_array_equal(words["ёлка"], kv["ёлка"])
    assert "tonight" not in words


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_precisions_compose(dtype):
    kv = FastTextKeyedVectors(DIM, 3, 5, 40, dtype=dtype)
    kv.add_vectors(["night", "day"], np.eye(2, DIM))
    kv.vectors_ngrams = np.ones((40, DIM), dtype)
    kv.adjust_vectors()
    assert kv["night"].dtype == kv["tonight"].dtype == dtype
    assert_allclose(kv["tonight"], np.ones(DIM))


def test_ngrams_without_rows_count_as_zero(tmp_path):
    kv = FastTextKeyedVectors(DIM, 3, 5, 40)
    assert_array_equal(kv["tonight"], np.zeros(DIM))
    kv = FastTextKeyedVectors(DIM, 3, 5, 40)
    kv["day"] = np.ones(DIM)
    kv.save(tmp_path / "vectors")
    assert_allclose(FastTextKeyedVectors.load(tmp_path / "vectors")["day"], np.ones(DIM))


def test_a_subclass_may_hash_words_of_its_own():
    """As pyRDF2Vec does: it sets buckets_word to empty places, and fills them one by one."""

    class Letters(FastTextKeyedVectors):
        def recalc_char_ngram_buckets(self):
            self.buckets_word = [None] * len(self.index_to_key)
            for i, word in enumerate(self.index_to_key):
                self.buckets_word[i] = np.array([ord(c) % self.bucket for c in word], np.uint32)

    texts = [["abc", "bcd"], ["cde", "abc"]] * 5
    model = FastText(vector_size=4, min_count=1, bucket=7, workers=1, seed=1)
    model.wv = Letters(4, 3, 6, 7)
    model.build_vocab(texts)
    model.train(texts, total_examples=10, epochs=2)
    row = model.wv.key_to_index["bcd"]
    buckets = model.wv.buckets_word[row]
    assert buckets.tolist() == [ord(c) % 7 for c in "bcd"]
    rows = [model.wv.vectors_vocab[row], *model.wv.vectors_ngrams[buckets]]
    assert_allclose(model.wv["bcd"], np.mean(rows, axis=0), rtol=1e-5)
    model.build_vocab([["new", "abc"]], update=True)
    assert model.wv.buckets_word[model.wv.key_to_index["new"]].tolist() == [
        ord(c) % 7 for c in "new"
    ]


def test_matrices_of_other_peoples_kinds_give_rows():
    """As compress-fasttext's do: one row at a time, without a length."""

    class Rows:
        shape = (50, 4)

        def __getitem__(self, row):
            return np.full(4, row, np.float16)

    kv = FastTextKeyedVectors(4, 3, 4, 50)
    kv.vectors_ngrams = Rows()
    assert kv.vectors_ngrams.shape == (50, 4)
    hashes = ft_ngram_hashes("unseen", 3, 4, 50)
    assert_allclose(kv["unseen"], np.full(4, np.mean(hashes)), rtol=1e-5)
    with pytest.raises(TypeError, match="vectors_ngrams is a Rows, where a file can only hold"):
        kv.save("nowhere")
