"""The public name of `pyw2v.corpus.vocab`."""

from pyw2v.corpus.vocab import (
    RULE_DEFAULT,
    RULE_DISCARD,
    RULE_KEEP,
    descending,
    effective_min_count,
    keep_probabilities,
    keep_thresholds,
    keep_word,
    select,
)

__all__ = [
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "descending",
    "effective_min_count",
    "keep_probabilities",
    "keep_thresholds",
    "keep_word",
    "select",
]
