"""pyw2v's own file: arrays, words and settings in one file that is valid safetensors.

Layout: 8 bytes, the length of the header; the header, JSON with the type, shape and place of every
array; the arrays, without gaps, in descending order of alignment. Words are arrays too (see
``words.py``). The header's ``__metadata__`` has ``pyw2v``, the version of this layout, ``checksum``
(see ``checksum.py``; older files have none) and ``settings``, JSON in a string. Nothing here is
ever executed, unlike a pickle.

The reader is strict and our own: the safetensors package copies what it loads. Each claim of the
header is checked against the size of the file before memory is allocated.
"""

import json
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from pyw2v.io import checksum, foreign
from pyw2v.io.atomic import atomic_write
from pyw2v.io.errors import TruncatedFileError
from pyw2v.io.mapped import MappedFile, changes_of, check_unchanged, read_into
from pyw2v.io.streams import StrPath, compress_to, is_compressed, open_binary, unpack
from pyw2v.io.words import PREFIX, pack_words, unpack_words

VERSION = "1"

_DTYPES = {
    "F64": "<f8",
    "I64": "<i8",
    "U64": "<u8",
    "F32": "<f4",
    "I32": "<i4",
    "U32": "<u4",
    "F16": "<f2",
    "I16": "<i2",
    "U16": "<u2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
_MAX_HEADER = 100_000_000  # bytes; the safetensors package's own limit
_MAX_DIMENSIONS = 32  # NumPy 1's limit

_PATHS = (str, os.PathLike)

Array = npt.NDArray[Any]
Make = Callable[[Any, Any], Array]  # an array of some shape and type, as np.empty does


@dataclass
class NativeFile:
    """What a native file holds. ``settings`` is empty for a safetensors file of another program."""

    tensors: dict[str, Array]
    words: dict[str, list[str | int]]
    settings: dict[str, Any]
    checksum: str | None = None  # as the file states it


def save(
    path: StrPath | IO[bytes],
    tensors: Mapping[str, Array],
    words: Mapping[str, Sequence[str | int]],
    settings: dict[str, Any],
) -> None:
    """Write one file; ``path`` may be the very file that some of the arrays are mapped from.

    Arrays may have any strides; they are written in pieces, never copied whole. The extension of
    ``path`` says whether to compress. It may also be an open file, which is not compressed.
    """
    arrays: dict[str, Array] = {}
    for name, array in tensors.items():
        if name == "__metadata__" or name.startswith(PREFIX):
            raise ValueError(f"the array name {name!r} is reserved")
        arrays[name] = np.asarray(array)
    check_unchanged(*arrays.values())
    for name, keys in words.items():
        arrays.update(pack_words(name, keys))
    metadata = {
        "pyw2v": VERSION,
        "checksum": checksum.BLANK,
        "settings": json.dumps(settings, default=_plain),
    }
    entries: dict[str, Any] = {"__metadata__": metadata}
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    offset = 0
    for name in order:
        array = arrays[name]
        dtype = array.dtype.newbyteorder("<")
        if dtype not in _NAMES:
            raise TypeError(f"array {name!r} has dtype {array.dtype}, which cannot be stored")
        entries[name] = {
            "dtype": _NAMES[dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % 64)  # the first array starts on a cache line
    if len(header) > _MAX_HEADER:
        raise ValueError(f"settings and names take {len(header)} bytes, more than {_MAX_HEADER}")
    found = checksum.digest(header, [arrays[name] for name in order])
    header = header.replace(checksum.BLANK.encode(), found.encode(), 1)
    with (
        atomic_write(path) if isinstance(path, _PATHS) else nullcontext(path) as plain,
        compress_to(plain, path)
        if isinstance(path, _PATHS) and is_compressed(path)
        else nullcontext(plain) as file,
    ):
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        for name in order:
            for piece in checksum.pieces(arrays[name]):
                file.write(piece)


def load(
    path: StrPath, mmap: bool = False, make: Make = np.empty, verify: bool = False
) -> NativeFile:
    """Read a native file, or any safetensors file.

    With ``mmap=True`` matrices are read-only views on the mapped file: loading takes no time, and
    processes that map the same file share its memory. Otherwise they are read, into arrays that
    ``make`` gives for their shape and type. A compressed file is unpacked to a temporary one first.
    ``verify`` reads all of the file and compares it with its checksum.

    Raises ValueError naming file and byte; TruncatedFileError if the file ends too early.
    """
    with _unpacked(path) if is_compressed(path) else open(path, "rb") as file:
        reader = _Reader(os.fspath(path), file)
        return reader.read(mmap, make, verify)


def no_checksum(path: Any) -> NoReturn:
    """Raise the error for a file to be verified that cannot be."""
    raise ValueError(
        f"{path} has no checksum to verify: another program saved it, or an older pyw2v"
    )


def _unpacked(path: StrPath) -> IO[bytes]:
    """A temporary file, gone when nobody has it open or mapped, with the unpacked bytes."""
    file = tempfile.TemporaryFile(prefix="pyw2v-")  # noqa: SIM115 (the caller closes it)
    try:
        with open_binary(path) as source:
            unpack(source, file, None, os.fspath(path))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


class _Reader:
    """One open file while it is read; the fields only serve error messages and bounds."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.name = name
        self.file = file
        self.before = os.fstat(file.fileno())
        self.size = self.before.st_size
        self.data_start = 0

    def fail(self, offset: int, what: str) -> NoReturn:
        raise ValueError(f"{self.name}, byte {offset}: {what}")

    def fail_short(self, offset: int, what: str) -> NoReturn:
        raise TruncatedFileError(f"{self.name}, byte {offset}: {what}")

    def fail_foreign(self, offset: int, what: str) -> NoReturn:
        self.file.seek(0)
        hint = foreign.hint(foreign.kind(self.file.read(foreign.N_BYTES)))
        self.fail(offset, f"{what}; this is no safetensors file{hint}")

    def read(self, mmap: bool, make: Make, verify: bool) -> NativeFile:
        entries = self.read_header()
        metadata = self.check_metadata(entries.pop("__metadata__", {}))
        places = {name: self.check_entry(name, entry) for name, entry in entries.items()}
        self.check_cover({name: place[2:] for name, place in places.items()})
        mapping = None
        if mmap and self.size > self.data_start:
            mapping = MappedFile(self.file, self.name, self.before)
        tensors = {}
        for name, (dtype, shape, begin, _) in places.items():
            # What is used here, or is small compared to the matrices, is read and not mapped.
            if mapping is None or len(shape) < 2 or 0 in shape or dtype.kind == "b":
                array = make(shape, dtype)
                read_into(array, self.file, self.data_start + begin, self.name)
            else:
                at = self.data_start + begin
                array = np.frombuffer(mapping, dtype, math.prod(shape), at).reshape(shape)
            if dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
                self.fail(self.data_start + begin, f"array {name!r} has truth values above 1")
            tensors[name] = array
        changes = changes_of(self.before, self.file)
        if changes is not None:
            raise ValueError(f"{self.name} changed while it was read: {changes}")
        stated = metadata.get("checksum") if "pyw2v" in metadata else None
        if verify:
            self.verify(
                stated, [tensors[name] for name in sorted(places, key=lambda n: places[n][2:])]
            )
        if "pyw2v" not in metadata:
            return NativeFile(tensors, {}, {})
        try:
            words = unpack_words(tensors)
        except ValueError as error:
            self.fail(self.data_start, str(error))
        return NativeFile(tensors, words, self.read_settings(metadata), stated)

    def verify(self, stated: str | None, arrays: list[Array]) -> None:
        """Compare the file with its checksum; the arrays are in the order of their bytes."""
        if stated is None:
            no_checksum(self.name)
        self.file.seek(8)
        header = self.file.read(self.data_start - 8)
        blank = header.replace(stated.encode(), checksum.BLANK.encode(), 1)
        if checksum.digest(blank, arrays) != stated:
            raise ValueError(f"{self.name} does not match its checksum: the file is damaged")

    def read_header(self) -> dict[str, Any]:
        start = self.file.read(8)
        if len(start) < 8:
            self.fail_short(len(start), "the file ends within its first 8 bytes")
        n_bytes = int.from_bytes(start, "little")
        if n_bytes > _MAX_HEADER:
            self.fail_foreign(0, f"the header cannot have {n_bytes} bytes")
        if n_bytes > self.size - 8:
            self.fail_short(self.size, f"the file ends within its header of {n_bytes} bytes")
        text = self.file.read(n_bytes)
        self.data_start = 8 + n_bytes
        if not text.startswith(b"{"):
            self.fail_foreign(8, "the header must start with '{'")
        try:
            entries = json.loads(text.decode("utf-8"), object_pairs_hook=_unique_keys)
        except (ValueError, RecursionError) as error:
            self.fail(8, f"the header is not valid JSON: {error}")
        result: dict[str, Any] = entries
        return result

    def check_metadata(self, metadata: object) -> dict[str, str]:
        if not isinstance(metadata, dict) or not all(
            isinstance(value, str) for value in metadata.values()
        ):
            self.fail(8, "__metadata__ must map strings to strings")
        if metadata.get("pyw2v", VERSION) != VERSION:
            self.fail(
                8,
                f"the file has version {metadata['pyw2v']!r} of the format, this pyw2v reads "
                f"{VERSION!r}; a newer pyw2v may read it",
            )
        return metadata

    def check_entry(self, name: str, entry: Any) -> tuple[np.dtype[Any], list[int], int, int]:
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            self.fail(8, f"array {name!r} needs dtype, shape and data_offsets, nothing else")
        if not isinstance(entry["dtype"], str) or entry["dtype"] not in _DTYPES:
            self.fail(8, f"array {name!r} has the unknown dtype {entry['dtype']!r}")
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        shape, offsets = entry["shape"], entry["data_offsets"]
        if not _are_sizes(shape) or len(shape) > _MAX_DIMENSIONS or not _countable(shape, dtype):
            self.fail(8, f"array {name!r} has the impossible shape {shape!r:.200}")
        if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
            self.fail(8, f"array {name!r} has the impossible data_offsets {offsets!r:.200}")
        begin, end = offsets
        if math.prod(shape) * dtype.itemsize != end - begin:
            self.fail(
                8,
                f"array {name!r} of shape {shape} and type {entry['dtype']} does not take the "
                f"{end - begin} bytes that its data_offsets {offsets} leave it",
            )
        if end > self.size - self.data_start:
            self.fail_short(
                self.size,
                f"array {name!r} should end at byte {self.data_start + end}, beyond the file",
            )
        return dtype, shape, begin, end

    def check_cover(self, places: Mapping[str, tuple[int, int]]) -> None:
        """The arrays must fill the rest of the file, side by side."""
        at = 0
        for name, (begin, end) in sorted(places.items(), key=lambda item: item[1]):
            if begin != at:
                kind = "overlaps the one before it" if begin < at else "leaves a gap before it"
                self.fail(self.data_start + begin, f"array {name!r} {kind}")
            at = end
        if at != self.size - self.data_start:
            self.fail(self.data_start + at, "bytes after the last array belong to none")

    def read_settings(self, metadata: Mapping[str, str]) -> dict[str, Any]:
        try:
            settings = json.loads(metadata.get("settings", "{}"))
        except (ValueError, RecursionError) as error:
            self.fail(8, f"the settings are not valid JSON: {error}")
        if not isinstance(settings, dict):
            self.fail(8, "the settings must be a JSON object")
        return settings


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name appears twice")
    return result


def _are_sizes(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _countable(shape: list[int], dtype: np.dtype[Any]) -> bool:
    """Whether NumPy can have the shape of an empty array; other shapes the file's size bounds."""
    return 0 not in shape or math.prod(n for n in shape if n) * dtype.itemsize < 2**63


def _plain(value: object) -> Any:
    """NumPy scalars as Python numbers, so that settings need not be cleaned by every caller."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"settings must be JSON values, got {value!r} of type {type(value).__name__}")
