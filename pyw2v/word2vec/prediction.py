"""Predictions of a trained model: the likely centre word, and how probable a sentence is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pyw2v._shared.checks import check_int, check_list
from pyw2v.word2vec.state import ModelState

Array = np.ndarray[Any, Any]


def known_words(model: ModelState, context_words: Iterable[Any]) -> list[int]:
    """Return the ids of those words of a context that the model knows."""
    context_words = check_list("context_words_list", context_words)
    return [model.wv.get_index(w) for w in context_words if model.wv.has_index_for(w)]


def most_probable(model: ModelState, log_p: Array, topn: int) -> list[tuple[Any, float]]:
    """Return the `topn` most probable words and their probabilities."""
    topn = min(max(check_int("topn", topn), 0), len(log_p))
    best = np.argpartition(-log_p, topn - 1)[:topn] if topn > 0 else np.empty(0, dtype=np.int64)
    best = best[np.argsort(-log_p[best], kind="stable")]
    return [(model.wv.index_to_key[i], float(np.exp(log_p[i]))) for i in best]


def sentence_scores(
    model: ModelState, sentences: Iterable[Iterable[Any]], total_sentences: int
) -> Array:
    """Return the log probability of each sentence under hierarchical softmax.

    The sum, over every word, of log p(word | its context): of the whole window's mean for CBOW, of
    each context word in turn for skip-gram. Unknown words are skipped. Unlike gensim's, which reads
    a table and counts scores beyond ±6 as certain, the logarithms are exact.
    """
    scores = [
        _sentence_score(model, sentence)
        for sentence in itertools.islice(sentences, total_sentences)
    ]
    return np.array(scores, dtype=np.float32)


def _sentence_score(model: ModelState, sentence: Iterable[Any]) -> float:
    assert model.syn1 is not None
    tree = model._huffman_tree()
    ids = model.wv.key_to_index
    words = [ids[word] for word in sentence if word in ids]
    total = 0.0
    for centre, context in _windows(words, model.window):
        codes, points = tree.path(centre)
        hidden = model.wv.vectors[context] if model.sg else hidden_row(model, context)[np.newaxis]
        turns = 1.0 - 2.0 * codes  # code 0 stands for p = sigmoid(score), code 1 for 1 - p
        scores = (hidden @ model.syn1[points].T).astype(np.float64) * turns
        total -= float(np.logaddexp(0.0, -scores).sum())
    return total


def hidden_row(model: ModelState, context: list[int]) -> Array:
    """Return the mean or sum of the vectors of a context, as gensim takes it."""
    rows = model.wv.vectors[context]
    hidden: Array = rows.mean(axis=0) if model.cbow_mean else rows.sum(axis=0)
    return hidden


def _windows(words: list[int], window: int) -> Iterator[tuple[int, list[int]]]:
    """Yield each word with its neighbours, up to `window` on either side."""
    for i, centre in enumerate(words):
        context = words[max(0, i - window) : i] + words[i + 1 : i + 1 + window]
        if context:
            yield centre, context
