"""``pyw2v glove``: the tools of GloVe's C program, with their flags and files, and all in one.

Exit codes are theirs: 0 done, 1 for wrong usage and for files at fault.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from pyw2v import corpus
from pyw2v._glove_vocab import choose
from pyw2v.cli._common import Subparsers, UsageError
from pyw2v.cli._glove_flags import read_flags
from pyw2v.cli._glove_train import GIGABYTE, glove, say, train
from pyw2v.cli.train import corpus_of
from pyw2v.cooccurrence import CooccurrenceMatrix
from pyw2v.io import glove_format, word2vec_format

_STDIN = Path("/dev/stdin")  # read by all threads if it is a file
_ITEM = glove_format.RECORD.itemsize
_PIECE_BYTES = _ITEM << 16


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
    words, counts, _ = choose(
        found.words, found.counts, flags["min_count"], flags["max_vocab"] or None
    )
    if glove_format.UNKNOWN in words:
        raise ValueError(
            f"{glove_format.UNKNOWN} is the name of the vector of unknown words: replace it in the "
            "corpus"
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
        memory=int(flags["memory"] * GIGABYTE),
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
        max(most, 1),
        os.path.dirname(flags["temp_file"]) or ".",
        rng,
    )
    say(flags, f"Merging temp files: processed {n} lines.")


def shuffle_records(
    source: IO[bytes], target: IO[bytes], most: int, folder: str, rng: np.random.Generator
) -> int:
    """Copy records in random order, holding at most about `most` in memory; return how many.

    What does not fit is dealt out at random to parts of one nameless temporary file, each of which
    is then shuffled by itself: all orders are equally likely.
    """
    records = _read(source, most)
    if len(records) < most:
        rng.shuffle(records)
        target.write(records.data.cast("B"))
        return len(records)
    # In pieces of half the size, since a record and its place in the order are held together.
    with tempfile.TemporaryFile(prefix="pyw2v-", dir=folder) as file:
        n = 0
        while len(records):
            file.write(records.data.cast("B"))
            n += len(records)
            records = _read(source, most)
        file.flush()
        stored = np.memmap(file, glove_format.RECORD, "r", shape=(n,))
        n_parts = -(-n // max(most // 2, 1))
        part_of = rng.integers(0, n_parts, n, np.uint32)
        for part in range(n_parts):
            some = stored[np.flatnonzero(part_of == part)]
            rng.shuffle(some)
            target.write(some.data.cast("B"))
    return n


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
