"""The vocabulary of a model and its growth."""

import copy
import itertools
import pickle
import tracemalloc

import numpy as np
import pytest
from models import N_RAW, N_WORDS, SENTENCES, built, small
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP, Word2Vec


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


@pytest.mark.parametrize(("limit", "expected"), [(1, 1), (2, 4), (4, 4), (5, 12), (99, 12)])
def test_max_vocab_size_drops_the_rarest_and_keeps_ties(limit, expected):
    assert len(built(max_vocab_size=limit).wv) == expected


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


@pytest.fixture
def corpus_file(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in SENTENCES))
    return path


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_count": 3},
        {"max_final_vocab": 4},
        {"max_vocab_size": 2},
        {"sorted_vocab": 0},
        {"null_word": 1},
        {"null_word": 1, "sorted_vocab": 0},
    ],
)
@pytest.mark.parametrize("rule", [None, lambda word, *_: RULE_DISCARD if word == "user" else 0])
def test_a_file_gives_the_vocabulary_of_its_sentences(corpus_file, settings, rule):
    models = [small(None, **settings) for _ in range(2)]
    models[0].build_vocab(SENTENCES, keep_raw_vocab=True, trim_rule=rule)
    models[1].build_vocab(corpus_file=corpus_file, keep_raw_vocab=True, trim_rule=rule)
    whole = small(None, corpus_file=corpus_file, trim_rule=rule, **settings)
    assert models[0].raw_vocab == models[1].raw_vocab
    for model in (models[1], whole):
        assert model.wv.key_to_index == models[0].wv.key_to_index
        assert model.wv.index_to_key == models[0].wv.index_to_key
        for name, values in models[0].wv.expandos.items():
            assert np.array_equal(model.wv.expandos[name], values)


def test_a_file_adds_its_words_to_a_vocabulary(corpus_file):
    models = [small([["graph", "new"]] * 2) for _ in range(2)]
    models[0].build_vocab(SENTENCES, update=True, min_count=2)
    models[1].build_vocab(corpus_file=corpus_file, update=True, min_count=2)
    assert models[0].wv.index_to_key == models[1].wv.index_to_key
    assert np.array_equal(models[0].wv.expandos["count"], models[1].wv.expandos["count"])


def test_dry_run_of_build_vocab_keeps_the_counts(corpus_file):
    model = small(SENTENCES)
    model.build_vocab(corpus_file=corpus_file, dry_run=True, min_count=4, update=True)
    assert model.raw_vocab["graph"] == 3
    assert len(model.wv) == N_WORDS


def test_dropped_words_of_a_file_never_become_str(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(" ".join(f"rare{i}" for i in range(100_000)) + " word word\n")
    tracemalloc.start()
    try:
        model = Word2Vec(corpus_file=path, min_count=2, vector_size=8, workers=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.wv.index_to_key == ["word"]
    assert model.raw_vocab == {}
    assert peak < 100_000 * 40  # the str alone would take 58 bytes each


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


def test_paths_given_to_words_may_be_written_to_and_are_copies():
    model = built(hs=1)
    model.create_binary_tree()
    codes, _ = model._huffman_tree().path(0)
    before = codes.copy()
    model.wv.get_vecattr(model.wv.index_to_key[0], "code")[:] = 7
    assert codes.tolist() == before.tolist()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_of_a_model_train_with_its_tree(way):
    model = small(hs=1, negative=0)
    again = way(model)
    assert again._huffman.n_words == N_WORDS
    # Pickles of old had the tree as three arrays: it is made again.
    tree = model._huffman_tree()
    old = way(model)
    old._huffman = (tree.offsets, tree.codes, tree.points)
    for one in (model, again, old):
        one.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)
    assert_array_equal(again.syn1, model.syn1)
    assert_array_equal(old.syn1, model.syn1)


def test_estimate_memory_counts_the_matrices_of_the_objectives():
    report = built(hs=1).estimate_memory(vocab_size=1000)
    assert set(report) == {"vocab", "vectors", "syn1", "syn1neg", "total"}
    assert report["vectors"] == report["syn1"] == 1000 * 64
    assert report["total"] == sum(report.values()) - report["total"]
    assert "syn1" not in built().estimate_memory()


def test_raw_vocab_is_empty_after_training():
    assert small(SENTENCES).raw_vocab == {}
