"""Autotune on text that some settings learn better than others; and quantised classifiers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pyw2v import TextClassifier
from pyw2v.classifier import autotune
from pyw2v.io import fasttext_format


def rows(n, seed):
    """Which of two words comes first tells the label: single words tell nothing."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        first, second = rng.choice(["a", "b"]), f"w{rng.integers(300)}"
        order = rng.integers(2)
        texts.append(f"{first} {second}" if order else f"{second} {first}")
        labels.append("front" if order else "back")
    return texts, labels


TRAIN, VALID = rows(600, 1), rows(100, 2)
QUICK = {"workers": 1, "dim": 8, "bucket": 3000}


def test_the_best_of_the_trials_is_kept():
    best = autotune.autotune(*TRAIN, *VALID, seconds=None, trials=6, seed=3, **QUICK)
    assert len(best.trials) == 6
    assert best.score == max(trial.score for trial in best.trials)
    assert best.model.score(*VALID) == pytest.approx(best.score)
    assert best.settings["dim"] == 8
    assert best.model.get_params()["lr"] == best.settings["lr"]
    assert best.model.progress is None


def test_files_are_judged_as_rows_are(tmp_path):
    for name, (texts, labels) in (("train", TRAIN), ("valid", VALID)):
        lines = (f"__label__{label} {text}\n" for text, label in zip(texts, labels, strict=True))
        (tmp_path / name).write_text("".join(lines))
    best = autotune.autotune(
        tmp_path / "train",
        X_valid=tmp_path / "valid",
        seconds=None,
        trials=1,
        metric="f1:__label__front",
        **QUICK,
    )
    assert 0 <= best.score <= 1


def test_time_ends_the_running_trial():
    with pytest.raises(RuntimeError, match="no trial of 1 was finished: out of time"):
        autotune.autotune(*TRAIN, *VALID, seconds=0.2, epochs=1_000_000, workers=1)


@pytest.fixture
def second_trial_interrupted(monkeypatch):
    calls = []
    fit = TextClassifier.fit

    def fit_or_stop(model, *args):
        calls.append(model)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return fit(model, *args)

    monkeypatch.setattr(TextClassifier, "fit", fit_or_stop)
    return calls


def test_ctrl_c_returns_the_best_and_says_so(second_trial_interrupted):
    with pytest.warns(UserWarning, match="interrupted: the best of 1 finished trials"):
        best = autotune.autotune(*TRAIN, *VALID, seconds=None, trials=3, epochs=1, **QUICK)
    assert best.interrupted
    assert best.model is second_trial_interrupted[0]


def test_ctrl_c_raises_on_request(second_trial_interrupted):
    with pytest.raises(KeyboardInterrupt) as stop:
        autotune.autotune(
            *TRAIN, *VALID, seconds=None, trials=3, epochs=1, on_interrupt="raise", **QUICK
        )
    assert stop.value.model is second_trial_interrupted[0]
    with pytest.raises(ValueError, match="on_interrupt must be 'return' or 'raise', got 'stop'"):
        autotune.autotune(*TRAIN, *VALID, trials=1, on_interrupt="stop")


def test_a_limit_of_size_quantises(tmp_path):
    best = autotune.autotune(
        *TRAIN, *VALID, seconds=None, trials=1, model_size="30k", word_ngrams=2, **QUICK
    )
    fasttext_format.write(best.model.data, tmp_path / "small.ftz")
    assert best.model.data.is_quantized
    assert (tmp_path / "small.ftz").stat().st_size <= 30_000
    with pytest.raises(RuntimeError, match="it must have 256"):
        autotune.autotune(*TRAIN, *VALID, seconds=None, trials=1, model_size=100, **QUICK)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"metric": "f2"}, "metric must be"),
        ({"seconds": None}, "needs a limit"),
        ({"seconds": 0}, "seconds must be"),
        ({"trials": 0}, "trials must be"),
        ({"model_size": "2x"}, "model_size must be"),
        ({"metric": "f1:none", "trials": 1}, "'none'"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        autotune.autotune(*TRAIN, *VALID, **QUICK, **wrong)
    with pytest.raises(ValueError, match="one length, got 100 and 1"):
        autotune.autotune(*TRAIN, VALID[0], ["x"])
    with pytest.raises(ValueError, match="X_valid"):
        autotune.autotune(*TRAIN)


def test_sizes_are_decimal():
    assert [autotune.parse_size(s) for s in (12, "500k", "2M", "1G")] == [
        12,
        500_000,
        2 * 10**6,
        10**9,
    ]


def test_a_quantised_classifier_predicts_nearly_the_same():
    model = TextClassifier(word_ngrams=2, epochs=20, lr=0.5, **QUICK).fit(*TRAIN)
    before = model.predict_proba(VALID[0])
    small = model.quantize(qnorm=True)
    assert_allclose(small.predict_proba(VALID[0]), before, atol=0.3)
    assert small.data.is_quantized
    assert not model.data.is_quantized


def test_rows_that_are_left_can_be_trained_and_the_model_stays():
    model = TextClassifier(word_ngrams=2, epochs=20, lr=0.5, **QUICK).fit(*TRAIN)
    before = model.predict_proba(VALID[0])
    small = model.quantize(cutoff=400, retrain=True, X=TRAIN[0], y=TRAIN[1])
    assert len(small.data.input) == 400
    assert small.score(*TRAIN) > 0.8
    assert_allclose(model.predict_proba(VALID[0]), before)
    with pytest.raises(ValueError, match="retrain needs X"):
        model.quantize(cutoff=400, retrain=True)
