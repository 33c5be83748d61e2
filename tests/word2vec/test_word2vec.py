"""Word2Vec from outside: settings, corpora, attributes."""

import inspect

import numpy as np
import pytest
from models import N_RAW, N_WORDS, SENTENCES, built, small
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import RULE_KEEP, KeyedVectors, Word2Vec

GENSIM_DEFAULTS = {
    "sentences": None,
    "corpus_file": None,
    "vector_size": 100,
    "alpha": 0.025,
    "window": 5,
    "min_count": 5,
    "max_vocab_size": None,
    "sample": 1e-3,
    "seed": 1,
    "workers": 3,
    "min_alpha": 0.0001,
    "sg": 0,
    "hs": 0,
    "negative": 5,
    "ns_exponent": 0.75,
    "cbow_mean": 1,
    "hashfxn": hash,
    "epochs": 5,
    "null_word": 0,
    "trim_rule": None,
    "sorted_vocab": 1,
    "batch_words": 10000,
    "compute_loss": False,
    "callbacks": (),
    "comment": None,
    "max_final_vocab": None,
    "shrink_windows": True,
}


# Vectors added to those that were trained


@pytest.mark.parametrize(
    "settings", [{}, {"hs": 1, "negative": 0}, {"objective": "nce"}, {"objective": "class_softmax"}]
)
def test_a_model_with_added_vectors_is_saved_whole_and_refuses_to_train(settings, tmp_path):
    model = small(SENTENCES, **settings)
    model.wv.add_vectors(["added"], np.ones((1, model.vector_size), np.float32))
    model.save(tmp_path / "model")
    again = Word2Vec.load(tmp_path / "model")
    assert again.wv.index_to_key == model.wv.index_to_key
    assert_array_equal(again.wv["added"], 1.0)
    assert_array_equal(
        again.syn1 if "hs" in settings else again.syn1neg,
        model.syn1 if "hs" in settings else model.syn1neg,
    )
    with pytest.raises(ValueError, match=f"each of the {len(model.wv)} words"):
        again.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)


# Settings


def test_constructor_has_gensims_parameters_order_and_defaults():
    parameters = inspect.signature(Word2Vec).parameters.values()
    positional = {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD}
    assert list(positional.items()) == list(GENSIM_DEFAULTS.items())


@pytest.mark.parametrize("name", ["sizes", "nonsense"])
def test_unknown_keywords_are_type_errors(name):
    with pytest.raises(TypeError, match=name):
        Word2Vec(**{name: 10})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("vector_size", 0),
            ("window", 0),
            ("window", -1),
            ("window", 2**31),
            ("negative", -1),
            ("epochs", 0),
        ),
        *(("alpha", 0.0), ("alpha", -0.1), ("alpha", float("nan")), ("min_alpha", -0.1)),
        *(("sample", -1.0), ("ns_exponent", float("inf")), ("min_count", -1), ("sg", 2)),
        *(("hs", -1), ("cbow_mean", 3), ("batch_words", 0), ("max_final_vocab", 0)),
        *(("max_vocab_size", 0), ("seed", -1), ("seed", 2**32), ("cbow_grad", "median")),
        *(("sorted_vocab", 7), ("progress", "bar"), ("max_memory", -1)),
    ],
)
def test_settings_out_of_range_are_value_errors_that_name_them(name, value):
    with pytest.raises(ValueError, match=name):
        Word2Vec(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("vector_size", "100"), ("window", 2.5), ("alpha", "high"), ("epochs", None)],
)
def test_settings_of_a_wrong_type_are_type_errors_that_name_them(name, value):
    with pytest.raises(TypeError, match=name):
        Word2Vec(**{name: value})


def test_settings_changed_after_construction_are_checked_by_train():
    model = built()
    model.window = 0
    with pytest.raises(ValueError, match="window"):
        model.train(SENTENCES, total_examples=9, epochs=1)


def test_no_objective_is_a_value_error():
    with pytest.raises(ValueError, match="hs=0 and negative=0"):
        Word2Vec(negative=0)


def test_two_objectives_train_both_and_warn(caplog):
    model = small(hs=1, negative=5)
    assert "Both hierarchical softmax and negative sampling" in caplog.text
    assert np.any(model.syn1)
    assert np.any(model.syn1neg)


def test_attributes_of_gensim_are_there():
    model = small(comment="hello", epochs=2)
    expected = {
        "corpus_count": len(SENTENCES),
        "corpus_total_words": N_RAW,
        "effective_min_count": 1,
        "layer1_size": 8,
        "train_count": 1,
        "comment": "hello",
        "epochs": 2,
    }
    assert {name: getattr(model, name) for name in expected} == expected
    assert model.total_train_time > 0
    assert isinstance(model.random, np.random.RandomState)
    assert model.lifecycle_events[-1]["event"] == "created"


def test_str_is_gensims():
    assert str(small()) == f"Word2Vec<vocab={N_WORDS}, vector_size=8, alpha=0.025>"


# Corpora


@pytest.mark.parametrize("epochs", [1, 5])
def test_one_shot_generator_trains_like_a_list(epochs):
    once = small((sentence for sentence in SENTENCES), epochs=epochs)
    again = small(SENTENCES, epochs=epochs)
    assert once.wv.index_to_key == again.wv.index_to_key
    assert_array_equal(once.wv.vectors, again.wv.vectors)


def test_corpus_file_trains_like_sentences(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(map(" ".join, SENTENCES)) + "\n")
    from_file = small(None, corpus_file=str(path))
    in_memory = small(SENTENCES)
    assert from_file.wv.index_to_key == in_memory.wv.index_to_key
    assert_array_equal(from_file.wv.vectors, in_memory.wv.vectors)


