"""Mutations that know a format, so that what they make gets past its first checks."""

import bz2
import gzip
import io
import json
import lzma
import math
import pickletools
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from fuzzing.mutate import BYTES, FLOATS, NUMBERS, TEXT, Draw, Group, binary_number, mutate

# -- our own files ---------------------------------------------------------------------------------

_FORMS = {"F64": "<d", "F32": "<f", "I64": "<q", "I32": "<i", "U32": "<I", "U8": "<B", "BOOL": "<B"}
_FORMS |= {"F16": "<H", "U64": "<Q", "I16": "<h", "U16": "<H", "I8": "<b"}
_SIZES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "I16": 2, "U16": 2}
_SIZES |= {"I8": 1, "U8": 1, "BOOL": 1}
_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    "",
    "x",
    [],
    {},
    [1],
    {"a": 1},
    [[[]]],
    "\ud800",
    0.5,
)
_VALUES += ("1", "Word2Vec", "softmax", "a" * 1000, [2**40], -1.5, 1e-300, "nan", "\0")


def native(data: bytes, draw: Draw, others: Sequence[bytes]) -> bytes:
    """Change settings or arrays of one of our files; it stays a file of that form."""
    try:
        about, found = _parsed(data) if data in others else _parsed.__wrapped__(data)
        about, arrays = dict(about), {name: list(array) for name, array in found.items()}
        if draw.chance(0.45):
            settings = json.loads(about["settings"])
            change_json(settings, draw)
            about["settings"] = json.dumps(settings)
        else:
            _change_array(arrays, draw)
        return _native_bytes(about, arrays, draw)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):  # damaged already
        return draw.pick(BYTES)(data, draw, others)


@cache
def _parsed(data: bytes) -> tuple[dict[str, str], dict[str, Any]]:
    """The metadata, and the type, shape and bytes of each array."""
    n = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + n])
    about = header.pop("__metadata__")
    body = data[8 + n :]
    return about, {
        name: (e["dtype"], e["shape"], body[e["data_offsets"][0] : e["data_offsets"][1]])
        for name, e in header.items()
    }


def _native_bytes(about: Any, arrays: dict[str, Any], draw: Draw) -> bytes:
    entries: dict[str, Any] = {"__metadata__": about}
    offset = 0
    for name, (dtype, shape, raw) in arrays.items():
        offsets = [offset, offset + len(raw)]
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": offsets}
        offset += len(raw)
    if draw.chance(0.05):
        change_json(entries, draw)
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % 64)
    return len(header).to_bytes(8, "little") + header + b"".join(a[2] for a in arrays.values())


