"""Training examples for other frameworks: which pairs, which noise, which log Q, in which order."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import pyw2v
from pyw2v.corpus import EncodedCorpus
from pyw2v.objectives.samplers import FixedUnigram, Uniform, Unigram
from pyw2v.training_pairs import LabelledBatch, PairBatch

stats = pytest.importorskip("scipy.stats")

PLAIN = {"subsample": None, "shrink_windows": False, "shuffle": False}


@pytest.fixture
def sentences(rng):
    """Zipf-like words in sentences of 1 to 30."""
    words = np.minimum(rng.zipf(1.4, 6000), 50)
    cuts = np.cumsum(rng.integers(1, 31, 500))
    return [
        [f"w{w}" for w in part] for part in np.split(words, cuts[cuts < len(words)]) if len(part)
    ]


def windows_of(sentences, window):
    """The words of every full window, in order: (centre, its context words)."""
    for words in sentences:
        for i, centre in enumerate(words):
            yield centre, words[max(0, i - window) : i] + words[i + 1 : i + 1 + window]


def all_pairs(sentences, window):
    return [(c, other) for c, context in windows_of(sentences, window) for other in context]


def joined(batches):
    """All batches of an epoch as one tuple of arrays."""
    return [np.concatenate(parts) for parts in zip(*batches, strict=True)]


def spelled(source, centre, context):
    return [(source.words[a], source.words[b]) for a, b in zip(centre, context, strict=True)]


@pytest.mark.parametrize("window", [1, 2, 5, 100])
def test_full_windows_give_every_pair_in_order(sentences, window):
    source = pyw2v.pairs(sentences, window, **PLAIN)
    centre, context, *_ = joined(source)
    assert spelled(source, centre, context) == all_pairs(sentences, window)


def test_windows_reach_through_long_sentences():
    tokens = np.arange(16000, dtype=np.int64)[None] % 7000
    centre, context, *_ = joined(pyw2v.pairs(tokens, 3, 0, vocab=range(7000), **PLAIN))
    assert list(zip(centre, context, strict=True)) == all_pairs(tokens.tolist(), 3)


@pytest.mark.parametrize("shuffle", [True, 100])
def test_shuffling_changes_the_order_and_nothing_else(sentences, shuffle):
    source = pyw2v.pairs(sentences, 3, 0, **{**PLAIN, "shuffle": shuffle})
    first, second = (
        spelled(source, centre, context) for centre, context, *_ in (joined(source), joined(source))
    )
    expected = all_pairs(sentences, 3)
    assert Counter(first) == Counter(expected) == Counter(second)
    assert first != second != expected


def test_shuffled_batches_mix_the_whole_corpus():
    sentences = np.repeat(np.arange(2000), 20).reshape(2000, 20)
    source = pyw2v.pairs(sentences, 2, 0, vocab=range(2000), **{**PLAIN, "shuffle": True})
    first = next(iter(source))
    assert len(set(first.centre.tolist())) > 600  # 1024 of 2000 * 74 pairs; in order it is 14


def test_reach_is_drawn_uniformly(rng):
    tokens = rng.integers(0, 100, (200, 200))
    centre, *_ = joined(pyw2v.pairs(tokens, 4, 0, subsample=None, vocab=range(100)))
    # Mean reach 2.5, two sides, and what the ends of sentences cut off.
    lost = 200 * 2 * sum(sum(range(1, reach + 1)) for reach in range(1, 5)) / 4
    assert len(centre) == pytest.approx(200 * 200 * 5 - lost, rel=0.01)


@pytest.mark.parametrize("shuffle", [False, True])
def test_an_epoch_depends_on_the_seed_and_its_number_only(sentences, shuffle):
    settings = {"negative": 3, "subsample": 0.01, "shuffle": shuffle, "batch": 77}
    first, second = (pyw2v.pairs(sentences, 5, seed=4, **settings) for _ in range(2))
    one, two = joined(first), joined(first)
    assert [len(batch.centre) for batch in second][:-1] == [77] * (len(one[0]) // 77)
    again = joined(second)
    for a, b in zip(two, again, strict=True):
        np.testing.assert_array_equal(a, b)
    first.epoch = 0
    for a, b in zip(one, joined(first), strict=True):
        np.testing.assert_array_equal(a, b)
    other = joined(pyw2v.pairs(sentences, 5, seed=5, **settings))
    assert len(other[0]) != len(one[0]) or (other[2] != one[2]).any()


def test_iterations_side_by_side_do_not_disturb_each_other(sentences):
    source = pyw2v.pairs(sentences, batch=50)
    alone = joined(source), joined(source)
    source.epoch = 0
    both = zip(*zip(iter(source), iter(source), strict=False), strict=True)
    for epoch, batches in zip(alone, both, strict=True):
        n = sum(len(batch.centre) for batch in batches)
        for a, b in zip(epoch, joined(batches), strict=True):
            np.testing.assert_array_equal(a[:n], b)


def test_frequent_words_are_thinned_out_as_in_training(sentences):
    counts = Counter(word for words in sentences for word in words)
    source = pyw2v.pairs(sentences, 1, 0, subsample=0.01, shuffle=False, shrink_windows=False)
    seen = np.zeros(len(source.words))
    for _ in range(20):
        # In a window of 1 every word that is kept in a sentence of two or more is a centre.
        for batch in source:
            seen += np.bincount(batch.centre, minlength=len(seen))
    word = source.words[0]
    total, count = sum(counts.values()), counts[word]
    threshold = 0.01 * total
    share = (np.sqrt(count / threshold) + 1) * threshold / count
    inner = 2 * count * share * 20  # two neighbours each, but for ends of sentences
    assert 0.85 * inner < seen[0] < inner


@pytest.mark.parametrize("positives", [2, 3, 4])
def test_several_positives_come_from_one_window_which_is_used_up(sentences, positives):
    source = pyw2v.pairs(sentences, 2, 4, positives=positives, **PLAIN)
    centre, context, negatives, log_q = joined(source)
    assert context.shape == (len(centre), positives)
    assert negatives.shape == (len(centre), 4)
    assert log_q.shape == (len(centre), positives + 4)
    expected = []
    for word, others in windows_of(sentences, 2):
        for at in range(0, len(others), positives):
            filled = [others[j % len(others)] for j in range(at, at + positives)]
            expected.append((word, *filled))
    found = np.column_stack([centre, context])
    assert [tuple(source.words[i] for i in row) for row in found.tolist()] == expected


def test_labels_stand_for_the_same_examples(sentences):
    settings = {"negative": 3, "positives": 2, "seed": 9}
    plain, labelled = (
        list(pyw2v.pairs(sentences, 4, labels=labels, **settings)) for labels in (False, True)
    )
    assert isinstance(plain[0], PairBatch)
    assert isinstance(labelled[0], LabelledBatch)
    for a, b in zip(plain, labelled, strict=True):
        np.testing.assert_array_equal(a.centre, b.centre)
        np.testing.assert_array_equal(np.column_stack([a.context, a.negatives]), b.context)
        np.testing.assert_array_equal(a.log_q, b.log_q)
        assert (b.labels == [1, 1, 0, 0, 0]).all()
        assert b.labels.dtype == b.log_q.dtype == np.float32


@pytest.mark.parametrize("sampler", [Unigram(0.75), Unigram(0), Uniform()])
def test_noise_follows_the_law_of_the_sampler(sentences, sampler):
    source = pyw2v.pairs(sentences, 5, 4, sampler)
    noise = np.concatenate([batch.negatives.ravel() for batch in source])
    law = np.asarray(sampler.weights(source.counts), np.float64)
    law /= law.sum()
    seen = np.bincount(noise, minlength=len(law))
    assert stats.chisquare(seen, law * len(noise)).pvalue > 1e-4


def test_log_q_is_the_expected_count_of_each_word(sentences):
    source = pyw2v.pairs(sentences, 5, 6, Unigram(0.5))
    weights = np.sqrt(source.counts)
    log_q = np.log(6 * weights / weights.sum())
    for batch in source:
        words = np.column_stack([batch.context, batch.negatives])
        np.testing.assert_allclose(batch.log_q, log_q[words], rtol=1e-5)


def test_unique_noise_words_differ_and_appear_as_often_as_expected(sentences):
    sampler = Unigram(1.0, unique=True)
    source = pyw2v.pairs(sentences, 5, 8, sampler, subsample=None)
    noise = np.concatenate([batch.negatives for batch in source])
    assert all(len(set(row)) == 8 for row in noise[:2000].tolist())
    seen = np.bincount(noise.ravel(), minlength=len(source.counts)) / len(noise)
    expected = sampler.expected_counts(source.counts, 8)
    noise_of_mean = np.sqrt(expected * (1 - expected) / len(noise))
    assert (np.abs(seen - expected) < 5 * noise_of_mean).all()


@pytest.mark.parametrize("shuffle", [False, True])
def test_noise_is_shared_by_window_or_not_at_all(shuffle):
    tokens = np.arange(900).reshape(100, 9)  # every centre occurs once
    settings = {**PLAIN, "shuffle": shuffle, "vocab": range(900)}
    shared, own = (
        joined(pyw2v.pairs(tokens, 3, 5, noise_per=per, **settings)) for per in ("window", "pair")
    )
    for (centre, _, negatives, _), differ in ((shared, False), (own, True)):
        sets = {}
        for word, noise in zip(centre.tolist(), negatives.tolist(), strict=True):
            sets.setdefault(word, set()).add(tuple(noise))
        assert any(len(found) > 1 for found in sets.values()) == differ


def test_accidental_hits_are_marked_so_that_losses_forget_them():
    tokens = np.arange(600).reshape(100, 6) % 5
    settings = {"negative": 4, "positives": 2, "vocab": range(5)}
    source = pyw2v.pairs(tokens, 2, remove_accidental_hits=True, **settings)
    _, context, negatives, log_q = joined(source)
    hits = (negatives[:, :, None] == context[:, None, :]).any(-1)
    assert 0.1 < hits.mean() < 0.9
    np.testing.assert_array_equal(log_q[:, 2:] == np.finfo(np.float32).max, hits)
    assert (log_q[:, :2] < 10).all()
    with np.errstate(over="raise", invalid="raise"):
        assert (np.exp(np.float32(7) - log_q[:, 2:])[hits] == 0).all()
    assert (joined(pyw2v.pairs(tokens, 2, **settings))[3] < 10).all()


def test_without_noise_there_is_no_shift(sentences):
    _, context, negatives, log_q = joined(pyw2v.pairs(sentences, 2, 0))
    assert negatives.shape == (len(context), 0)
    assert log_q.shape == (len(context), 1)
    assert not log_q.any()


def test_ids_go_by_falling_frequency_and_rare_words_are_dropped(sentences, tmp_path):
    counts = Counter(word for words in sentences for word in words)
    source = pyw2v.pairs(sentences, min_count=20)
    assert set(source.words) == {word for word, count in counts.items() if count >= 20}
    assert source.counts.tolist() == sorted(source.counts.tolist(), reverse=True)
    assert source.counts.tolist() == [counts[word] for word in source.words]

    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(map(" ".join, sentences)))
    same = pyw2v.pairs(Path(path), min_count=20)
    assert list(same.words) == list(source.words)
    np.testing.assert_array_equal(joined(same)[0], joined(source)[0])


def test_a_known_vocabulary_keeps_its_ids():
    sentences = [["a", "b", "x", "c"], ["c", "a"]]
    for vocab in (["c", "b", "a"], {"a": 2, "b": 1, "c": 0}):
        source = pyw2v.pairs(sentences, 1, 0, vocab=vocab, **PLAIN)
        centre, context, *_ = joined(source)
        assert list(source.words) == ["c", "b", "a"]
        assert source.counts.tolist() == [2, 1, 2]
        found = list(zip(centre, context, strict=True))
        assert found == [(2, 1), (1, 2), (1, 0), (0, 1), (0, 2), (2, 0)]


def test_an_encoded_corpus_is_taken_as_it_is():
    encoded = EncodedCorpus(np.array([3, 1, 1, 0], np.int32), np.array([2, 4]), 4, 2)
    source = pyw2v.pairs(encoded, 1, 0, **PLAIN)
    assert source.counts.tolist() == [1, 2, 0, 1]
    centre, context, *_ = joined(source)
    assert list(zip(centre, context, strict=True)) == [(3, 1), (1, 3), (1, 0), (0, 1)]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"window": 0}, "window must be .*1.*, got 0"),
        ({"negative": -1}, "negative must be .*0.*, got -1"),
        ({"batch": 0}, "batch must be at least 1, got 0"),
        ({"shuffle": 1}, "shuffle must be at least 2, got 1"),
        ({"subsample": -1}, "sample must be .* got -1"),
        ({"positives": 11}, "positives must be .*10.*, got 11"),
        ({"noise_per": "batch"}, "noise_per must be .* got 'batch'"),
        ({"vocab": ["z"]}, "words of the vocabulary, got none of 1 in 3 tokens"),
        ({"vocab": {"a": 1, "b": 2}}, "ids 0 to 1"),
        ({"min_count": 5}, "got none of 0"),
        ({"sampler": Uniform(unique=True), "negative": 3}, "3 words.*got 3"),
        ({"sampler": "unigram"}, "sampler must be .* got 'unigram'"),
    ],
)
def test_bad_settings_are_refused_with_the_value(settings, words):
    with pytest.raises(ValueError, match=words):
        pyw2v.pairs([["a", "b", "c"]], **settings)


def test_bad_ids_of_an_encoded_corpus_are_refused():
    encoded = EncodedCorpus(np.array([3, -1], np.int32), np.array([2]), 2, 1)
    with pytest.raises(ValueError, match="ids of the corpus must be from 0 to 3, got -1 to 3"):
        pyw2v.pairs(encoded)
    with pytest.raises(ValueError, match="ends of its sentences must rise to 2"):
        pyw2v.pairs(EncodedCorpus(np.array([3, 1], np.int32), np.array([3]), 2, 1))


class TestWordsThatAreNeverDrawn:
    """Their log Q would be -inf, and with it every loss."""

    @pytest.mark.parametrize("labels", [False, True])
    @pytest.mark.parametrize("unique", [False, True])
    @pytest.mark.parametrize(
        ("weights", "reserved", "word"), [([1, 1], 1, "0 .'a'."), ([2, 1, 0], 0, "2 .'c'.")]
    )
    def test_are_refused_as_in_training(self, weights, reserved, word, labels, unique):
        corpus = [["a", "a", "a", "b", "b", "c"]] * 4
        sampler = FixedUnigram(weights, reserved=reserved, unique=unique)
        message = f"every word a positive weight, got 0 for word {word}"
        with pytest.raises(ValueError, match=message):
            pyw2v.pairs(corpus, negative=1, sampler=sampler, labels=labels)
        with pytest.raises(ValueError, match=message):
            pyw2v.Word2Vec(corpus, min_count=1, negative=1, objective="nce", sampler=sampler)

    def test_may_be_in_the_vocabulary_if_the_corpus_lacks_them(self):
        """Such as a padding, for which TensorFlow's samplers reserve id 0."""
        found = pyw2v.pairs(
            [["b", "c", "b"]] * 50,
            vocab=["<pad>", "b", "c"],
            sampler=FixedUnigram([2, 1], reserved=1),
            subsample=None,
        )
        for batch in found:
            assert np.isfinite(batch.log_q).all()
            assert (batch.negatives > 0).all()

    def test_do_not_matter_without_noise(self):
        sampler = FixedUnigram([1, 1], reserved=1)
        assert list(pyw2v.pairs([["a", "b", "c"]] * 3, negative=0, subsample=None, sampler=sampler))
