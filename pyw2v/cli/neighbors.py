"""``pyw2v neighbors``: the words nearest to a word."""

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
    unknown_word,
)
from pyw2v.vectors import KeyedVectors


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "neighbors",
        help="show the words nearest to a word",
        description="Show the words nearest to each WORD, by cosine similarity. "
        "Without a WORD, read queries from standard input.",
        epilog=examples(
            "pyw2v neighbors vectors.kv paris berlin",
            "pyw2v neighbors vectors.bin paris -n 3       any format is recognised",
            "pyw2v neighbors vectors.kv                   one query a line of standard input",
            "pyw2v neighbors vectors.kv --tsv < words.txt > neighbors.tsv",
        ),
    )
    parser.add_argument("vectors", metavar="FILE", help="vectors or model, of any format")
    parser.add_argument("words", metavar="WORD", nargs="*", help="words to look up")
    parser.add_argument(
        "-n", "--top", type=positive_int, default=10, help="neighbours per word (default: 10)"
    )
    parser.add_argument("--tsv", action="store_true", help="rows of word, neighbour, similarity")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the neighbours of the words given, or of those on standard input."""
    vectors = open_vectors(args.vectors)
    if args.words:
        require_words(vectors, args.words)
        _answer(vectors, args.words, args)
        return 0
    code = 0
    for words in lines_from_stdin("word> "):
        for word in words:
            if word in vectors:
                _answer(vectors, [word], args)
            else:
                print(f"pyw2v: {unknown_word(vectors, word)}", file=sys.stderr)
                code = 0 if sys.stdin.isatty() else 1
    return code


def _answer(vectors: KeyedVectors, words: list[str], args: argparse.Namespace) -> None:
    for word in words:
        print_neighbors(word, vectors.most_similar(word, topn=args.top), tsv=args.tsv)
