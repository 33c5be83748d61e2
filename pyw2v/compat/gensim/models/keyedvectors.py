"""gensim.models.keyedvectors."""

from numpy import float32 as REAL

from pyw2v._shared.old_names import Vocab
from pyw2v.compat._imports import fall_through
from pyw2v.fasttext_model import FastTextKeyedVectors
from pyw2v.vectors import (
    EuclideanKeyedVectors,
    KeyedVectors,
    Word2VecKeyedVectors,
    load_word2vec_format,
    prep_vectors,
    pseudorandom_weak_vector,
)

__all__ = [
    "REAL",
    "BaseKeyedVectors",
    "CompatVocab",
    "EuclideanKeyedVectors",
    "FastTextKeyedVectors",
    "KeyedVectors",
    "SimpleVocab",
    "Vocab",
    "Word2VecKeyedVectors",
    "WordEmbeddingsKeyedVectors",
    "load_word2vec_format",
    "prep_vectors",
    "pseudorandom_weak_vector",
]

# Names of gensim 3, which its pickles say.
CompatVocab = SimpleVocab = Vocab
BaseKeyedVectors = WordEmbeddingsKeyedVectors = KeyedVectors

__getattr__ = fall_through(__name__)
