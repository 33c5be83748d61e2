"""Writing a file so that nobody ever sees half of it.

The bytes go to a temporary file in the same folder, reach the disk, and only then take the name:
an error, a full disk or a lost process leaves the old file as it was. The temporary file has no
name where the system can do that, until the moment before it takes the final one: nothing is left
of a process that was killed. Elsewhere, `leftovers` removes it at the next write to the folder.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from pyw2v.io import leftovers
from pyw2v.io.streams import StrPath


@contextmanager
def atomic_write(path: StrPath) -> Iterator[IO[bytes]]:
    """Yield a binary file that becomes ``path`` when the block ends without an error.

    Whoever has the old file open or mapped keeps reading the old bytes. A symbolic link stays a
    link; an existing file's permissions are kept. A device or a pipe is written to directly.
    Threads and processes may write to the same path at once: one of the files stays.
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
    folder = os.path.dirname(target)
    leftovers.sweep(folder)
    temporary = None
    try:
        try:
            descriptor = _open_unnamed(folder)
            if descriptor is None:
                descriptor, temporary = leftovers.create(folder)
            with open(descriptor, "wb") as file:
                if old_mode is not None:
                    _set_mode(file, temporary, stat.S_IMODE(old_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
                if temporary is None:
                    temporary = _give_name(file, folder)
                if os.name == "posix":  # while the lock is held, so that nobody sweeps it
                    os.replace(temporary, target)
            if os.name != "posix":  # an open file cannot be renamed
                os.replace(temporary, target)
        except BaseException:
            if temporary is not None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)
            raise
    except OSError as error:
        if error.errno is None or not (error.filename is None or leftovers.is_ours(error.filename)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), name) from error
    _sync_folder(folder)


def _open_unnamed(folder: str) -> int | None:
    """Open a file that no name leads to and lock it; None where that cannot be."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        # Not private, as those of the module tempfile: it takes the user's default permissions.
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError:  # the file system has none; or what else is wrong, creating one will tell
        return None
    leftovers.lock(descriptor)
    return descriptor


def _give_name(file: IO[bytes], folder: str) -> str:
    """Return the temporary name that an unnamed file now has: a link cannot replace a file."""
    descriptor = file.fileno()
    name = leftovers.new_name(folder)
    try:
        # With src_dir_fd, although it has no effect on a whole path: without one Python calls
        # link(), which would make a link to the symbolic link.
        source = f"/proc/self/fd/{descriptor}"
        os.link(source, name, src_dir_fd=descriptor, follow_symlinks=True)
    except OSError:  # a rule of the system against links, not of the file system
        return _copy(descriptor, folder)
    return name


def _copy(descriptor: int, folder: str) -> str:
    copy, name = leftovers.create(folder)
    try:
        with open(descriptor, "rb", closefd=False) as source, open(copy, "wb") as target:
            os.fchmod(copy, stat.S_IMODE(os.fstat(descriptor).st_mode))
            source.seek(0)
            shutil.copyfileobj(source, target, 1 << 20)
            target.flush()
            os.fsync(target.fileno())
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    return name


def _set_mode(file: IO[bytes], temporary: str | None, mode: int) -> None:
    if temporary is None or os.name == "posix":
        os.fchmod(file.fileno(), mode)
    else:
        os.chmod(temporary, mode)


def _sync_folder(folder: str) -> None:
    """Flush the rename itself to the disk, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
