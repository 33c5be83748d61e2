"""The public name of `pyw2v.vectors.evaluate`."""

from pyw2v.vectors.evaluate import (
    NoQuestionsError,
    evaluate_word_analogies,
    evaluate_word_pairs,
    log_accuracy,
    log_evaluate_word_pairs,
)

__all__ = [
    "NoQuestionsError",
    "evaluate_word_analogies",
    "evaluate_word_pairs",
    "log_accuracy",
    "log_evaluate_word_pairs",
]
