"""The settings of FastText: those of Word2Vec, and those of its n-grams."""

from __future__ import annotations

from pyw2v._shared import rules
from pyw2v._shared.settings import Setting, Table
from pyw2v.word2vec.table import MAX_INT, WORD2VEC

_OWN = (
    Setting(
        "word_ngrams",
        "int",
        1,
        "Must be 1: n-grams of words are for classifiers.",
        rules.between(1, MAX_INT),
        peer="gensim",
    ),
    Setting(
        "min_n",
        "int",
        3,
        "The least number of characters of an n-gram, `<` and `>` around the word included.",
        rules.integer(0, MAX_INT),
        peer="gensim",
    ),
    Setting(
        "max_n",
        "int",
        6,
        "The largest number; if it is below `min_n`, words have no n-grams.",
        rules.integer(0, MAX_INT),
        peer="gensim",
    ),
    Setting(
        "bucket",
        "int",
        2_000_000,
        "Rows for n-grams, which share them by hash value. Only those that words of the vocabulary "
        "have n-grams in take memory; all others are zero, as nothing is known of them.",
        rules.between(0, MAX_INT),
        peer="gensim",
    ),
)

# gensim's order; Word2Vec's own arguments by name come after them.
_ORDER = (
    *("sentences", "corpus_file", "sg", "hs", "vector_size", "alpha", "window", "min_count"),
    *("max_vocab_size", "word_ngrams", "sample", "seed", "workers", "min_alpha", "negative"),
    *("ns_exponent", "cbow_mean", "hashfxn", "epochs", "null_word", "min_n", "max_n"),
    *("sorted_vocab", "bucket", "trim_rule", "batch_words", "callbacks", "max_final_vocab"),
    "shrink_windows",
)
# gensim's FastText does not take the first two; the C program of the last has no n-grams.
_NOT_TAKEN = ("compute_loss", "comment", "engine")

_ALL = {setting.name: setting for setting in (*WORD2VEC, *_OWN)}

FASTTEXT = Table(
    (*(_ALL.pop(name) for name in _ORDER), *_ALL.values()), without_argument=_NOT_TAKEN
)
