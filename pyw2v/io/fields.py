"""Tables of what a native file must hold: a rule for each setting and each array.

The rules of single values are those of `_shared.rules`, which check arguments, too; here are those
of arrays, and of fields that older files lack. `sound` makes one kind of error of all: a ValueError
that names the file, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from pyw2v._shared.rules import (
    MAX_INT,
    Rule,
    Rules,
    flag,
    integer,
    listed,
    mapping,
    measured,
    one_of,
    optional,
    real,
    shown,
    text,
)

__all__ = [
    "MAX_INT",
    "Rule",
    "Rules",
    "array",
    "checked",
    "counts",
    "default",
    "flag",
    "integer",
    "listed",
    "mapping",
    "measured",
    "one_of",
    "optional",
    "real",
    "sound",
    "text",
    "unique",
]

# What the content of a file can raise. Not MemoryError: numbers are bounded by the file's size.
_FAULTS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError),
    *(RecursionError, TypeError, ValueError),
)


@contextmanager
def sound(source: Any, what: str) -> Iterator[None]:
    """Turn every error about the content of `source` into a ValueError that names it."""
    try:
        yield
    except _FAULTS as error:
        missing = isinstance(error, KeyError) and len(error.args) == 1
        text = f"{error.args[0]} is missing" if missing else str(error) or type(error).__name__
        raise ValueError(f"{source} does not hold {what}: {text}") from error


def checked(values: Any, rules: Rules, where: str = "") -> dict[str, Any]:
    """Return the values that the rules name, checked; a value without a rule is left out."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{where or 'the settings'} must be a mapping, got {shown(values)}")
    found = {}
    for name, rule in rules.items():
        if name in values:
            found[name] = rule(f"{where}.{name}" if where else name, values[name])
        elif not isinstance(rule, _Default):
            raise ValueError(f"{where}.{name} is missing" if where else f"{name} is missing")
        else:
            found[name] = rule.value
    return found


class _Default:
    """A rule for a field that older files lack."""

    def __init__(self, value: Any, rule: Rule) -> None:
        self.value, self.rule = value, rule

    def __call__(self, name: str, value: Any) -> Any:
        return self.rule(name, value)


def default(value: Any, rule: Rule) -> Rule:
    """A field that has this value where it is missing."""
    return _Default(value, rule)


def array(dtypes: str, *shape: int | None) -> Rule:
    """An array of one of these types ("f4 f8") and of this shape, where None is any length."""
    allowed = [np.dtype(dtype) for dtype in dtypes.split()]

    def rule(name: str, value: Any) -> Any:
        fits = value.ndim == len(shape) and all(
            wanted in (None, found) for wanted, found in zip(shape, value.shape, strict=True)
        )
        if not fits or value.dtype not in allowed:
            sizes = ", ".join("any" if n is None else str(n) for n in shape)
            raise ValueError(
                f"{name} must be an array of {' or '.join(map(str, allowed))} of shape "
                f"({sizes}), got {value.dtype} of shape {value.shape}"
            )
        return value

    return rule


def counts(n: int) -> Rule:
    """Numbers of occurrences, whose sum is one, too."""
    is_list = array("i8", n)

    def rule(name: str, value: Any) -> Any:
        found = is_list(name, value)
        if len(found) and (found.min() < 0 or found.sum(dtype=np.float64) >= MAX_INT):
            raise ValueError(f"{name} must be counts of at least 0, and their sum below 2**63")
        return found

    return rule


def unique(name: str, values: Sequence[Any]) -> None:
    """Raise unless all of the values differ."""
    if len(set(values)) == len(values):
        return
    seen: set[Any] = set()
    for row, value in enumerate(values):
        if value in seen:
            raise ValueError(f"{name} must be unique, got {shown(value)} again at row {row}")
        seen.add(value)
