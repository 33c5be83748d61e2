"""The plain loops of glove_yardstick.cpp: built by the C++ compiler at hand, called by ctypes."""

import ctypes
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.errors import BenchError

_SOURCE = Path(__file__).with_name("glove_yardstick.cpp")
_FLAGS = ("-std=c++17", "-O2", "-fno-tree-vectorize", "-shared", "-fPIC")


def build(folder: Path) -> Path:
    """Compile the loops; a BenchError if that cannot be done."""
    compiler = os.environ.get("CXX", "c++").split()
    if shutil.which(compiler[0]) is None:
        raise BenchError(f"the yardstick of GloVe needs a C++ compiler, got {compiler[0]!r}")
    library = folder / "glove_yardstick.so"
    command = [*compiler, *_FLAGS, str(_SOURCE), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"{' '.join(command)} failed:\n{done.stderr}")
    return library


class Yardstick:
    """Both loops, timed; each on one thread."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.yardstick_count.restype = ctypes.c_int64
        self._library.yardstick_train.restype = ctypes.c_double

    def count(self, encoded: Any, n_words: int, window: int) -> float:
        """Count the pairs of an encoded corpus; return the seconds."""
        sizes = (len(encoded.ends), n_words, window)
        started = time.perf_counter()
        self._library.yardstick_count(
            *map(_pointer, (encoded.tokens, encoded.ends)), *map(ctypes.c_int64, sizes)
        )
        return time.perf_counter() - started

    def train(self, entries: tuple[Any, Any, Any], n_words: int, dim: int) -> float:
        """Train on entries (words, contexts, counts) in their order; return the seconds."""
        values = (np.random.default_rng(1).random((2 * n_words, dim + 1)) - 0.5) / dim
        squares = np.ones_like(values)
        sizes = (len(entries[2]), n_words, dim)
        started = time.perf_counter()
        self._library.yardstick_train(
            *map(_pointer, entries),
            *map(ctypes.c_int64, sizes),
            *map(_pointer, (values, squares)),
        )
        return time.perf_counter() - started


def _pointer(array: Any) -> ctypes.c_void_p:
    if not array.flags.c_contiguous:
        raise ValueError("the yardstick reads arrays without gaps")
    return ctypes.c_void_p(array.ctypes.data)
