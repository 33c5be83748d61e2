"""gensim.models.fasttext."""

from pyw2v.compat._imports import fall_through
from pyw2v.corpus import LineSentence
from pyw2v.fasttext_model import (
    FastText,
    FastTextKeyedVectors,
    compute_ngrams,
    compute_ngrams_bytes,
    ft_hash_bytes,
    ft_ngram_hashes,
    load_facebook_model,
    load_facebook_vectors,
    save_facebook_model,
)
from pyw2v.vectors import KeyedVectors, prep_vectors
from pyw2v.word2vec import Word2Vec

from .word2vec import Word2VecTrainables, Word2VecVocab

__all__ = [
    "FAST_VERSION",
    "FastText",
    "FastTextKeyedVectors",
    "FastTextTrainables",
    "FastTextVocab",
    "KeyedVectors",
    "LineSentence",
    "Word2Vec",
    "compute_ngrams",
    "compute_ngrams_bytes",
    "ft_hash_bytes",
    "ft_ngram_hashes",
    "load_facebook_model",
    "load_facebook_vectors",
    "prep_vectors",
    "save_facebook_model",
]

FAST_VERSION = 1  # see gensim.models.word2vec
FastTextVocab, FastTextTrainables = Word2VecVocab, Word2VecTrainables

__getattr__ = fall_through(__name__)
