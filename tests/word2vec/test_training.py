"""The training loop: callbacks, loss, learning rate, seeds, and leaving in every way there is."""

import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
import threads
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import CallbackAny2Vec, StopTraining, Word2Vec, objectives
from pyw2v._core.runs import WordRun
from pyw2v.word2vec import fast

RNG = np.random.default_rng(0)
SENTENCES = [[f"w{i}" for i in row] for row in RNG.zipf(1.5, size=(300, 10)).clip(max=50).tolist()]
SETTINGS = {"vector_size": 8, "min_count": 1, "sample": 0, "workers": 1, "epochs": 3}


def small(**settings):
    return Word2Vec(SENTENCES, **SETTINGS | settings)


def built(**settings):
    model = Word2Vec(**SETTINGS | settings)
    model.build_vocab(SENTENCES)
    return model


def train(model, **settings):
    defaults = {"total_examples": model.corpus_count, "epochs": 3}
    return model.train(SENTENCES, **defaults | settings)


@pytest.fixture
def trainers(monkeypatch):
    """The arguments of every run of the core that is made."""
    made = []

    def record(model, **arguments):
        made.append(types.SimpleNamespace(**arguments))
        return WordRun(model, **arguments)

    monkeypatch.setattr(fast, "WordRun", record)
    return made


# Callbacks


class Recorder(CallbackAny2Vec):
    def __init__(self):
        self.calls = []

    def on_train_begin(self, model):
        self.calls.append("train begin")

    def on_epoch_begin(self, model):
        self.calls.append("epoch begin")

    def on_epoch_end(self, model):
        self.calls.append(("epoch end", len(model.loss_history)))

    def on_train_end(self, model):
        self.calls.append("train end")


def test_callbacks_are_called_in_order():
    recorder = Recorder()
    small(callbacks=[recorder], epochs=2)
    epochs = [["epoch begin", ("epoch end", n)] for n in (1, 2)]
    assert recorder.calls == ["train begin", *epochs[0], *epochs[1], "train end"]


def test_callbacks_may_lack_hooks_and_need_no_base_class():
    seen = []
    callback = types.SimpleNamespace(on_epoch_end=lambda model: seen.append(model.wv.vectors.sum()))
    small(callbacks=[callback, types.SimpleNamespace(on_train_end=lambda model: None)])
    assert len(set(seen)) == 3


def test_a_single_callback_outside_a_list_is_a_type_error():
    with pytest.raises(TypeError, match="list"):
        small(callbacks=Recorder())


@pytest.mark.parametrize("hook", ["on_train_begin", "on_epoch_begin", "on_epoch_end"])
def test_stop_training_ends_training_normally(hook):
    recorder = Recorder()

    def stop(model):
        raise StopTraining("enough")

    model = built()
    result = train(model, callbacks=[recorder, types.SimpleNamespace(**{hook: stop})])
    n_epochs = 1 if hook == "on_epoch_end" else 0
    assert result[1] == n_epochs * model.corpus_total_words
    assert recorder.calls[-1] == "train end"
    assert len(model.loss_history) == n_epochs
    assert model.train_count == 1


def test_stop_training_after_the_last_epoch_is_harmless():
    def stop(model):
        raise StopTraining

    assert small(callbacks=[types.SimpleNamespace(on_train_end=stop)]).train_count == 1


@threads.needs_count
@pytest.mark.parametrize(
    "hook", ["on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end"]
)
def test_an_error_in_a_callback_reaches_the_caller_and_leaves_no_thread(hook):
    def fail(model):
        raise LookupError("mine")

    model = built(workers=2)
    model.wv.fill_norms()
    before = threads.count()
    with pytest.raises(LookupError, match="mine"):
        train(model, callbacks=[types.SimpleNamespace(**{hook: fail})])
    assert threads.none_left(before)
    model.wv.fill_norms()
    assert_allclose(model.wv.norms, np.linalg.norm(model.wv.vectors, axis=1), rtol=1e-5)
    assert train(model)[1] == 3 * model.corpus_total_words


@threads.needs_count
def test_an_error_in_the_users_iterator_reaches_the_caller_and_leaves_no_thread():
    def sentences():
        yield from SENTENCES
        raise LookupError("mine")

    before = threads.count()
    with pytest.raises(LookupError, match="mine"):
        Word2Vec(sentences(), **SETTINGS)
    model = built()
    with pytest.raises(LookupError, match="mine"):
        model.train(sentences(), total_examples=1, epochs=1)
    assert threads.none_left(before)


def test_a_callback_may_change_the_learning_rate(trainers):
    def halve(model):
        model.alpha /= 2

    small(callbacks=[types.SimpleNamespace(on_epoch_end=halve)], alpha=0.08)
    assert [t.lr_start for t in trainers] == [0.08, 0.04, 0.02]
    assert len({t.seed for t in trainers}) == 1


