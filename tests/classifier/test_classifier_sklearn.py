"""TextClassifier as an estimator of scikit-learn."""

import importlib

import pytest

from pyw2v import TextClassifier


def test_parameters_are_scikit_learns_way():
    model = TextClassifier(dim=7, loss="ova")
    assert model.get_params()["dim"] == 7
    assert TextClassifier(**model.get_params()).get_params() == model.get_params()
    assert model.set_params(lr=0.3).lr == 0.3
    assert repr(model) == "TextClassifier(dim=7, lr=0.3, loss='ova')"
    with pytest.raises(ValueError, match="no parameter 'size'"):
        model.set_params(size=3)


def test_is_a_classifier_to_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    exceptions, selection, pipelines, preprocessing, validation = (
        importlib.import_module(f"sklearn.{name}")
        for name in [
            "exceptions",
            "model_selection",
            "pipeline",
            "preprocessing",
            "utils.validation",
        ]
    )
    texts = ["good fine day", "bad poor night", "fine and good", "poor and bad"] * 15
    labels = ["up", "down", "up", "down"] * 15
    model = TextClassifier(dim=10, lr=0.5, epochs=20, bucket=5000, workers=1)
    assert base.is_classifier(model)
    with pytest.raises(exceptions.NotFittedError):
        validation.check_is_fitted(model)
    for scoring in (None, "f1_macro", "neg_log_loss"):
        scores = selection.cross_val_score(model, texts, labels, cv=3, scoring=scoring)
        assert scores.min() > (-0.5 if scoring == "neg_log_loss" else 0.9)
    lower = preprocessing.FunctionTransformer(lambda rows: [row.lower() for row in rows])
    pipeline = pipelines.make_pipeline(lower, base.clone(model)).fit(texts, labels)
    validation.check_is_fitted(pipeline)
    assert pipeline.score([text.upper() for text in texts], labels) == 1
    assert pipeline.predict_proba(["GOOD"]).shape == (1, 2)
    search = selection.GridSearchCV(model, {"dim": [2, 5]}, cv=2).fit(texts, labels)
    assert search.best_score_ > 0.9
