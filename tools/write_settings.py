"""Write into the sources what follows from the tables of settings.

    python tools/write_settings.py            write it
    python tools/write_settings.py --check    only say which files would change

Signatures, docstrings and types of attributes stand in the sources, not in a generator at import,
so that editors, type checkers, `help` and `inspect` see them; but nobody writes them by hand. For
each model: the parameters of its constructor, the Parameters of its docstring, and the attributes
between two comments. tests/house/test_settings.py runs the check.
"""

from __future__ import annotations

import ast
import importlib
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyw2v._shared.settings import Setting, Table

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100
BEGIN = "    # Settings: written by tools/write_settings.py.\n"
END = "    # End of the settings.\n"
# What docstrings call types.
_WORDS = {
    "Any": "object",
    "Callable[[Any], int]": "callable",
    "Iterable[Any]": "iterable",
    "Mapping[Any, float]": "mapping",
    "StrPath": "str or os.PathLike",
    "TrimRule": "callable",
}


@dataclass(frozen=True)
class Place:
    """Where the settings of a table stand: a constructor, and the class that has the attributes."""

    table: str  # module:name
    constructor: str  # path:class
    attributes: str
    but: str = ""  # a table whose attributes are inherited


PLACES = (
    Place(
        "pyw2v.word2vec.table:WORD2VEC",
        "pyw2v/word2vec/__init__.py:Word2Vec",
        "pyw2v/word2vec/state.py:ModelState",
    ),
    Place(
        "pyw2v.fasttext_model.table:FASTTEXT",
        "pyw2v/fasttext_model/__init__.py:FastText",
        "pyw2v/fasttext_model/__init__.py:FastText",
        but="pyw2v.word2vec.table:WORD2VEC",
    ),
    Place(
        "pyw2v.glove.settings:GLOVE",
        "pyw2v/glove/__init__.py:GloVe",
        "pyw2v/glove/settings.py:GloveSettings",
    ),
    Place(
        "pyw2v.classifier.settings:CLASSIFIER",
        "pyw2v/classifier/__init__.py:TextClassifier",
        "pyw2v/classifier/settings.py:ClassifierSettings",
    ),
)


def main(arguments: list[str]) -> int:
    """Write, or check; return 1 if the check finds something to write."""
    changed = [path for path, text in written().items() if text != path.read_text("utf-8")]
    if "--check" in arguments:
        for path in changed:
            print(f"{path.relative_to(ROOT)} differs from its table of settings")
        return int(bool(changed))
    texts = written()
    for path in changed:
        path.write_text(texts[path], "utf-8")
        print(f"{path.relative_to(ROOT)} was written")
    return 0


def written() -> dict[Path, str]:
    """Return the text that each file should have."""
    texts: dict[Path, str] = {}
    for place in PLACES:
        table, inherited = _table(place.table), _table(place.but) if place.but else ()
        path, name = _path(place.constructor)
        text = texts.get(path) or path.read_text("utf-8")
        texts[path] = with_docstring(with_signature(text, name, table), name, table)
        path, name = _path(place.attributes)
        text = texts.get(path) or path.read_text("utf-8")
        own = [setting for setting in table.kept if setting.name not in inherited]
        texts[path] = with_attributes(text, own)
    return texts


def _table(place: str) -> Table:
    module, name = place.split(":")
    table: Table = getattr(importlib.import_module(module), name)
    return table


def _path(place: str) -> tuple[Path, str]:
    path, name = place.split(":")
    return ROOT / path, name


def with_signature(text: str, name: str, table: Table) -> str:
    """Return the source with the parameters of the constructor of a class."""
    (init,) = (
        node
        for node in _class(text, name).body
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    )
    settings = [table[argument] for argument in table.arguments]
    parameters = ["self,"]
    for keyword in (False, True):
        some = [setting for setting in settings if setting.keyword == keyword]
        parameters += ["*,"] if some and keyword else []
        parameters += [f"{each.name}: {each.type} = {literal(each.default)}," for each in some]
    lines = text.splitlines(keepends=True)
    # From the line below `def __init__(` to that of `) -> None:`.
    last = next(i for i in range(init.lineno, len(lines)) if lines[i].startswith("    ) -> None:"))
    new = [f"        {parameter}\n" for parameter in parameters]
    return "".join([*lines[: init.lineno], *new, *lines[last:]])


def with_docstring(text: str, name: str, table: Table) -> str:
    """Return the source with the Parameters in the docstring of a class."""
    docstring = _class(text, name).body[0]
    lines = text.splitlines(keepends=True)
    first = next(i for i in range(docstring.lineno, len(lines)) if lines[i].strip() == "Parameters")
    last = next(i for i in range(first + 2, len(lines)) if lines[i].strip() == "-" * 6) - 1
    new = [line for argument in table.arguments for line in described(table[argument])]
    return "".join([*lines[: first + 2], *new, "\n", *lines[last:]])


def described(setting: Setting) -> list[str]:
    """Return what numpydoc's section has of a setting."""
    head = f"    {setting.name} : {spoken(setting)}\n"
    also = "".join(f" Also: `{alias}`." for alias in setting.also)
    body = textwrap.wrap(
        setting.help + also, WIDTH - 8, break_long_words=False, break_on_hyphens=False
    )
    return [head, *(f"        {line}\n" for line in body)]


def spoken(setting: Setting) -> str:
    """Return type and default as numpydoc has them: `int, default 5`, `float, optional`."""
    kinds = [_WORDS.get(kind, kind) for kind in setting.type.split(" | ")]
    if setting.default is None:
        return f"{' or '.join(kind for kind in kinds if kind != 'None')}, optional"
    return f"{' or '.join(kinds)}, default {literal(setting.default)}"


def with_attributes(text: str, settings: list[Setting]) -> str:
    """Return the source with the attributes of a class; pickles older than one have its default."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    new = []
    for setting in settings:
        new.append(f"    {setting.name}: {setting.type} = {literal(setting.default)}\n")
        new += [
            f'    {alias} = Alias[{setting.type}]("{setting.name}")\n' for alias in setting.also
        ]
    return "".join([before, BEGIN, *new, END, after])


def literal(value: Any) -> str:
    """Return the default as it stands in a signature."""
    if callable(value):
        return str(value.__name__)
    if isinstance(value, str):
        return f'"{value}"'
    if type(value) is int:
        return f"{value:_}"
    return repr(value)


def _class(text: str, name: str) -> ast.ClassDef:
    (found,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main(sys.argv[1:]))