def test_a_callback_may_replace_the_vectors():
    def replace(model):
        model.wv.vectors = np.full((len(model.wv), 8), 0.5)

    model = built()
    train(model, callbacks=[types.SimpleNamespace(on_epoch_begin=replace)], epochs=1)
    assert model.wv.vectors.dtype == np.float32
    assert np.all(np.any(model.wv.vectors != 0.5, axis=1))


def test_norms_between_epochs_are_those_of_the_vectors_then():
    def check(model):
        model.wv.fill_norms()
        assert_allclose(model.wv.norms, np.linalg.norm(model.wv.vectors, axis=1), rtol=1e-5)

    hooks = dict.fromkeys(["on_epoch_begin", "on_epoch_end", "on_train_end"], check)
    small(callbacks=[types.SimpleNamespace(**hooks)], alpha=0.5)


@pytest.mark.parametrize("sg", [0, 1])
def test_two_workers_change_a_huffman_tree_as_much_as_one(sg):
    # At a small rate steps hardly depend on those before, so their sum does not on their order: all
    # changes of copies (csrc/kernel_data/hot_rows.h) must have reached the common rows, but for the
    # few that workers without locks may lose.
    rng = np.random.default_rng(0)
    words = [[f"w{i}" for i in rng.zipf(1.3, 20) % 300] for _ in range(4000)]
    common = {"hs": 1, "negative": 0, "sg": sg, "vector_size": 16, "min_count": 1, "sample": 0}
    one, two = (
        Word2Vec(words, **common, alpha=1e-5, min_alpha=1e-5, epochs=1, workers=workers).syn1
        for workers in (1, 2)
    )
    changes = np.linalg.norm(one, axis=1)
    assert_allclose(np.linalg.norm(two - one, axis=1), 0, atol=0.1 * changes.max())
    assert np.argmax(changes) == len(changes) - 2  # the root


# Loss


def test_loss_history_has_the_mean_of_every_epoch_of_the_models_life():
    model = small(epochs=4)
    assert len(model.loss_history) == 4
    train(model, epochs=2)
    assert len(model.loss_history) == 6
    assert all(0 < loss < 10 for loss in model.loss_history)


def test_first_loss_is_that_of_undecided_outputs():
    # Zero outputs score everything 0: each of 1 + 5 targets costs log 2. The rate keeps it there.
    model = small(alpha=1e-9, min_alpha=0, sg=1, epochs=1)
    drawn = model.loss_history[0] / np.log(2)
    assert 4.5 < drawn <= 6  # draws that hit the positive word do not count


def test_latest_training_loss_is_the_sum_over_the_call():
    seen = []
    callback = types.SimpleNamespace(
        on_epoch_end=lambda model: seen.append(model.get_latest_training_loss())
    )
    model = built()
    train(model, callbacks=[callback], compute_loss=True)
    assert model.compute_loss
    assert seen == sorted(seen)
    assert model.get_latest_training_loss() == seen[-1]
    assert_allclose(
        np.diff([0, *seen]) / seen[0],
        np.array(model.loss_history) / model.loss_history[0],
        rtol=0.2,
    )
    train(model, epochs=1)
    assert model.get_latest_training_loss() < seen[-1]


def test_running_loss_may_be_reset_between_epochs():
    def reset(model):
        model.running_training_loss = 0.0

    model = built()
    train(model, callbacks=[types.SimpleNamespace(on_epoch_begin=reset)])
    other = built()
    train(other)
    assert model.get_latest_training_loss() < 0.5 * other.get_latest_training_loss()


def test_track_loss_false_leaves_it_out_and_changes_nothing_else():
    with_loss, without = small(), small(track_loss=False)
    assert without.loss_history == []
    assert without.get_latest_training_loss() == 0
    assert_array_equal(with_loss.wv.vectors, without.wv.vectors)


# Learning rate


@pytest.mark.parametrize(
    ("totals", "share"),
    [
        ({"total_examples": 300}, 1),
        ({"total_examples": 600}, 2),
        ({"total_words": 3000}, 1),
        ({"total_words": 1500}, 0.5),
        ({"total_examples": 300, "total_words": 99}, 1),
    ],
)
def test_totals_set_the_clock_of_the_learning_rate(trainers, totals, share):
    model = Word2Vec(**SETTINGS | {"min_count": 20})
    model.build_vocab(SENTENCES)
    train(model, **{"total_examples": None} | totals)
    assert_allclose(trainers[0].total_tokens, share * len(trainers[0].tokens))
    assert len(trainers[0].tokens) < 3000


def test_rates_given_to_train_become_the_models(trainers):
    model = built()
    train(model, start_alpha=0.5, end_alpha=0.1, epochs=2)
    assert (model.alpha, model.min_alpha, model.epochs) == (0.5, 0.1, 2)
    assert (trainers[0].lr_start, trainers[0].lr_end, trainers[0].epochs) == (0.5, 0.1, 2)
    assert_allclose(model.min_alpha_yet_reached, 0.1)


