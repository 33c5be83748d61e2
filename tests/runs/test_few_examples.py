"""Training on next to nothing says so: a loss that is not a number, and a warning with numbers."""

import logging
import math
import subprocess
import sys
import warnings

import numpy as np
import pytest

from pyw2v import FastText, GloVe, TextClassifier, Word2Vec

TEXT = [["the", "cat", "sat", "on", "the", "mat"], ["the", "dog", "sat", "on", "the", "rug"]]
WARNED = "an epoch had .* training examples"


def train(sentences=TEXT, kind=Word2Vec, **settings):
    return kind(sentences, **{"vector_size": 8, "min_count": 1, "workers": 1} | settings)


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
@pytest.mark.parametrize("sg", [0, 1])
def test_an_epoch_without_examples_has_no_loss(kind, sg):
    with pytest.warns(UserWarning, match=WARNED):
        model = train(kind=kind, sg=sg, sample=1e-9, epochs=3)
    assert len(model.loss_history) == 3
    assert np.isnan(model.loss_history).all()
    assert model.get_latest_training_loss() == 0  # a sum over no examples


def test_only_the_epochs_without_examples_have_none():
    with pytest.warns(UserWarning, match=WARNED):
        model = train(sg=1, epochs=40)
    known = [loss for loss in model.loss_history if not math.isnan(loss)]
    assert 0 < len(known) < 40
    assert min(known) > 1


def test_the_warning_has_the_numbers_and_the_remedy():
    with pytest.warns(UserWarning, match=WARNED) as caught:
        train(sample=1e-9)
    text = str(caught[0].message)
    assert text.startswith("an epoch had 0 training examples: of a text of 12 words 12 are in the")
    assert "of which sub-sampling (sample=1e-09) left 0" in text
    assert "pass sample=0" in text
    assert "min_count" not in text
    assert caught[0].filename == __file__


def test_min_count_is_named_where_it_left_too_little():
    sentences = [[f"rare{i}", f"rarer{i}", "often"] for i in range(9)]
    with pytest.warns(UserWarning, match=WARNED) as caught:
        train(sentences, min_count=5, sample=0)
    text = str(caught[0].message)
    assert "of a text of 27 words 9 are in the vocabulary" in text
    assert "min_count=1 (now 5)" in text
    assert "sample" not in text


def test_sentences_of_one_word_are_named():
    with pytest.warns(UserWarning, match="sentences of one word have no examples"):
        model = train([["a"], ["b"]] * 10, sample=0)
    assert np.isnan(model.loss_history).all()


@pytest.mark.parametrize("sg", [0, 1])
def test_what_can_be_learnt_is_learnt_without_a_warning(sg):
    model = train(sg=sg, sample=0)
    assert np.isfinite(model.loss_history).all()
    rng = np.random.default_rng(1)
    text = rng.zipf(1.5, size=(300, 20)).clip(max=3000).astype(str).tolist()
    train(text, sg=sg)


def test_one_more_sentence_for_a_large_model_is_no_reason_to_warn():
    model = train([[f"word{i}", f"word{i + 1}"] for i in range(2000)], sample=0)
    model.train([["word1", "word2", "word3"]], total_examples=1, epochs=1)


def test_callbacks_see_that_there_is_no_loss():
    seen = []

    class Watch:
        def on_epoch_end(self, model):
            seen.append(model.loss_history[-1])

    with pytest.warns(UserWarning, match=WARNED):
        train(sample=1e-9, epochs=2, callbacks=[Watch()])
    assert np.isnan(seen).all()


def test_progress_shows_no_loss_that_is_not_there(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.warns(UserWarning, match=WARNED):
        train(sample=1e-9, epochs=2, progress=True)
    shown = capsys.readouterr().err
    assert "epoch 2/2, no examples" in shown
    assert "nan" not in shown


def test_a_loss_that_is_not_there_survives_a_file(tmp_path):
    with pytest.warns(UserWarning, match=WARNED):
        model = train(sample=1e-9, epochs=2)
    model.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    assert np.isnan(loaded.loss_history).all()
    loaded.sample = 0
    loaded.train(TEXT, total_examples=2, epochs=1)
    assert np.isfinite(loaded.loss_history[-1])


def test_a_plain_script_shows_the_warning_once():
    code = f"from pyw2v import Word2Vec\nWord2Vec({TEXT!r}, min_count=1, sample=1e-9)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.count("UserWarning: an epoch had 0 training examples") == 1


def test_no_example_is_an_error_for_glove_and_classifiers():
    with pytest.raises(ValueError, match="nothing to train on: no two of 2 words"):
        GloVe([["a"], ["b"]], min_count=1)
    model = GloVe([["a", "b"]] * 3, min_count=1, epochs=1)
    none = np.array([], np.int32)
    for shuffle in (False, True):
        with pytest.raises(ValueError, match="nothing to train on: the counts have no entries"):
            model.train((none, none, none.astype(float)), shuffle=shuffle)
    assert len(model.loss_history) == 1
    classifier = TextClassifier(epochs=1, min_count=2).fit(["good day", "good day"], ["yes", "no"])
    with pytest.raises(ValueError, match="no line has both a label and a word"):
        classifier.retrain(["good"], ["unheard"])
    assert len(classifier.loss_history_) == 1


def test_stopping_before_the_first_epoch_warns_of_nothing(caplog):
    from pyw2v.callbacks import StopTraining  # noqa: PLC0415 (here alone)

    class Stop:
        def on_train_begin(self, model):
            raise StopTraining

    with caplog.at_level(logging.INFO), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train(callbacks=[Stop()]).loss_history == []
