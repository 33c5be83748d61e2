"""The table of speeds: alternating runs of both libraries, the best of each, and the quality."""

import math
import statistics
from typing import Any

from bench import machine, process
from bench.evaluation import ANALOGIES, TESTS, TOLERANCE, Quality
from bench.library import LIBRARIES
from bench.rows import Row
from bench.store import Store
from bench.table import Table, amount, goal, note, number

Runs = dict[str, list[dict[str, Any]]]

_HEADS = ("work", "workers", "pyw2v", "gensim", "ratio", "required", "aim", "met", *TESTS)
_WIDTHS = (43, 0, 13, 13, 5, 0, 3, 3, *(14 for _ in TESTS))


def speed_table(rows: list[Row], repeat: int, store: Store) -> None:
    """Measure and print the rows."""
    print("\n## Speed\n")
    table = Table(_HEADS, _WIDTHS)
    notes: list[str] = []
    n_runs = n_disturbed = 0
    for row in rows:
        runs = _alternate(row, repeat, store)
        line = summary(row, runs)
        store.put_row("speed", _key(row), line)
        table.add(_cells(row, line))
        notes += _disagreements(row, runs)
        n_runs += 2 * repeat
        n_disturbed += sum(disturbed(run) for each in runs.values() for run in each)
    print("\nquality: pyw2v / gensim, means over the runs; `!` is worse than allowed")
    if n_disturbed:
        print(f"WARNING: during {n_disturbed} of {n_runs} runs other programs used the CPU")
    for text in notes:
        print(text)


def disturbed(run: dict[str, Any]) -> bool:
    """Whether other programs took so much of the CPU that the figures of a run are noise."""
    return (run["others"] or 0.0) > machine.HIGH_USE


def _key(row: Row) -> str:
    return row.name if row.workers is None else f"{row.name}/{row.workers}"


def _alternate(row: Row, repeat: int, store: Store) -> Runs:
    """Run both libraries in turn; run i has seed i, so that quality is a mean over seeds."""
    runs: Runs = {library: [] for library in LIBRARIES}
    for index in range(repeat):
        for library in LIBRARIES:
            result = process.run(row.job, library=library, **row.arguments(index + 1))
            runs[library].append(result)
            store.put(f"speed {_key(row)} {library} run {index + 1}", result)
            note(
                f"{_key(row)}, run {index + 1} of {repeat}, {library}: "
                f"{amount(result['speed'])} {row.unit} in {result['seconds']:.2f} s"
                + (
                    f" (others used {result['others']:.1f} cores: noise)"
                    if disturbed(result)
                    else ""
                )
            )
    return runs


def summary(row: Row, runs: Runs) -> dict[str, Any]:
    """Return best speeds, their ratio, and mean quality."""
    best = {library: max(run["speed"] for run in runs[library]) for library in LIBRARIES}
    return {
        "title": row.title,
        "workers": row.workers,
        "unit": row.unit,
        **best,
        "ratio": best["pyw2v"] / best["gensim"],
        "required": row.required,
        "aim": row.aim,
        "quality": {
            library: mean_quality([run["quality"] for run in runs[library] if "quality" in run])
            for library in LIBRARIES
        },
    }


def mean_quality(results: list[Quality]) -> Quality:
    """Return the mean of each test over the runs that have it."""
    means: Quality = {}
    for test in TESTS:
        values = [value for result in results if (value := result[test]) is not None]
        means[test] = statistics.fmean(values) if values else None
    return means


def quality_cell(test: str, ours: float | None, theirs: float | None) -> str:
    """Write two results of a test, marked when ours is worse than the tolerance."""
    if ours is None and theirs is None:
        return "-"
    digits = 1 if test == ANALOGIES else 3
    worse = ours is None or (theirs is not None and ours < theirs - TOLERANCE[test])
    return f"{number(ours, digits)} / {number(theirs, digits)}{'!' if worse else ' '}"


def _cells(row: Row, line: dict[str, Any]) -> list[str]:
    met = "-"
    if row.required is not None:
        met = "aim" if row.aim and line["ratio"] >= row.aim else "yes"
        met = met if line["ratio"] >= row.required else "NO"
    quality = line["quality"]
    return [
        row.title,
        "default" if row.workers is None else str(row.workers),
        *(f"{amount(line[library])} {row.unit.replace('queries', 'q')}" for library in LIBRARIES),
        number(line["ratio"]),
        goal(row.required),
        goal(row.aim),
        met,
        *(quality_cell(test, quality["pyw2v"][test], quality["gensim"][test]) for test in TESTS),
    ]


def _disagreements(row: Row, runs: Runs) -> list[str]:
    """Say where the libraries did not do the same work."""
    ours, theirs = runs["pyw2v"][0], runs["gensim"][0]
    notes = []
    for field in ("vocabulary", "nearest", "found"):
        if ours.get(field) != theirs.get(field):
            notes.append(
                f"NOTE: {_key(row)}: {field} differs: {ours.get(field)} and {theirs.get(field)}"
            )
    if not math.isclose(ours.get("sum", 0.0), theirs.get("sum", 0.0), rel_tol=1e-3, abs_tol=1.0):
        notes.append(f"NOTE: {_key(row)}: the loaded vectors differ")
    return notes
