"""Wrong calls of the classifier: what the error says."""

import numpy as np
import pytest

from pyw2v import TextClassifier
from pyw2v.classifier.autotune import autotune
from pyw2v.io import native

TEXTS, LABELS = ["good day", "bad night"] * 5, ["p", "n"] * 5


@pytest.fixture(scope="module")
def fitted():
    return TextClassifier(dim=4, epochs=1, workers=1).fit(TEXTS, LABELS)


LENGTHS = {
    "10 and 3": lambda: (TEXTS, LABELS[:3]),
    "3 and 10": lambda: (TEXTS[:3], LABELS),
    "10 and 0": lambda: (TEXTS, []),
    "more than 3 and 3": lambda: (iter(TEXTS), LABELS[:3]),
    "3 and more than 3": lambda: (iter(TEXTS[:3]), iter(LABELS)),
}


@pytest.mark.parametrize("found", LENGTHS)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "retrain"])
def test_rows_and_labels_of_other_lengths(fitted, method, found):
    with pytest.raises(ValueError, match=f"^X and y must be of one length, got {found}$"):
        getattr(fitted, method)(*LENGTHS[found]())


def test_no_rows_are_refused(fitted):
    for method in (fitted.fit, fitted.partial_fit, fitted.retrain):
        with pytest.raises(ValueError, match="X must hold at least one text, got none"):
            method([], [])


def test_an_unknown_argument_is_one_of_text_classifier():
    with pytest.raises(TypeError, match=r"TextClassifier\.__init__\(\) got .*'epoch'"):
        TextClassifier(epoch=3)
    with pytest.raises(TypeError, match=r"TextClassifier\.__init__\(\) takes 1 positional"):
        TextClassifier(3)
    with pytest.raises(ValueError, match="TextClassifier has no parameter 'epoch': dim, lr"):
        TextClassifier().set_params(epoch=3)


def test_an_unknown_argument_of_autotune_is_named():
    valid = {"X_valid": TEXTS, "y_valid": LABELS, "trials": 1}
    with pytest.raises(TypeError, match="autotune has no argument 'epoch', and TextClassifier no"):
        autotune(TEXTS, LABELS, **valid, epoch=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": 3}, "X must be a sequence of texts, got int"),
        ({"X": "bad"}, "y must be None with a path"),
        ({"y": 3}, "y must hold a label, or a list of them, for each row, got 3"),
        ({"y": LABELS[:3]}, "X and y must be of one length, got 10 and 3"),
        ({"metric": 3}, "metric must be f1,.*got 3"),
        ({"seed": "x"}, "seed must be an integer, got 'x'"),
        ({"X_valid": 3}, "X_valid must be a sequence of texts, got int"),
        ({"y_valid": 3}, "y_valid must hold a label, or a list of them, for each row, got 3"),
        ({"y_valid": "pn"}, "y_valid must hold a label, or a list of them, for each row, got 'pn'"),
        ({"y_valid": LABELS[:3]}, "X_valid and y_valid must be of one length, got 10 and 3"),
    ],
)
def test_wrong_data_of_autotune_is_named_before_any_trial(arguments, message):
    right = {"X": TEXTS, "y": LABELS, "X_valid": TEXTS, "y_valid": LABELS}
    with pytest.raises((TypeError, ValueError), match=message):
        autotune(**(right | arguments), trials=1)


def test_an_unknown_setting_in_a_file_is_named(fitted, tmp_path):
    path = tmp_path / "model"
    fitted.save(path)
    file = native.load(path)
    file.settings["settings"]["of_the_future"] = 1
    native.save(path, file.tensors, file.words, file.settings)
    with pytest.raises(ValueError, match=r"model.*unknown to TextClassifier: of_the_future"):
        TextClassifier.load(path)


def test_wrong_labels_are_named(fitted):
    for y in (3, "pn"):
        with pytest.raises(TypeError, match=f"y must hold a label.*got {y!r}"):
            fitted.score(["good"], y)
    with pytest.raises(TypeError, match="classes must be a list"):
        fitted.partial_fit(["good"], ["p"], classes=3)


def test_wrong_weights_are_named():
    with pytest.raises(TypeError, match="sample_weight must be numbers, got 'x'"):
        TextClassifier(dim=4).fit(TEXTS, LABELS, sample_weight="x")


def test_a_table_is_no_column_of_texts(fitted):
    """The texts were the names of its columns."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": TEXTS, "label": LABELS})
    for call in (
        lambda: fitted.predict(table),
        lambda: fitted.predict_proba(table[["text"]]),
        lambda: fitted.top(table),
        lambda: fitted.text_vectors(table),
        lambda: TextClassifier().fit(table, LABELS),
        lambda: fitted.score(table[["text"]], LABELS),
    ):
        with pytest.raises(TypeError, match=r"X must be one column of texts, got a DataFrame"):
            call()
    np.testing.assert_array_equal(fitted.predict(table["text"]), fitted.predict(TEXTS))
