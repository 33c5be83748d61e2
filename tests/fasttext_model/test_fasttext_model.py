"""FastText: words learn from contexts and spelling; the rest is as in Word2Vec."""

import inspect
import itertools

import numpy as np
import pytest
from models import N_WORDS, SENTENCES
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText, FastTextKeyedVectors, Word2Vec
from pyw2v._core.matrix import can_spread

OBJECTIVES = {
    "ns": {"negative": 5},
    "hs": {"hs": 1, "negative": 0},
    "both": {"hs": 1, "negative": 5},
}
STEMS = ["kalom", "bridu", "wexta", "pinso"]
ENDINGS = ["", "s", "ed", "ing", "er", "ly"]


def stems_and_endings(n_sentences=800, length=10, seed=5):
    """Sentences of one stem each: what words of a stem share is contexts and spelling."""
    rng = np.random.default_rng(seed)
    stems = rng.integers(len(STEMS), size=n_sentences)
    endings = rng.integers(len(ENDINGS), size=(n_sentences, length))
    return [
        [STEMS[s] + ENDINGS[e] for e in row] for s, row in zip(stems, endings.tolist(), strict=True)
    ]


PLANTED = stems_and_endings()


def small(sentences=SENTENCES, **settings):
    """A model that keeps every word and trains in no time."""
    defaults = {"vector_size": 8, "min_count": 1, "workers": 1, "sample": 0}
    return FastText(sentences, **defaults | {"bucket": 200} | settings)


def learnt(**settings):
    defaults = {"vector_size": 16, "window": 4, "sample": 0, "alpha": 0.05, "epochs": 8}
    return FastText(PLANTED, **defaults | {"bucket": 5000, "workers": 1} | settings)


def share_of_neighbours_with_stem(wv, words):
    hits = [
        other.startswith(word[:5])
        for word in words
        for other, _ in wv.most_similar(word, topn=len(ENDINGS) - 1)
    ]
    return np.mean(hits)


@pytest.mark.parametrize(("sg", "objective"), list(itertools.product([0, 1], OBJECTIVES)), ids=str)
@pytest.mark.parametrize("workers", [1, 2])
def test_words_and_unseen_words_of_a_stem_end_up_together(sg, objective, workers):
    model = learnt(sg=sg, workers=workers, **OBJECTIVES[objective])
    assert share_of_neighbours_with_stem(model.wv, model.wv.index_to_key) == 1
    assert share_of_neighbours_with_stem(model.wv, [stem + "ness" for stem in STEMS]) == 1
    assert model.loss_history[-1] < model.loss_history[0]


@pytest.mark.parametrize("sg", [0, 1])
def test_words_alone_learn_when_there_are_no_ngrams(sg):
    model = learnt(sg=sg, min_n=4, max_n=3)
    assert model.bucket == model.wv.bucket == 0
    assert model.wv.vectors_ngrams.shape == (0, 16)
    assert share_of_neighbours_with_stem(model.wv, model.wv.index_to_key) == 1
    assert "unseen" not in model.wv
    assert_array_equal(model.wv.vectors, model.wv.vectors_vocab)


def test_constructor_has_gensims_parameters_in_its_order():
    names = list(inspect.signature(FastText).parameters)
    assert names[:29] == [
        *("sentences", "corpus_file", "sg", "hs", "vector_size", "alpha", "window", "min_count"),
        *("max_vocab_size", "word_ngrams", "sample", "seed", "workers", "min_alpha", "negative"),
        *("ns_exponent", "cbow_mean", "hashfxn", "epochs", "null_word", "min_n", "max_n"),
        *("sorted_vocab", "bucket", "trim_rule", "batch_words", "callbacks", "max_final_vocab"),
        "shrink_windows",
    ]
    defaults = {name: p.default for name, p in inspect.signature(FastText).parameters.items()}
    assert (defaults["min_n"], defaults["max_n"], defaults["bucket"]) == (3, 6, 2_000_000)
    others = inspect.signature(Word2Vec).parameters
    shared = set(names) & set(others)
    assert all(defaults[name] == others[name].default for name in shared)


def test_attributes_are_gensims():
    model = small(epochs=1)
    wv = model.wv
    assert type(wv) is FastTextKeyedVectors
    assert str(model) == f"FastText<vocab={N_WORDS}, vector_size=8, alpha=0.025>"
    assert wv.vectors.shape == wv.vectors_vocab.shape == model.syn1neg.shape == (N_WORDS, 8)
    assert wv.vectors_ngrams.shape == (200, 8)
    assert len(wv.buckets_word) == N_WORDS
    assert (wv.min_n, wv.max_n, wv.bucket) == (3, 6, 200)
    assert isinstance(model, Word2Vec)
    report = model.estimate_memory()
    assert {"syn0_vocab", "syn0_ngrams", "buckets_word", "syn1neg", "total"} <= set(report)
    assert report["total"] == sum(size for name, size in report.items() if name != "total")


def test_weights_start_small_random_and_aligned_and_repeat_for_a_seed():
    one, two, other = (small(None, seed=seed) for seed in (1, 1, 2))
    for model in (one, two, other):
        model.build_vocab(SENTENCES)
    for name in ("vectors_vocab", "vectors_ngrams"):
        rows = getattr(one.wv, name)
        assert can_spread(rows)
        assert 0.1 < np.abs(rows).max() <= 1 / 8
        assert_array_equal(rows, getattr(two.wv, name))
        assert not np.array_equal(rows, getattr(other.wv, name))


