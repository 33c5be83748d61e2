"""The objectives against each other: what they cost, and what that buys in held-out perplexity."""

from collections.abc import Callable
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
    corpus = inputs.corpus(share=40)
    ours = process.run(
        "epochs_of", corpus=corpus, models={"softmax": _words(10_000, "softmax")}, repeat=repeat
    )
    pairs = {"window": 5, "negative": 0, "subsample": 1e-3}
    examples = process.run("pair_speed", corpus=corpus, settings=pairs)["examples"]
    speed = examples / ours["seconds"]["softmax"]
    peer = process.run("numpy_softmax", corpus=corpus, vocabulary=10_000, window=5, examples=20_000)
    store.put_row("objectives-full", "numpy", {"speed": speed, "numpy": peer["speed"]})
    print(f"softmax, V = 10k: {amount(speed)} examples/s; NumPy: {amount(peer['speed'])}, ", end="")
    print(f"ratio {speed / peer['speed']:.1f}, required 1")
    models = {name: _words(80_000, name) for name in ("softmax", "class_softmax", "dsoftmax")}
    text = inputs.corpus(share=4000)
    run = process.run("epochs_of", corpus=inputs.corpus(), models=models, repeat=1, text=text)
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


def _words(n_words: int, objective: str) -> Settings:
    return {**_SKIPGRAM, "objective": objective, "max_final_vocab": n_words}


def nce(inputs: Inputs, repeat: int, store: Store) -> None:
    """Print the speed and the held-out perplexity of NCE with 25 noise words against softmax."""
    del repeat
    print("\n## objectives-nce: NCE with 25 noise words against the full softmax\n")
    heads = ("objective", "words/s", "times softmax", "perplexity", "over softmax")
    table = Table(heads, (9, 9, 0, 0, 0))
    text, test = split(Path(inputs.corpus(share=8)), inputs.folder)
    lines: dict[str, dict[str, Any]] = {}
    settings = {"softmax": {"alpha": 0.025}, "nce": {"negative": 25, "alpha": 0.025}}
    for name, own in settings.items():
        made = {**_words(25_000, name), **own}
        run = process.run("held_out", corpus=text, settings=made, epochs=3, test=test)
        note(f"objectives-nce, {name}: {run['curve']}")
        lines[name] = run
        first = lines["softmax"]
        perplexity = run["curve"][-1][1]
        store.put_row("objectives-nce", name, run)
        table.add(
            [
                name,
                amount(run["speed"]),
                number(run["speed"] / first["speed"], 1),
                number(perplexity, 0),
                number(perplexity / first["curve"][-1][1], 3),
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
