"""Precision and recall against fastText's own: tests/data/fasttext-meter.json.

The file was made with fastText 0.9.3: a classifier of three labels on 60 lines, with its
predictions of all labels, and what `get_meter(path, k)` said for k = 1 and k = -1.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v.classifier.meters import Meter

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "fasttext-meter.json").read_text())


def meter(k):
    true, predicted, scores = zip(*GOLDEN["lines"], strict=True)
    end = None if k < 0 else k
    return Meter(true, [p[:end] for p in predicted], [s[:end] for s in scores], 3)


def case(name):
    k, label = name.split()
    return meter(int(k)), None if label == "None" else int(label)


@pytest.mark.parametrize("name", GOLDEN["curves"])
def test_the_curve_is_fasttexts(name):
    of, label = case(name)
    assert_allclose(of.precision_recall_curve(label), GOLDEN["curves"][name])


@pytest.mark.parametrize("name", GOLDEN["at"])
def test_precision_at_recall_and_the_reverse_are_fasttexts(name):
    of, label = case(name)
    precisions, recalls = GOLDEN["at"][name]
    queries = GOLDEN["queries"]
    assert_allclose([of.precision_at_recall(q, label) for q in queries], precisions)
    assert_allclose([of.recall_at_precision(q, label) for q in queries], recalls)


def test_scores_rise_and_missed_labels_come_first():
    of, label = case("1 1")
    assert_allclose(of.score_vs_true(label), GOLDEN["scores"]["1 1"])


def test_precision_and_recall_are_fasttexts():
    of = meter(1)
    assert_allclose([of.precision(), of.recall()], GOLDEN["test"])
    assert of.n_lines == 60


def test_f1_is_the_harmonic_mean():
    of = meter(1)
    for label in (None, 0, 1, 2):
        p, r = of.precision(label), of.recall(label)
        assert of.f1_score(label) == pytest.approx(2 * p * r / (p + r))


def test_what_is_undefined_is_not_a_number():
    of = Meter([[0], [0, 1]], [[0], [0]], [[0.5], [0.25]], 3)
    assert of.recall(1) == 0
    assert np.isnan(of.precision(1))
    assert np.isnan(of.recall(2))
    assert np.isnan(of.f1_score(2))
    assert_array_equal(of.precision_recall_curve(2), np.empty((2, 0)))
    assert of.precision_at_recall(0.5, 2) == 0


def test_scores_above_one_count_as_one():
    """fastText adds 1e-5 to a probability."""
    of = Meter([[0], [1]], [[0], [0]], [[1.00001], [1.0]], 2)
    assert_array_equal(of.precision_recall_curve(0), [[0.5, 1.0], [1.0, 0.0]])


def test_no_lines_are_allowed_and_lines_must_agree():
    assert np.isnan(Meter([], [], [], 2).precision())
    with pytest.raises(ValueError, match="must be of the same lines, got 1, 0 and 0"):
        Meter([[0]], [], [], 2)
    with pytest.raises(ValueError, match="labels must be from 0 to 1"):
        Meter([[2]], [[0]], [[1.0]], 2)
