"""Native files written to and read from open binary files as well as paths."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyw2v.io import native


def save(
    target: Any,
    tensors: Mapping[str, native.Array],
    words: Mapping[str, Sequence[str | int]],
    settings: dict[str, Any],
) -> None:
    """Write a native file to a path, or to an open binary file."""
    if not hasattr(target, "write"):
        native.save(target, tensors, words, settings)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        native.save(path, tensors, words, settings)
        with path.open("rb") as file:
            shutil.copyfileobj(file, target)


@contextmanager
def as_path(source: Any) -> Iterator[Any]:
    """Yield a path to the bytes of `source`, which may be an open binary file."""
    if not hasattr(source, "read"):
        yield source
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        with path.open("wb") as file:
            shutil.copyfileobj(source, file)
        yield path
