"""How long and how fast a classifier is trained, where its settings leave that open.

A model that starts with small numbers learns next to nothing until it has seen enough texts of each
label, weighted by the learning rate: with too few of these updates a small set seems
hopeless. So the aim is a number of updates, rate * epochs * texts, in proportion to the labels:

- 5,000 for each label, twice that with n-grams of words, which share the step among more rows.
  Labels count by how evenly they are used: exp(entropy), which is their number if all are equally
  frequent.
- The rate is raised first, from 0.1 up to 1: that takes no time. Epochs come after, from 5 up to
  100, or up to 500,000 texts read in all.
- A set that is large enough gets 0.1 and 5, which are fastText's numbers for any.

Learnt on AG News, 20 newsgroups and IMDB, checked on Reuters-21578 and 75 languages.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_UPDATES_PER_LABEL = 5000
_WORD_NGRAMS_FACTOR = 2
_MIN_LR, _MAX_LR = 0.1, 1.0
_MIN_EPOCHS, _MAX_EPOCHS = 5, 100
_MAX_TEXTS = 500_000  # in all epochs, unless fewer than the least epochs would be left

# A loss that is less than this share below that of guessing shows that next to nothing was learnt.
_LEARNT_SHARE = 0.05
_HARDLY = "the classifier has hardly learnt anything"


@dataclass(frozen=True)
class Schedule:
    """The learning rate to start with, and how often all texts are read."""

    lr: float
    epochs: int


def choose(
    lr: float | None,
    epochs: int | None,
    n_texts: float,
    label_counts: npt.NDArray[np.int64],
    word_ngrams: int,
) -> Schedule:
    """Return the rate and the epochs of a training, those given or those of the rule above."""
    factor = _WORD_NGRAMS_FACTOR if word_ngrams > 1 else 1
    passes = _UPDATES_PER_LABEL * factor * _n_even(label_counts) / max(n_texts, 1.0)
    if lr is None:
        wanted = passes / (_MIN_EPOCHS if epochs is None else max(epochs, 1))
        lr = min(max(wanted, _MIN_LR), _MAX_LR)
    if epochs is None:
        most = min(_MAX_EPOCHS, _MAX_TEXTS / max(n_texts, 1.0))
        wanted = passes / lr if lr else 0.0
        epochs = max(round(min(wanted, most)), _MIN_EPOCHS)
    return Schedule(float(lr), epochs)


def _n_even(counts: npt.NDArray[np.int64]) -> float:
    """Return how many equally frequent labels are as hard to guess as these."""
    shares = counts[counts > 0] / max(counts.sum(), 1)
    return math.exp(-float(np.sum(shares * np.log(shares))))


def loss_of_guessing(
    loss: str, label_counts: npt.NDArray[np.int64], n_texts: int, negative: int
) -> float:
    """Return the mean loss of the best prediction that is the same for all texts."""
    shares = label_counts / max(label_counts.sum(), 1)
    if loss == "ova":
        shares = np.minimum(label_counts / max(n_texts, 1), 1.0)
        return float(np.sum(_nll(shares, 1.0) + _nll(1 - shares, 1.0)))
    if loss == "ns" and len(label_counts) > 1:
        drawn = np.sqrt(np.maximum(label_counts, 1))
        drawn /= drawn.sum()
        told_apart = shares / (1 - drawn)  # from labels other than itself
        noise = negative * drawn * (told_apart.sum() - told_apart)
        return float(np.sum(_nll(shares, shares + noise) + _nll(noise, shares + noise)))
    return float(np.sum(_nll(shares, 1.0)))


def _nll(part: npt.NDArray[np.float64], whole: Any) -> npt.NDArray[np.float64]:
    """Return -part * log(part / whole), which is 0 for no part."""
    tiny = np.finfo(np.float64).tiny
    logs: npt.NDArray[np.float64] = np.log(np.maximum(part, tiny) / np.maximum(whole, tiny))
    return -part * logs


def warn_if_little_was_learnt(losses: list[float], guess: float, used: Schedule) -> None:
    """Warn if the loss of the last epoch is about that of guessing, at which all models start."""
    if not losses or used.lr == 0 or guess <= 0:  # an only label needs no learning
        return
    if losses[-1] <= (1 - _LEARNT_SHARE) * guess:
        return
    warnings.warn(
        f"{_HARDLY}: the loss was {losses[0]:.4f} in the first of {used.epochs} epochs and "
        f"{losses[-1]:.4f} in the last, with lr = {used.lr:g}; that of guessing is {guess:.4f}. "
        "Train longer or faster (epochs, lr), leave both to the data (None), or let "
        "pyw2v.autotune.autotune look for settings",
        UserWarning,
        stacklevel=3,
    )


@contextlib.contextmanager
def no_warning() -> Iterator[None]:
    """Leave that warning out where others judge what was learnt."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_HARDLY)
        yield