@pytest.mark.parametrize("sg", [0, 1])
def test_one_worker_repeats_bit_for_bit(sg):
    one, two = small(sg=sg), small(sg=sg)
    assert_array_equal(one.wv.vectors, two.wv.vectors)
    assert_array_equal(one.wv.vectors_ngrams, two.wv.vectors_ngrams)


def test_only_ngrams_that_occur_are_trained():
    model = small(None, bucket=5000)
    model.build_vocab(SENTENCES)
    before = model.wv.vectors_ngrams.copy()
    model.train(SENTENCES, total_examples=model.corpus_count, epochs=3)
    changed = np.flatnonzero((model.wv.vectors_ngrams != before).any(axis=1))
    used = set(np.concatenate(model.wv.buckets_word).tolist())
    assert set(changed.tolist()) <= used
    assert len(changed) > 0.5 * len(used)


def test_callbacks_see_composed_vectors():
    class Watch:
        def __init__(self):
            self.seen = []

        def on_epoch_end(self, model):
            self.seen.append(model.wv["computer"].copy())
            model.wv.most_similar("computers")
            after = model.wv.vectors.copy()
            model.wv.adjust_vectors()
            assert_array_equal(model.wv.vectors, after)

    watch = Watch()
    small(epochs=3, alpha=0.1, callbacks=[watch])
    assert len(watch.seen) == 3
    assert not np.array_equal(watch.seen[0], watch.seen[2])


def test_locked_rows_stay():
    model = small(None)
    model.build_vocab(SENTENCES)
    wv = model.wv
    words, ngrams = wv.vectors_vocab.copy(), wv.vectors_ngrams.copy()
    wv.vectors_vocab_lockf = np.ones(N_WORDS, np.float32)
    wv.vectors_vocab_lockf[3] = 0
    wv.vectors_ngrams_lockf = np.zeros(1, np.float32)
    model.train(SENTENCES, total_examples=model.corpus_count, epochs=3)
    assert_array_equal(wv.vectors_ngrams, ngrams)
    assert_array_equal(wv.vectors_vocab[3], words[3])
    assert not np.array_equal(wv.vectors_vocab[4], words[4])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_vocabulary_grows_and_keeps_what_was_learnt(objective):
    model = small(**OBJECTIVES[objective])
    old = {name: getattr(model.wv, name).copy() for name in ("vectors_vocab", "vectors_ngrams")}
    more = [["computers", "interfaces", "human"]] * 5
    model.build_vocab(more, update=True)
    assert len(model.wv) == N_WORDS + 2
    assert_array_equal(model.wv.vectors_vocab[:N_WORDS], old["vectors_vocab"])
    assert_array_equal(model.wv.vectors_ngrams, old["vectors_ngrams"])
    assert len(model.wv.buckets_word) == len(model.wv.vectors) == N_WORDS + 2
    model.train(more, total_examples=model.corpus_count, epochs=2)
    assert np.isfinite(model.wv.vectors).all()


def test_vocabulary_can_be_shared():
    model, other = small(), small(None)
    other.reset_from(model)
    assert type(other.wv) is FastTextKeyedVectors
    assert other.wv.index_to_key == model.wv.index_to_key
    other.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)


def test_prediction_takes_words_with_a_row_as_context():
    model = small(negative=5)
    assert model.predict_output_word(["unseen"]) is None
    assert_allclose(
        [p for _, p in model.predict_output_word(["user", "unseen"])],
        [p for _, p in model.predict_output_word(["user"])],
    )


def test_corpus_file_gives_the_model_of_its_sentences(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(map(" ".join, SENTENCES)) + "\n", encoding="utf-8")
    assert_array_equal(small(None, corpus_file=path).wv.vectors, small().wv.vectors)


def test_numbers_are_words_spelt_in_digits():
    model = small([[101, 102, 103], [102, 104]] * 5)
    assert len(model.wv.buckets_word[0]) > 0
    assert np.isfinite(model.wv[101]).all()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"word_ngrams": 2}, NotImplementedError, "word_ngrams must be 1"),
        ({"bucket": -1}, ValueError, "bucket"),
        ({"min_n": -1}, ValueError, "min_n"),
        ({"min_n": 2.5}, TypeError, "min_n"),
        ({"size": 5}, TypeError, "size"),
        ({"compute_loss": True}, TypeError, "compute_loss"),
    ],
)
def test_settings_out_of_range_are_named(settings, error, message):
    with pytest.raises(error, match=message):
        small(None, **settings)


def test_matrices_that_do_not_fit_are_refused():
    model = small()
    model.wv.vectors_ngrams = np.zeros((10, 8), np.float32)
    with pytest.raises(ValueError, match=r"vectors_ngrams must have one row .* 200 buckets"):
        model.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)


def test_gensims_model_has_the_same_shapes_and_ngrams():
    gensim = pytest.importorskip("gensim.models")
    other = gensim.FastText(
        SENTENCES, vector_size=8, min_count=1, workers=1, bucket=200, seed=1, epochs=1
    )
    model = small(epochs=1)
    for name in ("vectors", "vectors_vocab", "vectors_ngrams"):
        assert getattr(model.wv, name).shape == getattr(other.wv, name).shape
    for word, ids in zip(other.wv.index_to_key, other.wv.buckets_word, strict=True):
        assert model.wv.buckets_word[model.wv.key_to_index[word]].tolist() == ids.tolist()


@pytest.mark.parametrize("name", ["min_n", "max_n"])
@pytest.mark.parametrize("value", ["3", None, 2.5])
def test_lengths_of_ngrams_must_be_integers(name, value):
    with pytest.raises(TypeError, match=f"{name} must be an integer, got"):
        FastText(**{name: value})
