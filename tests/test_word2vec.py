"""Word2Vec around its training: settings, vocabulary, weights, predictions."""

import inspect
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP, KeyedVectors, Word2Vec
from pyw2v._core.matrix import is_aligned
from pyw2v._weights import _CHUNK_VALUES, random_rows

SENTENCES = [
    ["human", "interface", "computer"],
    ["survey", "user", "computer", "system", "response", "time"],
    ["eps", "user", "interface", "system"],
    ["system", "human", "system", "eps"],
    ["user", "response", "time"],
    ["trees"],
    ["graph", "trees"],
    ["graph", "minors", "trees"],
    ["graph", "minors", "survey"],
]
N_WORDS = 12
N_RAW = sum(map(len, SENTENCES))

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


def small(sentences=SENTENCES, **settings):
    """A model that keeps every word and trains in no time."""
    return Word2Vec(sentences, **{"vector_size": 8, "min_count": 1, "workers": 1} | settings)


def built(**settings):
    model = small(None, **settings)
    model.build_vocab(SENTENCES)
    return model


def gensim_rows(n_rows, dim, seed):
    """gensim's prep_vectors, whole."""
    rows = np.random.default_rng(seed).random((n_rows, dim), dtype=np.float32)
    return (rows * np.float32(2) - np.float32(1)) / np.float32(dim)


# Settings


def test_constructor_has_gensims_parameters_order_and_defaults():
    parameters = inspect.signature(Word2Vec).parameters.values()
    positional = {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD}
    assert list(positional.items()) == list(GENSIM_DEFAULTS.items())


@pytest.mark.parametrize("name", ["size", "iter", "nonsense"])
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
        *(("sorted_vocab", 7), ("progress", "bar")),
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
    assert "both hierarchical softmax and negative sampling" in caplog.text
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


def test_names_that_gensim_4_removed_are_not_there():
    model = small()
    with pytest.raises(TypeError):
        model["human"]
    assert not any(hasattr(model, name) for name in ("most_similar", "vocab", "syn0", "accuracy"))


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
    with pytest.raises(FileNotFoundError):
        Word2Vec(corpus_file=tmp_path / "missing.txt")


def test_an_empty_corpus_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="empty"):
        small([])
    with pytest.raises(ValueError, match="empty"):
        small([[], []])


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


# Vocabulary


def test_vocabulary_is_ordered_by_count_and_last_seen_first():
    model = built()
    assert model.wv.index_to_key[:4] == ["system", "graph", "trees", "user"]
    counts = [model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key]
    assert counts == sorted(counts, reverse=True)
    assert model.wv.get_vecattr("system", "count") == 4


def test_sorted_vocab_0_keeps_the_order_of_first_sight():
    model = built(sorted_vocab=0)
    assert model.wv.index_to_key == list(dict.fromkeys(itertools.chain(*SENTENCES)))


@pytest.mark.parametrize(("limit", "expected"), [(12, 12), (11, 4), (4, 4), (3, 1), (1, 1)])
def test_max_final_vocab_drops_all_words_of_the_count_that_does_not_fit(limit, expected):
    model = built(max_final_vocab=limit)
    assert len(model.wv) == expected


def test_max_vocab_size_limits_the_vocabulary():
    assert len(built(max_vocab_size=5).wv) == 4


def test_trim_rule_decides_word_by_word():
    rules = {"system": RULE_DISCARD, "eps": RULE_KEEP}
    model = Word2Vec(vector_size=8, min_count=3)
    model.build_vocab(SENTENCES, trim_rule=lambda word, *_: rules.get(word, RULE_DEFAULT))
    assert sorted(model.wv.index_to_key) == ["eps", "graph", "trees", "user"]


@pytest.mark.parametrize("objective", [{}, {"hs": 1, "negative": 0}, {"hs": 1}])
@pytest.mark.parametrize("sg", [0, 1])
@pytest.mark.parametrize(
    "sentences", [[["a"] * 5] * 3, [["a"], ["b"]] * 3, [[], ["a", "b"], []], [["a"] * 50_000]]
)
def test_the_smallest_corpora_train(sentences, sg, objective):
    model = small(sentences, sg=sg, sample=0, **objective)
    assert np.all(np.isfinite(model.wv.vectors))
    assert len(model.loss_history) == 5


def test_null_word_is_added():
    model = small(null_word=1)
    assert "\0" in model.wv
    assert len(model.wv) == N_WORDS + 1


def test_min_count_0_works():
    assert len(small(min_count=0).wv) == N_WORDS


