"""Native files written to and read from open binary files as well as paths."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyw2v.io import native
from pyw2v.io.temporary import temporary_file


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
    with tempfile.TemporaryFile(prefix="pyw2v-") as file:  # since `target` may not be seekable
        native.save(file, tensors, words, settings)
        file.seek(0)
        shutil.copyfileobj(file, target)


@contextmanager
def as_path(source: Any) -> Iterator[Any]:
    """Yield a path to the bytes of `source`, which may be an open binary file."""
    if not hasattr(source, "read"):
        yield source
        return
    with temporary_file() as (file, path):
        shutil.copyfileobj(source, file)
        file.flush()
        yield path
