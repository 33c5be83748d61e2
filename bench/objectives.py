"""The objectives against each other: what they cost, and what that buys in held-out perplexity."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import process
from bench.inputs import Inputs
from bench.store import Store
from bench.table import Table, amount, note, number

Settings = dict[str, Any]

_SKIPGRAM: Settings = {"sg": 1, "window": 5, "vector_size": 100, "workers": 1, "min_count": 1}
_SAMPLED = ("nce", "sampled_logistic", "sampled_softmax")
_MOST_OF_NS = 1.15
_CLASS_GOAL = 30
_NCE_GOAL = 45
_NCE_WITHIN = 1.05
_TEST_LINES = 200


def sampled(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the cost of each sampled objective as a multiple of negative sampling's."""
    print("\n## objectives-sampled: seconds per epoch against ns with as many noise words\n")
    table = Table(("model", "k", *_SAMPLED, "allowed", "met"), (9, 2, 0, 0, 0, 0, 3))
    corpus = inputs.corpus(share=4)
    for title, sg in (("skip-gram", 1), ("CBOW", 0)):
        for k in (5, 25):
            base = {**_SKIPGRAM, "sg": sg, "negative": k, "sample": 1e-4, "min_count": 5}
            models = {"ns": base, **{name: {**base, "objective": name} for name in _SAMPLED}}
            run = process.run("epochs_of", corpus=corpus, models=models, repeat=repeat)
            ratios = [run["seconds"][name] / run["seconds"]["ns"] for name in _SAMPLED]
            store.put_row("objectives-sampled", f"{title} {k}", {**run, "ratios": ratios})
            met = "yes" if max(ratios) <= _MOST_OF_NS else "NO"
            cells = [f"{ratio:.2f}" for ratio in ratios]
            table.add([title, str(k), *cells, str(_MOST_OF_NS), met])


def full(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the speed of the softmax over all words, and of its cheaper relatives."""
    print("\n## objectives-full: skip-gram, d = 100, one worker\n")
    small = {"corpus": inputs.corpus(share=4), "text": inputs.corpus(share=40)}
    with _one_blas_thread():
        peer = process.run("numpy_softmax", **small, vocabulary=10_000, window=5, examples=40_000)
    models = {"softmax": {**_SKIPGRAM, "objective": "softmax"}}
    ours = process.run("epochs_of", **small, models=models, repeat=repeat, words=10_000)
    speed = peer["examples"] / ours["seconds"]["softmax"]
    store.put_row("objectives-full", "numpy", {"ours": speed, **peer})
    print(f"softmax, V = 10k: {amount(speed)} examples/s, required: more than NumPy")
    for way, key in (("pairs", "speed"), ("centres", "shared")):
        ratio = speed / peer[key]
        print(f"NumPy, batches of {way}, one thread: {amount(peer[key])}, ratio {ratio:.2f}")
    names = ("softmax", "class_softmax", "dsoftmax")
    models = {name: {**_SKIPGRAM, "objective": name} for name in names}
    large = {"corpus": inputs.corpus(), "text": inputs.corpus(share=400), "words": 80_000}
    run = process.run("epochs_of", **large, models=models, repeat=repeat)
    seconds = run["seconds"]
    ratio = seconds["softmax"] / seconds["class_softmax"]
    store.put_row("objectives-full", "class", {**run, "ratio": ratio})
    print(
        f"class_softmax, V = {run['vocabulary']['softmax']:,}: {ratio:.0f} times as fast as ",
        end="",
    )
    print(
        f"softmax, required {_CLASS_GOAL}; dsoftmax {seconds['softmax'] / seconds['dsoftmax']:.1f}"
    )


@contextlib.contextmanager
def _one_blas_thread() -> Iterator[None]:
    """What is started meanwhile gives NumPy's matrix products one thread, as ours have."""
    names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _words(n_words: int, objective: str) -> Settings:
    return {**_SKIPGRAM, "objective": objective, "max_final_vocab": n_words}


def nce(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the speed and the held-out perplexity of NCE with 25 noise words against softmax.

    Both with biases, as language models have, at a rate that is the best for either of 0.025, 0.05
    and 0.1.
    """
    del repeat
    print("\n## objectives-nce: NCE with 25 noise words against the full softmax\n")
    heads = ("objective", "words", "words/s", "times softmax", "perplexity", "over softmax", "met")
    table = Table(heads, (9, 7, 9, 0, 0, 0, 3))
    text, test = split(Path(inputs.corpus(share=6)), inputs.folder)
    first: dict[str, Any] = {}
    for name, own in {"softmax": {}, "nce": {"negative": 25}}.items():
        made = {**_words(25_000, name), **own, "output_bias": True, "alpha": 0.05}
        run = process.run("held_out", corpus=text, settings=made, epochs=3, test=test)
        note(f"objectives-nce, {name}: {run['curve']}")
        first = first or run
        store.put_row("objectives-nce", name, run)
        times = run["speed"] / first["speed"]
        over = run["curve"][-1][1] / first["curve"][-1][1]
        met = "yes" if times >= _NCE_GOAL and over <= _NCE_WITHIN else "NO"
        table.add(
            [
                name,
                f"{run['vocabulary']:,}",
                amount(run["speed"]),
                number(times, 1),
                number(run["curve"][-1][1], 0),
                number(over, 3),
                met if name == "nce" else "",
            ]
        )
    print(f"\nrequired: {_NCE_GOAL} times the speed at {_NCE_WITHIN} times the perplexity")


def pairs(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print how many training examples a second other frameworks get."""
    print("\n## pairs: pyw2v.pairs, window 5, sub-sampling 1e-3\n")
    table = Table(("settings", "examples/s"), (30, 10))
    for title, settings in {
        "in order, without noise": {"negative": 0, "shuffle": False},
        "in order, 5 noise words": {"negative": 5, "shuffle": False},
        "shuffled, 5 noise words": {"negative": 5},
        "shuffled, 25, batches of 8192": {"negative": 25, "batch": 8192},
    }.items():
        runs = [
            process.run("pair_speed", corpus=inputs.corpus(share=4), settings=settings)["speed"]
            for _ in range(repeat)
        ]
        store.put_row("pairs", title, {"speed": max(runs)})
        table.add([title, amount(max(runs))])


def split(corpus: Path, folder: Path) -> tuple[str, str]:
    """Write all lines but every so many-th to one file, those to another."""
    lines = corpus.read_text(encoding="utf-8").splitlines(keepends=True)
    step = max(2, len(lines) // _TEST_LINES)
    train, test = folder / "train.txt", folder / "test.txt"
    train.write_text("".join(line for i, line in enumerate(lines) if i % step), encoding="utf-8")
    test.write_text("".join(lines[::step]), encoding="utf-8")
    return str(train), str(test)


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {
    "objectives-sampled": sampled,
    "objectives-full": full,
    "objectives-nce": nce,
    "pairs": pairs,
}
