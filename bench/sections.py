"""pyw2v against the machine itself: scaling over workers, share of the FMA peak, peak memory."""

from collections.abc import Callable
from typing import Any

from bench import (
    classifiers,
    fasttext_quality,
    glove,
    machine,
    model_files,
    objectives,
    process,
    subwords,
)
from bench.inputs import Inputs
from bench.library import LIBRARIES
from bench.rows import MODELS
from bench.store import Store
from bench.table import Table, amount, note, number

_FMA_SECONDS = 0.3
# Negative sampling: a positive and five negative targets.
_TARGETS = 6
# Of S = X Y^T, X += G Y and Y += G^T X each costs a multiplication and an addition per component.
_FLOPS_PER_COMPONENT = 3 * 2
_MEMORY_SLACK = 1.25
_SCALING_REQUIRED = 0.9
_ROOFLINE_AIMS = {300: 60}


def scaling(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the speed of skip-gram at 1, 2, 4... workers beside the FMA peak of as many threads.

    One step beyond the cores, at least, shows that too many workers do no harm.
    """
    print("\n## Scaling: skip-gram ns, d = 100, epochs only\n")
    counts = [1]
    while counts[-1] < max(4, machine.n_cores()):
        counts.append(2 * counts[-1])
    speed = dict.fromkeys(counts, 0.0)
    peak = dict.fromkeys(counts, 0.0)
    for index in range(repeat):
        for workers in counts:
            run = _measured(inputs, 100, workers, index + 1)
            speed[workers] = max(speed[workers], run["words"] / run["epoch_seconds"])
            peak[workers] = max(peak[workers], run["fma_peak"])
    table = Table(
        ("workers", "pyw2v", "times one", "FMA peak", "times one", "scaling", "within 10 %"),
        (0, 14, 0, 13, 0, 0, 0),
    )
    for workers in counts:
        ours, own = speed[workers] / speed[1], peak[workers] / peak[1]
        fewer = max(speed[count] for count in counts if count <= workers)
        line = {
            "speed": speed[workers],
            "fma_peak": peak[workers],
            "scaling": ours / own,
            "within": ours / own >= _SCALING_REQUIRED,
            "slowdown": speed[workers] / fewer,
        }
        store.put_row("scaling", str(workers), line)
        slower = f", {100 * (1 - line['slowdown']):.0f} % slower" if line["slowdown"] < 1 else ""
        table.add(
            [
                str(workers),
                f"{amount(speed[workers])} words/s",
                number(ours, 2),
                f"{peak[workers]:.0f} GFLOP/s",
                number(own, 2),
                number(ours / own, 2),
                ("yes" if line["within"] else "NO") + slower,
            ]
        )
    print(f"\nscaling: pyw2v's `times one` over the machine's own, on {machine.n_cores()} cores")


def roofline(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the GFLOP/s of skip-gram against the FMA peak of one thread in the same process."""
    print("\n## Roofline: skip-gram ns, one worker, epochs only\n")
    table = Table(("d", "pyw2v", "FMA peak", "share", "aim"), (4, 13, 13, 6, 5))
    for dim in (100, 200, 300):
        runs = [_measured(inputs, dim, 1, index + 1) for index in range(repeat)]
        reached = max(_flops(run, dim) / run["epoch_seconds"] for run in runs) / 1e9
        peak = max(run["fma_peak"] for run in runs)
        store.put_row("roofline", str(dim), {"gflops": reached, "fma_peak": peak})
        aim = _ROOFLINE_AIMS.get(dim)
        table.add(
            [
                str(dim),
                f"{reached:.1f} GFLOP/s",
                f"{peak:.1f} GFLOP/s",
                f"{100 * reached / peak:.0f} %",
                f"{aim} %" if aim else "-",
            ]
        )


def memory(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the peak memory of training from a file; one run, since it hardly varies."""
    del repeat
    print("\n## Peak memory: Word2Vec(corpus_file=...), skip-gram ns, MB\n")
    table = Table(
        ("work", "before", "peak", "growth", "not of files", "allowed", "met"),
        (20, 8, 8, 8, 8, 8, 4),
    )
    for dim in (100, 300):
        for library in LIBRARIES:
            settings = {**MODELS["sg-ns-100"].settings, "vector_size": dim, "workers": 2}
            run = process.run("memory", library=library, corpus=inputs.corpus(), settings=settings)
            note(f"memory, d = {dim}, {library}: {run['peak'] / 1e6:.0f} MB")
            allowed = (run["matrices"] + 4 * run["tokens"]) * _MEMORY_SLACK
            growth = run["peak"] - run["before"]
            store.put_row("memory", f"{library} {dim}", {**run, "allowed": allowed})
            sizes = (run["before"], run["peak"], growth, run["growth_anonymous"])
            table.add(
                [
                    f"{library}, d = {dim}",
                    *(f"{size / 1e6:.0f}" for size in (*sizes, allowed)),
                    "yes" if growth <= allowed else "NO",
                ]
            )
    print("\nallowed: matrices + 4 bytes a token + 25 %; before: interpreter and libraries")


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {
    "scaling": scaling,
    "roofline": roofline,
    "memory": memory,
    **subwords.SECTIONS,
    **classifiers.SECTIONS,
    **objectives.SECTIONS,
    **model_files.SECTIONS,
    **fasttext_quality.SECTIONS,
    **glove.SECTIONS,
}
# Hours of work: only when they are named.
ON_DEMAND = frozenset(fasttext_quality.SECTIONS)


def _measured(inputs: Inputs, dim: int, workers: int, seed: int) -> dict[str, Any]:
    settings = {
        **MODELS["sg-ns-100"].settings,
        "vector_size": dim,
        "workers": workers,
        "seed": seed,
    }
    run = process.run(
        "fma_and_train",
        corpus=inputs.corpus(),
        settings=settings,
        epochs=1,
        threads=workers,
        seconds=_FMA_SECONDS,
    )
    note(
        f"d = {dim}, {workers} workers: {amount(run['words'] / run['epoch_seconds'])} words/s, "
        f"FMA peak {run['fma_peak']:.0f} GFLOP/s ({run['isa']})"
    )
    return run


def _flops(run: dict[str, Any], dim: int) -> float:
    return float(run["examples"]) * _TARGETS * _FLOPS_PER_COMPONENT * dim
