"""gensim.models.word2vec."""

from pyw2v._shared.old_names import Vocab
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
    "Vocab",
    "Word2Vec",
    "Word2VecTrainables",
    "Word2VecVocab",
]

FAST_VERSION = 1  # in gensim the kind of BLAS, -1 for slow Python; programs assert that it is not
CORPUSFILE_VERSION = 1


class Word2VecVocab:
    """A part of gensim 3's models, in their pickles: only data, which the model takes over."""


class Word2VecTrainables:
    """Another such part."""


__getattr__ = fall_through(__name__)
