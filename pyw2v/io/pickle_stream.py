"""A pickle stream read as data: nothing is called, imported or looked up.

In comes a whole stream of protocol 2 to 5; out goes the value that it describes, made of numbers,
text, bytes, lists and tuples, and of markers for all else: a `Name` where pickle would import, a
`Call` where it would call, with the state that it would set. `pickle_values` makes of them what a
model needs, after the whole stream was read.

Work and memory are bounded by the size of the stream:

- what takes a byte and makes an object is counted, and a stream may make one for every six bytes;
- the memo is a list, whose places are taken in order, as every pickler does;
- dicts and sets are lists of what goes into them, so that nothing here is hashed or compared.

Opcodes that no model's file has are refused: those of protocols 0 and 1 that later ones replace,
and those that refer to something outside of the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyw2v._core.pickles import Interpreter


class ForbiddenNameError(ValueError):
    """A pickle names something that a gensim model has no need of."""


class Name:
    """What pickle would import."""

    __slots__ = ("at", "module", "name")

    def __init__(self, module: str, name: str, at: int) -> None:
        self.module = module
        self.name = name
        self.at = at

    def __str__(self) -> str:
        return shown(self.module, self.name)


class Call:
    """What pickle would make by a call, then give a state and items.

    `is_new` tells a call of `cls.__new__` from one of the thing itself. `items` are keys and values
    by turns.
    """

    __slots__ = ("args", "at", "function", "is_new", "items", "state")

    def __init__(self, function: Name, args: tuple[Any, ...], is_new: bool, at: int) -> None:
        self.function = function
        self.args = args
        self.is_new = is_new
        self.at = at
        self.state: Any = None
        self.items: list[Any] | None = None


class Dict:
    """A dict, as its keys and values by turns."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Any] = []


class Set:
    """A set or frozenset, as what was put into it."""

    __slots__ = ("is_frozen", "items")

    def __init__(self, items: list[Any], is_frozen: bool) -> None:
        self.items = items
        self.is_frozen = is_frozen


def shown(module: str, name: str) -> str:
    """Return a name for a message: of bounded length, and without characters that do not print."""
    text = f"{module[:100]}.{name[:100]}"
    return text if text.isprintable() else ascii(text)


class _Markers:
    """What the interpreter makes of names and calls."""

    Name, Call, Dict, Set = Name, Call, Dict, Set

    def __init__(self, check_name: Callable[[str, str], None]) -> None:
        self._check_name = check_name

    def name(self, module: str, name: str, at: int) -> Any:
        self._check_name(module, name)
        return Name(module, name, at)

    def kind(self, value: Any) -> str:
        """Say of what kind a value is that is in the wrong place."""
        return str(value) if type(value) is Name else f"a {type(value).__name__}"


def read(stream: bytes, check_name: Callable[[str, str], None]) -> Any:
    """Return what a stream describes; `check_name` raises an error of a name that is not known."""
    interpreter = Interpreter(stream, _Markers(check_name))
    try:
        return interpreter.run()
    except ForbiddenNameError as error:
        raise ForbiddenNameError(f"byte {interpreter.at}: {error}") from None
    except IndexError:
        where = f"byte {interpreter.at} of {len(stream)}"
        raise ValueError(f"{where}: cut short, or takes a value that is not there") from None
    except ValueError as error:
        raise ValueError(f"byte {interpreter.at}: {error}") from None
