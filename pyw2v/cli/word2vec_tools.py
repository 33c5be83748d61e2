"""The programs of the word2vec C package, with their flags, prompts and output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from pyw2v.cli import _c_queries, _c_word2phrase, _c_word2vec
from pyw2v.cli._common import Subparsers, UsageError

_MAINS: dict[str, tuple[Callable[[Sequence[str]], int], str]] = {
    "word2vec": (_c_word2vec.main, "train vectors with the flags of word2vec.c; --exact: its bits"),
    "word2phrase": (_c_word2phrase.main, "join phrases as word2phrase.c does"),
    "distance": (_c_queries.distance, "nearest words, with the prompts of distance.c"),
    "word-analogy": (_c_queries.word_analogy, "analogies, with the prompts of word-analogy.c"),
    "compute-accuracy": (_c_queries.compute_accuracy, "analogy questions, as compute-accuracy.c"),
}


def add_parser(subparsers: Subparsers) -> None:
    """Name the programs among the commands; their arguments are read by themselves."""
    for name, (_, text) in _MAINS.items():
        subparsers.add_parser(
            name, help=text, description=f"{text}. `pyw2v {name}` lists its arguments."
        )


def _program(run: Callable[[Sequence[str]], int]) -> Callable[[Sequence[str]], int]:
    def main(argv: Sequence[str]) -> int:
        try:
            return run(argv)
        except UsageError as error:
            print(error, file=sys.stderr)
            return 1

    return main


PROGRAMS = {name: _program(run) for name, (run, _) in _MAINS.items()}
