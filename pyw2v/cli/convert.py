"""``pyw2v convert``: vectors from one file format to another."""

from __future__ import annotations

import argparse
import sys

from pyw2v.cli._common import (
    FORMATS,
    FORMATS_HELP,
    Subparsers,
    examples,
    format_of,
    open_vectors,
    positive_int,
    refuse_existing,
    save_vectors,
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "convert",
        help="convert vectors between file formats",
        description="Read vectors of any format and write them in another: the native one "
        "(safetensors, opens without copying), word2vec text, or word2vec binary.",
        epilog=examples(
            "pyw2v convert GoogleNews.bin.gz vectors.kv --limit 100000",
            "pyw2v convert vectors.kv vectors.txt      for programs that read text",
            "pyw2v convert vectors.kv vectors.bin      for gensim and the C tools",
            "pyw2v convert glove.840B vectors.kv --from text",
        )
        + f"\n\nextensions: {FORMATS_HELP}",
    )
    parser.add_argument("source", metavar="FROM", help="file to read")
    parser.add_argument("target", metavar="TO", help="file to write")
    parser.add_argument(
        "--from", dest="source_format", choices=FORMATS, help="format to read (default: found out)"
    )
    parser.add_argument(
        "--to", dest="target_format", choices=FORMATS, help="format to write (default: extension)"
    )
    parser.add_argument("--limit", type=positive_int, help="keep only the first LIMIT words")
    parser.add_argument("--force", action="store_true", help="overwrite TO if it exists")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, then write."""
    kind = format_of(args.target, args.target_format, option="--to")
    refuse_existing(args.target, force=args.force)
    vectors = open_vectors(args.source, args.source_format, limit=args.limit)
    try:
        save_vectors(vectors, args.target, kind)
    except ValueError as error:  # a word that the format cannot hold
        raise ValueError(f"{args.source} cannot be written as {kind}: {error}") from error
    print(
        f"{args.target}: {len(vectors):,} words x {vectors.vector_size} dimensions, {kind}",
        file=sys.stderr,
    )
    return 0
