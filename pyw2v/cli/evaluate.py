"""``pyw2v evaluate``: how well vectors do on analogy and word-similarity sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pyw2v.cli._common import Subparsers, examples, open_vectors, positive_int
from pyw2v.vectors import KeyedVectors


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "evaluate",
        help="score vectors on analogies and word pairs",
        description="Score vectors on test sets. A set with ': section' lines holds analogies, "
        "four words a line (questions-words.txt); any other holds pairs, 'word word score' a "
        "line with tabs or spaces between (WordSim-353, MEN, SimLex).",
        epilog=examples(
            "pyw2v evaluate vectors.kv questions-words.txt",
            "pyw2v evaluate vectors.kv wordsim353.txt men.txt questions-words.txt",
        ),
    )
    parser.add_argument("vectors", metavar="FILE", help="vectors or model, of any format")
    parser.add_argument("sets", metavar="SET", nargs="+", help="test sets")
    parser.add_argument(
        "--restrict-vocab",
        metavar="N",
        type=positive_int,
        default=300_000,
        help="search only the N most frequent words (default: 300000)",
    )
    parser.add_argument("--case-sensitive", action="store_true", help="tell upper from lower case")
    parser.add_argument(
        "--count-unknown", action="store_true", help="count lines with unknown words as wrong"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print one table for the analogies of each set and one for all the word pairs."""
    vectors = open_vectors(args.vectors)
    kinds = [(path, _has_sections(path)) for path in args.sets]
    pairs = [path for path, has_sections in kinds if not has_sections]
    for path, has_sections in kinds:
        if has_sections:
            _print_analogies(vectors, path, args)
    if pairs:
        _print_pairs(vectors, pairs, args)
    return 0


def _has_sections(path: str) -> bool:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        return any(line.startswith(":") for line in file)


def _print_analogies(vectors: KeyedVectors, path: str, args: argparse.Namespace) -> None:
    _, sections = vectors.evaluate_word_analogies(
        path,
        restrict_vocab=args.restrict_vocab,
        case_insensitive=not args.case_sensitive,
        dummy4unknown=args.count_unknown,
    )
    rows = [("analogies", "correct", "of", "accuracy")]
    for section in sections:
        correct, wrong = len(section["correct"]), len(section["incorrect"])
        total = correct + wrong
        if total:
            rows.append((section["section"], str(correct), str(total), f"{correct / total:.1%}"))
    if len(rows) == 1:
        raise ValueError(f"{path}: no question has all of its words in the vocabulary")
    print(path)
    _print_table(rows)


def _print_pairs(vectors: KeyedVectors, paths: list[str], args: argparse.Namespace) -> None:
    rows = [("word pairs", "Spearman", "Pearson", "unknown")]
    for path in paths:
        pearson, spearman, unknown = vectors.evaluate_word_pairs(
            path,
            delimiter=_delimiter(path),
            restrict_vocab=args.restrict_vocab,
            case_insensitive=not args.case_sensitive,
            dummy4unknown=args.count_unknown,
        )
        rows.append((path, f"{spearman[0]:.3f}", f"{pearson[0]:.3f}", f"{unknown:.1f}%"))
    _print_table(rows)


def _delimiter(path: str) -> str | None:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        first = next((line for line in file if line.strip() and not line.startswith("#")), "")
    return "\t" if "\t" in first else None  # None: any white space


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        numbers = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        print(f"  {row[0]:<{widths[0]}}  {'  '.join(numbers)}")
