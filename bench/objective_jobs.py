"""The timed work of the objectives: jobs for bench.job."""

import importlib
import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np

Result = dict[str, Any]
Settings = dict[str, Any]

_BATCH = 128
_RATE = 0.025


def epochs_of(corpus: str, models: dict[str, Settings], repeat: int, text: str = "") -> Result:
    """Train all models in turn, one epoch at a time; the best seconds of each.

    The vocabulary is that of the corpus. `text`, a shorter one, is what is trained on, if given.
    """
    word2vec = importlib.import_module("pyw2v").Word2Vec
    made = {}
    for name, settings in models.items():
        made[name] = word2vec(**settings)
        made[name].build_vocab(corpus_file=corpus)
    best = dict.fromkeys(models, float("inf"))
    for _, (name, model) in itertools.product(range(repeat), made.items()):
        before = model.total_train_time
        model.min_alpha_yet_reached = model.alpha  # each epoch is as the first
        model.train(corpus_file=text or corpus, total_words=model.corpus_total_words, epochs=1)
        best[name] = min(best[name], model.total_train_time - before)
    return {"seconds": best, "vocabulary": {name: len(model.wv) for name, model in made.items()}}


def held_out(corpus: str, settings: Settings, epochs: int, test: str) -> Result:
    """Train epoch by epoch at a falling rate; seconds and held-out perplexity after each."""
    word2vec = importlib.import_module("pyw2v").Word2Vec
    model = word2vec(**settings)
    model.build_vocab(corpus_file=corpus)
    high, low = model.alpha, model.min_alpha
    rates = [high + (low - high) * epoch / epochs for epoch in range(epochs + 1)]
    curve, seconds = [], 0.0
    for start, end in itertools.pairwise(rates):
        started = time.process_time()
        model.train(
            corpus_file=corpus,
            total_words=model.corpus_total_words,
            epochs=1,
            start_alpha=start,
            end_alpha=end,
        )
        seconds += time.process_time() - started
        curve.append((seconds, float(model.perplexity(Path(test)))))
    words = int(model.corpus_total_words) * epochs
    return {"curve": curve, "speed": words / seconds, "vocabulary": len(model.wv)}


def numpy_softmax(corpus: str, vocabulary: int, window: int, examples: int) -> Result:
    """Time the same skip-gram softmax written with NumPy's matrix products, in minibatches."""
    pyw2v = importlib.import_module("pyw2v")
    pairs = pyw2v.pairs(Path(corpus), window, 0, subsample=None, batch=_BATCH)
    kept = min(vocabulary, len(pairs.words))
    rng = np.random.default_rng(1)
    inputs = ((rng.random((kept, 100)) - 0.5) / 100).astype(np.float32)
    outputs = np.zeros((kept, 100), np.float32)
    done, seconds = 0, 0.0
    for centre, context, *_ in pairs:
        known = (centre < kept) & (context < kept)
        a, b = centre[known], context[known]
        started = time.perf_counter()
        _softmax_step(inputs, outputs, a, b)
        seconds += time.perf_counter() - started
        done += len(a)
        if done >= examples:
            break
    return {"speed": done / seconds}


def _softmax_step(inputs: Any, outputs: Any, centre: Any, context: Any) -> None:
    hidden = inputs[centre]
    scores = hidden @ outputs.T
    scores -= scores.max(1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= -scores.sum(1, keepdims=True)
    scores[np.arange(len(centre)), context] += 1
    np.add.at(inputs, centre, _RATE * (scores @ outputs))
    outputs += _RATE * (scores.T @ hidden)


def pair_speed(corpus: str, settings: Settings) -> Result:
    """Time an epoch of pyw2v.pairs."""
    pyw2v = importlib.import_module("pyw2v")
    batches = pyw2v.pairs(Path(corpus), **settings)
    started = time.perf_counter()
    examples = sum(len(batch.centre) for batch in batches)
    seconds = time.perf_counter() - started
    return {"speed": examples / seconds, "examples": examples}
