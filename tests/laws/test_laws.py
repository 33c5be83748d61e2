"""The laws of chance and of the clock, read off what training changed.

Seeds are fixed, so a statistical test gives the same result every time. Most tests lock the input
rows and draw all noise from one word outside of the corpus: a centre's output row then holds the
sum of its context's input rows times lr / 2, and nothing else.
"""

import engine
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core import probe
from pyw2v._core.sampler import AliasSampler

stats = pytest.importorskip("scipy.stats")

KEEP_ALL = 2**32 - 1
SURE = 1e-3  # a right law fails this seldom; the seeds chosen here do not


def transparent(tokens, ends, n_words, input_rows=None, **settings):
    """A problem whose output rows tell what happened; the last word is the noise."""
    rng = np.random.default_rng(0)
    rows = np.ones((n_words, 1)) if input_rows is None else input_rows
    counts = np.zeros(n_words, np.int64)
    counts[-1] = 1
    zeros = np.zeros(rows.shape)
    return engine.problem(rng, tokens, ends, n_words, rows.shape[1], negative=1) | {
        "counts": counts,
        "input": engine.matrix(rows),
        "output_ns": engine.matrix(zeros),
        "input_lock": np.zeros(n_words, np.float32),
        **settings,
    }


def order_of(ends, epoch):
    return reference.chunks(ends, engine.SEED, epoch)


def one_sentence(n):
    return np.arange(n, dtype=np.int32), np.array([n], np.int64)


def test_generator_is_splitmix64_seeded_by_seed_epoch_and_chunk():
    for seeds in [(0, 0, 0), (1, 2, 3), (2**64 - 1, 7, 10**6)]:
        twin = reference.SplitMix64(*seeds)
        assert probe.random_bits(*seeds, 20).tolist() == [twin.next() for _ in range(20)]


def test_streams_of_neighbouring_chunks_and_epochs_differ():
    streams = {
        probe.random_bits(seed, epoch, chunk, 4).tobytes()
        for seed in range(4)
        for epoch in range(4)
        for chunk in range(4)
    }
    assert len(streams) == 64


