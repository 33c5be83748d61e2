"""gensim.models.word2vec."""

from pyw2v.compat._imports import fall_through
from pyw2v.corpus import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus
from pyw2v.vectors import KeyedVectors
from pyw2v.word2vec import MAX_WORDS_IN_BATCH, Word2Vec

__all__ = [
    "FAST_VERSION",
    "MAX_WORDS_IN_BATCH",
    "BrownCorpus",
    "KeyedVectors",
    "LineSentence",
    "PathLineSentences",
    "Text8Corpus",
    "Word2Vec",
]

FAST_VERSION = 1  # in gensim the kind of BLAS, -1 for slow Python; programs assert that it is not
CORPUSFILE_VERSION = 1

__getattr__ = fall_through(__name__)
