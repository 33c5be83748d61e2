"""The registry of what a file can hold: the names that files say, and the classes they stand for.

A class is imported when a file names it, so that a file is read alike whatever a program has
happened to import before. Which class comes out of `A.load` of a file that a `B` saved is gensim's
rule: `B`, where the two are of one family; else the error names `B`.
"""

from collections.abc import Collection
from importlib import import_module
from typing import Any, TypeVar

_HOMES = {
    "CompactVectors": "pyw2v.vectors.compact",
    "FastText": "pyw2v.fasttext_model",
    "FastTextKeyedVectors": "pyw2v.vectors.fasttext",
    "FrozenPhrases": "pyw2v.phrases",
    "GloVe": "pyw2v.glove",
    "KeyedVectors": "pyw2v.vectors",
    "Phrases": "pyw2v.phrases",
    "TextClassifier": "pyw2v.classifier",
    "Word2Vec": "pyw2v.word2vec",
}
# What gensim 3 called the same classes.
_OLD_NAMES = {
    "BaseKeyedVectors": "KeyedVectors",
    "EuclideanKeyedVectors": "KeyedVectors",
    "Phraser": "FrozenPhrases",
    "Word2VecKeyedVectors": "KeyedVectors",
    "WordEmbeddingsKeyedVectors": "KeyedVectors",
}

MODELS = ("Word2Vec", "FastText")
PHRASES = ("Phrases", "FrozenPhrases")

Wanted = TypeVar("Wanted")


class WrongKindError(ValueError, AttributeError):
    """A file holds another kind of object; gensim reports this as an AttributeError."""


def base_of(cls: type) -> type:
    """Return the class of ours, or of gensim's, that a user's class derives from."""
    for base in cls.__mro__:
        name = _OLD_NAMES.get(base.__name__, base.__name__)
        if name in _HOMES and base.__module__.startswith(("pyw2v.", "gensim.")):
            return base
    return cls


def kind_of(cls: type) -> str:
    """Return the name that files give a class; that of its base, if it is a user's."""
    name = base_of(cls).__name__
    return _OLD_NAMES.get(name, name)


def class_of(wanted: type[Wanted], kind: Any, family: Collection[str], source: Any) -> type[Wanted]:
    """Return the class for a file of `kind`, which `wanted.load` reads: one of the `family`.

    A user's subclass of one of ours reads, as itself, files of the class it derives from.
    """
    if not kind or not isinstance(kind, str):
        raise WrongKindError(f"{source} holds no model or vectors that pyw2v saved")
    name = _OLD_NAMES.get(kind, kind)
    # Earlier versions saved models of a user's class under its own name.
    if name == kind_of(wanted) or (name == wanted.__name__ and name not in _HOMES):
        return wanted
    if name not in family:
        raise WrongKindError(
            f"{source} holds {name}, not a {kind_of(wanted)}: it is read by {name}.load"
        )
    found: type[Wanted] = getattr(import_module(_HOMES[name]), name)
    return found
