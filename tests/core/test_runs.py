"""A run as an object: what it refuses, how it stops, what it leaves behind."""

import gc
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path
from types import SimpleNamespace

import engine
import numpy as np
import pytest
import threads

from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.matrix import SpreadRows, is_spread, spread_copy, zeros
from pyw2v._core.runs import Run, WordRun


def arguments(objective="both", n_tokens=30, dim=8, **settings):
    rng = np.random.default_rng(1)
    tokens = rng.integers(9, size=n_tokens).astype(np.int32)
    ends = np.array([n_tokens // 2, n_tokens], np.int64)
    return engine.problem(rng, tokens, ends, 9, dim, objective, **settings)


def spread_zeros(n_rows, dim):
    return spread_copy(np.zeros((n_rows, dim), np.float32))


def long_run(**settings):
    """Work for many seconds, unless it is stopped."""
    return arguments(
        n_tokens=4_000_000, workers=2, window=20, lr_start=1e-6, lr_end=1e-6, **settings
    )


NINE = np.ones(9, np.float32)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"window": 0}, ValueError, "window must be at least 1 .*, got 0 and 5"),
        ({"epochs": 0}, ValueError, "epochs must be at least 1, got 0"),
        ({"workers": 0}, ValueError, "workers must be at least 1, got 0"),
        ({"negative": -1}, ValueError, "negative at least 0, got 3 and -1"),
        ({"counts": np.ones(8, np.int64)}, ValueError, "noise_weights must hold 9 numbers, got 8"),
        ({"counts": np.zeros(9, np.int64)}, ValueError, "sampler weights must have a positive"),
        ({"keep": np.ones(8, np.uint32)}, ValueError, "keep must hold 9 thresholds, got 8"),
        ({"input_lock": NINE[:8]}, ValueError, "input_lock must hold 9 factors, got 8"),
        ({"ends": np.array([15, 29])}, ValueError, "sentence ends must rise to 30"),
        ({"ends": np.array([16, 15, 30])}, ValueError, "sentence ends must rise to 30"),
        ({"ends": np.array([-1, 30])}, ValueError, "sentence ends must rise to 30"),
        ({"tokens": np.full(30, 9, np.int32)}, ValueError, "token ids must be from 0 to 8"),
        ({"tokens": np.full(30, -1, np.int32)}, ValueError, "token ids must be from 0 to 8"),
        ({"tokens": np.zeros(30)}, ValueError, "dtype"),
        ({"input": np.zeros((9, 8), np.float32)}, ValueError, "input must be a float32 matrix"),
        ({"output_ns": spread_zeros(9, 9)}, ValueError, r"output_ns must be .* of shape \(9, 8\)"),
        ({"output_ns": spread_zeros(8, 8)}, ValueError, r"output_ns must be .* of shape \(9, 8\)"),
        ({"output_hs": spread_zeros(8, 7)}, ValueError, r"output_hs must be .* of shape \(8, 8\)"),
        ({"output_hs": spread_zeros(7, 8)}, ValueError, "huffman paths do not fit"),
        ({"huffman": HuffmanTree(np.ones(8, np.int64))}, ValueError, "huffman paths do not fit"),
        ({"huffman": None}, ValueError, "output_hs needs huffman, the paths of all words"),
        (
            {"input": spread_zeros(0, 8)},
            ValueError,
            "vocabulary must hold at least one word",
        ),
        ({"seed": -1}, OverflowError, "negative"),
        ({"seed": "x"}, TypeError, "int"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused(wrong, error, message):
    with pytest.raises(error, match=message):
        engine.word_run(**arguments() | wrong)


def test_paths_that_begin_before_their_arrays_are_refused():
    tree = HuffmanTree(np.ones(9, np.int64))
    offsets = tree.offsets.copy()
    offsets[0] = -5
    with pytest.raises(ValueError, match="offsets of paths must rise from 0"):
        HuffmanTree.from_paths(offsets, tree.codes, tree.points)


@pytest.mark.parametrize("objective", ["ns", "hs"])
def test_training_needs_an_objective(objective):
    made = arguments(objective)
    made |= {"output_ns": None, "output_hs": None, "huffman": None}
    with pytest.raises(ValueError, match="needs negative sampling or hierarchical softmax"):
        engine.word_run(**made)
    with pytest.raises(ValueError, match="needs negative sampling or hierarchical softmax"):
        engine.word_run(**arguments("ns") | {"negative": 0})


def test_trainer_cannot_exist_without_its_arguments():
    with pytest.raises(TypeError):
        WordRun.__new__(WordRun)
    with pytest.raises(TypeError, match="derive from Run"):
        Run().start(0)


@pytest.mark.parametrize("dim", [15, 16])
def test_kernels_take_only_whole_spread_rows(dim):
    rows = spread_zeros(6, dim)
    assert is_spread(rows)
    assert is_spread(rows[2:])
    # What the kernels take for padding would be the rest of the row.
    assert not is_spread(rows[:, :7])
    assert not is_spread(rows[::2])
    assert not is_spread(rows.copy())
    assert not is_spread(rows.T)
    assert is_spread(zeros(6, dim)) == (dim == 16)  # where both layouts are the same


def test_epoch_runs_in_the_background_and_tells_how_far_it_is():
    made = arguments()
    trainer = engine.word_run(**made)
    assert trainer.wait(0)  # nothing is running yet
    assert trainer.n_done == 0
    trainer.start(0)
    while not trainer.wait(5):
        pass
    assert trainer.n_done == len(made["tokens"])
    result = trainer.finish()
    assert result.words_trained == len(made["tokens"])
    assert result.loss > 0
    assert trainer.finish() == result


def test_wait_gives_up_after_its_time():
    trainer = engine.word_run(**long_run())
    trainer.start(0)
    before = time.monotonic()
    assert not trainer.wait(0.05)
    assert 0.04 < time.monotonic() - before < 2
    trainer.stop()


def test_wait_may_be_told_to_wait_for_ever():
    trainer = engine.word_run(**arguments())
    trainer.start(0)
    assert trainer.wait(float("inf"))
    assert trainer.finish().words_trained == 30


@threads.needs_count
def test_stop_is_quick_final_and_may_be_repeated():
    before = threads.count()
    made = long_run()
    trainer = engine.word_run(**made)
    trainer.stop()
    trainer.start(0)
    assert threads.count() == before + 2
    time.sleep(0.02)
    asked = time.monotonic()
    trainer.stop()
    assert time.monotonic() - asked < 0.2
    trainer.stop()
    assert threads.none_left(before)
    assert trainer.wait(0)
    assert trainer.n_done < len(made["tokens"])
    assert trainer.finish().words_trained < len(made["tokens"])


@threads.needs_count
def test_a_forgotten_trainer_ends_its_threads():
    before = threads.count()
    trainer = engine.word_run(**long_run())
    trainer.start(0)
    del trainer
    assert threads.none_left(before)


@threads.needs_count
def test_starting_anew_ends_the_epoch_before():
    before = threads.count()
    made = long_run(epochs=2)
    trainer = engine.word_run(**made)
    trainer.start(0)
    trainer.start(1)
    assert threads.none_left(before + 2)
    trainer.stop()


def test_a_stopped_trainer_trains_again():
    made = arguments()
    trainer = engine.word_run(**made)
    trainer.start(0)
    trainer.stop()
    trainer.start(0)
    while not trainer.wait(5):
        pass
    assert trainer.finish().words_trained == len(made["tokens"])


@pytest.mark.parametrize("compute_loss", [True, False], ids=["loss", "no-loss"])
@pytest.mark.parametrize("objective", ["ns", "hs", "both"])
@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
def test_divergence_is_raised(isa, sg, objective, compute_loss):
    before = threads.count()
    made = arguments(
        objective, 20_000, sg=sg, compute_loss=compute_loss, lr_start=1e20, lr_end=1e20, workers=2
    )
    trainer = engine.word_run(**made)
    trainer.start(0)
    while not trainer.wait(5):
        pass
    with pytest.raises(FloatingPointError, match="training diverged in epoch 1"):
        trainer.finish()
    assert threads.none_left(before)


@pytest.mark.parametrize("compute_loss", [True, False], ids=["loss", "no-loss"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", engine.MATRICES)
def test_one_bad_number_is_found_wherever_it_is_met(isa, name, bad, compute_loss):
    made = arguments(n_tokens=300, compute_loss=compute_loss, lr_start=0.0, lr_end=0.0)
    made["tokens"][:] %= 8
    made["tokens"][150] = 8  # met once, far from the end
    made[name][8 if name != "output_hs" else made["huffman"].points[-1], 5] = bad
    with pytest.raises(FloatingPointError, match="training diverged"):
        engine.train(made)


def test_training_goes_on_from_fresh_numbers_after_divergence(isa):
    """Nothing of it may stay behind in the padding of the rows."""
    made = arguments(dim=5)
    expected = engine.train(engine.copied(made))
    matrices = SimpleNamespace(**{name: zeros(*made[name].shape) for name in engine.MATRICES})

    def train(**rates):
        for name in engine.MATRICES:
            vars(matrices)[name][:] = made[name]
        with SpreadRows() as layout:
            layout.spread([*vars(matrices).values()], [matrices])
            return engine.train(made | vars(matrices) | rates)

    with pytest.raises(FloatingPointError, match="training diverged"):
        train(lr_start=1e30, lr_end=1e30)
    assert train() == expected


def test_loss_is_left_out_on_request(isa):
    with_loss, without = arguments(), arguments(compute_loss=False)
    assert engine.train(with_loss)[0].loss > 0
    assert engine.train(without)[0].loss == 0
    for name in engine.MATRICES:
        assert with_loss[name].tobytes() == without[name].tobytes()


def test_arrays_live_as_long_as_the_trainer():
    made = arguments(keep=np.full(9, 2**31, np.uint32), input_lock=NINE.copy())
    trainer = engine.word_run(**made)
    arrays = ("tokens", "ends", "keep", "input", "output_ns", "output_hs", "input_lock")
    alive = [weakref.ref(made[name]) for name in arrays]
    del made
    gc.collect()
    assert all(ref() is not None for ref in alive)
    assert engine.run_epoch(trainer).examples > 0
    del trainer
    gc.collect()
    assert all(ref() is None for ref in alive)


@threads.needs_count
def test_garbage_with_a_running_trainer_is_collected_safely():
    """The collector may clear what a trainer refers to only after its threads have ended."""
    code = """
import gc, sys
import test_runs as t
class Node: pass
for _ in range(8):
    node = Node()
    node.self = node
    node.trainer = t.engine.word_run(**t.arguments(n_tokens=200_000, workers=2))
    node.trainer.start(0)
    del node
    gc.collect()
print("ended well")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "ended well\n", (done.returncode, done.stderr)


def run_with_pauses(trainer, epoch):
    """Pause whenever something was done; return the pieces at which that was, and the sums."""
    first, sums, places = 0, (0.0, 0, 0), []
    while True:
        trainer.start(epoch, first, sums)
        before = trainer.n_done
        while trainer.n_done == before and not trainer.wait(0.0005):
            pass
        trainer.pause()
        while not trainer.wait(1):
            pass
        sums = trainer.finish()
        now, first = trainer.place
        assert now == epoch
        if places and first == places[-1]:  # there was nothing left
            return places, sums
        places.append(first)


@pytest.mark.parametrize("objective", ["ns", "hs"])
def test_an_epoch_that_pauses_between_pieces_ends_with_the_same_bits(rng, objective):
    tokens, ends = engine.corpus(rng, 100, [50] * 4000)
    whole = engine.problem(rng, tokens, ends, 100, 20, objective, epochs=2, window=10)
    paused = engine.copied(whole)
    expected = engine.train(whole)
    trainer = engine.word_run(**paused)
    for epoch in range(2):
        places, sums = run_with_pauses(trainer, epoch)
        assert len(places) > 3
        assert sums == expected[epoch]
        assert trainer.n_done == len(tokens)
    for name in engine.MATRICES:
        if name in whole:
            assert np.array_equal(whole[name], paused[name]), name


def test_an_epoch_can_begin_behind_its_last_piece(rng):
    tokens, ends = engine.corpus(rng, 100, [50] * 400)
    trainer = engine.word_run(**engine.problem(rng, tokens, ends, 100, 20))
    trainer.start(0, 10**9, (1.5, 2, 3))
    assert trainer.wait(10)
    assert trainer.finish() == (1.5, 2, 3)
    assert trainer.n_done == len(tokens)
