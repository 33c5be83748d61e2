"""The ``pyw2v`` command: arguments in, calls of the public API out.

Exit codes: 0 done, 1 the user's data or files are at fault, 2 wrong usage, 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

import pyw2v
from pyw2v.cli import (
    analogy,
    convert,
    demo,
    evaluate,
    fasttext,
    glove,
    info,
    neighbors,
    train,
    word2vec_tools,
)
from pyw2v.cli._common import CommandParser, examples

__all__ = ["build_parser", "main"]

COMMANDS = (
    demo,
    train,
    neighbors,
    analogy,
    evaluate,
    convert,
    info,
    fasttext,
    word2vec_tools,
    glove,
)
# Their flags, `-lr 0.1`, are not argparse's.
OTHER_FLAGS = {"fasttext": fasttext.main, **word2vec_tools.PROGRAMS, "glove": glove.main}

# What a user's file, word or setting can raise; anything else is a bug and keeps its traceback.
USER_ERRORS = (
    *(ValueError, OSError, KeyError, FloatingPointError, MemoryError, ImportError),
    NotImplementedError,  # what a file is, where the command is for another kind
)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with all commands; each command sets ``run``.

    Returns
    -------
    argparse.ArgumentParser
        The parser.
    """
    parser = CommandParser(
        prog="pyw2v",
        description="Train word vectors and query them.",
        epilog=examples(
            "pyw2v demo                                     see it work, in seconds",
            "pyw2v train corpus.txt -o vectors.kv           one sentence per line in",
            "pyw2v neighbors vectors.kv paris               nearest words",
            "pyw2v analogy vectors.kv king - man + woman    vector arithmetic",
            "pyw2v convert vectors.kv vectors.bin           for other programs",
            "pyw2v train --help                             options and more examples",
        ),
    )
    parser.add_argument("--version", action="version", version=f"pyw2v {pyw2v.__version__}")
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        0 done, 1 the user's data or files are at fault, 130 Ctrl-C.

    Raises
    ------
    SystemExit
        If the arguments are wrong, with code 2, and after printing help, with code 0.
    """
    given = sys.argv[1:] if argv is None else list(argv)
    other = OTHER_FLAGS.get(given[0]) if given else None
    args = argparse.Namespace() if other is not None else build_parser().parse_args(given)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code: int = other(given[1:]) if other is not None else args.run(args)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        # `pyw2v ... | head`: nobody reads on, which is no error. Python flushes stdout once more
        # at exit, so give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as stop:
        told = f": {stop}" if stop.args else ""
        print(f"\npyw2v: interrupted{told}", file=sys.stderr)
        return 130
    except USER_ERRORS as error:
        print(f"pyw2v: error: {_one_line(error)}", file=sys.stderr)
        return 1


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{os.fsdecode(error.filename)}: {error.strerror}"
    elif isinstance(error, MemoryError):
        text = f"out of memory {error}".strip()
    elif isinstance(error, KeyError) and error.args:
        text = str(error.args[0])  # str(KeyError) would add quotes
    else:
        text = str(error) or type(error).__name__
    return " ".join(text.split())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"pyw2v: warning: {' '.join(str(message).split())}", file=sys.stderr)
