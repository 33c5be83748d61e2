"""Held-out perplexity against training time for every objective: the plot of docs/objectives.md.

    python -m bench.curves --corpus corpus.txt.xz --svg docs/objectives.svg

One worker, skip-gram, the same text and vocabulary for all, biases where an objective may have
them; the learning rate of each is the best of those tried. Seconds are those of the processor, so
that other programs do not count. The perplexity is that of one word of a window given the centre,
over all pairs of the held-out sentences. With --json an interrupted run goes on where it stopped.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import corpus as corpora
from bench import machine, process
from bench.errors import BenchError
from bench.objectives import split
from bench.svg import plot
from bench.table import Table, amount, note, number

OBJECTIVES: dict[str, dict[str, Any]] = {
    "ns, k = 5": {"objective": "ns", "negative": 5, "output_bias": True},
    "ns, k = 25": {"objective": "ns", "negative": 25, "output_bias": True},
    "nce, k = 25": {"objective": "nce", "negative": 25, "output_bias": True},
    "sampled logistic, k = 25": {
        "objective": "sampled_logistic",
        "negative": 25,
        "output_bias": True,
    },
    "sampled softmax, k = 25": {
        "objective": "sampled_softmax",
        "negative": 25,
        "output_bias": True,
    },
    "hs": {"objective": "hs"},  # has none
    "class softmax": {"objective": "class_softmax", "output_bias": True},
    "dsoftmax": {"objective": "dsoftmax", "output_bias": True},
    "softmax": {"objective": "softmax", "output_bias": True},
    "logistic": {"objective": "logistic", "output_bias": True},
}
RATES = (0.025, 0.05, 0.1)
# One-vs-all sums V errors into each input: at the rates of the others it diverges.
OWN_RATES = {"logistic": (0.001, 0.005, 0.01)}
_SETTINGS = {"sg": 1, "workers": 1, "min_count": 1, "sample": 0}


def main() -> int:
    """Train all, print the table, write the plot."""
    given = _parser().parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="pyw2v-curves-") as folder:
            source = corpora.prefix(given.corpus, given.tokens, Path(folder))
            text, test = split(source, Path(folder))
            runs = measure(text, test, given)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    curves = {name: run["curve"] for name, run in runs.items()}
    given.svg.write_text(plot(curves, "seconds of training", "held-out perplexity"), "utf-8")
    return 0


def measure(text: str, test: str, given: argparse.Namespace) -> dict[str, Any]:
    """Return the best run of each objective, and print a table of them."""
    print(f"{machine.cpu_name()}; {given.tokens:,} tokens, {given.words:,} words, ", end="")
    print(f"d = {given.dim}, window {given.window}, {given.epochs} epochs\n")
    table = Table(("objective", "words/s", "perplexity", "rate"), (24, 8, 0, 0))
    done: dict[str, Any] = {}
    if given.json and given.json.exists():
        done = json.loads(given.json.read_text("utf-8"))
    best: dict[str, Any] = {}
    for name in OBJECTIVES:
        rates = OWN_RATES.get(name, RATES)
        for rate in rates:
            key = f"{name}, rate {rate}"
            if key not in done:
                done[key] = _run(name, rate, text, test, given)
                note(f"{key}: {done[key]}")
            if given.json:
                given.json.write_text(json.dumps(done), "utf-8")
        runs = [run for rate in rates if (run := done[f"{name}, rate {rate}"])]
        if not runs:
            note(f"{name}: no run came to its end")
            continue
        best[name] = min(runs, key=lambda run: run["curve"][-1][1])
        speed, curve, rate = (best[name][part] for part in ("speed", "curve", "rate"))
        table.add([name, amount(speed), number(curve[-1][1], 0), f"{rate:g}"])
    return best


def _run(
    name: str, rate: float, text: str, test: str, given: argparse.Namespace
) -> dict[str, Any] | None:
    settings = {
        **_SETTINGS,
        **OBJECTIVES[name],
        "vector_size": given.dim,
        "window": given.window,
        "max_final_vocab": given.words,
        "alpha": rate,
    }
    try:
        run = process.run(
            "held_out", corpus=text, settings=settings, epochs=given.epochs, test=test
        )
    except BenchError as error:  # a rate that is too high for this objective
        note(f"{name}, rate {rate}: {str(error).splitlines()[-1]}")
        return None
    return {**run, "rate": rate}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.curves", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="one sentence a line")
    parser.add_argument("--tokens", type=int, default=300_000)
    parser.add_argument("--words", type=int, default=10_000, help="size of the vocabulary")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--json", type=Path, help="keep results here, and take them from here")
    parser.add_argument("--svg", type=Path, required=True, help="where the plot goes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
