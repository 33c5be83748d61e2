"""What an epoch was trained on: its mean loss, and a warning where that was next to nothing."""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any, NamedTuple

# If an epoch has fewer examples than a quarter of the words of the text, most of it was dropped;
# but if so many examples are left, that is what sub-sampling is for.
_FEW_SHARE = 0.25
_ENOUGH = 10_000


def mean_loss(loss: float, examples: int) -> float:
    """Return the loss per example; NaN where there are none, since 0 would mean a perfect model."""
    return float(loss) / int(examples) if examples else math.nan


class TrainedOn(NamedTuple):
    """Sums over the epochs of a training call."""

    epochs: int
    examples: int
    words_kept: int
    words_known: int
    """In the text, once, those of the vocabulary."""
    words: int
    """In the text, once."""


def warn_of_few(model: Any, trained_on: TrainedOn) -> None:
    """Warn, with the numbers, where sub-sampling or min_count left almost nothing to learn from."""
    if not trained_on.epochs:
        return
    examples, kept = (n / trained_on.epochs for n in (trained_on.examples, trained_on.words_kept))
    known, words = trained_on.words_known, trained_on.words
    if examples >= min(_FEW_SHARE * words, _ENOUGH):
        return
    sampled = f", of which sub-sampling (sample={model.sample:g}) left {kept:.3g}"
    advice = []
    if kept < known:
        advice.append("pass sample=0 for a text as small as this")
    if known < words / 2:
        advice.append(f"keep more words by min_count=1 (now {model.effective_min_count})")
    advice = advice or ["sentences of one word have no examples"]
    warnings.warn(
        f"an epoch had {examples:.3g} training examples: of a text of {words} words {known} are in "
        f"the vocabulary{sampled if kept < known else ''}; {', '.join(advice)}",
        UserWarning,
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """Return the stacklevel of the first caller outside of this package."""
    level, frame = 0, sys._getframe()
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "pyw2v":
        level, frame = level + 1, frame.f_back
    return level
