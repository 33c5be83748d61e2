"""fastText's word vectors: `pyw2v.fasttext` beside the fasttext package, by the same call."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench import machine, process
from bench.classifiers import PEERS, peer
from bench.errors import BenchError
from bench.evaluation import TESTS, evaluate
from bench.inputs import Inputs
from bench.store import Store
from bench.table import Table, amount, goal, note, number

_EPOCHS = 3
_GOALS = {"skipgram": 10.0, "cbow": 5.0}
# With fewer threads fasttext leaves part of its first weights unset, which makes its vectors worse.
_PEERS_THREADS = 10


def embed(
    library: str, corpus: str, model: str, threads: int, evaluation: dict[str, Any] | None
) -> Any:
    """Train word vectors, minn 3, maxn 6, 2M buckets: a job for bench.job."""
    module = peer("pyw2v.fasttext" if library == "pyw2v" else library)
    start = time.perf_counter()
    trained = module.train_unsupervised(
        corpus, model=model, dim=100, epoch=_EPOCHS, thread=threads, verbose=0
    )
    seconds = time.perf_counter() - start
    words, counts = trained.get_words(include_freq=True)
    result: dict[str, Any] = {
        "seconds": seconds,
        "speed": _EPOCHS * int(np.sum(counts)) / seconds,
        "peak": machine.memory_bytes("VmHWM"),
    }
    if evaluation is not None:
        vectors = np.array([trained.get_word_vector(word) for word in words])
        result["quality"] = evaluate(words, vectors, **evaluation)
    return result


def _measure(model: str, inputs: Inputs, repeat: int, store: Store) -> None:
    print(f"\n## ft-{model}: fastText {model}, 3 to 6 letters, 2M buckets, d = 100, one thread\n")
    heads = ("library", "best speed", "peak MB", "ratio", "required", "met", *TESTS)
    table = Table(heads, (8, 14, 0, 5, 0, 3, *(0 for _ in TESTS)))
    corpus = inputs.corpus()
    runs: dict[str, list[dict[str, Any]]] = {library: [] for library in PEERS}
    quality: dict[str, Any] = {}
    try:
        for index in range(repeat):
            for library in PEERS:
                judged = inputs.evaluation if library == "pyw2v" and index == 0 else None
                run = _run(library, corpus, model, 1, judged)
                note(f"ft-{model}, run {index + 1}, {library}: {run['seconds']:.2f} s")
                runs[library].append(run)
                quality.setdefault(library, run.get("quality"))
        if inputs.evaluation is not None:
            run = _run("fasttext", corpus, model, _PEERS_THREADS, inputs.evaluation)
            quality["fasttext"] = run["quality"]
    except BenchError as error:
        if not runs["pyw2v"]:
            raise
        note(f"ft-{model}: without the peer: {error}")
    for library, done in runs.items():
        if not done:
            print("\nfasttext is not installed: nothing to compare with")
            continue
        best = max(run["speed"] for run in done)
        ratio = None if library == "pyw2v" else max(r["speed"] for r in runs["pyw2v"]) / best
        store.put_row("subwords", f"{model} {library}", {"speed": best, "runs": done})
        judged = quality.get(library) or {}
        table.add(
            [
                library,
                f"{amount(best)} words/s",
                f"{max(run['peak'] for run in done) / 1e6:.0f}",
                number(ratio, 1),
                goal(_GOALS[model] if ratio else None),
                "-" if ratio is None else "yes" if ratio >= _GOALS[model] else "NO",
                *(number(judged.get(test), 3) for test in TESTS),
            ]
        )
    if quality.get("fasttext"):
        print(f"\nquality of fasttext: trained again with {_PEERS_THREADS} threads")


def _run(library: str, corpus: str, model: str, threads: int, evaluation: Any) -> dict[str, Any]:
    arguments = {"corpus": corpus, "model": model, "threads": threads, "evaluation": evaluation}
    return process.run("embed", library=library, **arguments)


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {
    f"ft-{model}": partial(_measure, model) for model in _GOALS
}
