"""Learning rate and epochs that TextClassifier chooses by the data; its warning of poor fits."""

import math
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pyw2v import TextClassifier, fasttext
from pyw2v.classifier.schedule import Schedule, choose, loss_of_guessing

EVEN = np.full(4, 500)


def topics(n, seed, n_labels=4):
    """Texts of 40 words, most of them common; a few come from the ones that the topic favours."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_labels, size=n)
    texts = []
    for label in labels:
        words = [f"w{i}" for i in np.minimum(rng.zipf(1.3, size=34), 3000)]
        words += [f"of{label}-{i}" for i in np.minimum(rng.zipf(1.3, size=6), 300)]
        texts.append(" ".join(words))
    return texts, labels


@pytest.mark.parametrize("features", [{}, {"word_ngrams": 2}], ids=["words", "pairs"])
@pytest.mark.parametrize("loss", [None, "hs", "ns", "ova"])
@pytest.mark.parametrize("n", [100, 1000])
def test_defaults_learn_small_sets_that_fasttexts_numbers_do_not(n, loss, features):
    train, test = topics(n, 1), topics(300, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TextClassifier(loss=loss, workers=1, **features).fit(*train)
    assert model.score(*test) > 0.95
    if n == 100:
        with pytest.warns(UserWarning, match="hardly learnt"):
            old = TextClassifier(lr=0.1, epochs=5, loss=loss, workers=1, **features).fit(*train)
        assert old.score(*test) < 0.7


def test_a_handful_of_texts_is_learnt():
    texts, labels = ["a fine film", "fine acting", "a dull film", "dull and long"], [1, 1, 0, 0]
    model = TextClassifier(workers=1).fit(texts, labels)
    assert model.predict_proba(["a fine film", "a dull film"])[[0, 1], [1, 0]].min() > 0.9


@pytest.mark.parametrize(
    ("n_texts", "labels", "expected"),
    [
        (4, 4, (1.0, 100)),
        (200, 4, (1.0, 100)),
        (1000, 4, (1.0, 20)),
        (10_000, 4, (0.4, 5)),
        (40_000, 4, (0.1, 5)),
        (10**8, 4, (0.1, 5)),
        (10_000, 20, (1.0, 10)),
        (60_000, 1000, (1.0, 8)),  # half a million texts are read
        (10**6, 1000, (1.0, 5)),
    ],
)
def test_the_rule(n_texts, labels, expected):
    found = choose(None, None, n_texts, np.full(labels, 7), 1)
    assert_allclose((found.lr, found.epochs), expected, rtol=1e-6)


def test_pairs_of_words_take_twice_the_updates():
    assert choose(None, None, 1000, EVEN, 2) == Schedule(1.0, 40)


def test_rare_labels_count_for_little():
    counts = np.array([500] * 4 + [1] * 10)
    assert choose(None, None, 1000, counts, 1).epochs < 24
    assert choose(None, None, 1000, np.full(14, 500), 1).epochs == 70
    assert choose(None, None, 1000, np.append(EVEN, 0), 1) == choose(None, None, 1000, EVEN, 1)


def test_one_setting_is_chosen_for_the_other():
    assert choose(0.5, None, 1000, EVEN, 1) == Schedule(0.5, 40)
    assert choose(None, 50, 1000, EVEN, 1) == Schedule(0.4, 50)
    assert choose(0.3, 7, 1000, EVEN, 1) == Schedule(0.3, 7)
    assert choose(0, None, 1000, EVEN, 1) == Schedule(0.0, 5)
    assert choose(None, 0, 1000, EVEN, 1).epochs == 0


def test_what_was_chosen_is_seen_saved_and_not_cloned(tmp_path):
    model = TextClassifier(workers=1).fit(*topics(500, 1))
    chosen = (model.lr_, model.epochs_)
    assert_allclose(chosen, (1.0, 40), atol=0.5)
    assert len(model.loss_history_) == model.epochs_ == model.data.args.epoch
    assert model.get_params()["lr"] is model.get_params()["epochs"] is None
    model.save(tmp_path / "model")
    for other in (TextClassifier.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert (other.lr_, other.epochs_) == chosen
        assert (other.lr, other.epochs, other.loss) == (None, None, None)
    copy = pytest.importorskip("sklearn.base").clone(model)
    assert (copy.lr, copy.epochs) == (None, None)
    assert not hasattr(copy, "lr_")
    given = TextClassifier(lr=0.5, epochs=3, workers=1).fit(*topics(500, 1))
    assert (given.lr_, given.epochs_) == (0.5, 3)


def test_later_text_is_learnt_at_a_lower_rate():
    texts, labels = topics(2000, 1)
    model = TextClassifier(workers=1)
    steps = []
    for at in range(0, 2000, 250):
        model.partial_fit(texts[at : at + 250], labels[at : at + 250])
        steps.append(model.lr_ * model.epochs_)
    assert steps == sorted(steps, reverse=True)
    assert_allclose(steps[-1], 20_000 / 2000, rtol=0.1)
    assert model.score(*topics(300, 2)) > 0.97


def test_fasttexts_names_keep_fasttexts_numbers(capfd):
    texts, labels = topics(100, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fasttext.train_supervised((texts, labels), thread=1)
    assert (model.lr, model.epoch) == (0.1, 5)
    assert capfd.readouterr().err == ""


def test_the_warning_tells_losses_and_what_to_do():
    texts, labels = topics(100, 1)
    with pytest.warns(UserWarning, match="hardly learnt") as caught:
        model = TextClassifier(lr=0.1, epochs=5, workers=1).fit(texts, labels)
    (warning,) = caught
    text = str(warning.message)
    assert f"{model.loss_history_[0]:.4f} in the first of 5 epochs" in text
    assert f"{model.loss_history_[-1]:.4f} in the last, with lr = 0.1" in text
    assert "autotune" in text
    assert warning.filename == __file__


@pytest.mark.parametrize("loss", ["softmax", "hs", "ns", "ova"])
def test_guessing_has_the_loss_of_a_model_that_is_told_nothing(loss):
    """Texts of one word, whatever their label: no model can do better, and a long training will."""
    rng = np.random.default_rng(3)
    labels = rng.choice(5, p=[0.5, 0.2, 0.15, 0.1, 0.05], size=3000)
    with pytest.warns(UserWarning, match="that of guessing is"):
        model = TextClassifier(loss=loss, lr=0.1, epochs=20, workers=1).fit(["x"] * 3000, labels)
    guess = loss_of_guessing(loss, model.data.label_counts, 3000, 5)
    assert_allclose(model.loss_history_[-1], guess, rtol=0.02)


def test_guessing_among_even_labels_is_the_logarithm_of_their_number():
    assert_allclose(loss_of_guessing("softmax", EVEN, 2000, 5), math.log(4))
    assert_allclose(loss_of_guessing("hs", EVEN, 2000, 5), math.log(4))
    by_one = math.log(4) + 3 * math.log(4 / 3)
    assert_allclose(loss_of_guessing("ova", EVEN, 2000, 5), by_one)


def test_an_only_label_and_a_rate_of_0_are_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for loss in ("softmax", "hs", "ova"):
            TextClassifier(loss=loss, workers=1).fit(["a b", "c d"], ["x", "x"])
        TextClassifier(lr=0, epochs=1, workers=1).fit(["a b", "c d"], ["x", "y"])
        TextClassifier(epochs=0, workers=1).fit(["a b", "c d"], ["x", "y"])


def test_lines_without_labels_are_not_counted_among_those_to_guess():
    texts, labels = topics(100, 1)
    lines = [f"__label__{label} {text}" for text, label in zip(texts, labels, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TextClassifier(loss="ova", workers=1).fit(lines + ["w1 w2"] * 2000)
