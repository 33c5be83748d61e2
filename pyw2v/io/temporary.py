"""Temporary files of which nothing is left, however the process ends."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


@contextmanager
def temporary_file() -> Iterator[tuple[IO[bytes], str]]:
    """Yield an empty file, for writing and reading, and a path by which others open it meanwhile.

    Only where the system has no paths of open files does it have a name.
    """
    if os.path.isdir("/proc/self/fd"):
        with tempfile.TemporaryFile(prefix="pyw2v-") as unnamed:
            yield unnamed, f"/proc/self/fd/{unnamed.fileno()}"
        return
    # On Windows it cannot go while it is mapped.
    with tempfile.TemporaryDirectory(prefix="pyw2v-", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "file")
        with open(path, "w+b") as file:
            yield file, path
