"""Checkpoints, and training that goes on from them as if nothing had happened."""

import errno
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import pyw2v
from pyw2v import (
    CooccurrenceMatrix,
    EarlyStopping,
    FastText,
    GloVe,
    KeyedVectors,
    StopTraining,
    Word2Vec,
    cli,
)
from pyw2v._runs import checkpoint
from pyw2v.io import native

WORDS = [f"word{i}" for i in range(300)]


def sentences(n=1500, seed=1):
    ids = np.random.default_rng(seed).zipf(1.4, size=(n, 20)) % len(WORDS)
    return [[WORDS[i] for i in row] for row in ids]


SENTENCES = sentences()
SETTINGS = {"vector_size": 12, "min_count": 1, "sample": 1e-2, "workers": 1, "epochs": 4}
KINDS = {
    "skip-gram": (Word2Vec, {"sg": 1}),
    "hs": (Word2Vec, {"hs": 1, "negative": 0, "cbow_mean": 0}),
    "FastText": (FastText, {"bucket": 500, "sg": 1}),
    "FastText hs": (FastText, {"bucket": 500, "hs": 1, "negative": 0}),
    "nce": (Word2Vec, {"objective": "nce", "nce_z": "learned", "output_bias": True}),
    "logistic": (Word2Vec, {"objective": "logistic", "epochs": 2}),
    "class_softmax": (Word2Vec, {"objective": "class_softmax", "epochs": 2, "output_bias": True}),
    "dsoftmax": (
        Word2Vec,
        {"objective": "dsoftmax", "bands": [(100, 12), (200, 6)], "epochs": 2},
    ),
    "without a seed": (Word2Vec, {"seed": None}),
}


def state(model):
    """All that was learnt, and what is known of the run."""
    arrays, _, settings = pyw2v.word2vec.file.contents(model)
    names = ("loss_history", "running_training_loss", "min_alpha_yet_reached", "log_z")
    return arrays, [settings[name] for name in (*names, "train_count", "_n_seeds")]


def assert_equal(model, other):
    if isinstance(model, GloVe):
        assert model.loss_history == other.loss_history
        assert model.epochs_trained == other.epochs_trained
        assert np.array_equal(model.parameters.values, other.parameters.values)
        assert np.array_equal(model.parameters.squares, other.parameters.squares)
        return
    arrays, numbers = state(model)
    other_arrays, other_numbers = state(other)
    assert numbers == other_numbers
    assert arrays.keys() == other_arrays.keys()
    for name, array in arrays.items():
        assert np.array_equal(array, other_arrays[name]), name


@pytest.fixture
def keep_all(monkeypatch):
    monkeypatch.setattr(checkpoint, "_KEPT", 10**6)
    # One at every poll, however fast the machine is, and none put off.
    monkeypatch.setattr(checkpoint.Checkpoints, "seconds_left", lambda self: 0.0)
    monkeypatch.setattr(checkpoint.Checkpoints, "is_due", due_after_writing)


