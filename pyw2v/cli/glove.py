"""``pyw2v glove``: the tools of GloVe's C program, with their flags and files, and all in one.

Exit codes are theirs: 0 done, 1 for wrong usage and for files at fault.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from pyw2v import corpus
from pyw2v.cli._common import Subparsers, UsageError
from pyw2v.cli._glove_flags import read_flags
from pyw2v.cli._glove_train import GIGABYTE, glove, say, train
from pyw2v.cli.train import corpus_of
from pyw2v.glove.cooccurrence import CooccurrenceMatrix
from pyw2v.glove.vocab import choose
from pyw2v.io import glove_format, word2vec_format

_STDIN = Path("/dev/stdin")  # read by all threads if it is a file
_ITEM = glove_format.RECORD.itemsize
_PIECE_BYTES = _ITEM << 16
_N_PARTS = 64  # that records are dealt out to: as many files are open


def add_parser(subparsers: Subparsers) -> None:
    """Name the command among the others; its arguments are read by `main`."""
    subparsers.add_parser(
        "glove",
        help="the tools of GloVe: vocab_count, cooccur, shuffle, glove; and train",
        description="The tools of GloVe's C program. `pyw2v glove` lists them.",
    )


def main(argv: Sequence[str]) -> int:
    """Run one tool and return its exit code."""
    name, *args = argv or ("",)
    tool = TOOLS.get(name)
    if tool is None:
        print(_usage(), file=sys.stderr)
        return 1
    try:
        tool[1](args)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _usage() -> str:
    lines = ["usage: pyw2v glove <tool> <flags>", "", "The tools are:", ""]
    lines += [f"  {name:<12} {about}" for name, (about, _) in TOOLS.items()]
    return "\n".join([*lines, "", "pyw2v glove <tool> -h lists the flags of a tool.", ""])


def _text() -> Any:
    return _STDIN if _STDIN.exists() else corpus_of(["-"])


def _vocab_count(argv: list[str]) -> None:
    flags = read_flags("vocab_count", argv)
    say(flags, "BUILDING VOCABULARY")
    found = corpus.scan(_text(), keep_tokens=False)
    say(flags, f"Processed {found.corpus.n_raw_words} tokens.")
    say(flags, f"Counted {len(found.words)} unique words.")
    if glove_format.UNKNOWN in found.words:  # also where it is rare: as in the C program
        raise ValueError(
            f"{glove_format.UNKNOWN} is the name of the vector of unknown words: replace it in the "
            "corpus"
        )
    words, counts, _ = choose(
        found.words, found.counts, flags["min_count"], flags["max_vocab"] or None
    )
    say(flags, f"Using vocabulary of size {len(words)}.")
    out = sys.stdout.buffer
    for word, count in zip(words, counts.tolist(), strict=True):
        out.write(f"{word} {count}\n".encode("utf-8", "surrogatepass"))


def _cooccur(argv: list[str]) -> None:
    flags = read_flags("cooccur", argv)
    say(flags, f"COUNTING COOCCURRENCES\nwindow size: {flags['window']}")
    say(flags, f"context: {'symmetric' if flags['symmetric'] else 'asymmetric'}")
    vocabulary = word2vec_format.load_vocab(flags["vocab_file"])
    counts = CooccurrenceMatrix.from_corpus(
        _text(),
        window=flags["window"],
        symmetric=bool(flags["symmetric"]),
        distance_weighting=bool(flags["distance_weighting"]),
        words=list(vocabulary),
        max_memory=int(flags["memory"] * GIGABYTE),
        folder=os.path.dirname(flags["overflow_file"]) or ".",
    )
    glove_format.write_records(sys.stdout.buffer, counts.rows(), counts.columns, counts.values)
    say(flags, f"Counted {len(counts)} cooccurrences.")


def _shuffle(argv: list[str]) -> None:
    flags = read_flags("shuffle", argv)
    rng = np.random.default_rng(flags["seed"] or None)
    most = flags["array_size"] or int(flags["memory"] * GIGABYTE) // _ITEM
    say(flags, f"SHUFFLING COOCCURRENCES\narray size: {most}")
    n = shuffle_records(
        sys.stdin.buffer,
        sys.stdout.buffer,
        most,
        os.path.dirname(flags["temp_file"]) or ".",
        rng,
    )
    say(flags, f"Merging temp files: processed {n} lines.")


def shuffle_records(
    source: IO[bytes], target: IO[bytes], most: int, folder: str, rng: np.random.Generator
) -> int:
    """Copy records in random order, holding at most about `most` in memory; return how many.

    More than that are dealt out at random to nameless temporary files, each of which is then
    shuffled by itself, in the same way: all orders are equally likely.
    """
    most = max(most, 2)  # one record in a part by itself is less than that: the end of dealing
    records = _read(source, most)
    if len(records) < most:
        rng.shuffle(records)
        target.write(records.data.cast("B"))
        return len(records)
    with contextlib.ExitStack() as stack:
        files: dict[int, IO[bytes]] = {}
        n = 0
        while len(records):
            part_of = rng.integers(0, _N_PARTS, len(records), np.uint8)
            for part in np.unique(part_of).tolist():
                if part not in files:
                    files[part] = stack.enter_context(
                        tempfile.TemporaryFile(buffering=0, prefix="pyw2v-", dir=folder)
                    )
                _append(files[part], records[part_of == part], folder)
            n += len(records)
            records = _read(source, most)
        for _, file in sorted(files.items()):
            file.seek(0)
            shuffle_records(file, target, most, folder, rng)
            file.close()  # gives its room on the disk back
    return n


def _append(file: IO[bytes], records: np.ndarray[Any, Any], folder: str) -> None:
    """Write to a file without a buffer: closing one on a full disk would fail again."""
    rest = records.data.cast("B")
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        raise OSError(error.errno, error.strerror, folder) from error


def _read(source: IO[bytes], most: int) -> np.ndarray[Any, Any]:
    data = bytearray()
    while len(data) < most * _ITEM:
        piece = source.read(min(_PIECE_BYTES, most * _ITEM - len(data)))
        if not piece:
            break
        data += piece
    if len(data) % _ITEM:
        raise ValueError(f"the input ends within a record of {_ITEM} bytes")
    return np.frombuffer(data, glove_format.RECORD)


TOOLS: dict[str, tuple[str, Callable[[list[str]], None]]] = {
    "vocab_count": ("text on stdin, vocabulary on stdout", _vocab_count),
    "cooccur": ("text on stdin, records of co-occurrences on stdout", _cooccur),
    "shuffle": ("records on stdin, in random order on stdout", _shuffle),
    "glove": ("trains vectors on shuffled records", glove),
    "train": ("all four steps: trains vectors on a text", train),
}
