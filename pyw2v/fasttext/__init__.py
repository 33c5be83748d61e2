"""The `fasttext` module, name for name: `from pyw2v import fasttext` is all that has to change.

Beyond it: paths may be `Path` objects, models can be pickled and copied, `predict(strict=False)`
takes texts with line breaks, and nothing is printed to a file or pipe unless `verbose` is given.
"""

from pyw2v.fasttext import FastText, util
from pyw2v.fasttext.FastText import (
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
