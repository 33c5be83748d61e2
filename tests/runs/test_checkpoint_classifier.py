"""Checkpoints of text classifiers, and fits that go on from them to the same bits."""

import shutil

import numpy as np
import pytest

from pyw2v import StopTraining, TextClassifier
from pyw2v._runs import checkpoint
from pyw2v.io import native

RNG = np.random.default_rng(7)
LABELS = RNG.integers(5, size=900)
TEXTS = [
    " ".join(f"word{label * 3 + i % 7}" for i in RNG.geometric(0.2, size=12)) for label in LABELS
]
WEIGHTS = RNG.uniform(0.5, 2, size=len(TEXTS))
SETTINGS = {"dim": 10, "lr": 0.3, "epochs": 5, "workers": 1, "seed": 4}
NGRAMS = {"word_ngrams": 2, "min_n": 2, "max_n": 3, "bucket": 400}
INDICATOR = np.eye(5, dtype=int)[LABELS]
KINDS = {
    "softmax": ({}, LABELS, None),
    "n-grams": (NGRAMS, LABELS, None),
    "hs": ({"loss": "hs", "min_count": 3}, [f"l{i}" for i in LABELS], WEIGHTS),
    "ns": ({"loss": "ns", "class_weight": {0: 2.0, 3: 0.5}}, LABELS, None),
    "ova": (NGRAMS, INDICATOR, None),
    "not shuffled": ({"shuffle": False, "class_weight": "balanced"}, LABELS, WEIGHTS),
    "chosen rate": ({"lr": None, "epochs": None}, LABELS, None),
}


def assert_equal(model, other):
    assert model.loss_history_ == other.loss_history_
    assert (model.lr_, model.epochs_) == (other.lr_, other.epochs_)
    assert np.array_equal(model.data.output, other.data.output)
    assert np.array_equal(model._fitted.input_rows, other._fitted.input_rows)
    assert np.array_equal(model.predict(TEXTS), other.predict(TEXTS))


@pytest.fixture
def keep_all(monkeypatch):
    def due_after_writing(self, epoch=None):
        self._join()
        return True

    monkeypatch.setattr(checkpoint, "_KEPT", 10**6)
    monkeypatch.setattr(checkpoint.Checkpoints, "seconds_left", lambda self: 0.0)
    monkeypatch.setattr(checkpoint.Checkpoints, "is_due", due_after_writing)


@pytest.mark.filterwarnings("ignore:the classifier has hardly")
@pytest.mark.parametrize("kind", KINDS)
def test_every_checkpoint_leads_to_the_bits_of_the_fit_that_nothing_stopped(
    kind, tmp_path, keep_all
):
    settings, y, weights = KINDS[kind]
    settings = SETTINGS | settings
    whole = TextClassifier(**settings).fit(TEXTS, y, weights)
    folder = tmp_path / "all"
    model = TextClassifier(**settings).fit(TEXTS, y, weights, checkpoint=folder)
    assert_equal(model, whole)
    files = sorted(folder.iterdir())[:-1]
    assert len(files) >= 5  # one before each epoch, and most of the time more within
    for number, path in enumerate(files[:: len(files) // 4]):
        one = tmp_path / str(number)
        one.mkdir()
        shutil.copy(path, one)
        assert_equal(TextClassifier.resume(one, TEXTS, y, weights), whole)


class Stop:
    def __init__(self, path):
        self.path = path

    def on_epoch_end(self, model):
        if len(model.loss_history_) % 5 == 2:
            model.save(self.path)
            raise StopTraining


@pytest.mark.parametrize("kind", ["n-grams", "ns"])
def test_two_of_five_epochs_and_the_other_three_are_five_in_one_go(kind, tmp_path):
    settings, y, weights = KINDS[kind]
    whole = TextClassifier(**SETTINGS | settings).fit(TEXTS, y, weights)
    path = tmp_path / "model"
    stopped = TextClassifier(**SETTINGS | settings).fit(TEXTS, y, weights, callbacks=[Stop(path)])
    assert native.load(path).settings["run"]["epochs_done"] == 2
    assert len(stopped.loss_history_) == 2
    loaded = TextClassifier.load(path)
    assert TextClassifier().epochs_trained == 0
    for model in (stopped, loaded):
        assert (model.epochs_trained, model.epochs_) == (2, 5)
        assert_equal(model.fit(TEXTS, y, weights, resume=True), whole)
        with pytest.raises(ValueError, match="no unfinished call of fit"):
            model.fit(TEXTS, y, weights, resume=True)


def test_other_texts_labels_and_weights_are_refused(tmp_path):
    path = tmp_path / "model"
    model = TextClassifier(**SETTINGS).fit(TEXTS, LABELS, WEIGHTS, callbacks=[Stop(path)])
    before = model.predict_proba(TEXTS)
    others = [text.replace("word3", "other") for text in TEXTS]
    for X, y, weights in (
        (TEXTS[1:], LABELS[1:], WEIGHTS[1:]),
        (TEXTS, LABELS[::-1], WEIGHTS),
        (others, LABELS, WEIGHTS),
        (TEXTS, LABELS, WEIGHTS[::-1]),
        (TEXTS, LABELS, None),
    ):
        with pytest.raises(ValueError, match="a run goes on with the data it began with"):
            model.fit(X, y, weights, resume=True)
        assert np.array_equal(model.predict_proba(TEXTS), before)
    assert len(model.fit(TEXTS, LABELS, WEIGHTS, resume=True).loss_history_) == 5


def test_a_file_of_lines_is_gone_on_with_and_a_finished_run_needs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint.Checkpoints, "_in_background", lambda self, work: work())
    text = tmp_path / "lines.txt"
    lines = zip(LABELS, TEXTS, strict=True)
    text.write_text("".join(f"__label__{label} {line}\n" for label, line in lines))
    whole = TextClassifier(**SETTINGS).fit(text)
    folder = tmp_path / "folder"

    class Fails:
        def on_epoch_end(self, model):
            if len(model.loss_history_) == 3:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        TextClassifier(**SETTINGS).fit(
            text, callbacks=[Fails()], checkpoint=folder, checkpoint_every=1
        )
    with pytest.raises(TypeError, match="is not over: resume needs its texts"):
        TextClassifier.resume(folder)
    assert_equal(TextClassifier.resume(folder, text, workers=1), whole)
    assert_equal(TextClassifier.resume(folder), whole)
    with pytest.raises(ValueError, match="checkpoints of another run"):
        TextClassifier(**SETTINGS).fit(text, checkpoint=folder)
