"""How fastText's program writes numbers, vectors, matrices and what else a model holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from pyw2v.io.atomic import atomic_write
from pyw2v.io.fasttext_data import FastTextData

_MODEL_NAMES = {"cbow": "cbow", "skipgram": "sg", "supervised": "sup"}
_LOSS_NAMES = {"hs": "hs", "ns": "ns", "softmax": "softmax", "ova": "one-vs-all"}


def write(text: str) -> None:
    """Write to standard output; bytes that are no UTF-8 come out as they went in."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def number(value: float) -> str:
    """A number as a C++ stream writes it: 6 significant digits."""
    return f"{value:.6g}"


def vector(values: Iterable[float]) -> str:
    """Numbers of 5 significant digits, each with a blank behind it."""
    return "".join(f"{value:.5g} " for value in np.asarray(values).tolist())


def text_of(token: bytes) -> str:
    """A word or label as text."""
    return token.decode("utf-8", "surrogateescape")


def input_lines(stream: Iterable[bytes]) -> Iterator[str]:
    """Lines with their ends; the last may have none."""
    return (text_of(line) for line in stream)


def input_words(stream: IO[bytes]) -> Iterator[str]:
    """Words between blanks of ASCII; others, such as a no-break space, are part of a word."""
    return (text_of(word) for line in stream for word in line.split())


def write_rows(path: str, names: list[bytes], rows: Iterable[Any], dim: int) -> None:
    """Write a `.vec` file: the numbers of rows and columns, then a name and its row a line."""
    with atomic_write(path) as file:
        file.write(f"{len(names)} {dim}\n".encode())
        for name, row in zip(names, rows, strict=True):
            file.write(name + b" " + vector(row).encode() + b"\n")


def dump(data: FastTextData, what: str) -> None:
    """Print the settings, the dictionary or a matrix of a model."""
    if what == "args":
        write(_args_text(data))
    elif what == "dict":
        write(_dict_text(data))
    else:
        matrix = data.input if what == "input" else data.output
        if data.is_quantized:
            raise ValueError("Not supported for quantized models.")
        write(f"{matrix.shape[0]} {matrix.shape[1]}\n")
        for row in matrix:
            write(" ".join(map(number, row.tolist())) + "\n")


def _args_text(data: FastTextData) -> str:
    args = data.args
    values = {
        "dim": args.dim,
        "ws": args.ws,
        "epoch": args.epoch,
        "minCount": args.min_count,
        "neg": args.neg,
        "wordNgrams": args.word_ngrams,
        "loss": _LOSS_NAMES[args.loss],
        "model": _MODEL_NAMES[args.model],
        "bucket": args.bucket,
        "minn": args.minn,
        "maxn": args.maxn,
        "lrUpdateRate": args.lr_update_rate,
        "t": number(args.t),
    }
    return "".join(f"{name} {value}\n" for name, value in values.items())


def _dict_text(data: FastTextData) -> str:
    lines = [f"{len(data.words) + len(data.labels)}\n"]
    for tokens, counts, kind in (
        (data.words, data.word_counts, "word"),
        (data.labels, data.label_counts, "label"),
    ):
        for token, count in zip(tokens, counts.tolist(), strict=True):
            lines.append(f"{text_of(token)} {count} {kind}\n")
    return "".join(lines)
