"""Precision, recall and the curve between them, of predictions against true labels.

In go, line by line, the numbers of the true labels and the predicted labels with their scores; the
definitions are those of fastText's Meter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MISSED = -1.0  # score of a true label that was not predicted


class Meter:
    """Counts over all lines; `label` is a label's number, None stands for all labels together."""

    def __init__(
        self,
        true: Sequence[Sequence[int]],
        predicted: Sequence[ArrayLike],
        scores: Sequence[ArrayLike],
        n_labels: int,
    ) -> None:
        if not len(true) == len(predicted) == len(scores):
            raise ValueError(
                f"true labels, predicted labels and scores must be of the same lines, "
                f"got {len(true)}, {len(predicted)} and {len(scores)}"
            )
        self.n_lines = len(true)
        self._n_labels = n_labels
        true_keys = _keys(true, n_labels)  # line * n_labels + label: one number a pair
        keys = _keys(predicted, n_labels)
        self._hits = np.isin(keys, true_keys)
        self._labels = keys % max(n_labels, 1)
        self._scores = np.minimum(_joined(scores, np.float64), 1.0)
        self._true = true_keys % max(n_labels, 1)
        self._missed = self._true[~np.isin(true_keys, keys)]

    # -- one number ------------------------------------------------------------------------------

    def _counts(self, label: int | None) -> tuple[int, int, int]:
        """How many labels were predicted rightly, predicted, and true."""
        if label is None:
            return int(self._hits.sum()), len(self._labels), len(self._true)
        own = self._labels == label
        return int(self._hits[own].sum()), int(own.sum()), int((self._true == label).sum())

    def precision(self, label: int | None = None) -> float:
        """Share of the predicted labels that are true; NaN if none was predicted."""
        hits, predicted, _ = self._counts(label)
        return _ratio(hits, predicted)

    def recall(self, label: int | None = None) -> float:
        """Share of the true labels that were predicted; NaN if none is true."""
        hits, _, true = self._counts(label)
        return _ratio(hits, true)

    def f1_score(self, label: int | None = None) -> float:
        """Harmonic mean of precision and recall; NaN if nothing was predicted or true."""
        hits, predicted, true = self._counts(label)
        return _ratio(2 * hits, predicted + true)

    # -- over all thresholds ---------------------------------------------------------------------

    def score_vs_true(
        self, label: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores, rising, and 1 or 0 for right or wrong; a missed true label has score -1."""
        own = slice(None) if label is None else self._labels == label
        missed = len(self._missed) if label is None else int((self._missed == label).sum())
        scores = np.concatenate([np.full(missed, _MISSED), self._scores[own]])
        right = np.concatenate([np.ones(missed), self._hits[own]])
        order = np.lexsort((right, scores))
        return scores[order], right[order]

    def precision_recall_curve(
        self, label: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Precision and recall at each threshold, from the highest until every true label is found.

        A point (1, 0) ends the curve, as in fastText; without predictions there is none.
        """
        scores, right = self.score_vs_true(label)
        made = scores >= 0
        scores, right = scores[made][::-1], right[made][::-1]
        if not len(scores):
            return np.empty(0), np.empty(0)
        last = np.append(scores[1:] != scores[:-1], True)  # of equal scores
        hits, predicted = np.cumsum(right)[last], np.flatnonzero(last) + 1
        true = self._counts(label)[2]
        end = int(np.searchsorted(hits, true)) + 1
        precision = hits[:end] / predicted[:end]
        recall = hits[:end] / true if true else np.full(len(precision), np.nan)
        return np.append(precision, 1.0), np.append(recall, 0.0)

    def precision_at_recall(self, recall: float, label: int | None = None) -> float:
        """The best precision among thresholds of at least this recall; 0 if there is none."""
        precisions, recalls = self.precision_recall_curve(label)
        return float(precisions[recalls >= recall].max(initial=0))

    def recall_at_precision(self, precision: float, label: int | None = None) -> float:
        """The best recall among thresholds of at least this precision; 0 if there is none."""
        precisions, recalls = self.precision_recall_curve(label)
        return float(recalls[precisions >= precision].max(initial=0))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _joined(parts: Sequence[ArrayLike], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *(np.asarray(part, dtype) for part in parts)])


def _keys(labels: Sequence[Any], n_labels: int) -> NDArray[np.int64]:
    lines = np.repeat(np.arange(len(labels)), [len(part) for part in labels])
    joined: NDArray[np.int64] = _joined(labels, np.int64)
    if len(joined) and not 0 <= joined.min() <= joined.max() < n_labels:
        raise ValueError(f"labels must be from 0 to {n_labels - 1}")
    return lines * n_labels + joined
