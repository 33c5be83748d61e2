"""Options in, tables out."""

import sys
import tempfile
from pathlib import Path

from bench import library, machine, options
from bench.errors import BenchError
from bench.inputs import Inputs
from bench.quality import quality_table
from bench.rows import rows
from bench.sections import ON_DEMAND, SECTIONS
from bench.speed import speed_table
from bench.store import Store


def main() -> int:
    """Run what the command line selects."""
    chosen = options.parse()
    try:
        with tempfile.TemporaryDirectory(prefix="pyw2v-bench-") as folder:
            _measure(chosen, Path(folder))
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        return 130
    return 0


def _measure(chosen: options.Options, folder: Path) -> None:
    warning = machine.load_warning()  # first of all, before our own work raises the load
    versions = library.versions()
    store = Store(chosen.json)
    inputs = Inputs(
        folder,
        chosen.corpus,
        chosen.tokens,
        chosen.eval_folder,
        chosen.restrict_vocab,
        chosen.n_vectors,
    )
    tokens = "all" if chosen.tokens is None else f"the first {chosen.tokens:,}"
    tokens += f" tokens of {chosen.corpus.name}"
    analogies = f"the {chosen.restrict_vocab:,} most frequent" if chosen.restrict_vocab else "all"
    print(f"{', '.join(versions.values())}; {machine.cpu_name()}, {machine.n_cores()} cores")
    print(f"{tokens}; analogies among {analogies} words")
    if inputs.evaluation is None:
        print(f"no quality tests in {chosen.eval_folder}: quality is not measured; see --eval")
    if warning:
        print(warning)
    store.describe(
        {"cpu": machine.cpu_name(), "cores": machine.n_cores()},
        {**versions, "text": tokens, "warning": warning},
    )
    if chosen.quality:
        quality_table(chosen, inputs, store, versions)
        return
    table = list(rows(chosen, inputs))
    if table:
        speed_table(table, chosen.repeat, store)
    for name, section in SECTIONS.items():
        if chosen.wants(name) and (chosen.only or name not in ON_DEMAND):
            section(inputs, chosen.repeat, store)
