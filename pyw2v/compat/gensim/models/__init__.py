"""Word2Vec, FastText, KeyedVectors and Phrases; other models come from the real gensim."""

import importlib
from typing import Any

from pyw2v.compat._imports import fall_through

from . import basemodel, callbacks, fasttext, keyedvectors, phrases, word2vec
from .fasttext import FastText
from .keyedvectors import KeyedVectors
from .phrases import Phrases
from .word2vec import FAST_VERSION, Word2Vec

__all__ = [
    "FAST_VERSION",
    "FastText",
    "KeyedVectors",
    "Phrases",
    "Word2Vec",
    "basemodel",
    "callbacks",
    "fasttext",
    "keyedvectors",
    "phrases",
    "word2vec",
]

_CLASSES = (
    *("AtireBM25Model", "AuthorTopicModel", "BackMappingTranslationMatrix", "CoherenceModel"),
    *("Doc2Vec", "EnsembleLda", "HdpModel", "LdaModel", "LdaMulticore", "LdaSeqModel"),
    *("LogEntropyModel", "LsiModel", "LuceneBM25Model", "Nmf", "NormModel", "OkapiBM25Model"),
    *("RpModel", "TfidfModel", "TranslationMatrix", "VocabTransform"),
)
_MODULES = (
    *("atmodel", "bm25model", "coherencemodel", "doc2vec", "ensemblelda", "hdpmodel"),
    *("ldamodel", "ldamulticore", "ldaseqmodel", "logentropy_model", "lsimodel", "nmf"),
    *("normmodel", "poincare", "rpmodel", "tfidfmodel", "translation_matrix"),
)
_attribute = fall_through(__name__, _CLASSES)


def __getattr__(name: str) -> Any:
    """Import a model of the real gensim when it is first used."""
    if name in _MODULES:
        return importlib.import_module(f"gensim.models.{name}")
    return _attribute(name)
