"""``pyw2v analogy``: vector arithmetic with words."""

from __future__ import annotations

import argparse
import sys

from pyw2v.cli._common import (
    Subparsers,
    examples,
    lines_from_stdin,
    open_vectors,
    positive_int,
    print_neighbors,
    require_words,
)
from pyw2v.vectors import KeyedVectors


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "analogy",
        help="add and subtract words: king - man + woman",
        description="Find the words nearest to a sum of words. Three words A B C without signs "
        "ask: A is to B as C is to what? Without a TERM, read one query per line from "
        "standard input.",
        epilog=examples(
            "pyw2v analogy vectors.kv king - man + woman",
            "pyw2v analogy vectors.kv france paris japan      france : paris = japan : ?",
            "pyw2v analogy vectors.kv --cosmul king - man + woman",
            "pyw2v analogy vectors.kv < questions.txt",
        ),
    )
    parser.add_argument("vectors", metavar="FILE", help="vectors or model, of any format")
    parser.add_argument(
        "terms", metavar="TERM", nargs="*", help="words with + and - between them, or three words"
    )
    parser.add_argument(
        "-n", "--top", type=positive_int, default=5, help="results to show (default: 5)"
    )
    parser.add_argument(
        "--cosmul", action="store_true", help="multiply similarities instead of adding vectors"
    )
    parser.add_argument("--tsv", action="store_true", help="rows of query, word, similarity")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the query given, or those on standard input."""
    vectors = open_vectors(args.vectors)
    if args.terms:
        _answer(vectors, args.terms, args)
        return 0
    code = 0
    for terms in lines_from_stdin("query> "):
        try:
            _answer(vectors, terms, args)
        except (KeyError, ValueError) as error:
            print(f"pyw2v: {error.args[0]}", file=sys.stderr)
            code = 0 if sys.stdin.isatty() else 1
    return code


def parse_terms(terms: list[str]) -> tuple[list[str], list[str]]:
    """Return the words to add and those to subtract.

    A sign may stand alone or at the head of a word. Three words without any sign mean
    "A is to B as C is to ?", which is B - A + C.
    """
    if len(terms) == 3 and not any(term[0] in "+-" for term in terms):
        a, b, c = terms
        return [b, c], [a]
    positive: list[str] = []
    negative: list[str] = []
    sign = "+"  # of the next word; empty when a word has to be followed by a sign first
    for term in terms:
        if term in ("+", "-"):
            sign = term
            continue
        if len(term) > 1 and term[0] in "+-":
            sign, term = term[0], term[1:]  # noqa: PLW2901 (the rest of it)
        if not sign:
            raise ValueError(
                f"expected + or - before {term!r}: write 'king - man + woman', "
                "or three words 'man king woman'"
            )
        (positive if sign == "+" else negative).append(term)
        sign = ""
    if sign:
        raise ValueError(f"a word must follow the sign at the end of {' '.join(terms)!r}")
    return positive, negative


def _answer(vectors: KeyedVectors, terms: list[str], args: argparse.Namespace) -> None:
    positive, negative = parse_terms(terms)
    require_words(vectors, positive + negative)
    search = vectors.most_similar_cosmul if args.cosmul else vectors.most_similar
    title = " + ".join(positive) + "".join(f" - {word}" for word in negative)
    print_neighbors(
        title, search(positive=positive, negative=negative, topn=args.top), tsv=args.tsv
    )
