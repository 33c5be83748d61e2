"""Small models for tests, and the numbers that gensim would start them with."""

import numpy as np

from pyw2v import Word2Vec

SENTENCES = [
    ["human", "interface", "computer"],
    ["survey", "user", "computer", "system", "response", "time"],
    ["eps", "user", "interface", "system"],
    ["system", "human", "system", "eps"],
    ["user", "response", "time"],
    ["trees"],
    ["graph", "trees"],
    ["graph", "minors", "trees"],
    ["graph", "minors", "survey"],
]
N_WORDS = 12
N_RAW = sum(map(len, SENTENCES))


def small(sentences=SENTENCES, **settings):
    """A model that keeps every word and trains in no time."""
    return Word2Vec(sentences, **{"vector_size": 8, "min_count": 1, "workers": 1} | settings)


def built(**settings):
    model = small(None, **settings)
    model.build_vocab(SENTENCES)
    return model


def gensim_rows(n_rows, dim, seed):
    """gensim's prep_vectors, whole."""
    rows = np.random.default_rng(seed).random((n_rows, dim), dtype=np.float32)
    return (rows * np.float32(2) - np.float32(1)) / np.float32(dim)
