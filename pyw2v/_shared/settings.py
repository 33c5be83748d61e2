"""Settings, each declared once: its name, default, rule, help, and how the command line spells it.

A model has a `Table` of them. It checks arguments and files, says what `save` writes and `load`
reads, and gives `pyw2v train` its flags. What a program must find written out, for editors and type
checkers, is written from the table by `tools/write_settings.py`: the signature of the constructor,
the Parameters of its docstring, the types of the attributes. A test compares them.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from pyw2v._shared.rules import Rule, anything

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")

_DEFAULT = object()  # the default of the setting


class Flag(NamedTuple):
    """How `pyw2v train` spells a setting."""

    names: tuple[str, ...]  # the first is ours, the others are kept for those who know them
    help: str
    group: str = "model"
    default: Any = _DEFAULT  # of the command line, where it is another
    default_text: str | None = None  # what the help says of it, where the value says too little
    choices: Mapping[str, Any] | None = None  # words, and the values that they stand for
    switch: Any = None  # a flag without an argument: the value that it stands for

    def default_of(self, setting: "Setting") -> Any:
        """What the command line takes where the flag is not given."""
        return setting.default if self.default is _DEFAULT else self.default


class Setting(NamedTuple):
    """One argument of a constructor; most are kept as an attribute of the same name."""

    name: str
    type: str  # as it is annotated
    default: Any
    help: str  # whole sentences
    rule: Rule = anything
    # Whether files hold it; or the rule that a file must keep, where a caller is allowed more.
    stored: bool | Rule = True
    kept: bool = True  # False for what is only used while the constructor runs
    keyword: bool = False  # whether it is given by name only
    also: tuple[str, ...] = ()  # other spellings, of arguments and attributes
    # Whose default it is: models that share a setting share its default, unless a peer fixes it.
    peer: str = ""
    flag: Flag | None = None
    since: str = ""  # the version that brought it, where files from before it lack it


class Table:
    """The settings of a kind of model, in the order of its constructor."""

    def __init__(
        self, settings: Iterable[Setting], *, without_argument: Collection[str] = ()
    ) -> None:
        """Those in `without_argument` are attributes only, which have their defaults."""
        self._settings = {setting.name: setting for setting in settings}
        self.arguments = tuple(name for name in self._settings if name not in without_argument)
        self.aliases = {alias: setting.name for setting in self for alias in setting.also}

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._settings.values())

    def __getitem__(self, name: str) -> Setting:
        return self._settings[name]

    def __contains__(self, name: object) -> bool:
        return name in self._settings

    @property
    def kept(self) -> tuple[Setting, ...]:
        """Those that are attributes."""
        return tuple(setting for setting in self if setting.kept)

    @property
    def stored(self) -> tuple[Setting, ...]:
        """Those that files hold."""
        return tuple(setting for setting in self.kept if setting.stored is not False)

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the constructor among `arguments`, such as its `locals()`."""
        return {name: arguments[name] for name in self.arguments if name in arguments}

    def take(self, model: Any, arguments: Mapping[str, Any]) -> None:
        """Make attributes of the arguments of a constructor, given by its `locals()`."""
        for setting in self.kept:
            if setting.name in arguments:
                setattr(model, setting.name, arguments[setting.name])

    def values(self, model: Any) -> dict[str, Any]:
        """Return all settings of a model by name."""
        return {setting.name: getattr(model, setting.name) for setting in self.kept}

    def check(self, name: str, value: Any) -> Any:
        """Return the value of one setting, checked and converted."""
        return self[name].rule(name, value)

    def checked(self, model: Any) -> dict[str, Any]:
        """Return the same, checked and converted; the error names the first that is wrong."""
        return {name: self.check(name, value) for name, value in self.values(model).items()}

    def to_file(self, model: Any) -> dict[str, Any]:
        """Return the settings that a file is to hold."""
        return {setting.name: getattr(model, setting.name) for setting in self.stored}

    def from_file(self, fields: Mapping[str, Any], whole: bool = False) -> dict[str, Any]:
        """Return all settings of a model in a file, checked; those not in it have their defaults.

        A `whole` file lacks only what is newer than the first version.
        """
        fields = self.renamed(fields)
        found = {setting.name: setting.default for setting in self.kept}
        for setting in self.stored:
            if setting.name in fields:
                rule = setting.stored if callable(setting.stored) else setting.rule
                found[setting.name] = rule(setting.name, fields[setting.name])
            elif whole and not setting.since:
                raise ValueError(f"{setting.name} is missing")
        return found

    def unknown(self, fields: Mapping[str, Any]) -> list[str]:
        """Return the fields that are no settings of a file: of a newer version, perhaps."""
        stored = {setting.name for setting in self.stored}
        return sorted(self.renamed(fields).keys() - stored)

    def renamed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values by the names of the table, where some may be given by other spellings."""
        return _renamed(values, self.aliases)


def _renamed(values: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    found = dict(values)
    for alias in aliases.keys() & values.keys():
        name = aliases[alias]
        if name in values:
            raise TypeError(f"{alias} and {name} are one setting: give one of them, not both")
        found[name] = found.pop(alias)
    return found


def also_known_as(aliases: Mapping[str, str]) -> Callable[[Function], Function]:
    """Let a function take arguments by other spellings, too: `{"learning_rate": "alpha"}`."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **_renamed(kwargs, aliases))

        return call  # type: ignore[return-value]  # the same signature, seen from outside

    return decorate


class Alias(Generic[Value]):
    """Another spelling of an attribute, to read and to set it by."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Value:
        # On the class itself, as inspect and help ask for it, there is no value.
        return self if instance is None else getattr(instance, self._name)  # type: ignore[return-value]

    def __set__(self, instance: object, value: Value) -> None:
        setattr(instance, self._name, value)
