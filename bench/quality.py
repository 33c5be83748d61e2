"""Quality alone: each model trained by both libraries over several seeds, means compared."""

import json
import statistics
from typing import Any

from bench import corpus, process
from bench.errors import BenchError
from bench.evaluation import ANALOGIES, TESTS, TOLERANCE
from bench.inputs import Inputs
from bench.library import LIBRARIES
from bench.options import Options
from bench.rows import MODELS
from bench.store import Store
from bench.table import Table, amount, note, number


def quality_table(options: Options, inputs: Inputs, store: Store, versions: dict[str, str]) -> None:
    """Train, or take from the store, and print mean and standard deviation of each test."""
    if inputs.evaluation is None:
        raise BenchError(f"there are no quality tests in {options.eval_folder}; see --eval")
    corpus.check(options.corpus)
    tokens = "all" if options.tokens is None else f"the first {options.tokens:,}"
    print(f"\n## Quality: {options.epochs} epochs on {tokens} tokens, {options.seeds} seeds\n")
    table = Table(("work", "workers", "test", "pyw2v", "gensim", "difference", "met"),
                  (22, 0, 9, 15, 15, 10, 4))  # fmt: skip
    for name, model in MODELS.items():
        for workers in options.workers:
            if not options.wants(name, workers):
                continue
            runs: dict[str, list[dict[str, Any]]] = {library: [] for library in LIBRARIES}
            for seed in range(1, options.seeds + 1):
                for library in LIBRARIES:
                    settings = {**model.settings, "workers": workers, "seed": seed}
                    run = _run(library, settings, options, inputs, store, versions[library])
                    runs[library].append(run)
                    results = (f"{test} {number(run['quality'][test], 3)}" for test in TESTS)
                    note(
                        f"{name}/{workers}, seed {seed}, {library}: {amount(run['speed'])} "
                        f"words/s, {', '.join(results)}"
                    )
            for test in TESTS:
                line = _compared(test, runs)
                store.put_row("quality", f"{name}/{workers} {test}", line)
                table.add([model.title, str(workers), test, *_cells(test, line)])


def _run(
    library: str,
    settings: dict[str, Any],
    options: Options,
    inputs: Inputs,
    store: Store,
    version: str,
) -> dict[str, Any]:
    """Train once, unless the store has the result of the same code, data and settings."""
    source = {"file": options.corpus.name, "bytes": options.corpus.stat().st_size}
    what = {
        "version": version,
        "corpus": {**source, "tokens": options.tokens},
        "settings": settings,
        "epochs": options.epochs,
        "restrict_vocab": options.restrict_vocab,
    }
    key = f"quality {json.dumps(what, sort_keys=True)}"
    result = store.get(key)
    if result is None:
        result = process.run(
            "train",
            library=library,
            corpus=inputs.corpus(),
            settings=settings,
            epochs=options.epochs,
            evaluation=inputs.evaluation,
        )
        store.put(key, result)
    return result


def _compared(test: str, runs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    line: dict[str, Any] = {}
    for library, results in runs.items():
        values = [run["quality"][test] for run in results if run["quality"][test] is not None]
        line[library] = {
            "mean": statistics.fmean(values) if values else None,
            "sd": statistics.stdev(values) if len(values) > 1 else None,
        }
    ours, theirs = line["pyw2v"]["mean"], line["gensim"]["mean"]
    line["difference"] = None if ours is None or theirs is None else ours - theirs
    return line


def _cells(test: str, line: dict[str, Any]) -> list[str]:
    digits = 1 if test == ANALOGIES else 3
    cells = []
    for library in LIBRARIES:
        mean, deviation = line[library]["mean"], line[library]["sd"]
        text = "-" if mean is None else f"{mean:.{digits}f}"
        cells.append(text if deviation is None else f"{text} +- {deviation:.{digits}f}")
    difference = line["difference"]
    if difference is None:
        return [*cells, "-", "-"]
    met = "yes" if difference >= -TOLERANCE[test] else "NO"
    return [*cells, f"{difference:+.{digits}f}", met]
