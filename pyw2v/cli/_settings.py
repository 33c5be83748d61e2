"""Flags of a command made of a table of settings, and the settings that were given by them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from pyw2v._shared.settings import Setting, Table

_NUMBERS = {"int": (int, "N"), "float": (float, "X")}  # by the first word of a setting's type


def add_flags(table: Table, groups: Mapping[str, Any]) -> None:
    """Add the flags of all settings that have one, each to its group of options."""
    for setting in table:
        if setting.flag is not None:
            options = _options(setting) | {"dest": setting.name}
            groups[setting.flag.group].add_argument(*setting.flag.names, **options)


def _options(setting: Setting) -> dict[str, Any]:
    flag = setting.flag
    assert flag is not None
    default = flag.default_of(setting)
    if flag.switch is not None:
        return {
            "action": "store_const",
            "const": flag.switch,
            "default": default,
            "help": flag.help,
        }
    options: dict[str, Any] = {"default": default}
    shown = default if flag.default_text is None else flag.default_text
    if flag.choices is not None:
        options["choices"] = tuple(flag.choices)
        names = {value: name for name, value in flag.choices.items()}
        options["default"] = shown = names.get(default)
    else:
        options["type"], options["metavar"] = _NUMBERS[setting.type.split()[0]]
    options["help"] = flag.help if shown is None else f"{flag.help} (default: {shown})"
    return options


def given_settings(table: Table, args: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that the flags stand for, by name; those without a flag are left out."""
    found = {}
    for setting in table:
        if setting.flag is not None:
            value = getattr(args, setting.name)
            choices = setting.flag.choices
            found[setting.name] = choices[value] if choices and value is not None else value
    return found
