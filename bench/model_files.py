"""Loading a fastText model of 1 GB: `pyw2v.fasttext` beside the fasttext package."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import machine, process
from bench.classifiers import PEERS, peer
from bench.errors import BenchError
from bench.inputs import Inputs
from bench.store import Store
from bench.table import Table, goal, note, number

_DIM = 128  # times 4 bytes and 2M buckets: 1 GB
_REQUIRED = 5.0
_ASKED = 100


def write_model(corpus: str, path: str) -> Any:
    """Train and write the model that is loaded: a job for bench.job."""
    model = peer("pyw2v.fasttext").train_unsupervised(
        corpus, dim=_DIM, epoch=1, thread=2, verbose=0
    )
    model.save_model(path)
    return {}


def open_model(library: str, path: str) -> Any:
    """Time load_model, and the vectors of words behind it, of a file in the page cache: a job."""
    module = peer("pyw2v.fasttext" if library == "pyw2v" else library)
    with Path(path).open("rb") as file:
        while file.read(1 << 24):
            pass
    start = time.perf_counter()
    model = module.load_model(path)
    loaded = time.perf_counter()
    words = model.get_words()[:_ASKED]
    total = sum(float(model.get_word_vector(word).sum()) for word in words)
    return {
        "seconds": loaded - start,
        "with_vectors": time.perf_counter() - start,
        "sum": total,
        "peak": machine.memory_bytes("VmHWM"),
    }


def _measure(inputs: Inputs, repeat: int, store: Store) -> None:
    print(f"\n## ft-load: load_model of a .bin of 1 GB, and the vectors of {_ASKED} words\n")
    path = str(inputs.folder / "gigabyte.bin")
    process.run("write_model", corpus=inputs.corpus(), path=path)
    runs: dict[str, list[dict[str, Any]]] = {library: [] for library in PEERS}
    for index in range(repeat):
        for library in PEERS:
            try:
                run = process.run("open_model", library=library, path=path)
            except BenchError as error:
                if library == "pyw2v":
                    raise
                note(f"ft-load: without the peer: {error}")
                continue
            note(f"ft-load, run {index + 1}, {library}: {run['seconds']:.3f} s")
            runs[library].append(run)
    Path(path).unlink()
    heads = ("library", "load s", "and vectors s", "peak MB", "ratio", "required", "met")
    table = Table(heads, (8, 7, 7, 7, 5, 0, 3))
    best = {name: min(run["with_vectors"] for run in done) for name, done in runs.items() if done}
    for library, seconds in best.items():
        done = runs[library]
        ratio = None if library == "pyw2v" else seconds / best["pyw2v"]
        store.put_row("ft-load", library, {"seconds": seconds, "runs": done})
        table.add(
            [
                library,
                f"{min(run['seconds'] for run in done):.3f}",
                f"{seconds:.3f}",
                f"{max(run['peak'] for run in done) / 1e6:.0f}",
                number(ratio, 1),
                goal(_REQUIRED if ratio else None),
                "-" if ratio is None else "yes" if ratio >= _REQUIRED else "NO",
            ]
        )


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {"ft-load": _measure}
