"""Callbacks of text classifiers, and early stopping of every model."""

import numpy as np
import pytest

from pyw2v import EarlyStopping, FastText, GloVe, StopTraining, TextClassifier, Word2Vec
from pyw2v.callbacks import HOOKS

LINES = [f"{word} {other}" for word in ("sun", "sea", "sand") for other in "abcdefgh"]
LINES += [f"{word} {other}" for word in ("snow", "ice", "frost") for other in "abcdefgh"]
LABELS = ["summer"] * 24 + ["winter"] * 24
SENTENCES = [line.split() for line in LINES] * 5
CLASSIFIER = {"dim": 8, "lr": 0.5, "epochs": 6, "workers": 1}


class EventLog:
    """Writes down every hook and what the model is then."""

    def __init__(self):
        self.hooks, self.results = [], []

    def __getattr__(self, name):
        if name not in HOOKS:
            raise AttributeError(name)

        def hook(model):
            self.hooks.append(name)
            self.results.append((model.score(LINES, LABELS), list(model.loss_history_)))
            assert len(model.predict_proba(LINES)) == len(LINES)

        return hook


def test_a_classifier_calls_the_hooks_and_predicts_in_them():
    log = EventLog()
    model = TextClassifier(**CLASSIFIER).fit(LINES, LABELS, callbacks=[log])
    middle = ["on_epoch_begin", "on_epoch_end"] * 6
    assert log.hooks == ["on_train_begin", *middle, "on_train_end"]
    scores, losses = zip(*log.results, strict=True)
    assert scores[-1] == 1.0 > scores[0]
    assert [len(history) for history in losses] == [0, *((n + 1) // 2 for n in range(12)), 6]
    assert model.loss_history_ == losses[-1]


def test_callbacks_change_no_bit_of_a_classifier():
    plain = TextClassifier(**CLASSIFIER, word_ngrams=2, bucket=99).fit(LINES, LABELS)
    watched = TextClassifier(**CLASSIFIER, word_ngrams=2, bucket=99)
    watched.fit(LINES, LABELS, callbacks=[EventLog()])
    assert watched.loss_history_ == plain.loss_history_
    assert np.array_equal(watched.data.output, plain.data.output)
    assert np.array_equal(watched.predict_proba(LINES), plain.predict_proba(LINES))


class Ends:
    def __init__(self, error):
        self.error = error

    def on_epoch_end(self, model):
        if len(model.loss_history_) == 2:
            raise self.error


def test_stop_training_ends_a_fit_early_and_another_error_undoes_it():
    model = TextClassifier(**CLASSIFIER).fit(LINES, LABELS, callbacks=[Ends(StopTraining)])
    assert len(model.loss_history_) == 2
    assert model.epochs_ == 6
    before = model.predict_proba(LINES)
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error) as raised:
            model.fit(LINES[::-1], LABELS, callbacks=[Ends(error)])
        assert np.array_equal(model.predict_proba(LINES), before)
        assert len(model.loss_history_) == 2
    assert not np.array_equal(raised.value.model.predict_proba(LINES), before)
    fresh = TextClassifier(**CLASSIFIER)
    with pytest.raises(RuntimeError):
        fresh.fit(LINES, LABELS, callbacks=[Ends(RuntimeError)])
    with pytest.raises(ValueError, match="not fitted yet"):
        fresh.predict(LINES)
    assert not hasattr(fresh, "lr_")
    with pytest.raises(KeyboardInterrupt) as raised:
        fresh.fit(LINES, LABELS, callbacks=[Ends(KeyboardInterrupt)])
    assert raised.value.model is fresh


def test_partial_fit_and_retrain_have_callbacks_too():
    model = TextClassifier(**CLASSIFIER)
    for train in (model.fit, model.partial_fit, model.retrain):
        log = EventLog()
        train(LINES, LABELS, callbacks=[log])
        assert log.hooks.count("on_epoch_end") == 6
    assert len(model.loss_history_) == 18


@pytest.mark.filterwarnings("ignore:an epoch had")
@pytest.mark.parametrize(
    "train",
    [
        lambda stop: Word2Vec(
            SENTENCES, vector_size=8, min_count=1, sample=0, workers=1, epochs=9, callbacks=[stop]
        ),
        lambda stop: FastText(
            SENTENCES, vector_size=8, min_count=1, sample=0, workers=1, epochs=9, callbacks=[stop]
        ),
        lambda stop: Word2Vec(
            SENTENCES, vector_size=8, min_count=1, sample=0, workers=1, epochs=9, callbacks=[stop],
            objective="class_softmax",
        ),
        lambda stop: GloVe(SENTENCES, min_count=1, workers=1, epochs=9, callbacks=[stop]),
        lambda stop: TextClassifier(**CLASSIFIER | {"epochs": 9}).fit(
            LINES, LABELS, callbacks=[stop]
        ),
    ],
    ids=["Word2Vec", "FastText", "class_softmax", "GloVe", "TextClassifier"],
)  # fmt: skip
def test_early_stopping_waits_and_restores_the_best(train):
    scores = iter([1.0, 3.0, 2.0, 3.05, float("nan")])
    kept = []

    def score(model):
        kept.append([array.copy() for array in model._learnt()])
        return next(scores)

    stop = EarlyStopping(score, patience=3, min_delta=0.1, restore_best=True)
    model = train(stop)
    assert stop.scores[:4] == [1.0, 3.0, 2.0, 3.05]
    assert len(stop.scores) == 5
    assert stop.best_epoch == 1
    for array, best, last in zip(model._learnt(), kept[1], kept[4], strict=True):
        assert np.array_equal(array, best)
        assert array.size == 1 or not np.array_equal(best, last)
    if isinstance(model, FastText):
        before = model.wv.vectors.copy()
        model.wv.adjust_vectors()
        assert np.array_equal(model.wv.vectors, before)
    record = model._run_record
    assert (record.epochs_done, record.epochs, record.unfinished) == (5, 9, False)


def test_early_stopping_goes_by_the_loss_by_default():
    stop = EarlyStopping(patience=2)
    # Without a rate nothing is learnt, so that nothing gets better.
    model = TextClassifier(**CLASSIFIER | {"lr": 0.0, "epochs": 50})
    model.fit(LINES, LABELS, callbacks=[stop])
    assert stop.scores == [-loss for loss in model.loss_history_]
    assert len(model.loss_history_) == 3
    # A callback is used again: every training begins anew.
    model.lr = 0.5
    model.fit(LINES, LABELS, callbacks=[stop])
    assert len(model.loss_history_) > 3


def test_early_stopping_says_what_is_wrong():
    with pytest.raises(TypeError, match="score must be a function of the model, got 'loss'"):
        EarlyStopping("loss")
    with pytest.raises(ValueError, match="patience must be at least 1, got 0"):
        EarlyStopping(patience=0)
    with pytest.raises(ValueError, match="min_delta must be at least 0"):
        EarlyStopping(min_delta=-1)
    with pytest.raises(ValueError, match="track_loss must be True"):
        Word2Vec(SENTENCES, min_count=1, sample=0, track_loss=False, callbacks=[EarlyStopping()])