def test_half_a_clock_leaves_half_the_rate():
    model = built(alpha=0.5, min_alpha=0.1)
    train(model, total_examples=600, epochs=1)
    assert_allclose(model.min_alpha_yet_reached, 0.3)


def test_alpha_below_min_alpha_is_lifted_with_a_warning(trainers, caplog):
    small(alpha=1e-5)
    assert (trainers[0].lr_start, trainers[0].lr_end) == (1e-4, 1e-4)
    assert "below min_alpha" in caplog.text


def test_a_rate_of_zero_changes_nothing_an_ordinary_rate_does():
    still = small(alpha=1e-30, min_alpha=0)
    assert_array_equal(still.wv.vectors, built().wv.vectors)
    assert np.any(small().wv.vectors != still.wv.vectors)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"sg": 1}, r"smaller alpha \(now 1e\+25\)$"),
        ({"sg": 1, "hs": 1, "negative": 0}, r"smaller alpha \(now 1e\+25\)$"),
        ({"sg": 0}, 'or cbow_grad="mean"$'),
        ({"sg": 0, "cbow_mean": 0}, "or cbow_mean=1$"),
    ],
)
def test_divergence_raises_with_advice(settings, advice):
    with pytest.raises(FloatingPointError, match=f"diverged in epoch.*{advice}"):
        small(alpha=1e25, min_alpha=1e25, **settings)


# Seeds and workers


@pytest.mark.parametrize("sg", [0, 1])
def test_one_worker_repeats_bit_for_bit(sg):
    one, two = (small(sg=sg, sample=1e-2) for _ in range(2))
    assert_array_equal(one.wv.vectors, two.wv.vectors)
    assert_array_equal(one.syn1neg, two.syn1neg)
    assert one.loss_history == two.loss_history


def test_another_seed_is_another_model():
    assert np.any(small(seed=1).wv.vectors != small(seed=2).wv.vectors)


def test_each_training_call_draws_anew_but_repeatably(trainers):
    seeds = []
    for _ in range(2):
        trainers.clear()
        model = built()
        for _ in range(3):
            train(model, epochs=1)
        seeds.append([t.seed for t in trainers])
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3


@pytest.mark.parametrize("workers", [-1, 0, 1, 2, 5])
def test_any_number_of_workers_trains(workers):
    model = small(workers=workers)
    assert model.workers == workers
    assert model.loss_history[-1] < model.loss_history[0]


@threads.needs_count
def test_no_thread_is_left_after_training():
    before = threads.count()
    small(workers=4)
    assert threads.none_left(before)


# Ctrl-C

INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    from pyw2v import Word2Vec

    rng = np.random.default_rng(0)
    sentences = rng.zipf(1.3, size=(20000, 20)).clip(max=2000)
    model = Word2Vec(vector_size=100, sg=1, negative=10, sample=0, min_count=1, workers=2)
    model.build_vocab(sentences)
    before = model.wv.vectors.copy()
    sent = []

    def interrupt():
        time.sleep(0.5)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Thread(target=interrupt)
    timer.start()
    n_before = len(os.listdir("/proc/self/task"))
    try:
        model.train(sentences, total_examples=20000, epochs=1000)
    except KeyboardInterrupt:
        seconds = time.perf_counter() - sent[0]
    timer.join()
    assert len(os.listdir("/proc/self/task")) == n_before - 1, "threads left behind"
    assert np.any(model.wv.vectors != before), "nothing was trained"
    assert np.all(np.isfinite(model.wv.vectors))
    assert model.wv.most_similar(1)
    model.train(sentences[:50], total_examples=50, epochs=1)
    print(seconds)
"""


@threads.needs_count
def test_ctrl_c_stops_at_once_and_leaves_a_usable_model():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # 0.05 s of polling and one chunk of work; the rest is patience with a busy test machine.
    assert float(done.stdout) < 0.5


def test_warnings_are_silent_in_programs_without_logging(capfd):
    code = "from pyw2v import Word2Vec; Word2Vec([['a', 'b']], min_count=1, alpha=1, sample=0)"
    code += "; import logging; logging.getLogger('pyw2v.x').warning('hidden')"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert capfd.readouterr() == ("", "")


def test_words_without_counts_are_an_error_that_says_so():
    model = Word2Vec([["a", "b"]] * 20, min_count=1, epochs=1)
    del model.wv.expandos["count"]
    with pytest.raises(RuntimeError, match="no counts"):
        model.train([["a", "b"]], total_examples=1, epochs=1)


def test_the_objective_is_made_once_for_a_run_and_anew_for_other_settings(monkeypatch):
    made, make = [], objectives.make

    def counted(*args, **kwargs):
        made.append(make(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(objectives, "make", counted)
    model = small(objective="nce")
    model.log_prob(model.wv.index_to_key[0], model.wv.index_to_key[1])
    assert len(made) == 1
    model.negative = 7
    train(model)
    assert [objective.k for objective in made] == [5, 7]
