"""Word embeddings for Python with a fast C++ core: gensim's Word2Vec and KeyedVectors, faster.

from pyw2v import Word2Vec
model = Word2Vec(corpus_file="corpus.txt", vector_size=100, sg=1, workers=-1)
model.wv.most_similar("king")
"""

from importlib.metadata import PackageNotFoundError, version

from pyw2v._core.isa import isa
from pyw2v.callbacks import CallbackAny2Vec, StopTraining
from pyw2v.corpus import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus
from pyw2v.vectors import KeyedVectors
from pyw2v.vocab import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP
from pyw2v.word2vec import Word2Vec

try:
    __version__ = version("pyw2v")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "BrownCorpus",
    "CallbackAny2Vec",
    "KeyedVectors",
    "LineSentence",
    "PathLineSentences",
    "StopTraining",
    "Text8Corpus",
    "Word2Vec",
    "__version__",
    "isa",
]
