"""`model.f.getMeter`: precision and recall under the names of fastText's compiled module."""

from __future__ import annotations

from typing import Any

from pyw2v.classifier import meters

Pairs = list[tuple[float, float]]


class Meter:
    """The numbers of `classifier.meters.Meter`; labels are numbers, a negative one means all."""

    def __init__(self, meter: meters.Meter) -> None:
        self.numbers = meter

    def nexamples(self) -> int:
        """Lines with a label and a feature."""
        return self.numbers.n_lines

    def precision(self, label: int = -1) -> float:
        """Share of the predictions that are right; NaN if there are none."""
        return self.numbers.precision(_number(label))

    def recall(self, label: int = -1) -> float:
        """Share of the true labels that are predicted; NaN if there are none."""
        return self.numbers.recall(_number(label))

    def f1Score(self, label: int = -1) -> float:
        """Harmonic mean of both."""
        return self.numbers.f1_score(_number(label))

    def scoreVsTrue(self, label: int) -> Pairs:
        """Pairs (score, 1.0 if true), in ascending order."""
        return _pairs(self.numbers.score_vs_true(_number(label)))

    def precisionRecallCurve(self) -> Pairs:
        """Pairs (precision, recall), one for every threshold."""
        return _pairs(self.numbers.precision_recall_curve())

    def precisionRecallCurveLabel(self, label: int) -> Pairs:
        """The curve of one label."""
        return _pairs(self.numbers.precision_recall_curve(_number(label)))

    def precisionAtRecall(self, recall: float) -> float:
        """Best precision with at least this recall; 0 if there is none."""
        return self.numbers.precision_at_recall(recall)

    def precisionAtRecallLabel(self, label: int, recall: float) -> float:
        """The same for one label."""
        return self.numbers.precision_at_recall(recall, _number(label))

    def recallAtPrecision(self, precision: float) -> float:
        """Best recall with at least this precision; 0 if there is none."""
        return self.numbers.recall_at_precision(precision)

    def recallAtPrecisionLabel(self, label: int, precision: float) -> float:
        """The same for one label."""
        return self.numbers.recall_at_precision(precision, _number(label))


def _number(label: int) -> int | None:
    return None if label < 0 else label


def _pairs(columns: tuple[Any, Any]) -> Pairs:
    first, second = columns
    return list(zip(first.tolist(), second.tolist(), strict=True))
