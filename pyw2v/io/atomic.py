"""Writing a file so that nobody ever sees half of it.

The bytes go to a temporary file in the same folder, reach the disk, and only then take the name:
an error, a full disk or a lost process leaves the old file as it was.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from pyw2v.io.streams import StrPath


@contextmanager
def atomic_write(path: StrPath) -> Iterator[IO[bytes]]:
    """Yield a binary file that becomes ``path`` when the block ends without an error.

    Whoever has the old file open or mapped keeps reading the old bytes. A symbolic link stays a
    link; an existing file's permissions are kept. A device or a pipe is written to directly.
    """
    name = os.fspath(path)
    target = os.path.realpath(name)
    try:
        old_mode: int | None = os.stat(target).st_mode
    except FileNotFoundError:
        old_mode = None
    if old_mode is not None and not stat.S_ISREG(old_mode):
        with open(name, "wb") as file:
            yield file
        return
    temporary = os.path.join(os.path.dirname(target), f".pyw2v-{secrets.token_hex(8)}.tmp")
    try:
        # Not tempfile.mkstemp: its files are private, ours take the user's default permissions.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with open(descriptor, "wb") as file:
                if old_mode is not None:
                    os.chmod(temporary, stat.S_IMODE(old_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        if error.errno is None or error.filename not in (None, temporary):
            raise
        raise OSError(error.errno, os.strerror(error.errno), name) from error
    _sync_folder(os.path.dirname(target))


def _sync_folder(folder: str) -> None:
    """Make the rename itself last; some file systems cannot, and then it lasts when it lasts."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