WEIGHTS = {
    "one word": [3.0],
    "equal": [1.0] * 7,
    "zipf": [1 / rank for rank in range(1, 200)],
    "zeros": [0.0, 5.0, 0.0, 1.0, 0.0],
    "steep": [1e6, 1.0, 1e3, 1e-9],
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_alias_sampler_draws_by_weight(weights):
    n = 100_000
    seen = np.bincount(AliasSampler(weights).draw(n, seed=5), minlength=len(weights))
    expected = np.array(weights) / sum(weights) * n
    assert not seen[expected == 0].any()
    likely = expected > 5
    assert abs(seen[~likely].sum() - expected[~likely].sum()) <= 10
    if likely.sum() > 1:
        scaled = expected[likely] * seen[likely].sum() / expected[likely].sum()
        assert stats.chisquare(seen[likely], scaled).pvalue > SURE


def test_alias_sampler_draws_what_the_reference_draws():
    weights = np.random.default_rng(1).random(50) ** 4
    table, rng = reference.AliasTable(weights), reference.SplitMix64(9)
    drawn = AliasSampler(weights).draw(1000, 9)
    assert drawn.tolist() == [table.draw(rng) for _ in range(1000)]


@pytest.mark.parametrize("weights", [[], [0.0, 0.0], [1.0, -1.0], [np.nan], [np.inf, 1.0]])
def test_alias_sampler_refuses_weights_without_a_law(weights):
    with pytest.raises(ValueError, match="sampler weights must"):
        AliasSampler(weights)


@pytest.mark.parametrize("exponent", [0.75, 0.0, 1.0, -0.5])
def test_noise_words_follow_counts_to_the_exponent(exponent):
    n_words, n_centres, lr, negative = 30, 4000, 2**-24, 10
    tokens = np.zeros(n_centres, np.int32)  # pairs of word 0, so noise is any other word
    ends = np.arange(2, n_centres + 1, 2)
    arguments = transparent(
        tokens, ends, n_words, lr_start=lr, lr_end=lr, negative=negative, ns_exponent=exponent
    )
    arguments["counts"] = np.arange(1, n_words + 1).astype(np.int64) ** 2
    engine.train(arguments)
    # Every use takes lr / 2 from the word's row, the context being one word of value 1.
    uses = -arguments["output_ns"][1:, 0].astype(float) * 2 / lr
    assert_allclose(uses, np.rint(uses), atol=0.2)
    share = arguments["counts"].astype(float) ** exponent
    total = n_centres * negative * share[1:].sum() / share.sum()
    uses_of_draw = 2 * reference.NOISE_USES  # by two centres at a time
    draws = uses / uses_of_draw
    expected = share[1:] / share[1:].sum() * draws.sum()
    assert stats.chisquare(draws, expected).pvalue > SURE
    assert abs(uses.sum() - total) < 5 * (total * uses_of_draw) ** 0.5


def test_a_noise_word_meets_an_input_in_one_group_of_centres_only(isa):
    n, n_words, lr, window = 80, 50_000, 1e-3, 3
    inputs = np.zeros((n_words, n))
    inputs[:n] = np.eye(n)
    arguments = transparent(
        *one_sentence(n), n_words, inputs,
        window=window, negative=5, lr_start=lr, lr_end=lr, shrink_windows=False,
    )  # fmt: skip
    arguments["counts"] = (np.arange(n_words) >= n).astype(np.int64)  # noise is never in the text
    engine.train(arguments)
    met = np.rint(-arguments["output_ns"][n:] * 2 / lr)
    assert met.max() == 2  # the context of both centres
    most = met.sum(axis=1).argmax()  # one draw, many groups
    assert met[most].sum() == reference.NOISE_USES * 2 * 2 * window
    assert (met[most] > 0).sum() == reference.NOISE_USES * (2 * window + 2)


def windows_seen(window, shrink_windows, epochs, n=150):
    """The reach of every centre that has room on both sides, over some epochs."""
    arguments = transparent(
        *one_sentence(n), n + 1, np.eye(n + 1), window=window, shrink_windows=shrink_windows,
        lr_start=1e-3, lr_end=1e-3, epochs=epochs,
    )  # fmt: skip
    trainer = engine.word_run(**arguments)
    for epoch in range(epochs):
        arguments["output_ns"][:] = 0
        engine.run_epoch(trainer, epoch)
        met = arguments["output_ns"][:n, :n] > 2.5e-4
        for centre in range(window, n - window):
            left, right = met[centre, :centre][::-1], met[centre, centre + 1 :]
            reach = int(left.sum())
            # Near words all, far words none, and as many on the right.
            assert left[:reach].all()
            assert right[:reach].all()
            assert right.sum() == reach
            assert not met[centre, centre]
            yield reach


def test_shrinking_windows_are_uniform(isa):
    seen = np.bincount(list(windows_seen(6, True, epochs=12)), minlength=7)
    assert seen[0] == 0
    assert len(seen) == 7
    assert stats.chisquare(seen[1:]).pvalue > SURE


def test_fixed_windows_are_fixed(isa):
    assert set(windows_seen(6, False, epochs=1)) == {6}


@pytest.mark.parametrize("threshold", [0, 2**28, 2**31, 3 * 2**30, KEEP_ALL])
def test_words_are_kept_with_the_chance_of_their_threshold(threshold):
    n = 20_000
    arguments = transparent(
        np.zeros(n, np.int32), np.array([n]), 2, keep=np.array([threshold, 0], np.uint32)
    )
    chance = (threshold + 1) / 2**32
    kept = engine.train(arguments)[0].words_trained
    assert abs(kept - n * chance) <= 4 * (n * chance * (1 - chance)) ** 0.5 + 1e-4
    draws = np.concatenate(
        [
            probe.random_bits(arguments["seed"], 0, index, end - begin) >> np.uint64(32)
            for index, [(begin, end)] in enumerate(order_of([n], 0))
        ]
    )
    assert kept == (draws <= threshold).sum()


def test_windows_reach_across_dropped_words():
    keep = np.array([KEEP_ALL, 0, 0, KEEP_ALL, KEEP_ALL], np.uint32)
    arguments = transparent(
        *one_sentence(4), 5, np.eye(5), keep=keep, window=1, lr_start=0.1, lr_end=0.1
    )
    assert engine.train(arguments)[0][1:] == (2, 2)
    assert_array_equal(np.argwhere(arguments["output_ns"][:4]), [[0, 3], [3, 0]])


def rates_seen(n, epochs, total, start=0.05, end=0.01):
    """The rate of each centre of a sentence of n distinct words, as visited, and where chunks end,
    epoch by epoch.
    """
    arguments = transparent(
        *one_sentence(n), n + 1, window=1, shrink_windows=False, lr_start=start, lr_end=end,
        epochs=epochs, total_tokens=total,
    )  # fmt: skip
    n_context = np.full(n, 2)
    for begin, stop in reference.stretches([n]):
        n_context[[begin, stop - 1]] = 1
    trainer = engine.word_run(**arguments)
    for epoch in range(epochs):
        arguments["output_ns"][:] = 0
        engine.run_epoch(trainer, epoch)
        rates = arguments["output_ns"][:n, 0] * 2 / n_context
        visited = [rates[begin:end] for [(begin, end)] in order_of([n], epoch)]
        yield np.concatenate(visited), np.cumsum([0, *map(len, visited)])


@pytest.mark.parametrize("n", [50, 30_000])
@pytest.mark.parametrize("share", [1, 0.6, 2])
def test_rate_falls_by_one_clock_over_all_epochs(n, share):
    """Also when the clock's total is less or more than the corpus; it ends where it should."""
    epochs, total = 3, n * share
    # Inside a chunk the rate falls on a straight line, also where the clock runs out.
    for epoch, (rates, cuts) in enumerate(rates_seen(n, epochs, total)):
        progress = np.minimum(1, (epoch + cuts / total) / epochs)
        # Two neighbours have the rate of the first.
        begins = np.repeat(cuts[:-1], np.diff(cuts))
        firsts = begins + (np.arange(n) - begins) // 2 * 2
        assert_allclose(rates, np.interp(firsts, cuts, 0.05 - 0.04 * progress), rtol=1e-5)


@pytest.mark.parametrize("n", [3, 40, 200, 9000])
def test_every_epoch_visits_the_text_in_an_order_of_its_own(n):
    """n sentences, each of one word and a stretch of its own: the rate tells when it was met."""
    size = reference.STRETCH_TOKENS
    tokens, ends = np.repeat(np.arange(n, dtype=np.int32), size), size * np.arange(1, n + 1)
    arguments = transparent(
        tokens, ends, n + 1, window=1, lr_start=1e-5, lr_end=0.0, epochs=2, shrink_windows=False
    )
    trainer = engine.word_run(**arguments)
    orders = []
    for epoch in range(2):
        arguments["output_ns"][:] = 0
        engine.run_epoch(trainer, epoch)
        orders.append(np.argsort(-arguments["output_ns"][:n, 0]))
        expected = [begin // size for chunk in order_of(ends, epoch) for begin, _ in chunk]
        assert_array_equal(orders[-1], expected)
        assert_array_equal(np.sort(expected), np.arange(n))
    if n > 3:
        assert (orders[0] != orders[1]).mean() > 0.8
        steps = np.abs(np.diff(orders[0]))
        assert np.median(steps) > min(n, 64 * 128) / 10  # what follows stands far away


def big_problem(n_tokens=70_000, **settings):
    rng = np.random.default_rng(2)
    tokens = rng.integers(50, size=n_tokens).astype(np.int32)
    ends = np.append(np.sort(rng.integers(n_tokens, size=3000)), n_tokens).astype(np.int64)
    keep = np.full(50, 3 * 2**30, np.uint32)
    return engine.problem(rng, tokens, ends, 50, 8, negative=2, keep=keep, **settings)


def test_draws_do_not_depend_on_who_works():
    sums = {
        engine.train(big_problem(workers=workers, epochs=1))[0][1:] for workers in (1, 2, 3, 64)
    }
    assert len(sums) == 1


@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
def test_one_worker_repeats_itself_to_the_bit(isa, sg):
    def run(**settings):
        arguments = big_problem(20_000, sg=sg, **settings)
        results = engine.train(arguments)
        return results, [arguments[name].tobytes() for name in ("input", "output_ns")]

    assert run() == run()
    assert run()[1] != run(seed=8)[1]


def test_epochs_draw_anew():
    arguments = big_problem(2000, epochs=2, lr_start=0.0, lr_end=0.0)
    first, second = engine.train(arguments)
    assert first != second


@pytest.mark.parametrize("n", [8191, 8192, 16384, 16385, 40_000])
def test_sentences_longer_than_a_chunk_are_trained_in_pieces(n):
    tokens = np.arange(n, dtype=np.int32) % 5
    arguments = transparent(tokens, np.array([n]), 6, window=2, shrink_windows=False)
    result = engine.train(arguments)[0]
    pieces = [end - begin for begin, end in reference.stretches([n])]
    assert max(pieces) <= 16384
    assert sum(pieces) == n
    assert result.words_trained == n
    assert result.examples == sum(4 * size - 6 for size in pieces)


def test_empty_sentences_change_nothing():
    rng = np.random.default_rng(3)
    tokens, ends = engine.corpus(rng, 9, [4, 5])
    plain = engine.problem(np.random.default_rng(4), tokens, ends, 9, 8)
    empty = engine.copied(plain) | {"ends": np.array([0, 0, 4, 4, 4, 9, 9], np.int64)}
    assert engine.train(plain) == engine.train(empty)
    assert_array_equal(plain["input"], empty["input"])


@pytest.mark.parametrize("ends", [[], [0], [0, 0, 0]])
def test_a_corpus_without_tokens_trains_nothing(ends):
    arguments = transparent(np.empty(0, np.int32), np.array(ends, np.int64), 3)
    assert engine.train(arguments)[0] == (0, 0, 0)


@pytest.mark.parametrize("objective", ["ns", "hs", "both"])
@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
def test_a_vocabulary_of_one_word_trains(isa, objective, sg):
    arguments = engine.problem(
        np.random.default_rng(5), np.zeros(6, np.int32), np.array([6]), 1, 9, objective, sg=sg
    )
    before = engine.copied(arguments)
    result = engine.train(arguments)[0]
    twin = reference.Twin(**engine.copied(before, np.float64))
    assert_allclose(result, twin.epoch(0), rtol=2e-2)
    if objective == "hs":
        assert result.loss == 0
        assert_array_equal(arguments["input"], before["input"])


@pytest.mark.parametrize("window", [100, 20_000, 2**31 - 1])
@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
def test_windows_may_be_larger_than_any_sentence(isa, window, sg):
    tokens, ends = engine.corpus(np.random.default_rng(6), 12, [12, 3, 1])
    arguments = engine.problem(
        np.random.default_rng(7), tokens, ends, 12, 9, sg=sg, window=window, shrink_windows=False
    )
    same = engine.copied(arguments) | {"window": 40}  # enough, and noise words are spaced as wide
    assert engine.train(arguments) == engine.train(same)
    assert_array_equal(arguments["input"], same["input"])
