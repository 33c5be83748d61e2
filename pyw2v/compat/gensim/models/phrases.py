"""gensim.models.phrases."""

from pyw2v.compat._imports import fall_through
from pyw2v.phrases import (
    ENGLISH_CONNECTOR_WORDS,
    FrozenPhrases,
    Phraser,
    Phrases,
    PhrasesTransformation,
    npmi_scorer,
    original_scorer,
)

__all__ = [
    "ENGLISH_CONNECTOR_WORDS",
    "FrozenPhrases",
    "Phraser",
    "Phrases",
    "npmi_scorer",
    "original_scorer",
]

_PhrasesTransformation = PhrasesTransformation

__getattr__ = fall_through(__name__)
