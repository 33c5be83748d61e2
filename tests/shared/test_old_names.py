"""gensim 3's spellings: they work, and say what to write instead."""

import contextlib
import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v import FastText, Phrases, Word2Vec

TEXTS = [["a", "b", "c"], ["a", "b"], ["a"]] * 3


@pytest.fixture
def model():
    return Word2Vec(TEXTS, vector_size=4, min_count=1, workers=1)


def test_arguments_of_constructors():
    with pytest.warns(DeprecationWarning, match="(vector_size|epochs)=") as record:
        model = Word2Vec(TEXTS, size=4, iter=2, min_count=1, sample=0, workers=1)
    assert (model.vector_size, model.epochs) == (4, 2)
    assert [warning.filename for warning in record] == [__file__] * 2
    with pytest.warns(DeprecationWarning, match="vector_size="):
        assert FastText(size=4, bucket=10).vector_size == 4
    with pytest.warns(DeprecationWarning, match="connector_words="):
        assert Phrases(common_terms=["of"]).connector_words == {"of"}


def test_both_spellings_at_once_are_refused():
    with pytest.raises(TypeError, match="size is the old name of vector_size"):
        Word2Vec(size=4, vector_size=5)
    with pytest.raises(TypeError, match="sizes"):
        Word2Vec(sizes=4)


def test_signatures_show_the_new_names_only():
    assert "vector_size" in inspect.signature(Word2Vec).parameters
    assert "size" not in inspect.signature(Word2Vec).parameters


def test_sentences_of_build_vocab_and_train():
    model = Word2Vec(vector_size=4, min_count=1, workers=1)
    with pytest.warns(DeprecationWarning, match="corpus_iterable="):
        model.build_vocab(sentences=TEXTS)
    with pytest.warns(DeprecationWarning, match="corpus_iterable="):
        model.train(sentences=TEXTS, total_examples=9, epochs=1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("iter", lambda m: m.epochs),
        ("syn0", lambda m: m.wv.vectors),
        ("index2word", lambda m: m.wv.index_to_key),
    ],
)
def test_attributes_of_models(model, old, new):
    with pytest.warns(DeprecationWarning, match=f"Word2Vec.{old}"):
        assert getattr(model, old) is new(model) or getattr(model, old) == new(model)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_methods_of_models_are_those_of_their_vectors(model):
    assert model.most_similar("a") == model.wv.most_similar("a")
    assert model.similarity("a", "b") == model.wv.similarity("a", "b")
    assert model.doesnt_match(["a", "b", "c"]) == model.wv.doesnt_match(["a", "b", "c"])
    assert model.trainables.syn1neg is model.syn1neg
    assert model.vocabulary.min_count == 1
    assert "a" in model
    assert_array_equal(model["a"], model.wv["a"])
    assert_array_equal(model[["a", "b"]], model.wv[["a", "b"]])
    with pytest.raises(TypeError):
        iter(model)


@pytest.mark.parametrize("name", ["index2word", "index2entity"])
def test_order_of_words(model, name):
    with pytest.warns(DeprecationWarning, match="index_to_key"):
        assert getattr(model.wv, name) is model.wv.index_to_key


def test_vocab_of_vectors(model):
    with pytest.warns(DeprecationWarning, match="key_to_index"):
        vocab = model.wv.vocab
    assert len(vocab) == 3
    assert "a" in vocab
    assert "x" not in vocab
    assert (vocab["a"].count, vocab["a"].index) == (9, 0)
    assert sorted(vocab, key=lambda word: vocab[word].count) == ["c", "b", "a"]
    assert max(vocab.items(), key=lambda item: item[1])[0] == "a"
    with pytest.raises(KeyError):
        vocab["x"]


def test_matrices_of_vectors(model):
    with pytest.warns(DeprecationWarning, match="use vectors"):
        assert model.wv.syn0 is model.wv.vectors
    with pytest.warns(DeprecationWarning, match="get_normed_vectors"):
        assert_array_equal(model.wv.vectors_norm, model.wv.get_normed_vectors())


def test_vectors_have_themselves_as_wv(model):
    assert model.wv.wv is model.wv


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_gensim_3_did_before_and_after_training(model, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("1 4\na 1 2 3 4\n")
    model.intersect_word2vec_format(path, lockf=0.5)
    assert_array_equal(model["a"], [1, 2, 3, 4])
    assert model.syn0_lockf[model.wv.key_to_index["a"]] == 0.5
    model.most_similar("a")
    model.clear_sims()
    assert model.wv.norms is None
    model.delete_temporary_training_data(replace_word_vectors_with_normalized=True)
    assert_array_equal(np.linalg.norm(model.wv.vectors, axis=1).round(5), [1, 1, 1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_connector_words_of_phrases():
    phrases = Phrases(TEXTS, common_terms=["of"])
    assert phrases.common_terms == {"of"} == phrases.freeze().common_terms


@pytest.mark.parametrize("old", ["seeded_vector", "load_binary_data"])
def test_deprecated_methods_say_so(old):
    model = FastText(TEXTS, vector_size=4, min_count=1, bucket=10, workers=1)
    arguments = {"seeded_vector": ("a", 4), "load_binary_data": ()}[old]
    with pytest.warns(DeprecationWarning, match=old), contextlib.suppress(AttributeError):
        getattr(model, old)(*arguments)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_methods_of_vectors(model):
    model.wv.add(["new"], np.ones((1, 4)))
    assert "new" in model.wv
    assert_array_equal(model.wv.word_vec("a", use_norm=True), model.wv.get_vector("a", norm=True))
    assert model.wv.words_closer_than("a", "b") == model.wv.closer_than("a", "b")


def test_other_names_are_missing_as_ever(model):
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        model.nonsense  # noqa: B018 (looking raises)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        model.wv.nonsense  # noqa: B018 (looking raises)
