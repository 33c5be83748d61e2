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


def epochs_of(
    corpus: str, models: dict[str, Settings], repeat: int, text: str = "", words: int = 0
) -> Result:
    """Train all models in turn, one epoch at a time; the best seconds of each, of the processor, so
    that other programs hardly count.

    The vocabulary is that of the corpus, or its so many most frequent words. `text`, a shorter one,
    is what is trained on, if given.
    """
    made = {name: _with_vocabulary(corpus, settings, words) for name, settings in models.items()}
    best = dict.fromkeys(models, float("inf"))
    for _, (name, model) in itertools.product(range(repeat), made.items()):
        model.min_alpha_yet_reached = model.alpha  # each epoch is as the first
        started = time.process_time()
        model.train(corpus_file=text or corpus, total_words=model.corpus_total_words, epochs=1)
        best[name] = min(best[name], time.process_time() - started)
    return {"seconds": best, "vocabulary": {name: len(model.wv) for name, model in made.items()}}


def _with_vocabulary(corpus: str, settings: Settings, words: int) -> Any:
    model = importlib.import_module("pyw2v").Word2Vec(**settings)
    if not words:
        model.build_vocab(corpus_file=corpus)
        return model
    found = importlib.import_module("pyw2v.corpus").scan(Path(corpus))
    most = np.argsort(-found.counts, kind="stable")[:words]
    kept = zip(found.words.take(most), found.counts[most].tolist(), strict=True)
    model.build_vocab_from_freq(dict(kept), corpus_count=1)
    model.corpus_total_words = int(found.counts.sum())
    return model


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


def numpy_softmax(corpus: str, text: str, vocabulary: int, window: int, examples: int) -> Result:
    """Time the same skip-gram softmax written with NumPy's matrix products, in minibatches.

    "speed" is that of batches of pairs, "shared" of batches of centres, each of which computes one
    softmax for all words of its window, as pyw2v does. The vocabulary are the most frequent words
    of the corpus; "examples" is how many pairs of them the text has.
    """
    pairs = importlib.import_module("pyw2v").pairs
    words = pairs(Path(corpus), window, 0).words[:vocabulary]
    batches = pairs(Path(text), window, 0, sample=1e-3, shuffle=False, batch=1 << 20, vocab=words)
    found = list(batches)
    centre, context = found[0].centre[:examples], found[0].context[:examples]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(centre)) + 1, [len(centre)]])
    cuts = {"speed": np.arange(0, len(centre), _BATCH), "shared": starts[::_BATCH]}
    speeds = {
        name: _numpy_speed(centre, context, at, len(words), name) for name, at in cuts.items()
    }
    return {**speeds, "examples": sum(len(batch.centre) for batch in found)}


def _numpy_speed(centre: Any, context: Any, cuts: Any, n_words: int, way: str) -> float:
    rng = np.random.default_rng(1)
    inputs = ((rng.random((n_words, 100)) - 0.5) / 100).astype(np.float32)
    outputs = np.zeros((n_words, 100), np.float32)
    seconds = 0.0
    for begin, end in itertools.pairwise(cuts):
        words, targets = centre[begin:end], context[begin:end]
        lanes = np.arange(len(words))
        if way == "shared":
            lanes = np.cumsum(np.concatenate([[0], np.diff(words) != 0]))
            words = words[np.unique(lanes, return_index=True)[1]]
        started = time.process_time()
        _softmax_step(inputs, outputs, words, lanes, targets)
        seconds += time.process_time() - started
    return float((cuts[-1] - cuts[0]) / seconds)


def _softmax_step(inputs: Any, outputs: Any, words: Any, lanes: Any, targets: Any) -> None:
    """One step; word lanes[i] of `words` has the target targets[i]."""
    hidden = inputs[words]
    scores = hidden @ outputs.T
    scores -= scores.max(1, keepdims=True)
    np.exp(scores, out=scores)
    n_targets = np.bincount(lanes, minlength=len(words)).astype(np.float32)
    scores *= (-_RATE * n_targets / scores.sum(1))[:, np.newaxis]
    np.add.at(scores, (lanes, targets), np.float32(_RATE))
    np.add.at(inputs, words, scores @ outputs)
    outputs += scores.T @ hidden


def pair_speed(corpus: str, settings: Settings) -> Result:
    """Time an epoch of pyw2v.pairs."""
    pyw2v = importlib.import_module("pyw2v")
    batches = pyw2v.pairs(Path(corpus), **settings)
    started = time.perf_counter()
    examples = sum(len(batch.centre) for batch in batches)
    seconds = time.perf_counter() - started
    return {"speed": examples / seconds, "examples": examples}
