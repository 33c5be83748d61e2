"""``pyw2v train``: a text in, vectors out."""

from __future__ import annotations

import argparse
import errno
import itertools
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyw2v.cli._common import (
    FORMATS,
    FORMATS_HELP,
    Subparsers,
    examples,
    format_of,
    not_written_if_interrupted,
    save_vectors,
)
from pyw2v.corpus import PathLineSentences
from pyw2v.objectives import OBJECTIVES
from pyw2v.word2vec import Word2Vec


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "train",
        help="train vectors on a text",
        description="Train word vectors on one or more texts: one sentence or document per line, "
        "words separated by white space; plain, .gz, .bz2, .xz or .zst. A folder stands for all "
        "of its files, - for standard input. Defaults are those of pyw2v.Word2Vec.",
        epilog=examples(
            "pyw2v train corpus.txt -o vectors.kv",
            "pyw2v train corpus.txt.gz -o vectors.kv --model sg --dim 300 --window 10",
            "pyw2v train news/ books/ -o vectors.bin --epochs 3 --sample 1e-4",
            "zcat *.gz | pyw2v train - -o vectors.txt --min-count 20",
            "pyw2v train corpus.txt -o vectors.kv --save-model corpus.model",
            "pyw2v train corpus.txt -o vectors.kv --workers 1 --seed 7    repeatable",
        )
        + f"\n\nextensions: {FORMATS_HELP}",
    )
    parser.add_argument("corpus", metavar="CORPUS", nargs="+", help="file, folder, or - for stdin")
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", required=True, help="vectors to write")
    files.add_argument(
        "--format", choices=FORMATS, help="format of the vectors (default: by extension)"
    )
    files.add_argument(
        "--save-model", metavar="FILE", help="also write the whole model, to train it further"
    )
    _add_model_options(parser.add_argument_group("model"))
    _add_vocabulary_options(parser.add_argument_group("vocabulary"))
    running = parser.add_argument_group("running")
    running.add_argument(
        "--workers", metavar="N", type=int, default=-1, help="threads (default: every core)"
    )
    running.add_argument("--seed", metavar="N", type=int, default=1, help="default: 1")
    running.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    parser.set_defaults(run=run)


def _add_model_options(group: Any) -> None:
    group.add_argument(
        "--model", choices=("sg", "cbow"), default="cbow", help="skip-gram or CBOW (default: cbow)"
    )
    group.add_argument(
        "--dim", metavar="N", type=int, default=100, help="dimensions of a vector (default: 100)"
    )
    group.add_argument(
        "--window", metavar="N", type=int, default=5, help="words to each side (default: 5)"
    )
    group.add_argument(
        "--fixed-window", action="store_true", help="always the whole window, not a random part"
    )
    group.add_argument(
        "--negative", metavar="N", type=int, help="negative samples (default: 5, or 0 with --hs)"
    )
    group.add_argument("--ns-exponent", metavar="X", type=float, default=0.75, help="default: 0.75")
    group.add_argument("--hs", action="store_true", help="hierarchical softmax")
    group.add_argument(
        "--objective",
        choices=OBJECTIVES,
        help="another output layer, with --negative drawn words if it draws any",
    )
    group.add_argument(
        "--cbow-sum", action="store_true", help="sum the context vectors instead of averaging"
    )
    group.add_argument("--epochs", metavar="N", type=int, default=5, help="default: 5")
    group.add_argument(
        "--alpha", metavar="X", type=float, default=0.025, help="learning rate (default: 0.025)"
    )
    group.add_argument(
        "--min-alpha", metavar="X", type=float, default=0.0001, help="at the end (default: 0.0001)"
    )


def _add_vocabulary_options(group: Any) -> None:
    group.add_argument(
        "--min-count", metavar="N", type=int, default=5, help="ignore rarer words (default: 5)"
    )
    group.add_argument(
        "--max-vocab", metavar="N", type=int, help="keep at most the N most frequent words"
    )
    group.add_argument(
        "--sample",
        metavar="X",
        type=float,
        default=1e-3,
        help="drop some of the words more frequent than this share (default: 0.001, 0: none)",
    )


def run(args: argparse.Namespace) -> int:
    """Train, then write."""
    kind = format_of(args.output, args.format)
    for path in filter(None, (args.output, args.save_model)):
        require_folder(path)
    for path in args.corpus:
        if path != "-":
            os.stat(path)  # a misspelt name is worth an error before anything is read
    if args.quiet:
        warnings.simplefilter("ignore")  # until `main` returns
    started = time.perf_counter()
    with not_written_if_interrupted(args.output):
        model = _trained(args)
        seconds = time.perf_counter() - started
        save_vectors(model.wv, args.output, kind)
    if args.save_model:
        with not_written_if_interrupted(args.save_model):
            model.save(args.save_model)
    if not args.quiet:
        words = model.corpus_total_words * model.epochs
        print(
            f"{args.output}: {len(model.wv):,} words x {model.vector_size} dimensions, {kind}; "
            f"{seconds:.1f} s, {words / seconds:,.0f} words/s",
            file=sys.stderr,
        )
    return 0


def _trained(args: argparse.Namespace) -> Word2Vec:
    return Word2Vec(
        corpus_of(args.corpus),
        vector_size=args.dim,
        alpha=args.alpha,
        min_alpha=args.min_alpha,
        window=args.window,
        shrink_windows=not args.fixed_window,
        min_count=args.min_count,
        max_final_vocab=args.max_vocab,
        sample=args.sample,
        seed=args.seed,
        workers=args.workers,
        sg=int(args.model == "sg"),
        hs=int(args.hs),
        negative=args.negative if args.negative is not None else 0 if args.hs else 5,
        objective=args.objective,
        ns_exponent=args.ns_exponent,
        cbow_mean=int(not args.cbow_sum),
        epochs=args.epochs,
        progress=False if args.quiet else None,  # None: on a terminal
    )


def corpus_of(paths: list[str]) -> Any:
    """Return what Word2Vec is to read; files are read by all threads, standard input is not."""
    if "-" in paths:
        parts = (_standard_input() if path == "-" else _files([path]) for path in paths)
        return itertools.chain.from_iterable(parts)
    if len(paths) == 1 and not os.path.isdir(paths[0]):
        return Path(paths[0])  # of any kind, such as a named pipe
    return _files(paths)


def _files(paths: list[str]) -> PathLineSentences:
    # A line is a sentence, however long it is.
    corpora = [PathLineSentences(path, max_sentence_length=sys.maxsize) for path in paths]
    corpora[0].input_files = [name for corpus in corpora for name in corpus.input_files]
    return corpora[0]


def _standard_input() -> Iterator[list[str]]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8").split()


def require_folder(path: str) -> None:
    """Raise FileNotFoundError or PermissionError before the work rather than after it."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder to write to", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "the folder cannot be written to", folder)
