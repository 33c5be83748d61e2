"""The timed work. Each job runs alone in a process of its own, so that neither memory nor threads
of one library touch the other's; what it returns goes to the parent as JSON.
"""

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench import library as libraries
from bench import machine
from bench.classifiers import classify
from bench.evaluation import evaluate
from bench.fasttext_quality import judge_labels, judge_words
from bench.glove import glove_quality, glove_speed
from bench.model_files import open_model, write_model
from bench.objective_jobs import epochs_of, held_out, numpy_softmax, pair_speed
from bench.subwords import embed

Result = dict[str, Any]


def train(
    library: str,
    corpus: str,
    settings: dict[str, Any],
    epochs: int,
    evaluation: dict[str, Any] | None = None,
) -> Result:
    """Time train() on a file, vocabulary and weights being ready; encoding is part of it."""
    word2vec = libraries.models(library).Word2Vec
    model = word2vec(**settings)
    model.build_vocab(corpus_file=corpus)
    started = time.perf_counter()
    model.train(corpus_file=corpus, total_words=model.corpus_total_words, epochs=epochs)
    seconds = time.perf_counter() - started
    return _trained(model, seconds, epochs, evaluation)


def lists(
    library: str,
    corpus: str,
    settings: dict[str, Any],
    epochs: int,
    evaluation: dict[str, Any] | None = None,
) -> Result:
    """Time the constructor on a list of token lists: vocabulary and all epochs."""
    word2vec = libraries.models(library).Word2Vec
    with Path(corpus).open(encoding="utf8") as lines:
        sentences = [line.split() for line in lines]
    started = time.perf_counter()
    model = word2vec(sentences, epochs=epochs, **settings)
    seconds = time.perf_counter() - started
    return _trained(model, seconds, epochs, evaluation)


def vocabulary(library: str, corpus: str, settings: dict[str, Any]) -> Result:
    """Time build_vocab() on a file: counting, pruning, tables and the first weights."""
    _warm(corpus)
    model = libraries.models(library).Word2Vec(**settings)
    started = time.perf_counter()
    model.build_vocab(corpus_file=corpus)
    seconds = time.perf_counter() - started
    words = int(model.corpus_total_words)
    return {"seconds": seconds, "speed": words / seconds, "vocabulary": len(model.wv)}


def phrases(library: str, corpus: str, part: str) -> Result:
    """Time one part of finding phrases in a list of token lists; both must find the same."""
    kind = libraries.models(library).Phrases
    with Path(corpus).open(encoding="utf8") as lines:
        sentences = [line.split() for line in lines]
    n_words = sum(map(len, sentences))
    model = kind() if part == "count" else kind(sentences)
    if part == "join":
        model = model.freeze()
    started = time.perf_counter()
    if part == "count":
        model.add_vocab(sentences)
    elif part == "export":
        found = len(model.export_phrases())
    else:
        found = sum(len(tokens) for tokens in model[sentences])
    seconds = time.perf_counter() - started
    if part == "count":
        found = len(model.vocab)
    return {"seconds": seconds, "speed": n_words / seconds, "found": found}


def queries(library: str, n_vectors: int, dim: int, n_queries: int) -> Result:
    """Time `n_queries` searches: one call in pyw2v, a loop in gensim, which has no such call."""
    kv = libraries.models(library).KeyedVectors(dim)
    kv.add_vectors(*_random_vectors(n_vectors, dim))
    kv.fill_norms()
    step = max(1, n_vectors // n_queries)
    keys = [f"word{index * step % n_vectors}" for index in range(n_queries)]
    kv.most_similar(keys[0])
    started = time.perf_counter()
    if library == "pyw2v":
        results = kv.most_similar([[key] for key in keys])
    else:
        results = [kv.most_similar(key) for key in keys]
    seconds = time.perf_counter() - started
    return {
        "seconds": seconds,
        "speed": n_queries / seconds,
        "nearest": [result[0][0] for result in results[:20]],
    }


def load(library: str, path: str, binary: bool) -> Result:
    """Time reading a word2vec file that is in the page cache."""
    kv_class = libraries.models(library).KeyedVectors
    _warm(path)
    started = time.perf_counter()
    kv = kv_class.load_word2vec_format(path, binary=binary)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "speed": len(kv) / seconds, "sum": float(np.sum(kv.vectors))}


