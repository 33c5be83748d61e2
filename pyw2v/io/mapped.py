"""Files as memory: shared by all processes that map them, and in memory only where touched.

A mapping follows its file. When another program writes to it in place, the numbers change; when it
cuts the file short, touching what is gone ends the process (SIGBUS), and nothing can be done then.
So what is needed once is read and not mapped, and `check_unchanged` is called before work on what
stays mapped. A file that is replaced (`atomic_write`, `mv`, unpacking by most programs) is another
file: the mapping keeps the old one, whole.
"""

import mmap
import os
from typing import IO, Any

import numpy as np

from pyw2v.io.errors import TruncatedFileError, memory_for

_READ_BYTES = 1 << 26  # in one call


def changes_of(before: os.stat_result, file: IO[bytes] | int) -> str | None:
    """Tell how an open file differs from what it was; None if it does not."""
    now = os.fstat(file if isinstance(file, int) else file.fileno())
    if now.st_size != before.st_size:
        return f"it had {before.st_size} bytes and has {now.st_size}"
    if now.st_mtime_ns != before.st_mtime_ns:
        return "it has been written to"
    return None


def _became_shorter(name: str, offset: int) -> TruncatedFileError:
    return TruncatedFileError(f"{name}, byte {offset}: the file became shorter while it was read")


def read_into(array: Any, file: IO[bytes], offset: int, name: str) -> None:
    """Fill a C-contiguous array with the bytes of a file from `offset` on."""
    target = memoryview(array.reshape(-1)).cast("B") if array.size else memoryview(b"")
    file.seek(offset)
    done = 0
    while done < len(target):
        piece = target[done : done + _READ_BYTES]  # so that Ctrl-C comes in between
        n_bytes = file.readinto(piece)  # type: ignore[attr-defined]  # BinaryIO has it
        if not n_bytes:
            raise _became_shorter(name, offset + done)
        done += n_bytes


class MappedFile(mmap.mmap):
    """An open file as read-only memory; `before` is its status when its content was checked."""

    _name: str
    _before: os.stat_result
    _descriptor: int | None = None

    def __new__(cls, file: IO[bytes], name: str, before: os.stat_result) -> "MappedFile":
        """Map all bytes."""
        try:
            size = before.st_size
            with memory_for(name):
                mapping = super().__new__(cls, file.fileno(), size, access=mmap.ACCESS_READ)
        except ValueError:  # what is there is less
            raise TruncatedFileError(f"{name}: {changes_of(before, file)}") from None
        mapping._name, mapping._before = name, before
        if os.name == "posix":  # Windows lets nobody change a mapped file
            mapping._descriptor = os.dup(file.fileno())
        mapping.check()
        return mapping

    def __del__(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def read_into(self, target: memoryview, offset: int) -> bool:
        """Fill a buffer with bytes of the file, without touching its pages; False: cannot be."""
        if self._descriptor is None or not hasattr(os, "preadv"):
            return False
        done = 0
        while done < len(target):
            piece, at = target[done : done + _READ_BYTES], offset + done
            n_bytes = os.preadv(self._descriptor, [piece], at)
            if not n_bytes:
                raise _became_shorter(self._name, at)
            done += n_bytes
        return True

    def check(self) -> None:
        """Raise a ValueError if another program has changed the file."""
        if self._descriptor is None:
            return
        changes = changes_of(self._before, self._descriptor)
        if changes is not None:
            raise ValueError(
                f"{self._name} was changed by another program while it is mapped ({changes}): "
                "load it again, and replace such files, do not write to them"
            )


def mapping_of(array: Any) -> mmap.mmap | None:
    """Return the mapping that an array is a view of, if it is."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array


def copy_into(target: Any, source: Any) -> None:
    """Do `target[...] = source`; what is mapped is read, since its file may become shorter."""
    mapping = mapping_of(source) if isinstance(source, np.ndarray) else None
    if (
        isinstance(mapping, MappedFile)
        and source.flags.c_contiguous
        and target.flags.c_contiguous
        and source.dtype == target.dtype
        and source.size
    ):
        start = np.frombuffer(mapping, np.uint8, 1).ctypes.data
        if mapping.read_into(target.reshape(-1).view(np.uint8).data, source.ctypes.data - start):
            return
    target[...] = source


def check_unchanged(*arrays: Any) -> None:
    """Raise a ValueError if one of the arrays is a view of a mapped file that has changed."""
    for array in arrays:
        mapping = mapping_of(array) if isinstance(array, np.ndarray) else None
        if isinstance(mapping, MappedFile):
            mapping.check()
        elif mapping is not None and mapping.size() < len(mapping):  # np.memmap
            name = getattr(array, "filename", None) or "a mapped file"
            raise ValueError(f"{name} has become shorter while it is mapped: load it again")
