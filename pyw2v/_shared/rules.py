"""Rules for single values: settings given by a caller and fields read from a file.

A rule takes the name and the value, and returns the value, perhaps converted, or raises an error
that names thing, rule and value. The same rule object checks an argument and the field of a file
that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from pyw2v._shared.checks import check_float, check_int

Rule: TypeAlias = Callable[[str, Any], Any]
Rules: TypeAlias = Mapping[str, Rule]

MAX_INT = 2**63 - 1


def shown(value: Any) -> str:
    """The value as an error shows it: a file can hold one of any length."""
    return f"{value!r:.80}"


def anything(_: str, value: Any) -> Any:
    """Any value: it is checked together with others, or not at all."""
    return value


def optional(rule: Rule) -> Rule:
    """None, or what the rule allows."""
    return lambda name, value: None if value is None else rule(name, value)


def all_of(*rules: Rule) -> Rule:
    """What every one of these allows; the error is that of the first that does not."""

    def rule(name: str, value: Any) -> Any:
        for each in rules:
            value = each(name, value)
        return value

    return rule


def whole(name: str, value: Any) -> int:
    """A whole number."""
    return check_int(name, value)


def integer(minimum: int = 0, maximum: int = MAX_INT) -> Rule:
    """A whole number within these; the error tells the bound that counts."""
    return lambda name, value: check_int(name, check_int(name, value, minimum), maximum=maximum)


def between(minimum: int, maximum: int) -> Rule:
    """A whole number within these; the error tells both bounds."""
    return lambda name, value: check_int(name, value, minimum, maximum)


def real(
    minimum: float | None = None, maximum: float | None = None, exclusive: bool = False
) -> Rule:
    """A finite number within these, or inside them if `exclusive`."""
    return lambda name, value: check_float(name, value, minimum, maximum, exclusive)


def measured(name: str, value: Any) -> float:
    """A number that training computed, which may be infinite or NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    return float(value)


def flag(name: str, value: Any) -> Any:
    """True or False, or a number in place of them."""
    if not isinstance(value, bool | int) or value not in (0, 1):
        raise ValueError(f"{name} must be true or false, got {shown(value)}")
    return value


def bit(name: str, value: Any) -> int:
    """0 or 1, as gensim's switches are."""
    if isinstance(value, np.ndarray) or value not in (0, 1):
        raise ValueError(f"{name} must be 0 or 1, got {shown(value)}")
    return int(value)


def truth(_: str, value: Any) -> bool:
    """Whatever Python takes for true or false."""
    return bool(value)


def progress(name: str, value: Any) -> Any:
    """True, False, or None for "on a terminal"."""
    if value not in (False, True, None):
        raise ValueError(f"{name} must be True, False or None, got {value!r}")
    return value


def text(name: str, value: Any) -> str:
    """A text that has bytes in UTF-8."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} must be a text, got {shown(value)}: {error.reason}") from None
    return value


def one_of(*names: str) -> Rule:
    """One of these names."""

    def rule(name: str, value: Any) -> str:
        if value not in names:
            raise ValueError(f"{name} must be one of {', '.join(names)}, got {shown(value)}")
        return str(value)

    return rule


def either(*names: str) -> Rule:
    """One of these few names, which the error shows in quotes."""
    choice = " or ".join(f'"{name}"' for name in names)

    def rule(name: str, value: Any) -> str:
        if value not in names:
            raise ValueError(f"{name} must be {choice}, got {value!r}")
        return str(value)

    return rule


def mapping(name: str, value: Any) -> dict[str, Any]:
    """Names and values."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a mapping, got {shown(value)}")
    return value


def listed(rule: Rule) -> Rule:
    """A list of such values."""

    def each(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError(f"{name} must be a list, got {shown(value)}")
        return [rule(f"{name}[{i}]", item) for i, item in enumerate(value)]

    return each
