"""gensim.test.utils."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from pyw2v.compat._imports import fall_through, real_folders

__all__ = ["common_texts", "datapath", "get_tmpfile", "temporary_file"]

common_texts = [
    ["human", "interface", "computer"],
    ["survey", "user", "computer", "system", "response", "time"],
    ["eps", "user", "interface", "system"],
    ["system", "human", "system", "eps"],
    ["user", "response", "time"],
    ["trees"],
    ["graph", "trees"],
    ["graph", "minors", "trees"],
    ["graph", "minors", "survey"],
]


def datapath(fname: str) -> str:
    """Return the path of a file among the test data, which only the real gensim has."""
    folders = real_folders("gensim")
    if not folders:
        raise FileNotFoundError(f"{fname} is one of gensim's test files; gensim is not installed")
    return os.path.join(folders[0], "test", "test_data", fname)


def get_tmpfile(suffix: str) -> str:
    """Return the path of a file to be made in a new temporary folder."""
    return os.path.join(tempfile.mkdtemp(), suffix)


@contextmanager
def temporary_file(name: str = "") -> Iterator[str]:
    """Yield the path of a file to be made, in a folder that is then removed."""
    folder = tempfile.mkdtemp()
    try:
        yield os.path.join(folder, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


__getattr__ = fall_through(__name__)
