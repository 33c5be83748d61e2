"""The fasttext package; see `pyw2v.fasttext`."""

from pyw2v.fasttext import (
    BOW,
    EOS,
    EOW,
    cbow,
    load_model,
    skipgram,
    supervised,
    tokenize,
    train_supervised,
    train_unsupervised,
)

from . import FastText, util

__all__ = [
    "BOW",
    "EOS",
    "EOW",
    "FastText",
    "cbow",
    "load_model",
    "skipgram",
    "supervised",
    "tokenize",
    "train_supervised",
    "train_unsupervised",
    "util",
]
