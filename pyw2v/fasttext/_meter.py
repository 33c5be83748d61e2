"""Precision and recall of predictions, over all labels and of each; fastText's `Meter`."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_MISSED = -1.0  # the score of a true label that was not among the predictions

# Pairs (score, 1.0 if the label was true else 0.0).
Scores = list[tuple[float, float]]


@dataclass
class _Counts:
    gold: int = 0
    predicted: int = 0
    right: int = 0
    scores: Scores = field(default_factory=list)

    def precision(self) -> float:
        return self.right / self.predicted if self.predicted else math.nan

    def recall(self) -> float:
        return self.right / self.gold if self.gold else math.nan

    def f1(self) -> float:
        return (
            2 * self.right / (self.predicted + self.gold)
            if self.predicted + self.gold
            else math.nan
        )


class Meter:
    """Counts of predictions; under fastText's own names, since `model.f.getMeter` returns it."""

    def __init__(self) -> None:
        self._n_examples = 0
        self._all = _Counts()
        self._labels: defaultdict[int, _Counts] = defaultdict(_Counts)

    def log(self, gold: Sequence[int], predictions: Iterable[tuple[float, int]]) -> None:
        """Add a line: its true labels, and pairs (probability, label)."""
        self._n_examples += 1
        self._all.gold += len(gold)
        found = set()
        for score, label in predictions:
            right = label in gold
            found.add(label)
            for counts in (self._all, self._labels[label]):
                counts.predicted += 1
                counts.right += right
            self._labels[label].scores.append((min(score, 1.0), float(right)))
        for label in gold:
            self._labels[label].gold += 1
            if label not in found:
                self._labels[label].scores.append((_MISSED, 1.0))

    def nexamples(self) -> int:
        """Lines with a label and a feature."""
        return self._n_examples

    def precision(self, label: int | None = None) -> float:
        """Share of the predictions that are right; NaN if there are none."""
        return self._counts(label).precision()

    def recall(self, label: int | None = None) -> float:
        """Share of the true labels that are predicted; NaN if there are none."""
        return self._counts(label).recall()

    def f1Score(self, label: int | None = None) -> float:
        """Harmonic mean of both."""
        return self._counts(label).f1()

    def scoreVsTrue(self, label: int) -> Scores:
        """Pairs (score, 1.0 if true), in ascending order."""
        return sorted(self._labels[label].scores)

    def precisionRecallCurve(self) -> list[tuple[float, float]]:
        """Pairs (precision, recall), one for every threshold."""
        return self._curve(None)

    def precisionRecallCurveLabel(self, label: int) -> list[tuple[float, float]]:
        """The curve of one label."""
        return self._curve(label)

    def precisionAtRecall(self, recall: float) -> float:
        """Best precision with at least this recall; 0 if there is none."""
        return self._best_precision(None, recall)

    def precisionAtRecallLabel(self, label: int, recall: float) -> float:
        """The same for one label."""
        return self._best_precision(label, recall)

    def recallAtPrecision(self, precision: float) -> float:
        """Best recall with at least this precision; 0 if there is none."""
        return self._best_recall(None, precision)

    def recallAtPrecisionLabel(self, label: int, precision: float) -> float:
        """The same for one label."""
        return self._best_recall(label, precision)

    def _counts(self, label: int | None) -> _Counts:
        return self._all if label is None else self._labels[label]

    def _scores(self, label: int | None) -> Scores:
        if label is not None:
            return self.scoreVsTrue(label)
        return sorted(score for counts in self._labels.values() for score in counts.scores)

    def _positives(self, label: int | None) -> list[tuple[int, int]]:
        """Right and wrong predictions above each threshold, from the highest down."""
        result: list[tuple[int, int]] = []
        right = wrong = 0
        last = math.nan
        for score, is_right in reversed(self._scores(label)):
            if score < 0:
                break
            right += is_right == 1
            wrong += is_right != 1
            if score == last:
                result.pop()  # one threshold for equal scores
            result.append((right, wrong))
            last = score
        return result

    def _curve(self, label: int | None) -> list[tuple[float, float]]:
        positives = self._positives(label)
        if not positives:
            return []
        gold = self._counts(label).gold
        curve = []
        for right, wrong in positives:
            curve.append((right / (right + wrong), right / gold if gold else math.nan))
            if right >= gold:
                break
        return [*curve, (1.0, 0.0)]

    def _best_precision(self, label: int | None, recall: float) -> float:
        return max((p for p, r in self._curve(label) if r >= recall), default=0.0)

    def _best_recall(self, label: int | None, precision: float) -> float:
        return max((r for p, r in self._curve(label) if p >= precision), default=0.0)
