"""``pyw2v info``: what is installed, or what is in a file."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np

import pyw2v
from pyw2v._checks import resolve_workers
from pyw2v._core import isa
from pyw2v.cli._common import Subparsers, examples, is_native, open_vectors
from pyw2v.io import native


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "info",
        help="show versions and the build, or what is in a file",
        description="Without FILE, show what a bug report needs: versions, instruction set, "
        "compiler, cores. With FILE, show what is in it.",
        epilog=examples("pyw2v info", "pyw2v info vectors.kv"),
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="vectors or model, of any format")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print names and values, one pair a line."""
    rows = _about_build() if args.file is None else _about_file(args.file)
    width = max(map(len, rows))
    for name, value in rows.items():
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


def _about_file(path: str) -> dict[str, Any]:
    rows: dict[str, Any] = {"file": path, "size": f"{os.path.getsize(path):,} bytes"}
    if is_native(path):
        content = native.load(path, mmap=True)
        rows["format"] = "native (safetensors)"
        for name, tensor in content.tensors.items():
            rows[name] = f"{' x '.join(f'{n:,}' for n in tensor.shape)} {tensor.dtype}"
        for name, words in content.words.items():
            rows[name] = _some(words)
        rows.update(_flatten(content.settings))
        return rows
    vectors = open_vectors(path)
    rows["format"] = "word2vec"
    rows["vectors"] = f"{len(vectors):,} x {vectors.vector_size} {vectors.vectors.dtype}"
    rows["words"] = _some(vectors.index_to_key)
    return rows


def _some(words: list[Any]) -> str:
    return f"{len(words):,}: {' '.join(map(str, words[:8]))}{' ...' if len(words) > 8 else ''}"


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat.update(_flatten(value, f"{prefix}{name}."))
        elif not isinstance(value, list) or len(value) <= 8:
            flat[f"{prefix}{name}"] = value
    return flat
