"""``pyw2v demo``: train on the text that comes with the package, and show what came out."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from importlib.resources import as_file, files
from itertools import count
from pathlib import Path

from pyw2v._core.isa import isa
from pyw2v.cli._common import Subparsers, examples
from pyw2v.vectors import KeyedVectors
from pyw2v.word2vec import Word2Vec

TEXT = "demo.txt.xz"
DIM = 100
EPOCHS = 12
NEIGHBORS_OF = ("france", "wheat", "mother", "friday")
ANALOGIES = (
    ("man", "brother", "woman"),
    ("he", "uncle", "she"),
    ("germany", "german", "france"),
)
ODD_ONE_OUT = (("france", "germany", "bread", "spain"), ("wheat", "barley", "corn", "sister"))


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "demo",
        help="train on the enclosed text and show the result",
        description="Train vectors on the public-domain text that comes with pyw2v, show what "
        "they know, and save them in the current folder. Takes seconds.",
        epilog=examples("pyw2v demo", "pyw2v demo --workers 1", "pyw2v demo -o my.kv"),
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to save the vectors (default: pyw2v-demo.kv, or the next free name)",
    )
    parser.add_argument(
        "--workers", metavar="N", type=int, default=-1, help="threads (default: every core)"
    )
    parser.add_argument("--epochs", metavar="N", type=int, default=EPOCHS, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, show, save."""
    if args.output is not None and os.path.exists(args.output):
        raise FileExistsError(17, "already exists", args.output)
    print(
        f"Training skip-gram vectors of {DIM} dimensions on the CIA World Factbook\n"
        "and six novels by Jane Austen ...",
        flush=True,
    )
    started = time.perf_counter()
    with as_file(files("pyw2v.data") / TEXT) as path:
        model = Word2Vec(
            path,
            sg=1,
            vector_size=DIM,
            window=10,
            alpha=0.05,
            epochs=args.epochs,
            workers=args.workers,
            progress=None,  # on a terminal
        )
    seconds = time.perf_counter() - started
    speed = model.corpus_total_words * model.epochs / model.total_train_time
    print(
        f"{model.corpus_total_words:,} words of text, a vocabulary of {len(model.wv):,}, "
        f"{model.epochs} epochs:\n{seconds:.1f} s in all, {speed:,.0f} words/s ({isa()})."
    )
    show(model.wv)
    path = save(model.wv, args.output).resolve()
    print(
        f"\nSaved the vectors to {path}\nLoad them with\n\n"
        "    from pyw2v import KeyedVectors\n"
        f"    vectors = KeyedVectors.load({str(path)!r})\n"
        f"    print(vectors.most_similar({NEIGHBORS_OF[0]!r}))"
    )
    return 0


def show(vectors: KeyedVectors) -> None:
    """Print neighbours, analogies and the odd one out."""
    print("\nNearest neighbours")
    width = max(map(len, NEIGHBORS_OF))
    for word in NEIGHBORS_OF:
        near = ", ".join(str(key) for key, _ in vectors.most_similar(word, topn=6))
        print(f"    {word:<{width}}  {near}")
    print("\nAnalogies")
    for a, b, c in ANALOGIES:
        found, similarity = vectors.most_similar(positive=[b, c], negative=[a], topn=1)[0]
        print(f"    {a} is to {b} as {c} is to {found}  ({b} - {a} + {c}, {similarity:.2f})")
    print("\nThe odd one out")
    for words in ODD_ONE_OUT:
        print(f"    {', '.join(words)}: {vectors.doesnt_match(list(words))}")


def save(vectors: KeyedVectors, output: str | None) -> Path:
    """Save to the path given, else under a free name here or, if that fails, in a new folder."""
    if output is not None:
        vectors.save(output)
        return Path(output)
    names = (f"pyw2v-demo{'' if n == 1 else f'-{n}'}.kv" for n in count(1))
    path = next(path for path in map(Path, names) if not path.exists())
    try:
        vectors.save(str(path))
    except PermissionError:
        path = Path(tempfile.mkdtemp(prefix="pyw2v-demo-"), "pyw2v-demo.kv")
        vectors.save(str(path))
    return path