def test_a_corpus_in_a_temporary_file_trains_like_one_in_memory():
    spilled, in_memory = small(max_memory=0), small()
    assert_array_equal(spilled.wv.vectors, in_memory.wv.vectors)


def test_build_vocab_then_train_is_what_the_constructor_does():
    model = built()
    result = model.train(SENTENCES, total_examples=model.corpus_count, epochs=model.epochs)
    assert_array_equal(model.wv.vectors, small().wv.vectors)
    assert result[1] == 5 * N_RAW
    assert 0 < result[0] <= result[1]


def test_train_drops_unknown_words_and_counts_them_as_raw():
    model = built(sample=0)
    sentences = [["human", "unheard", "computer"], ["of", "words"]]
    assert model.train(sentences, total_examples=2, epochs=3) == (6, 15)


def test_integer_words_are_keys():
    model = small([[3, 1, 4, 1], [5, 9, 2, 6]] * 3)
    assert model.wv.index_to_key[0] == 1
    assert set(model.wv.key_to_index) == {1, 2, 3, 4, 5, 6, 9}


@pytest.mark.parametrize("sentences", [5, object()])
def test_what_is_no_corpus_is_a_type_error(sentences):
    with pytest.raises(TypeError, match="iterable"):
        small(sentences)


def test_a_str_is_no_corpus():
    with pytest.raises(TypeError, match="str"):
        small("just one text")
    with pytest.raises(TypeError, match="str"):
        small(["one text", "another"])


def test_a_corpus_must_be_given_once(tmp_path):
    with pytest.raises(TypeError, match="both"):
        Word2Vec(SENTENCES, corpus_file=tmp_path)
    with pytest.raises(TypeError, match="neither"):
        built().train(total_examples=1, epochs=1)
    with pytest.raises(TypeError, match="corpus_file"):
        Word2Vec(corpus_file=3)
    for kind in (FileNotFoundError, TypeError):  # the latter is gensim's
        with pytest.raises(kind, match=r"missing\.txt"):
            Word2Vec(corpus_file=tmp_path / "missing.txt")


def test_an_empty_corpus_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="empty"):
        small([])
    with pytest.raises(ValueError, match="empty"):
        small([[], []])


def test_a_file_without_words_is_named_in_the_error(tmp_path):
    path = tmp_path / "blank.txt"
    path.write_text("\n \n")
    calls = (
        lambda: small(None, corpus_file=path),
        lambda: small(None).build_vocab(corpus_file=path),
    )
    for use in calls:
        with pytest.raises(ValueError, match=r"blank\.txt is empty: no words"):
            use()
    path.write_text("rare words only")
    with pytest.raises(ValueError, match=r"no word of .*blank\.txt is left in the vocabulary"):
        small(None, corpus_file=path, min_count=2)


def test_a_generator_used_up_by_build_vocab_is_an_error_in_train():
    sentences = (sentence for sentence in SENTENCES)
    model = small(None)
    model.build_vocab(sentences)
    with pytest.raises(ValueError, match="the corpus is empty; a generator"):
        model.train(sentences, total_examples=model.corpus_count, epochs=1)


def test_an_empty_vocabulary_is_an_error_with_the_largest_count():
    with pytest.raises(ValueError, match=r"'system', occurs 4 times.*min_count=5") as error:
        Word2Vec(SENTENCES)
    assert isinstance(error.value, RuntimeError)  # as in gensim


def test_a_corpus_of_unknown_words_only_is_an_error():
    with pytest.raises(ValueError, match="none of the 2 words"):
        built().train([["quite", "unknown"]], total_examples=1, epochs=1)


def test_train_without_vocabulary_totals_or_epochs_is_an_error():
    with pytest.raises(RuntimeError, match="build_vocab"):
        Word2Vec().train(SENTENCES, total_examples=9, epochs=1)
    model = built()
    with pytest.raises(ValueError, match="total_examples"):
        model.train(SENTENCES, epochs=1)
    with pytest.raises(ValueError, match="epochs"):
        model.train(SENTENCES, total_examples=9)
    with pytest.raises(ValueError, match="epochs"):
        model.train(SENTENCES, total_examples=9, epochs=0)
    assert model.epochs == 5


# Odds and ends


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_seeded_vector_depends_on_the_string_only():
    model = small(None, hashfxn=len)
    one, two = (model.seeded_vector(text, 8) for text in ("abc", "xyz"))
    assert_array_equal(one, two)
    assert np.any(one != model.seeded_vector("longer", 8))


def test_init_sims_with_replace_normalises():
    model = small()
    with pytest.warns(DeprecationWarning, match="unit_normalize_all"):
        model.init_sims(replace=True)
    assert_allclose(np.linalg.norm(model.wv.vectors, axis=1), 1, rtol=1e-6)


def test_lifecycle_events_are_recorded_unless_switched_off():
    model = small(None)
    model.add_lifecycle_event("mine", detail=5)
    assert model.lifecycle_events[-1]["detail"] == 5
    model.lifecycle_events = None
    model.add_lifecycle_event("mine")
    assert model.lifecycle_events is None


def test_trim_rule_and_callbacks_without_sentences_are_warned_about(caplog):
    Word2Vec(trim_rule=lambda *_: RULE_KEEP)
    assert "ignored" in caplog.text


def test_wv_is_a_keyed_vectors_on_the_trained_matrix():
    model = small()
    assert type(model.wv) is KeyedVectors
    assert_array_equal(model.wv["system"], model.wv.vectors[0])
    assert len(model.wv.most_similar("system", topn=3)) == 3
