"""Word embeddings for Python with a fast C++ core: gensim's Word2Vec and KeyedVectors, faster.

from pyw2v import Word2Vec
model = Word2Vec(corpus_file="corpus.txt", vector_size=100, sg=1, workers=-1)
model.wv.most_similar("king")
"""

from typing import TYPE_CHECKING

from pyw2v._core.isa import isa
from pyw2v.callbacks import CallbackAny2Vec, StopTraining
from pyw2v.classifier import TextClassifier
from pyw2v.compact import CompactVectors
from pyw2v.cooccurrence import CooccurrenceMatrix
from pyw2v.corpus import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus
from pyw2v.fasttext_model import FastText, FastTextKeyedVectors
from pyw2v.glove import GloVe
from pyw2v.measures import cross_entropy, entropy, kl_divergence
from pyw2v.phrases import ENGLISH_CONNECTOR_WORDS, FrozenPhrases, Phrases
from pyw2v.samplers import FixedUnigram, LogUniform, Uniform, Unigram
from pyw2v.training_pairs import pairs, skipgrams
from pyw2v.vectors import KeyedVectors
from pyw2v.vocab import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP
from pyw2v.word2vec import Word2Vec

__all__ = [
    "ENGLISH_CONNECTOR_WORDS",
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "BrownCorpus",
    "CallbackAny2Vec",
    "CompactVectors",
    "CooccurrenceMatrix",
    "FastText",
    "FastTextKeyedVectors",
    "FixedUnigram",
    "FrozenPhrases",
    "GloVe",
    "KeyedVectors",
    "LineSentence",
    "LogUniform",
    "PathLineSentences",
    "Phrases",
    "StopTraining",
    "Text8Corpus",
    "TextClassifier",
    "Uniform",
    "Unigram",
    "Word2Vec",
    "__version__",
    "cross_entropy",
    "entropy",
    "isa",
    "kl_divergence",
    "pairs",
    "skipgrams",
]

if TYPE_CHECKING:
    __version__: str


def __getattr__(name: str) -> str:
    """Look up `__version__` when it is asked for: importlib.metadata is slow to import."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("pyw2v")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
