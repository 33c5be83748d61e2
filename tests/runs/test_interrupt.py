"""Ctrl-C during training: the exception carries a model, the command line says what is lost."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import pyw2v

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send Ctrl-C")

# Says when the second epoch starts, so that Ctrl-C comes in the middle of training.
BEGIN = """
import signal, sys
import numpy as np
import pyw2v, pyw2v.fasttext
from pyw2v import FastText, GloVe, TextClassifier, Word2Vec
from pyw2v._runs import training_run
from pyw2v.fasttext import _training as fasttext_training

signal.signal(signal.SIGINT, signal.default_int_handler)

said = []

def announced(run_epoch):
    def run(trainer, epoch, poll):
        if epoch == 1 and not said:
            said.append(True)
            print("begun", flush=True)
        return run_epoch(trainer, epoch, poll)
    return run

for module in (training_run, fasttext_training):
    module.run_epoch = announced(module.run_epoch)

drawn = np.random.default_rng(1).integers(50, size=(500, 20))
lines = [" ".join(f"word{i}" for i in row) for row in drawn]
sentences = [line.split() for line in lines]
long = {"epochs": 10**7, "workers": 2}
"""


def interrupted(code, *args):
    """Run code until it says that training has begun, press Ctrl-C; return what it did then."""
    child = subprocess.Popen(
        [sys.executable, "-c", BEGIN + textwrap.dedent(code), *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(pyw2v.__file__).parents[1])},
    )
    watchdog = threading.Timer(60, child.kill)
    watchdog.start()
    with child:
        for line in child.stdout:
            if line.endswith("begun\n"):
                break
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    watchdog.cancel()
    return child.returncode, out, err


WORDS = """
    assert np.isfinite(model.wv.vectors).all()
    assert len(model.wv) == 50 and model.wv.most_similar("word1")
    assert len(model.loss_history) >= 1
    model.save(sys.argv[1])
    assert np.array_equal(type(model).load(sys.argv[1]).wv.vectors, model.wv.vectors)
"""
TRAIN_ON = "model.train(sentences, total_examples=500, epochs=1)"
MODELS = {
    "Word2Vec": ("Word2Vec(sentences, sample=0, **long)", WORDS, TRAIN_ON),
    "Word2Vec.train": (
        "(first := Word2Vec(sentences, epochs=1, workers=1)).train("
        "sentences, total_examples=500, epochs=10**7)",
        WORDS + "    assert model is first\n",
        TRAIN_ON,
    ),
    "FastText": (
        "FastText(sentences, sample=0, bucket=100, **long)",
        WORDS
        + """
    before = np.array(model.wv.vectors)
    model.wv.adjust_vectors()
    assert np.array_equal(model.wv.vectors, before), "vectors lag behind their n-grams"
""",
        TRAIN_ON,
    ),
    "GloVe": ("GloVe(sentences, **long)", WORDS, "model.train(epochs=1)"),
    "TextClassifier": (
        "(first := TextClassifier(dim=10, **long)).fit(lines, ['yes', 'no'] * 250)",
        """
    assert model is first
    assert len(model.loss_history_) >= 1
    assert set(model.predict(lines)) <= {"yes", "no"}
    model.save(sys.argv[1])
    assert (TextClassifier.load(sys.argv[1]).predict(lines) == model.predict(lines)).all()
    model.epochs = 1
""",
        "model.partial_fit(lines, ['yes', 'no'] * 250)",
    ),
    "fasttext.train_unsupervised": (
        "pyw2v.fasttext.train_unsupervised(lines, epoch=10**7, bucket=100, thread=2)",
        """
    assert np.isfinite(model.get_word_vector("word1")).all()
    model.save_model(sys.argv[1])
    assert pyw2v.fasttext.load_model(sys.argv[1]).get_words() == model.get_words()
""",
        "model.get_nearest_neighbors('word1')",
    ),
    "fasttext.train_supervised": (
        "pyw2v.fasttext.train_supervised((lines, ['yes', 'no'] * 250), epoch=10**7, thread=2)",
        """
    assert model.predict("word1 word2")[0][0] in ("__label__yes", "__label__no")
    model.save_model(sys.argv[1])
""",
        "model.test_label",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_exception_carries_a_model_to_use_save_and_train_on(name, tmp_path):
    make, use, train_on = MODELS[name]
    code = f"""
try:
    {make}
except KeyboardInterrupt as stop:
    model = stop.model
    assert sum("stop.model" in note for note in stop.__notes__) == 1
if True:
{use}
    {train_on}
    print("usable")
"""
    returncode, out, err = interrupted(code, tmp_path / "saved")
    assert (returncode, out) == (0, "usable\n"), err


def test_without_a_handler_the_traceback_says_where_the_model_is():
    returncode, _, err = interrupted("Word2Vec(sentences, sample=0, **long)")
    assert returncode == -signal.SIGINT
    assert "model = stop.model" in err.splitlines()[-1]


def test_a_classifier_that_was_fitted_stays_as_it_was_and_another_has_the_rest():
    code = """
    labels = ["yes", "no"] * 250
    first = TextClassifier(dim=10, epochs=1, workers=1).fit(lines, labels)
    before, losses = first.predict_proba(lines), list(first.loss_history_)
    first.epochs = 10**7
    try:
        first.fit(lines, labels)
    except KeyboardInterrupt as stop:
        model = stop.model
    assert model is not first
    assert np.array_equal(first.predict_proba(lines), before)
    assert first.loss_history_ == losses
    assert not np.array_equal(model.predict_proba(lines), before)
    assert len(model.loss_history_) >= 1
    print("usable")
    """
    returncode, out, err = interrupted(textwrap.dedent(code))
    assert (returncode, out) == (0, "usable\n"), err


COMMANDS = {
    "train": "train {text} -o {out}.kv --sample 0 --epochs 10000000",
    "word2vec": "word2vec -train {text} -output {out}.kv -iter 10000000 -threads 2",
    "fasttext skipgram": "fasttext skipgram -input {text} -output {out} -epoch 10000000 -bucket 9",
    "fasttext supervised": "fasttext supervised -input {text} -output {out} -epoch 10000000",
    "glove train": "glove train {text} -save-file {out} -iter 10000000 -verbose 0",
}
WRITTEN = {"train": ".kv", "word2vec": ".kv", "glove train": ""}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_say_what_was_not_written(name, tmp_path):
    out, text = tmp_path / "out", tmp_path / "text"
    text.write_text("__label__yes some words of text here\n" * 400, encoding="utf-8")
    command = COMMANDS[name].format(text=text, out=out)
    code = "from pyw2v.cli import main\nsys.exit(main(sys.argv[1:]))"
    returncode, _, err = interrupted(code, *command.split())
    assert returncode == 130, err
    told = f"pyw2v: interrupted: {out}{WRITTEN.get(name, '.bin')} was not written"
    assert err.splitlines()[-1] == told
    assert os.listdir(tmp_path) == ["text"]
