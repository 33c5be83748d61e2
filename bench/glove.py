"""GloVe beside a plain scalar yardstick of its two loops, and its vectors beside skip-gram's.

The C program's source is not shipped. On a machine like ours it counted 0.85M tokens/s (window 10,
one thread) and trained 0.47M records/s on one thread and 0.68M on two, at d = 100.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pyw2v
from bench import process
from bench.evaluation import TESTS, evaluate
from bench.glove_yardstick import Yardstick, build
from bench.inputs import Inputs
from bench.rows import MODELS
from bench.store import Store
from bench.table import Table, amount, note, number
from pyw2v import corpus
from pyw2v.glove import vocab

_SETTINGS: dict[str, Any] = {"window": 10, "vector_size": 100}
_EPOCHS, _SKIPGRAM_EPOCHS = 15, 3
_REQUIRED = 4.0
_C_PROGRAM = {"counting/1": 0.85e6, "training/1": 0.47e6, "training/2": 0.68e6}
_YARDSTICK_RECORDS = 1_000_000
_COPIED_BYTES = 1 << 28


def glove_speed(text: str, library: str, workers: int) -> dict[str, Any]:
    """Time both loops between two runs of the yardstick's, the better of which counts."""
    started = time.perf_counter()
    found = corpus.scan(Path(text))
    words, counts, ids = vocab.choose(found.words, found.counts, 5, None)
    encoded = found.remap(ids)
    encoding = time.perf_counter() - started
    yardstick, window, dim = Yardstick(library), _SETTINGS["window"], _SETTINGS["vector_size"]
    before = yardstick.count(encoded, len(words), window)
    started = time.perf_counter()
    matrix = pyw2v.CooccurrenceMatrix.from_encoded(
        encoded, words, counts, window=window, workers=workers
    )
    counting = time.perf_counter() - started
    after = yardstick.count(encoded, len(words), window)
    n_tokens = len(encoded.tokens)
    result = {
        "counting": n_tokens / counting,
        "from_text": found.corpus.n_raw_words / (encoding + counting),
        "counting_yardstick": n_tokens / min(before, after),
        "records": len(matrix),
    }
    sample = np.random.default_rng(1).permutation(len(matrix))[:_YARDSTICK_RECORDS]
    some = (matrix.rows()[sample], matrix.columns[sample], matrix.values[sample])
    clock = _Clock()
    before = yardstick.train(some, len(words), dim)
    model = pyw2v.GloVe.from_cooccurrence(
        matrix, epochs=2, workers=workers, callbacks=[clock], **_SETTINGS
    )
    after = yardstick.train(some, len(words), dim)
    speed = len(matrix) / min(clock.seconds)
    row_bytes = 2 * model.parameters.values[0].nbytes
    return {
        **result,
        "training": speed,
        "training_yardstick": len(sample) / min(before, after),
        # Two rows read and written, with their squares, and the record.
        "traffic": speed * (4 * row_bytes + 16),
        "bandwidth": _bandwidth(),
    }


class _Clock:
    """Times epochs, without what is made ready before the first."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._started = 0.0

    def on_epoch_begin(self, _: Any) -> None:
        self._started = time.perf_counter()

    def on_epoch_end(self, _: Any) -> None:
        self.seconds.append(time.perf_counter() - self._started)


def _bandwidth() -> float:
    """Bytes per second that a copy of a large array reads and writes."""
    source = np.ones(_COPIED_BYTES, np.uint8)
    target = np.zeros_like(source)
    best = 1e9
    for _ in range(5):
        started = time.perf_counter()
        target[:] = source
        best = min(best, time.perf_counter() - started)
    return 2 * _COPIED_BYTES / best


def glove_quality(text: str, evaluation: dict[str, Any], workers: int) -> dict[str, Any]:
    """Train GloVe and skip-gram on the same text and run the same tests on both."""
    result: dict[str, Any] = {}
    for name in ("GloVe", "skip-gram"):
        started = time.perf_counter()
        wv = _vectors(name, text, workers)
        seconds = time.perf_counter() - started
        quality = evaluate(wv.index_to_key, wv.vectors, **evaluation)
        result[name] = {"seconds": seconds, "quality": quality}
    return result


def _vectors(name: str, text: str, workers: int) -> Any:
    if name == "GloVe":
        return pyw2v.GloVe(
            corpus_file=text, x_max=10, epochs=_EPOCHS, workers=workers, **_SETTINGS
        ).wv
    settings = {**MODELS["sg-ns-100"].settings, "workers": workers, "epochs": _SKIPGRAM_EPOCHS}
    return pyw2v.Word2Vec(corpus_file=text, **settings).wv


def speed(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the speed of counting and of training at one and two workers."""
    print("\n## GloVe: window 10, d = 100\n")
    library = str(build(inputs.folder))
    heads = ("work", "pyw2v", "yardstick", "ratio", "required", "met", "C program")
    table = Table(heads, (15, 15, 15, 5, 0, 3, 0))
    best: dict[str, Any] = {}
    for workers in (1, 2):
        runs = []
        for index in range(repeat):
            run = process.run("glove_speed", text=inputs.corpus(), library=library, workers=workers)
            note(f"GloVe, {workers} workers, run {index + 1}: {amount(run['training'])} records/s")
            runs.append(run)
        for work, unit in (("counting", "tokens/s"), ("training", "records/s")):
            # The ratio of one process: its runs had the machine in the same state.
            best = max(runs, key=lambda r: r[work] / r[f"{work}_yardstick"])
            ratio = best[work] / best[f"{work}_yardstick"]
            name = f"{work}/{workers}"
            store.put_row("glove", name, {**best, "ratio": ratio})
            peer = _C_PROGRAM.get(name)
            table.add(
                [
                    f"{work}, {workers} workers",
                    f"{amount(best[work])} {unit}",
                    f"{amount(best[f'{work}_yardstick'])} {unit}",
                    number(ratio),
                    f"{_REQUIRED:g}",
                    "yes" if ratio >= _REQUIRED else "NO",
                    amount(peer) if peer else "-",
                ]
            )
    share = best["traffic"] / best["bandwidth"]
    print(
        f"\nyardstick: plain scalar double precision, one thread; text to counts, 2 workers: "
        f"{amount(best['from_text'])} tokens/s; {amount(best['records'])} records, whose rows are "
        f"{amount(best['traffic'])}B/s, {share:.2f} times what a copy of memory moves"
    )


def quality(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print analogies and similarities of GloVe and skip-gram; one run of each."""
    del repeat
    print(f"\n## GloVe, {_EPOCHS} epochs, and skip-gram, {_SKIPGRAM_EPOCHS} epochs, 2 workers\n")
    if inputs.evaluation is None:
        print("skipped: there are no quality tests; see --eval")
        return
    found = process.run(
        "glove_quality", text=inputs.corpus(), evaluation=inputs.evaluation, workers=2
    )
    table = Table(("model", "seconds", *TESTS), (9, 0, 0, 6, 6, 6))
    for name in ("GloVe", "skip-gram"):
        store.put_row("glove-quality", name, found[name])
        scores = [number(found[name]["quality"][test], 3) for test in TESTS]
        table.add([name, f"{found[name]['seconds']:.0f}", *scores])


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {
    "glove": speed,
    "glove-quality": quality,
}
