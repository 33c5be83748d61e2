"""How much more often than by chance two words meet: the scores of phrases."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from math import log
from typing import TypeAlias

Scorer: TypeAlias = Callable[..., float]

_NEVER = float("-inf")


def original_scorer(
    worda_count: float,
    wordb_count: float,
    bigram_count: float,
    len_vocab: float,
    min_count: float,
    corpus_word_count: float,
) -> float:
    """Return the score of a pair by Mikolov et al. 2013: (pair - min_count) / (a * b) * entries.

    Parameters
    ----------
    worda_count : float
        Count of the first word.
    wordb_count : float
        Count of the second word.
    bigram_count : float
        Count of the pair.
    len_vocab : float
        Number of entries, words and pairs.
    min_count : float
        The least count of a phrase.
    corpus_word_count : float
        Words of the corpus; not used.

    Returns
    -------
    float
        The score; minus infinity where a word was never counted.
    """
    product = worda_count * wordb_count
    if product == 0:
        return _NEVER
    return (bigram_count - min_count) / float(product) * len_vocab


def npmi_scorer(
    worda_count: float,
    wordb_count: float,
    bigram_count: float,
    len_vocab: float,
    min_count: float,
    corpus_word_count: float,
) -> float:
    """Return the normalised pointwise mutual information of a pair (Bouma 2009).

    Parameters
    ----------
    worda_count : float
        Count of the first word.
    wordb_count : float
        Count of the second word.
    bigram_count : float
        Count of the pair.
    len_vocab : float
        Number of entries; not used.
    min_count : float
        The least count of a phrase.
    corpus_word_count : float
        Words of the corpus.

    Returns
    -------
    float
        From -1 to 1; minus infinity for rarer pairs.
    """
    if bigram_count < min_count or not (worda_count and wordb_count and bigram_count):
        return _NEVER
    pa, pb, pab = (n / float(corpus_word_count) for n in (worda_count, wordb_count, bigram_count))
    return log(pab / (pa * pb)) / -log(pab)


SCORERS: dict[str, Scorer] = {"default": original_scorer, "npmi": npmi_scorer}
CORE_NAMES = {original_scorer: "original", npmi_scorer: "npmi"}
_PARAMETERS = tuple(inspect.signature(original_scorer).parameters)


def checked_scorer(scoring: str | Scorer) -> Scorer:
    """Return the function that `scoring` names or is."""
    if isinstance(scoring, str):
        if scoring not in SCORERS:
            raise ValueError(f'scoring must be "default", "npmi" or a function, got {scoring!r}')
        return SCORERS[scoring]
    if not callable(scoring):
        raise TypeError(f'scoring must be "default", "npmi" or a function, got {scoring!r}')
    parameters = inspect.signature(scoring).parameters
    missing = [name for name in _PARAMETERS if name not in parameters]
    if missing:
        raise ValueError(f"the scoring function lacks the parameters {', '.join(missing)}")
    return scoring


def scorer_name(scoring: Scorer) -> str:
    """Return what a file says of the function: ours by its name, others by where they are."""
    for name, scorer in SCORERS.items():
        if scoring is scorer:
            return name
    return f"{scoring.__module__}:{scoring.__qualname__}"


def scorer_named(name: str) -> Scorer:
    """Return the function that a file names. Nothing is imported for it: the user must have."""
    if name in SCORERS:
        return SCORERS[name]
    module, _, path = name.partition(":")
    scorer: object = sys.modules.get(module)
    for part in path.split("."):
        scorer = getattr(scorer, part, None)
    if not callable(scorer):
        raise ValueError(
            f"the model was saved with the scoring function {name}, which is not there: import "
            "its module first, or give load() another one as scoring="
        )
    return checked_scorer(scorer)
