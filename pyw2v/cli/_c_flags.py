"""Flags as the word2vec C programs read them: `-name value`, in any order."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyw2v.cli._common import UsageError

_KINDS = {int: "<int>", float: "<float>", str: "<file>"}


@dataclass(frozen=True)
class Flag:
    """A flag, its type and its help. Without a default given, it is None."""

    name: str
    kind: type
    help: str
    default: Any = None

    def read(self, text: str) -> Any:
        """The value that a text stands for."""
        try:
            return self.kind(text)
        except ValueError:
            noun = "a whole number" if self.kind is int else "a number"
            raise UsageError(f"-{self.name} must be {noun}, got {text!r}") from None


@dataclass(frozen=True)
class Program:
    """What a program is, its flags, switches of our own and an example."""

    title: str
    flags: tuple[Flag, ...]
    example: str
    switches: dict[str, str]

    def usage(self) -> str:
        """All flags, in the C programs' layout."""
        lines = [self.title, "", "Options:", "Parameters for training:"]
        for flag in self.flags:
            lines += [f"\t-{flag.name} {_KINDS[flag.kind]}", f"\t\t{flag.help}"]
        for name, text in self.switches.items():
            lines += [f"\t{name}", f"\t\t{text}"]
        return "\n".join([*lines, "", "Examples:", self.example, ""])

    def read(self, argv: Sequence[str]) -> dict[str, Any]:
        """All values by flag; switches are True or False. Raises UsageError.

        Of a flag given twice the first counts, and unknown flags have no effect, as in C; but the
        user is told about these.
        """
        known = {f"-{flag.name}": flag for flag in self.flags}
        values: dict[str, Any] = {name: name in argv for name in self.switches}
        rest = iter([text for text in argv if text not in self.switches])
        for token in rest:
            flag = known.get(token)
            if flag is None:
                print(f"pyw2v: warning: {token} is no flag, and has no effect", file=sys.stderr)
                continue
            value = next(rest, None)
            if value is None:
                raise UsageError(f"Argument missing for {token}")
            values.setdefault(flag.name, flag.read(value))
        return {flag.name: flag.default for flag in self.flags} | values
