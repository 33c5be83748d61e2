"""Calls in a pickle of which plain data is made: bytes, sets, dicts, paths; and rules for keys.

Each takes a `Call`, checks its arguments, and returns what the value is to be made of and how; or
None and the value. They are entered in the table of `pickle_values`, whose first argument they
have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, TypeAlias

import numpy as np

from pyw2v.io.pickle_names import EMPTY_BYTES, ENCODE_NAME
from pyw2v.io.pickle_stream import Call, Name

SCALARS = frozenset((type(None), bool, int, float, str, bytes))
TEXT = frozenset((str,))
_MAX_KEY_PARTS = 64
_MAX_PATH_PARTS = 256
_MAX_PATH = 4096  # characters
_MAX_INT_KEY = 2**60  # larger ones can be chosen to have equal hashes, other keys cannot

# What is to be made, and how of that; or None and what is made already.
Start: TypeAlias = tuple[list[Any] | None, Any]


def check_keys(keys: Sequence[Any]) -> None:
    """Refuse keys of dicts and members of sets that are costly to hash or to compare."""
    if TEXT.issuperset(map(type, keys)):
        return
    for key in keys:
        kind = type(key)
        if kind is str or kind is bytes:
            continue
        if kind is int:
            if not -_MAX_INT_KEY < key < _MAX_INT_KEY:
                raise ValueError("an integer that is a key must have at most 60 bits")
        elif kind is tuple:
            if len(key) > _MAX_KEY_PARTS or not all(type(part) in (str, bytes) for part in key):
                raise ValueError("a tuple that is a key must hold a few words, and nothing else")
        elif kind is np.longdouble:  # hashed as a double, all large ones as infinity
            raise ValueError("a number that is a key must have at most 64 bits")
        elif kind not in SCALARS and not isinstance(key, np.generic):
            raise ValueError(f"a key must be text or a number, got a {kind.__name__}")


def same(content: list[Any]) -> list[Any]:
    """Return the items of a list."""
    return content


def dict_of(content: list[Any]) -> dict[Any, Any]:
    """Return a dict of keys and values by turns."""
    keys = content[::2]
    check_keys(keys)
    return dict(zip(keys, content[1::2], strict=True))


def set_of(content: list[Any]) -> set[Any]:
    """Return a set of its members."""
    check_keys(content)
    return set(content)


def frozenset_of(content: list[Any]) -> frozenset[Any]:
    """Return a frozenset of its members."""
    check_keys(content)
    return frozenset(content)


def raw_of(data: Any) -> Any:
    """Return bytes, or a view of many, of each form that pickles have of them."""
    if type(data) is bytes or type(data) is memoryview:
        return data
    if type(data) is Call:  # protocol 2's
        args, name = data.args, (data.function.module, data.function.name)
        if name in EMPTY_BYTES and not args:
            return b""
        is_text = name == ENCODE_NAME and len(args) == 2 and type(args[0]) is str
        if is_text and args[1] in ("latin1", "latin-1"):
            return args[0].encode("latin-1")
    elif type(data) is str:  # Python 2's
        return data.encode("latin-1")
    raise ValueError("bytes are expected here")


def encoded(_: Any, call: Call) -> Start:
    """Protocol 2's form of bytes."""
    return None, raw_of(call)


def empty_bytes(_: Any, call: Call) -> Start:
    """Protocol 2's form of empty bytes."""
    return None, raw_of(call)


def byte_array(_: Any, call: Call) -> Start:
    """A bytearray, which becomes bytes, as that of protocol 5 does."""
    args = call.args
    if len(args) > 1 and args[1:] not in (("latin1",), ("latin-1",)):
        raise ValueError("a bytearray is made of bytes")
    return None, bytes(raw_of(args[0])) if args else b""


def complex_number(_: Any, call: Call) -> Start:
    """A complex number, of two others."""
    if len(call.args) != 2 or not all(type(part) is float for part in call.args):
        raise ValueError("a complex number is made of two")
    return None, complex(*call.args)


def path(_: Any, call: Call) -> Start:
    """A path, which becomes text."""
    args = call.args
    if len(args) > _MAX_PATH_PARTS or not all(type(part) is str for part in args):
        raise ValueError(f"a path must be made of text, in at most {_MAX_PATH_PARTS} parts")
    if sum(map(len, args)) > _MAX_PATH:  # the parts may be one and the same
        raise ValueError(f"a path must have at most {_MAX_PATH} characters")
    return None, str(PurePosixPath(*args))


def random(_: Any, call: Call) -> Start:
    """A generator of random numbers; ours are seeded anew."""
    return None, None


def set_call(_: Any, call: Call) -> Start:
    """Protocol 2's form of a set."""
    if len(call.args) != 1 or type(call.args[0]) is not list:
        raise ValueError("a set is made of a list")
    return call.args[0].copy(), set_of if call.function.name == "set" else frozenset_of


def dict_call(_: Any, call: Call) -> Start:
    """A defaultdict, or an OrderedDict, which Python 2 made of a list of pairs."""
    pairs = call.args[0] if call.args and type(call.args[0]) is list else []
    if not all(type(pair) in (list, tuple) and len(pair) == 2 for pair in pairs):
        raise ValueError("a dict is made of pairs")
    if not pairs and call.args and not (call.args[0] is None or type(call.args[0]) is Name):
        raise ValueError("a dict is made of pairs")
    return [*(part for pair in pairs for part in pair), *(call.items or ())], dict_of
