"""``pyw2v info``: what is installed, or what is in a file."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

import pyw2v
from pyw2v._core import isa
from pyw2v._shared.checks import resolve_workers
from pyw2v.cli._common import Subparsers, examples, open_vectors
from pyw2v.io import fasttext_format, foreign, gensim_format, native
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.quantize import QuantizedMatrix

_N_SHOWN = 8  # words of a list
_MAX_SHOWN = 500  # characters of a value


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "info",
        help="show versions and the build, or what is in a file",
        description="Without FILE, show what a bug report needs: versions, instruction set, "
        "compiler, cores. With FILE, show what is in it.",
        epilog=examples("pyw2v info", "pyw2v info vectors.kv", "pyw2v info --verify vectors.kv"),
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="vectors or model, of any format")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="compare a native file with its checksum; exit code 1 if it has none or another",
    )
    parser.set_defaults(run=run, error=parser.error)


def run(args: argparse.Namespace) -> int:
    """Print names and values, one pair a line."""
    if args.file is None and args.verify:
        args.error("--verify needs a FILE")
    rows = _about_build() if args.file is None else _about_file(args.file, args.verify)
    shown = {_printable(name): _printable(value) for name, value in rows.items()}
    width = max(map(len, shown))
    for name, value in shown.items():
        print(f"{name:<{width}}  {value}")
    return 0


def _about_build() -> dict[str, Any]:
    rows: dict[str, Any] = {
        "pyw2v": pyw2v.__version__,
        "instruction set": f"{isa.isa()} (can run: {', '.join(isa.isas())})",
    }
    rows.update((name.replace("_", " "), value) for name, value in isa.build_info().items())
    rows["NumPy"] = np.__version__
    rows["Python"] = f"{platform.python_version()} ({platform.python_implementation()})"
    rows["platform"] = platform.platform()
    rows["cores"] = f"{resolve_workers(-1)} usable of {os.cpu_count()}"
    return rows


def _about_file(path: str, verify: bool) -> dict[str, Any]:
    rows: dict[str, Any] = {"file": path, "size": f"{os.path.getsize(path):,} bytes"}
    found = foreign.kind_of(path)
    if found == foreign.NATIVE:
        return rows | _about_native(native.load(path, mmap=True, verify=verify), verify)
    if verify:
        native.no_checksum(path)
    if found == foreign.FASTTEXT:
        return rows | _about_fasttext(fasttext_format.read(path, aligned=False))
    if found == foreign.PICKLE:
        return rows | _about_pickle(gensim_format.read(path))
    vectors = open_vectors(path)
    rows["format"] = "word2vec"
    rows["vectors"] = f"{len(vectors):,} x {vectors.vector_size} {vectors.vectors.dtype}"
    rows["words"] = _some(vectors.index_to_key)
    return rows


def _about_native(content: native.NativeFile, verified: bool) -> dict[str, Any]:
    rows: dict[str, Any] = {"format": "native (safetensors)"}
    rows["checksum"] = f"{content.checksum or 'none'}{' (matches)' if verified else ''}"
    match content.settings.get("run"):
        case {"epochs_done": done, "epochs": epochs}:
            rows["trained"] = f"{done} of {epochs} epochs"
    for name, tensor in content.tensors.items():
        rows[name] = _shape(tensor)
    for name, words in content.words.items():
        rows[name] = _some(words)
    return rows | _flatten(content.settings)


def _about_fasttext(data: FastTextData) -> dict[str, Any]:
    """Classifiers, too, which have labels, and quantised models."""
    rows: dict[str, Any] = {"format": f"fastText ({data.args.model})"}
    for name, matrix in (("input", data.input), ("output", data.output)):
        quantized = isinstance(matrix, QuantizedMatrix)
        rows[name] = f"{' x '.join(f'{n:,}' for n in matrix.shape)} " + (
            "quantised" if quantized else str(matrix.dtype)
        )
    for name, tokens in (("words", data.words), ("labels", data.labels)):
        rows[name] = _some(tokens)
    return rows | {"tokens": f"{data.n_tokens:,}"} | asdict(data.args)


def _about_pickle(saved: Any) -> dict[str, Any]:
    rows: dict[str, Any] = {"format": "pickle of gensim", "class": saved.name}
    for name, value in vars(saved).items():
        if isinstance(value, np.ndarray):
            rows[name] = _shape(value)
        elif isinstance(value, list | dict):
            rows[name] = _some(list(value))
        elif isinstance(value, bool | int | float | str | None):
            rows[name] = value
    return rows


def _shape(array: Any) -> str:
    return f"{' x '.join(f'{n:,}' for n in array.shape)} {array.dtype}"


def _some(words: list[Any]) -> str:
    """The first words of a list, which may be bytes."""
    shown = (
        word.decode("utf-8", "backslashreplace") if isinstance(word, bytes) else str(word)
        for word in words[:_N_SHOWN]
    )
    return f"{len(words):,}: {' '.join(shown)}{' ...' if len(words) > _N_SHOWN else ''}"


def _printable(value: Any) -> str:
    """The text of a value on one line, whatever a file says there."""
    text = str(value)[:_MAX_SHOWN]
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat.update(_flatten(value, f"{prefix}{name}."))
        elif not isinstance(value, list) or len(value) <= _N_SHOWN:
            flat[f"{prefix}{name}"] = value
    return flat
