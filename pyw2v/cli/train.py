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

from pyw2v._runs.checkpoint import EVERY, interval, numbered
from pyw2v.cli._common import (
    FORMATS,
    FORMATS_HELP,
    Subparsers,
    examples,
    format_of,
    not_written_if_interrupted,
    save_vectors,
)
from pyw2v.cli._settings import add_flags, given_settings
from pyw2v.corpus import PathLineSentences
from pyw2v.word2vec import Word2Vec
from pyw2v.word2vec.table import WORD2VEC


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
            "pyw2v train corpus.txt.gz -o vectors.kv --model sg --vector-size 300 --window 10",
            "pyw2v train news/ books/ -o vectors.bin --epochs 3 --sample 1e-4",
            "zcat *.gz | pyw2v train - -o vectors.txt --min-count 20",
            "pyw2v train corpus.txt -o vectors.kv --save-model corpus.model",
            "pyw2v train corpus.txt -o vectors.kv --workers 1 --seed 7    repeatable",
            "pyw2v train corpus.txt -o vectors.kv --checkpoint run/ --resume",
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
    groups = {name: parser.add_argument_group(name) for name in ("model", "vocabulary", "running")}
    add_flags(WORD2VEC, groups)
    running = groups["running"]
    running.add_argument(
        "--checkpoint", metavar="DIR", help="write checkpoints to this folder; the last two stay"
    )
    running.add_argument(
        "--checkpoint-every",
        metavar="TIME",
        type=_interval,
        help=f"30s, 10m, 2h, or a number of epochs (default: {EVERY})",
    )
    running.add_argument(
        "--resume",
        action="store_true",
        help="go on from the checkpoints in the folder, with the settings that the run began with; "
        "where there are none yet, begin (so a loop can start the same command again and again)",
    )
    running.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    parser.set_defaults(run=run)


def _interval(text: str) -> str | int:
    """Argparse type: a time, or a number of epochs."""
    every = int(text) if text.isdecimal() else text
    try:
        interval(every)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return every


def run(args: argparse.Namespace) -> int:
    """Train, then write."""
    kind = format_of(args.output, args.format)
    if args.checkpoint is None and (args.resume or args.checkpoint_every is not None):
        raise ValueError("--resume and --checkpoint-every need --checkpoint, the folder")
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
    progress = False if args.quiet else None  # None: on a terminal
    if args.resume and numbered(args.checkpoint):
        begun = _Begun()
        model = Word2Vec.resume(
            args.checkpoint,
            corpus_of(args.corpus),
            workers=args.workers,
            callbacks=[begun],
            progress=progress,
            checkpoint_every=args.checkpoint_every,
        )
        if not begun.is_true:
            warnings.warn(
                f"the run in {args.checkpoint} was over: its vectors are written, and nothing was "
                "trained on; another run needs another folder",
                stacklevel=2,
            )
        return model
    settings = given_settings(WORD2VEC, args)
    if settings["negative"] is None:
        settings["negative"] = 0 if settings["hs"] else WORD2VEC["negative"].default
    return Word2Vec(
        corpus_of(args.corpus),
        **settings,
        progress=progress,
        checkpoint=args.checkpoint,
        checkpoint_every=args.checkpoint_every or EVERY,
    )


class _Begun:
    """A callback that tells whether there was anything to train."""

    is_true = False

    def on_train_begin(self, model: Word2Vec) -> None:
        self.is_true = True


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
