"""TextClassifier beside the fasttext package: training from a file, and predicting many lines."""

import importlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench import machine, process
from bench.errors import BenchError
from bench.inputs import Inputs
from bench.store import Store
from bench.table import Table, amount, goal, note, number
from pyw2v.io.streams import open_binary

PEERS = ("pyw2v", "fasttext")
_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "classify"
_EPOCHS, _LR, _ASKED = 5, 0.5, 10_000
WORDS = {"word_ngrams": 2}
LETTERS = {"min_n": 2, "max_n": 4}
THEIR_NAMES = {"word_ngrams": "wordNgrams", "min_n": "minn", "max_n": "maxn"}
# Title, data, settings, required ratio, and whether predictions are timed instead of training.
_ROWS: dict[str, tuple[str, str, dict[str, int], float, bool]] = {
    "classifier-imdb": ("imdb, word bigrams", "imdb", WORDS, 2.5, False),
    "classifier-20news": ("20news, word bigrams", "20news", WORDS, 2.5, False),
    "classifier-langid": ("langid75, character n-grams", "langid75", LETTERS, 2.5, False),
    "predict": ("langid75, 10,000 lines", "langid75", LETTERS, 4.0, True),
}


def classify(library: str, train: str, test: str, settings: dict[str, int], seed: int) -> Any:
    """Train with one thread, predict the lines of the test: a job for bench.job."""
    module = peer(library)
    text = Path(test).read_text(encoding="utf-8")
    lines = text.split("\n")[:_ASKED]
    start = time.perf_counter()
    if library == "pyw2v":
        model = module.TextClassifier(epochs=_EPOCHS, lr=_LR, workers=1, seed=seed, **settings)
        model.fit(train)
    else:
        theirs = {THEIR_NAMES[name]: value for name, value in settings.items()}
        common = {"epoch": _EPOCHS, "lr": _LR, "thread": 1, "seed": seed, "verbose": 0}
        model = module.train_supervised(train, **common, **theirs)
    trained = time.perf_counter()
    model.predict(lines)
    predicted = time.perf_counter() - trained
    precision = model.score(test) if library == "pyw2v" else model.test(test)[1]
    return {
        "seconds": trained - start,
        "predict_seconds": predicted,
        "lines": len(lines),
        "precision": float(precision),
        "peak": machine.memory_bytes("VmHWM"),
    }


def peer(library: str) -> Any:
    """Import a library that need not be installed."""
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise BenchError(f"{library} does not import ({error})") from error


def _measure(name: str, inputs: Inputs, repeat: int, store: Store) -> None:
    title, data, settings, required, predicts = _ROWS[name]
    print(f"\n## {name}: {title}, d = 100, one thread\n")
    if not (_DATA / f"{data}.train.txt.xz").is_file():
        print(f"skipped: there is no {data} in {_DATA}")
        return
    train, test = (plain_data(inputs.folder, f"{data}.{part}.txt") for part in ("train", "test"))
    runs: dict[str, list[dict[str, Any]]] = {library: [] for library in PEERS}
    for index in range(repeat):
        for library in PEERS:
            arguments = {"train": train, "test": test, "settings": settings, "seed": index + 1}
            try:
                run = process.run("classify", library=library, **arguments)
            except BenchError as error:
                if library == "pyw2v":
                    raise
                note(f"{name}: without the peer: {error}")
                continue
            note(f"{name}, run {index + 1}, {library}: {run['seconds']:.2f} s")
            runs[library].append(run)
    _print(name, runs, Path(train).stat().st_size, required, predicts, store)


def _print(
    name: str,
    runs: dict[str, list[dict[str, Any]]],
    n_bytes: int,
    required: float,
    predicts: bool,
    store: Store,
) -> None:
    heads = ("library", "best speed", "precision at 1", "peak MB", "ratio", "required", "met")
    table = Table(heads, (8, 14, 0, 0, 5, 0, 3))
    speeds: dict[str, float] = {}
    for library, done in runs.items():
        if not done:
            print("\nfasttext is not installed: nothing to compare with")
            continue
        if predicts:
            speeds[library] = max(run["lines"] / run["predict_seconds"] for run in done)
        else:
            speeds[library] = max(_EPOCHS * n_bytes / run["seconds"] for run in done)
        ratio = speeds["pyw2v"] / speeds[library] if library != "pyw2v" else None
        precision = sum(run["precision"] for run in done) / len(done)
        store.put_row("classifiers", f"{name} {library}", {"speed": speeds[library], "runs": done})
        table.add(
            [
                library,
                f"{amount(speeds[library])} {'lines' if predicts else 'B'}/s",
                f"{100 * precision:.2f} %",
                f"{max(run['peak'] for run in done) / 1e6:.0f}",
                number(ratio, 2),
                goal(required if ratio else None),
                "-" if ratio is None else "yes" if ratio >= required else "NO",
            ]
        )


def plain_data(folder: Path, name: str) -> str:
    """Write the data as a plain file, which is all that fastText reads."""
    target = folder / name
    if not target.exists():
        with open_binary(_DATA / f"{name}.xz") as source, target.open("wb") as out:
            out.writelines(source)
    return str(target)


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {
    name: partial(_measure, name) for name in _ROWS
}