def _change_array(arrays: dict[str, Any], draw: Draw) -> None:
    name = draw.pick(list(arrays))
    array = dtype, shape, raw = arrays[name]
    row = len(raw) // shape[0] if shape and shape[0] else 0
    kind = draw.below(9)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[name + draw.pick(("x", "s", "/ends", "\0"))] = arrays.pop(name)
    elif kind == 2 and row:  # one row less
        array[1:] = [shape[0] - 1, *shape[1:]], raw[:-row]
    elif kind == 3 and row:  # one row more
        array[1:] = [shape[0] + 1, *shape[1:]], raw + raw[-row:]
    elif kind == 4:  # the same bytes as other numbers
        array[0] = draw.pick(list(_SIZES))
        array[1] = [len(raw) // _SIZES[array[0]]]
        array[2] = raw[: array[1][0] * _SIZES[array[0]]]
    elif kind == 5:  # another shape
        n = math.prod(shape)
        array[1] = draw.pick(([n], [n, 1], [1, n], shape[::-1], [1, *shape], [n // 2, 2], [0, n]))
        array[2] = raw[: math.prod(array[1]) * _SIZES[dtype]]
    elif kind == 6:  # none of them
        array[1:] = [0, *shape[1:]], b""
    elif raw:  # some of the numbers
        size, form = _SIZES[dtype], _FORMS[dtype]
        for _ in range(1 + draw.below(3)):
            at = draw.below(len(raw) // size) * size
            bad = binary_number(form, draw, shape[0] if shape else 1)
            raw = raw[:at] + bad + raw[at + size :]
        array[2] = raw


def change_json(value: Any, draw: Draw) -> None:
    """Change, drop or add one thing somewhere in a dict or a list."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys or draw.chance(0.03):
            if isinstance(value, dict):
                value[draw.pick(("x", "type", "dtype", ""))] = nasty_value(draw)
            else:
                value.append(nasty_value(draw))
            return
        key = draw.pick(keys)
        if not isinstance(value[key], (dict, list)) or draw.chance(0.2):
            break
        value = value[key]
    if draw.chance(0.15):
        del value[key]
    elif isinstance(value[key], int) and draw.chance(0.3):
        value[key] = int(value[key]) + draw.below(5) - 2
    else:
        value[key] = nasty_value(draw)


def nasty_value(draw: Draw) -> Any:
    """Return a value that settings should not have."""
    kind = draw.below(3)
    return draw.pick((NUMBERS, FLOATS, _VALUES)[kind])


def numpy_array(data: bytes, draw: Draw, others: Sequence[bytes]) -> bytes:
    """Change the header of an `.npy` file."""
    if data not in others:  # damaged already
        return draw.pick(BYTES)(data, draw, others)
    array = np.load(io.BytesIO(data))
    kind = draw.below(5)
    if kind == 0:
        array = array[:-1]
    elif kind == 1:
        array = array.astype(draw.pick(("f8", "f2", "i4", "S3", "U2", "?", "c8", "M8[s]")))
    elif kind == 2:
        array = array.reshape(draw.pick(((-1,), (1, *array.shape), array.shape[::-1])))
    elif kind == 3:
        array = np.asfortranarray(array)
    else:
        return draw.pick(TEXT)(data[:128], draw, others) + data[128:]
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


# -- pickles ---------------------------------------------------------------------------------------

_OPCODES = tuple(op.code.encode("latin1") for op in pickletools.opcodes)
_SNIPPETS = (
    b"2",  # DUP
    b"R",  # REDUCE
    b"b",  # BUILD
    b"\x81",  # NEWOBJ
    b"0",  # POP
    b"1",  # POP_MARK
    b"(",  # MARK
    b"N",
    b"}",
    b"]",
    b")",
    b"a",
    b"e",
    b"s",
    b"u",
    b"t",
    b"\x85",
    b"\x86",
    b"\x87",
    b"\x94",
    b".",
    b"2\x86" * 30,  # tuples of tuples, twice as large at each step
    b"(" * 1000,
    b"]" * 500 + b"a" * 499,
    b")\x85" * 2000,
    b"r\x00\xe1\xf5\x05",  # LONG_BINPUT
    b"j\xff\xff\xff\x7f",  # LONG_BINGET
    b"B\xff\xff\xff\x7f",  # BINBYTES
    b"\x8e" + b"\xff" * 7 + b"\x7f",  # BINBYTES8
    b"\x8b\xff\xff\xff\x7f",  # LONG4
    b"\x95" + b"\xff" * 8,  # FRAME
    b"J\xff\xff\xff\x7f",  # BININT
    b"\x8a\x08" + b"\xff" * 7 + b"\x7f",  # LONG1
    b"cos\nsystem\n",
    b"cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R",
    b"cbuiltins\ngetattr\n",
    b"cnumpy\nndarray\n",
    b"cnumpy\ndtype\n",
    b"ccollections\nOrderedDict\n)R",
    b"\x8c\x08builtins\x8c\x04list\x93",
    b"I9999999999999999999999\n",
    b"Fnan\n",
    b"G\x7f\xf8\0\0\0\0\0\0",
    b"\x88",
    b"\x89",
    b"h\x00",
    b"h\x05",
    b"q\x00",
    b"X\x00\x00\x00\x00",
    b"X\x03\x00\x00\x00\xff\xff\xff",
    b"Q",
    b"P1\n",
    b"\x82\x01",
    b"\x97",
    b"\x98",
)


@cache
def _operations(data: bytes) -> tuple[bytes, ...] | None:
    """The pickle cut into its operations, if it is sound."""
    try:
        starts = [at for _, _, at in pickletools.genops(data)]
    except Exception:  # pickletools raises many kinds
        return None
    pairs = zip(starts, [*starts[1:], len(data)], strict=True)
    return tuple(data[begin:end] for begin, end in pairs)


def pickle_operations(data: bytes, draw: Draw, others: Sequence[bytes]) -> bytes:
    """Change, drop, double, exchange or add operations of a pickle."""
    found = _operations(data) if data in others else None
    if found is None:
        return draw.pick(BYTES)(data, draw, others)
    operations = list(found)
    for _ in range(1 + draw.below(3)):
        at, kind = 1 + draw.below(len(operations) - 1), draw.below(7)
        if kind == 0:
            del operations[at]
        elif kind == 1:
            operations.insert(at, draw.pick(operations))
        elif kind == 2:
            other = draw.below(len(operations))
            operations[at], operations[other] = operations[other], operations[at]
        elif kind == 3:
            operations.insert(at, draw.pick(_SNIPPETS))
        elif kind == 4:
            operations[at] = draw.pick(_SNIPPETS)
        elif kind == 5:  # another operation on the same argument
            operations[at] = draw.pick(_OPCODES) + operations[at][1:]
        else:
            changed = draw.pick(BYTES)(operations[at][1:] or b"\0", draw, others)
            operations[at] = operations[at][:1] + changed
        if len(operations) < 2:
            break
    return b"".join(operations)


# -- compressed ------------------------------------------------------------------------------------


def inside(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return mutations of compressed files: of what is inside, and of the bytes themselves."""

    def change(data: bytes, draw: Draw, others: Sequence[bytes]) -> bytes:
        if data not in others:
            return draw.pick(BYTES)(data, draw, others)
        suffix, plain = _unpacked(data)
        return packed(mutate(plain, draw, (plain,), groups), suffix)

    return (change,), (change,), BYTES


@cache
def _unpacked(data: bytes) -> tuple[str, bytes]:
    if data.startswith(b"\x1f\x8b"):
        return ".gz", gzip.decompress(data)
    return (".bz2", bz2.decompress(data)) if data[:2] == b"BZ" else (".xz", lzma.decompress(data))


def packed(data: bytes, suffix: str) -> bytes:
    """Return compressed bytes, always the same; little is tried to make them few."""
    if suffix == ".gz":
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        return packer.compress(data) + packer.flush()
    return bz2.compress(data, 1) if suffix == ".bz2" else lzma.compress(data, preset=0)


NATIVE: tuple[Group, ...] = ((native,), (native,), (native,), BYTES)
PICKLE: tuple[Group, ...] = ((pickle_operations,), (pickle_operations,), BYTES)
NPY: tuple[Group, ...] = ((numpy_array,), BYTES)
