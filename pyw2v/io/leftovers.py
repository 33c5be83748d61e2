"""Names of temporary files that tell, after a crash, that nobody needs them any more.

A process that is killed cannot remove its files; the next one that writes to the folder does. What
it removes must be a regular file of the same user with a name of ours, and dead:

- Its writer held a lock on it, which the system takes from a process that ends, however it ends.
- Locks only count within one system, and not at all in files of pyw2v 0.1: folders can be shared
  by machines. The name says which system it was, and what another one left is dead when nothing
  has been written to it for a day.
"""

import contextlib
import functools
import hashlib
import os
import re
import secrets
import stat
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.pyw2v-(?:([0-9a-f]{8})-[0-9]+-)?[0-9a-f]{16}\.tmp")
_DAY = 24 * 60 * 60  # seconds


def new_name(folder: str) -> str:
    """Return a path that no file has: it says which system and process, and is random."""
    return os.path.join(folder, f".pyw2v-{_system()}-{os.getpid()}-{secrets.token_hex(8)}.tmp")


def is_ours(path: object) -> bool:
    """Whether a path is that of a temporary file."""
    return isinstance(path, str) and _NAME.fullmatch(os.path.basename(path)) is not None


def create(folder: str) -> tuple[int, str]:
    """Create a file for writing and lock it; return its descriptor and path."""
    while True:
        path = new_name(folder)
        # Not tempfile.mkstemp: its files are private, ours take the user's default permissions.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, 0o666)
        lock(descriptor, wait=True)  # for a sweep that has found the file before its lock
        if os.path.exists(path):
            return descriptor, path
        os.close(descriptor)  # swept: next try


def lock(descriptor: int, wait: bool = False) -> bool:
    """Lock an open file against `sweep` until it is closed; tell whether that could be done."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # somebody has it; or the file system knows no locks, for nobody
        return False
    return True


def sweep(folder: str) -> None:
    """Remove what dead processes left in a folder. Never fails: the caller has other work."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match is not None:
                with contextlib.suppress(OSError):
                    _sweep_one(entry.path, match[1] == _system())


def _sweep_one(path: str, same_system: bool) -> None:
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return
    if fcntl is None or not same_system:
        if time.time() - status.st_mtime < _DAY:
            return
        if fcntl is None:
            os.unlink(path)  # which Windows refuses while it is open
            return
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if lock(descriptor) and os.path.samestat(os.fstat(descriptor), status):
            os.unlink(path)
    finally:
        os.close(descriptor)


@functools.cache
def _system() -> str:
    """Return a name of the running kernel, whose processes see each other's locks."""
    try:
        name = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except (OSError, ValueError):
        name = os.uname().nodename if hasattr(os, "uname") else ""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
