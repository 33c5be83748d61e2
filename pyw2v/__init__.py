"""Word embeddings for Python with a fast C++ core: gensim's Word2Vec and KeyedVectors, faster.

from pyw2v import Word2Vec
model = Word2Vec(corpus_file="corpus.txt", vector_size=100, sg=1, workers=-1)
model.wv.most_similar("king")
"""

import logging
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pyw2v._core.isa import isa

# Silent in programs that set up no logging, as gensim is.
logging.getLogger(__name__).addHandler(logging.NullHandler())

if TYPE_CHECKING:
    from pyw2v.callbacks import CallbackAny2Vec, EarlyStopping, StopTraining
    from pyw2v.classifier import TextClassifier
    from pyw2v.corpus import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus
    from pyw2v.corpus.vocab import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP
    from pyw2v.fasttext_model import FastText, FastTextKeyedVectors
    from pyw2v.glove import GloVe
    from pyw2v.glove.cooccurrence import CooccurrenceMatrix
    from pyw2v.measures import cross_entropy, entropy, kl_divergence
    from pyw2v.objectives.samplers import FixedUnigram, LogUniform, Uniform, Unigram
    from pyw2v.phrases import ENGLISH_CONNECTOR_WORDS, FrozenPhrases, Phrases
    from pyw2v.training_pairs import pairs, skipgrams
    from pyw2v.vectors import KeyedVectors
    from pyw2v.vectors.compact import CompactVectors
    from pyw2v.word2vec import Word2Vec

    __version__: str

__all__ = [
    "ENGLISH_CONNECTOR_WORDS",
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "BrownCorpus",
    "CallbackAny2Vec",
    "CompactVectors",
    "CooccurrenceMatrix",
    "EarlyStopping",
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

# Loaded when first used: a program that trains word vectors need not wait for the classifier.
_HOMES = {
    "CallbackAny2Vec": "callbacks",
    "EarlyStopping": "callbacks",
    "StopTraining": "callbacks",
    "TextClassifier": "classifier",
    "CompactVectors": "compact",
    "CooccurrenceMatrix": "cooccurrence",
    "BrownCorpus": "corpus",
    "LineSentence": "corpus",
    "PathLineSentences": "corpus",
    "Text8Corpus": "corpus",
    "FastText": "fasttext_model",
    "FastTextKeyedVectors": "fasttext_model",
    "GloVe": "glove",
    "cross_entropy": "measures",
    "entropy": "measures",
    "kl_divergence": "measures",
    "ENGLISH_CONNECTOR_WORDS": "phrases",
    "FrozenPhrases": "phrases",
    "Phrases": "phrases",
    "FixedUnigram": "samplers",
    "LogUniform": "samplers",
    "Uniform": "samplers",
    "Unigram": "samplers",
    "pairs": "training_pairs",
    "skipgrams": "training_pairs",
    "KeyedVectors": "vectors",
    "RULE_DEFAULT": "vocab",
    "RULE_DISCARD": "vocab",
    "RULE_KEEP": "vocab",
    "Word2Vec": "word2vec",
}


def __getattr__(name: str) -> Any:
    """Import a public name, a module or the version when it is first used."""
    if name == "__version__":
        return _version()
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if not name.startswith("__") and find_spec(f"{__name__}.{name}"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 (slow)

    try:
        return version("pyw2v")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