def write_vectors(path: str, n_vectors: int, dim: int, binary: bool) -> Result:
    """Write random vectors as a word2vec file for the jobs that load it."""
    kv = libraries.models("pyw2v").KeyedVectors(dim)
    kv.add_vectors(*_random_vectors(n_vectors, dim))
    kv.save_word2vec_format(path, binary=binary)
    return {}


def fma_and_train(
    corpus: str, settings: dict[str, Any], epochs: int, threads: int, seconds: float
) -> Result:
    """Train with pyw2v between two measurements of the FMA peak; the higher one counts."""
    isa = importlib.import_module("pyw2v._core.isa")
    peaks = [isa.fma_peak(threads, seconds)]
    result = train("pyw2v", corpus, settings, epochs)
    peaks.append(isa.fma_peak(threads, seconds))
    return {**result, "fma_peak": max(peaks), "isa": isa.isa()}


def memory(library: str, corpus: str, settings: dict[str, Any]) -> Result:
    """Measure the peak of memory of the constructor on a file, against what was there before."""
    word2vec = libraries.models(library).Word2Vec
    before = machine.memory_bytes("VmRSS")
    with _sampled("RssAnon") as anonymous:
        model = word2vec(corpus_file=corpus, epochs=1, **settings)
    n_matrices = sum(getattr(model, name, None) is not None for name in ("syn1", "syn1neg")) + 1
    return {
        "before": before,
        "peak": machine.memory_bytes("VmHWM"),
        "growth_anonymous": max(anonymous) - anonymous[0],
        "matrices": n_matrices * model.wv.vectors.shape[0] * model.wv.vectors.shape[1] * 4,
        "tokens": int(model.corpus_total_words),
    }


JOBS: dict[str, Callable[..., Result]] = {
    job.__name__: job
    for job in (
        *(train, lists, vocabulary, phrases, queries, load, write_vectors, fma_and_train, memory),
        *(epochs_of, held_out, numpy_softmax, pair_speed),
        *(classify, embed, write_model, open_model, judge_words, judge_labels),
        *(glove_speed, glove_quality),
    )
}


def _trained(model: Any, seconds: float, epochs: int, evaluation: dict[str, Any] | None) -> Result:
    words = int(model.corpus_total_words) * epochs
    result: Result = {
        "seconds": seconds,
        "speed": words / seconds,
        "words": words,
        "epoch_seconds": float(model.total_train_time),
        "peak": machine.memory_bytes("VmHWM"),
        "vocabulary": len(model.wv),
        "examples": _examples(model),
    }
    if evaluation is not None:
        result["quality"] = evaluate(model.wv.index_to_key, model.wv.vectors, **evaluation)
    return result


def _examples(model: Any) -> float | None:
    """Return how many examples the first epoch had: its summed loss over its mean loss."""
    losses = getattr(model, "loss_history", None)
    if not losses or len(losses) != 1:
        return None
    return float(model.running_training_loss) / float(losses[0])


def _random_vectors(n_vectors: int, dim: int) -> tuple[list[str], Any]:
    vectors = np.random.default_rng(1).standard_normal((n_vectors, dim), dtype=np.float32)
    return [f"word{index}" for index in range(n_vectors)], vectors


def _warm(path: str) -> None:
    """Bring a file into the page cache, for whoever comes first."""
    with Path(path).open("rb") as file:
        while file.read(1 << 24):
            pass


@contextmanager
def _sampled(field: str) -> Iterator[list[int]]:
    """Collect a size of /proc/self/status every 5 ms; VmHWM does not tell the kinds apart."""
    sizes = [machine.memory_bytes(field)]
    over = threading.Event()

    def sample() -> None:
        while not over.wait(0.005):
            sizes.append(machine.memory_bytes(field))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join()