def due_after_writing(self, epoch=None):
    self._join()
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_every_checkpoint_leads_to_the_bits_of_the_run_that_nothing_stopped(
    kind, tmp_path, keep_all
):
    cls, settings = KINDS[kind]
    settings = SETTINGS | settings
    folder = tmp_path / "all"
    model = cls(SENTENCES, **settings, checkpoint=folder, checkpoint_every="1h")
    if settings.get("seed", 1) is not None:
        assert_equal(cls(SENTENCES, **settings), model)
    files = sorted(folder.iterdir())[:-1]  # the last is of the end
    assert len(files) >= settings["epochs"]
    for number, path in enumerate(files[1 :: max(1, len(files) // 3)]):
        one = tmp_path / str(number)
        one.mkdir()
        shutil.copy(path, one)
        resumed = cls.resume(one, SENTENCES)
        assert type(resumed) is cls
        assert_equal(resumed, model)
        assert len(list(one.iterdir())) > 1  # it kept on writing


DRIVER = """
import json, os, random, shutil, signal, sys, time
from pathlib import Path
import numpy as np
from pyw2v import FastText, Word2Vec

folder, kind, seed, n_kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
cls = {"Word2Vec": Word2Vec, "FastText": FastText}[kind]
settings = {"vector_size": 40, "min_count": 1, "workers": 1, "sample": 0, "epochs": 40}
settings |= {
    "Word2Vec": {"sg": 1, "window": 8}, "FastText": {"hs": 1, "negative": 0, "bucket": 999}
}[kind]
ids = np.random.default_rng(1).zipf(1.4, size=(1500, 20)) % 300
sentences = [[f"word{i}" for i in row] for row in ids]

def train():
    if any(Path(folder).glob("checkpoint-*")):
        return cls.resume(folder, sentences)
    return cls(sentences, **settings, checkpoint=folder, checkpoint_every="0.01s")

def check(model):
    assert np.array_equal(model.wv.vectors, whole.wv.vectors)
    assert model.syn1 is None or np.array_equal(model.syn1, whole.syn1)
    assert model.syn1neg is None or np.array_equal(model.syn1neg, whole.syn1neg)
    assert model.loss_history == whole.loss_history
    assert len(list(Path(folder).glob("checkpoint-*"))) == 2

whole = cls(sentences, **settings)
drawn, hits, gone_on = random.Random(seed), 0, 0
while hits < n_kills:
    before = set(os.listdir(folder))
    child = os.fork()
    if child == 0:
        train()
        os._exit(0)
    until = time.monotonic() + 0.3  # or soon after a new checkpoint
    while time.monotonic() < until and set(os.listdir(folder)) <= before:
        time.sleep(0.005)
    time.sleep(drawn.uniform(0, 0.08))
    os.kill(child, signal.SIGKILL)
    if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        hits += 1
        gone_on += any(name.startswith("checkpoint-") for name in before)
    else:  # a fast machine had finished: another run
        check(train())
        shutil.rmtree(folder)
        os.mkdir(folder)
check(train())
print(json.dumps({"hits": hits, "gone_on": gone_on}))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kind", ["Word2Vec", "FastText"])
def test_ten_kills_at_any_moment_change_no_bit(kind, tmp_path):
    seed = int.from_bytes(os.urandom(4), "little")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(DRIVER), str(tmp_path), kind, str(seed), "10"],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(pyw2v.__file__).parents[1])},
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    found = json.loads(done.stdout)
    assert found["hits"] == 10
    assert found["gone_on"] > 0


class Stop:
    """Saves and stops after so many epochs."""

    def __init__(self, epochs, path=None, error=StopTraining):
        self.left, self.path, self.error = epochs, path, error

    def on_epoch_end(self, model):
        self.left -= 1
        if self.left == 0:
            if self.path is not None:
                model.save(self.path)
            raise self.error


@pytest.mark.parametrize("cls", [Word2Vec, FastText])
@pytest.mark.parametrize("how", ["stopped", "saved in a callback", "Ctrl-C", "pickled"])
def test_two_of_four_epochs_and_the_other_two_are_four_in_one_go(cls, how, tmp_path):
    settings = SETTINGS | ({"bucket": 500} if cls is FastText else {})
    path = tmp_path / "model"
    stop = Stop(2, path, KeyboardInterrupt if how == "Ctrl-C" else StopTraining)
    try:
        model = cls(SENTENCES, **settings, callbacks=[stop])
    except KeyboardInterrupt as interrupt:
        model = interrupt.model
    if how == "saved in a callback":
        model = cls.load(path)
        assert native.load(path).settings["run"]["epochs_done"] == 2
    elif how == "pickled":
        assert len(pickle.dumps(model)) < 300_000  # no corpus in it
        model = pickle.loads(pickle.dumps(model))
    else:
        model.save(path)
        model = cls.load(path)
    assert (model.epochs_trained, model.epochs) == (2, 4)
    whole = cls(SENTENCES, **settings)
    assert model.train(SENTENCES, resume=True)[1] == 4 * 20 * len(SENTENCES)
    assert_equal(model, whole)
    assert model.epochs_trained == 4
    # What comes after is not changed, either.
    for each in (model, whole):
        each.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)
    assert_equal(model, whole)


def test_train_without_resume_begins_anew_as_ever():
    stopped, again = (Word2Vec(SENTENCES, **SETTINGS, callbacks=[Stop(2)]) for _ in range(2))
    again._run_record = None
    for model in (stopped, again):
        model.train(SENTENCES, total_examples=len(SENTENCES), epochs=2)
    assert_equal(stopped, again)


def test_resume_says_what_it_needs(tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS)
    with pytest.raises(ValueError, match="no unfinished call"):
        model.train(SENTENCES, resume=True)
    model = Word2Vec(SENTENCES, **SETTINGS, callbacks=[Stop(1)])
    with pytest.raises(ValueError, match="epochs, start_alpha and end_alpha must be left out"):
        model.train(SENTENCES, resume=True, epochs=5)
    model.build_vocab([["new", "words"] * 9], update=True)
    with pytest.raises(ValueError, match="no unfinished call"):
        model.train(SENTENCES, resume=True)
    with pytest.raises(FileNotFoundError, match="no checkpoint in this folder"):
        Word2Vec.resume(tmp_path / "none", SENTENCES)
    with pytest.raises(AttributeError, match="called on the class"):
        model.resume(tmp_path, SENTENCES)
    exact = {"engine": "word2vec.c", "sample": 0, "min_count": 1}
    with pytest.raises(ValueError, match="checkpoint"):
        Word2Vec(SENTENCES[:9], **exact, checkpoint=tmp_path)
    stopped = Word2Vec(SENTENCES[:9], **exact, epochs=3, callbacks=[Stop(1)])
    with pytest.raises(ValueError, match="resume"):
        stopped.train(SENTENCES[:9], resume=True)


@pytest.fixture
def half(tmp_path, monkeypatch):
    """A folder with two checkpoints, the newest after two of four epochs."""
    folder = tmp_path / "half"
    monkeypatch.setattr(checkpoint.Checkpoints, "_in_background", lambda self, work: work())
    with pytest.raises(KeyError):
        Word2Vec(
            SENTENCES,
            **SETTINGS,
            callbacks=[Stop(3, error=KeyError)],
            checkpoint=folder,
            checkpoint_every=1,
        )
    monkeypatch.undo()
    names = [path.name for path in sorted(folder.iterdir())]
    assert names == ["checkpoint-000001.safetensors", "checkpoint-000002.safetensors"]
    return folder


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (SENTENCES[1:], "it had 30000 words, these are 29980"),
        ([SENTENCES[0] + SENTENCES[1], *SENTENCES[2:]], "1500 sentences, these are 1499"),
        (SENTENCES[::-1], "these are as many, .* but others, or in another order"),
    ],
)
def test_another_corpus_is_refused(half, corpus, message):
    with pytest.raises(ValueError, match=message):
        Word2Vec.resume(half, corpus)
    with pytest.raises(TypeError, match="is not over: resume needs its corpus"):
        Word2Vec.resume(half)


def test_epochs_are_a_schedule_too_and_generators_and_files_a_corpus(half, tmp_path):
    whole = Word2Vec(SENTENCES, **SETTINGS)
    text = tmp_path / "corpus.txt"
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in SENTENCES))
    for number, source in enumerate(
        ({"sentences": iter(SENTENCES)}, {"corpus_file": text}, {"sentences": SENTENCES})
    ):
        folder = tmp_path / str(number)
        shutil.copytree(half, folder)
        counted = Stop(9)
        model = Word2Vec.resume(folder, **source, callbacks=[counted], workers=1)
        assert_equal(model, whole)
        assert counted.left == 7
        over = Word2Vec.resume(folder)  # needs no corpus
        assert_equal(over, whole)
        with pytest.raises(ValueError, match="no unfinished call"):
            over.train(SENTENCES, resume=True)


def test_a_corpus_in_a_temporary_file_is_gone_on_with(half):
    for path in half.iterdir():
        file = native.load(path)
        native.save(path, file.tensors, file.words, file.settings | {"max_memory": 0})
    assert_equal(Word2Vec.resume(half, SENTENCES), Word2Vec(SENTENCES, **SETTINGS))


def test_of_a_damaged_newest_checkpoint_the_one_before_is_taken(half):
    newest = half / "checkpoint-000002.safetensors"
    newest.write_bytes(newest.read_bytes()[:-100])
    with pytest.warns(UserWarning, match="000002.*cannot be read, the checkpoint before it"):
        model = Word2Vec.resume(half, SENTENCES)
    assert_equal(model, Word2Vec(SENTENCES, **SETTINGS))


@pytest.mark.parametrize(
    "damage",
    [
        {"seed": -1},
        {"epochs_done": 9},
        {"place": [1]},
        {"place": [0, "x", 0, 0]},
        {"data": 5},
        {"total_tokens": "many"},
        {"total_tokens": float("nan")},
    ],
)
def test_a_damaged_record_is_an_error_that_says_so(half, damage):
    path = half / "checkpoint-000002.safetensors"
    file = native.load(path)
    run = file.settings["run"] | damage
    native.save(path, file.tensors, file.words, file.settings | {"run": run})
    with pytest.raises(ValueError, match=r"000002.*record of the run is damaged"):
        Word2Vec.load(path)


def test_a_folder_of_another_run_is_refused(half):
    with pytest.raises(ValueError, match="checkpoints of another run: resume that one, or give"):
        Word2Vec(SENTENCES, **SETTINGS, checkpoint=half)
    other = Word2Vec(SENTENCES, **SETTINGS)
    with pytest.raises(ValueError, match="checkpoints of another run"):
        other.train(SENTENCES, total_examples=9, epochs=1, checkpoint=half)


@pytest.mark.parametrize("every", ["10", "m", "-1s", "0s", "1 m", "", "nans", 0, -1])
def test_a_schedule_that_is_none_is_refused(every, tmp_path):
    with pytest.raises(ValueError, match="checkpoint_every must be"):
        Word2Vec(SENTENCES, checkpoint=tmp_path, checkpoint_every=every)


def test_schedules_are_times_or_epochs():
    found = [checkpoint.interval(every) for every in ("30s", "10m", "1.5h", 3)]
    assert found == [(30, 0), (600, 0), (5400, 0), (float("inf"), 3)]
    with pytest.raises(TypeError, match="checkpoint_every must be an integer"):
        checkpoint.interval(1.5)


def test_training_survives_a_full_disk_and_keeps_the_checkpoints_there_are(tmp_path, monkeypatch):
    save = native.save

    def fails(path, *contents):
        if "checkpoint-000003" in str(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        save(path, *contents)

    monkeypatch.setattr(checkpoint.native, "save", fails)
    monkeypatch.setattr(checkpoint.Checkpoints, "_in_background", lambda self, work: work())
    with pytest.warns(UserWarning, match="checkpoint could not be written.*No space left"):
        model = Word2Vec(SENTENCES, **SETTINGS, checkpoint=tmp_path, checkpoint_every=1)
    assert_equal(model, Word2Vec(SENTENCES, **SETTINGS))
    assert sorted(os.listdir(tmp_path)) == [checkpoint._NAME.format(n) for n in (1, 2)]
    assert Word2Vec.load(tmp_path / checkpoint._NAME.format(2)).epochs_trained == 2


def test_ctrl_c_in_the_middle_of_an_epoch_leaves_a_checkpoint_to_go_on_from(tmp_path, monkeypatch):
    def interrupt(self, done, note=""):
        if done > 30_000 and done % 30_000:
            raise KeyboardInterrupt

    monkeypatch.setattr(pyw2v.progress.Progress, "update", interrupt)
    monkeypatch.setattr(pyw2v._runs.epochs, "_POLL_SECONDS", 0.001)
    monkeypatch.setattr(pyw2v._runs.record, "_SOON", 60)  # under any load
    settings = SETTINGS | {"objective": "softmax", "epochs": 2}
    with pytest.raises(KeyboardInterrupt) as stop:
        Word2Vec(SENTENCES, **settings, checkpoint=tmp_path)
    monkeypatch.undo()
    whole = Word2Vec(SENTENCES, **settings)
    record = stop.value.model._run_record
    assert record.place.epoch == 1
    assert record.place.piece > 0
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-000001.safetensors"]
    assert_equal(Word2Vec.resume(tmp_path, SENTENCES), whole)
    stop.value.model.train(SENTENCES, resume=True)
    assert_equal(stop.value.model, whole)


def test_a_run_that_ended_with_its_best_weights_is_over(tmp_path):
    scores = iter([2, 1, 0])
    stop = EarlyStopping(lambda _: next(scores), restore_best=True)
    model = Word2Vec(SENTENCES, **SETTINGS, callbacks=[stop], checkpoint=tmp_path)
    assert model.epochs_trained == 3
    assert_equal(Word2Vec.resume(tmp_path), model)
    with pytest.raises(ValueError, match="no unfinished call"):
        model.train(SENTENCES, resume=True)


def test_several_workers_end_near_the_same_loss(half):
    whole = Word2Vec(SENTENCES, **SETTINGS)
    model = Word2Vec.resume(half, SENTENCES, workers=2)
    assert model.loss_history[:2] == whole.loss_history[:2]
    np.testing.assert_allclose(model.loss_history, whole.loss_history, rtol=0.03)


def test_checkpoints_are_no_settings_and_without_a_corpus_ignored(tmp_path, caplog):
    Word2Vec(checkpoint=tmp_path / "none")
    assert "checkpoint are used only while" in caplog.text
    assert not (tmp_path / "none").exists()


def run_command(*args):
    return cli.main(list(map(str, args)))


@pytest.mark.filterwarnings("always:the run in")
def test_the_command_goes_on_from_a_folder_and_begins_where_that_is_empty(half, tmp_path, capsys):
    text = tmp_path / "corpus.txt"
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in SENTENCES))
    options = ["--dim", 12, "--min-count", 1, "--sample", "1e-2", "--workers", 1, "--epochs", 4]
    whole = Word2Vec(SENTENCES, **SETTINGS).wv.vectors
    for folder, more in ((half, ()), (tmp_path / "empty", ("--checkpoint-every", 1))):
        out = tmp_path / "vectors.kv"
        command = ["train", text, "-o", out, *options, "--checkpoint", folder, *more]
        assert run_command(*command, "--resume") == 0
        assert np.array_equal(KeyedVectors.load(out).vectors, whole)
        assert len(list(folder.iterdir())) == 2
        assert "was over" not in capsys.readouterr().err
        assert run_command(*command, "--resume") == 0
        assert f"the run in {folder} was over" in capsys.readouterr().err
        assert np.array_equal(KeyedVectors.load(out).vectors, whole)
        assert run_command(*command) == 1
        assert "checkpoints of another run" in capsys.readouterr().err
    assert run_command("info", half / "checkpoint-000002.safetensors") == 1  # gone
    assert run_command("info", max(half.iterdir())) == 0
    assert re.search(r"trained +4 of 4 epochs", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--resume"], "need --checkpoint"),
        (["--checkpoint-every", "3x", "--checkpoint", "x"], "checkpoint_every must be a time"),
    ],
)
def test_the_command_says_what_is_wrong_with_its_options(options, message, tmp_path, capsys):
    text = tmp_path / "corpus.txt"
    text.write_text("some words")
    try:
        code = run_command("train", text, "-o", tmp_path / "v.kv", *options)
    except SystemExit as left:
        code = left.code
    assert code in (1, 2)
    assert message in capsys.readouterr().err


GLOVE = {"vector_size": 12, "min_count": 1, "workers": 1, "epochs": 4, "seed": 3, "window": 5}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_checkpoint_of_glove_leads_to_the_bits_of_the_whole_run(dtype, tmp_path, keep_all):
    settings = GLOVE | {"dtype": dtype, "vector_size": 100}
    whole = GloVe(SENTENCES, **settings)
    folder = tmp_path / "all"
    assert_equal(GloVe(SENTENCES, **settings, checkpoint=folder), whole)
    files = sorted(folder.iterdir())[:-1]
    assert len(files) >= 4
    for number, path in enumerate(files[1 :: max(1, len(files) // 3)]):
        one = tmp_path / str(number)
        one.mkdir()
        shutil.copy(path, one)
        resumed = GloVe.resume(one, SENTENCES)
        assert_equal(resumed, whole)
        assert resumed.cooccurrence is not None


def test_two_of_four_epochs_of_glove_and_the_other_two_are_four_in_one_go(tmp_path):
    counts = CooccurrenceMatrix.from_corpus(SENTENCES, window=5, min_count=1)
    whole = GloVe.from_cooccurrence(counts, **GLOVE)
    path = tmp_path / "model"
    stopped = GloVe.from_cooccurrence(counts, **GLOVE, callbacks=[Stop(2, path)])
    assert native.load(path).settings["run"]["epochs_done"] == 2
    loaded = GloVe.load(path)
    with pytest.raises(ValueError, match="resume=True goes on as the run began"):
        loaded.train(counts, resume=True, epochs=2)
    with pytest.raises(ValueError, match="a run goes on with the data it began with"):
        loaded.train(sentences=SENTENCES[1:], resume=True)
    loaded.train(counts, resume=True)
    stopped.train(resume=True)
    for model in (loaded, stopped):
        assert_equal(model, whole)
        with pytest.raises(ValueError, match="no unfinished call"):
            model.train(counts, resume=True)
        model.train(counts, epochs=1)
    whole.train(epochs=1)
    assert_equal(loaded, whole)


def test_a_folder_of_glove_that_is_over_needs_no_counts(tmp_path):
    model = GloVe(SENTENCES, **GLOVE, checkpoint=tmp_path, checkpoint_every=2)
    assert_equal(GloVe.resume(tmp_path), model)
    with pytest.raises(ValueError, match="holds GloVe"):
        Word2Vec.resume(tmp_path)