def test_scan_vocab_returns_words_and_sentences_and_fills_raw_vocab():
    model = small(None)
    assert model.scan_vocab(SENTENCES) == (N_RAW, len(SENTENCES))
    assert model.raw_vocab["system"] == 4
    assert not len(model.wv)


def test_prepare_vocab_dry_run_only_reports():
    model = small(None, sample=0)
    model.scan_vocab(SENTENCES)
    report = model.prepare_vocab(min_count=3, dry_run=True)
    assert report == {
        "drop_unique": 8,
        "retain_total": 13,
        "downsample_unique": 0,
        "downsample_total": 13,
        "num_retained_words": 4,
    }
    assert not len(model.wv)
    assert model.min_count == 1


def test_prepare_vocab_reports_what_sampling_leaves():
    model = small(None)
    model.scan_vocab(SENTENCES)
    report = model.prepare_vocab(sample=0.01, dry_run=True)
    counts = np.array(list(model.raw_vocab.values()))
    threshold = 0.01 * counts.sum()
    kept = np.minimum(1, (np.sqrt(counts / threshold) + 1) * threshold / counts)
    assert report["downsample_unique"] == N_WORDS
    assert report["downsample_total"] == int((kept * counts).sum())


def test_prepare_vocab_before_counting_is_an_error():
    with pytest.raises(RuntimeError, match="scan_vocab"):
        Word2Vec().prepare_vocab()


@pytest.mark.parametrize("keep", [False, True])
def test_raw_vocab_is_kept_on_demand(keep):
    model = small(None)
    model.build_vocab(SENTENCES, keep_raw_vocab=keep)
    assert bool(model.raw_vocab) is keep


def test_build_vocab_from_freq_is_the_vocabulary_of_those_counts():
    model = small(None)
    model.build_vocab_from_freq({"a": 3, "b": 5, "c": 1}, corpus_count=7)
    assert model.wv.index_to_key == ["b", "a", "c"]
    assert model.corpus_count == 7
    assert model.wv.vectors.shape == (3, 8)
    with pytest.raises(ValueError, match="'b'"):
        model.build_vocab_from_freq({"a": 3, "b": -1})


def test_cum_table_grows_by_count_to_the_power():
    model = built()
    counts = model.wv.expandos["count"].astype(float) ** 0.75
    assert model.cum_table.dtype == np.uint32
    assert model.cum_table[-1] == 2**31 - 1
    assert_allclose(model.cum_table / (2**31 - 1), np.cumsum(counts) / counts.sum(), atol=1e-9)
    assert built(negative=0, hs=1).cum_table is None
    model.make_cum_table(domain=100)
    assert model.cum_table[-1] == 100


def test_create_binary_tree_gives_words_their_paths():
    model = built(hs=1)
    model.create_binary_tree()
    lengths = [len(model.wv.get_vecattr(word, "code")) for word in model.wv.index_to_key]
    assert lengths[0] == min(lengths)
    assert sum(2.0**-n for n in lengths) == 1  # Kraft: the code is complete
    assert [len(model.wv.get_vecattr(word, "point")) for word in model.wv.index_to_key] == lengths


def test_estimate_memory_counts_the_matrices_of_the_objectives():
    report = built(hs=1).estimate_memory(vocab_size=1000)
    assert set(report) == {"vocab", "vectors", "syn1", "syn1neg", "total"}
    assert report["vectors"] == report["syn1"] == 1000 * 64
    assert report["total"] == sum(report.values()) - report["total"]
    assert "syn1" not in built().estimate_memory()


# Weights


@pytest.mark.parametrize("dim", [1, 7, 16, 100])
def test_initial_vectors_are_gensims_numbers(dim):
    model = built(vector_size=dim, seed=7)
    assert_array_equal(model.wv.vectors, gensim_rows(N_WORDS, dim, 7))
    assert not np.any(model.syn1neg)
    assert is_aligned(model.wv.vectors)


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
    offsets, codes, points = model._huffman_tree()
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
    assert is_aligned(model.wv.vectors)
    assert is_aligned(model.syn1neg)
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


# Predictions


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
    offsets, codes, points = model._huffman_tree()

    def log_p(word, hidden):
        path = slice(offsets[word], offsets[word + 1])
        p = 1 / (1 + np.exp(-(model.syn1[points[path]].astype(float) @ hidden)))
        return np.log(np.where(codes[path] == 0, p, 1 - p)).sum()

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


# Odds and ends


def test_seeded_vector_depends_on_the_string_only():
    model = small(None, hashfxn=len)
    one, two = (model.seeded_vector(text, 8) for text in ("abc", "xyz"))
    assert_array_equal(one, two)
    assert np.any(one != model.seeded_vector("longer", 8))


def test_init_sims_with_replace_normalises():
    model = small()
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
