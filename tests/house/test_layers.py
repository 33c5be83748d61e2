"""The rules of STYLE that a reviewer would otherwise have to remember, read off the sources."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"
PACKAGE = ROOT / "pyw2v"

# A file includes its own folder and those before it.
CSRC_LAYERS = (
    "base",
    "text",
    "words",
    "corpus",
    "phrases",
    "cooccurrence",
    "features",
    "tables",
    "kernel_data",
    "kernels",
    "models",
    "isa",
    "train",
    "query",
    "formats",
    "compat",
)

# A module imports its own row and those above it. Packages stand for all of their modules.
PYTHON_LAYERS = (
    ("_core",),
    ("_shared", "functions", "measures"),
    ("quantize",),
    ("io",),
    ("_matrices", "corpus"),
    ("phrases",),
    ("objectives", "losses"),
    ("training_pairs",),
    ("vectors",),
    ("callbacks", "progress"),
    ("_runs",),
    ("glove",),
    ("classifier",),
    ("word2vec",),
    ("fasttext_model",),
    ("fasttext",),
    # Public names of modules that live in the rooms above.
    ("samplers", "evaluate", "compact", "cooccurrence", "autotune"),
    ("sentences", "vocab", "fasttext_data"),
    ("__init__",),
    ("data", "cli", "compat"),
    ("__main__",),
)

pytestmark = pytest.mark.skipif(not CSRC.is_dir(), reason="needs the sources")


def csrc_files():
    return sorted(path for path in CSRC.rglob("*") if path.suffix in (".h", ".cpp"))


def code_of(path):
    """The text of a C++ file without comments and without what is inside string literals."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    text = path.read_text(encoding="utf-8")
    # Quoted includes must survive the removal of strings.
    text = re.sub(r'#include "([^"]+)"', r"#include <\1>", text)
    return re.sub(pattern, lambda m: '""' if m[0][0] in "\"'" else " ", text, flags=re.DOTALL)


def test_csrc_files_include_only_their_own_layer_and_those_before_it():
    wrong = []
    for path in csrc_files():
        layer = path.relative_to(CSRC).parts[0]
        for include in re.findall(r"#include <([^>]+)>", code_of(path)):
            if not (CSRC / include).exists():
                continue  # the standard library or the system
            other = include.split("/")[0]
            if CSRC_LAYERS.index(other) > CSRC_LAYERS.index(layer):
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_csrc_headers_of_our_own_are_included_by_their_path_from_csrc():
    wrong = []
    for path in csrc_files():
        for include in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8")):
            if not (CSRC / include).exists():
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("Python.h", r"\bPython\.h\b|\bPyObject\b"),
        (
            "printing",
            r"\b(?:f|v|vf)?printf\s*\(|\bputs\s*\(|<iostream>|\bstd::(?:cout|cerr|clog)\b",
        ),
        ("ending the process", r"\b(?:exit|_Exit|abort|quick_exit|terminate)\s*\("),
    ],
)
def test_csrc_is_free_of(what, pattern):
    wrong = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in csrc_files()
        for match in re.finditer(pattern, code_of(path))
    ]
    assert not wrong, f"csrc must be free of {what}:\n" + "\n".join(wrong)


def namespace_scope(code):
    """Yield the statements outside of any function, class or initialiser."""
    code = re.sub(r"^\s*#(?:\\\n|[^\n])*", " ", code, flags=re.MULTILINE)
    code = re.sub(r"\b(?:inline\s+)?namespace[\w\s:]*\{", ";", code)
    depth, statement = 0, ""
    for char in code:
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            # A namespace's own brace; or the end of a body, which may lack the semicolon.
            if depth < 0 or ")" in statement:
                depth, statement = max(depth, 0), "" if depth <= 0 else statement
        elif depth == 0 and char == ";":
            yield " ".join(statement.split())
            statement = ""
        elif depth == 0:
            statement += char
    yield " ".join(statement.split())


NOT_A_VARIABLE = r"(?:using|typedef|template|class|struct|enum|union|static_assert|friend|extern)\b"


def is_constant(head):
    # `const T* p` can be made to point elsewhere; `T* const p` cannot.
    return "constexpr" in head or re.search(r"\bconst\b", head.rpartition("*")[2]) is not None


def test_csrc_has_no_mutable_globals():
    wrong = []
    for path in csrc_files():
        code = code_of(path)
        for statement in namespace_scope(code):
            head = statement.split("=")[0]
            is_variable = re.fullmatch(r"[\w:<>,*&\[\] ]+ [*&]*\w+(?: ?\[[^\]]*\])*", head.strip())
            if is_variable and not re.match(NOT_A_VARIABLE, head) and not is_constant(head):
                wrong.append(f"{path.relative_to(ROOT)}: {statement}")
        for match in re.finditer(
            r"\bstatic\s+(?!const\b|constexpr\b|inline\b)[\w:<>,*&\s]+\w\s*(?:[=;{\[])"
            r"|\bthread_local\b",
            code,
        ):
            wrong.append(f"{path.relative_to(ROOT)}: {match[0]}")
    assert not wrong, "csrc must have no mutable globals:\n" + "\n".join(wrong)


def layer_of(name):
    for rank, names in enumerate(PYTHON_LAYERS):
        if name in names:
            return rank
    raise AssertionError(f"pyw2v.{name}: say in PYTHON_LAYERS where it belongs")


def imported_modules(path):
    """Yield the names right below pyw2v that a module imports; __init__ for pyw2v itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = (path.parent.relative_to(ROOT)).parts
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
            base = ".".join(part for part in (base, node.module) if part)
            names = [f"{base}.{alias.name}" if base == "pyw2v" else base for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "pyw2v":
                below = parts[1] if len(parts) > 1 else "__init__"
                is_module = (PACKAGE / below).is_dir() or (PACKAGE / f"{below}.py").exists()
                yield below if is_module else "__init__"


def python_files():
    return sorted(path for path in PACKAGE.rglob("*.py"))


def own_name(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def test_python_modules_import_only_their_own_layer_and_those_above_it():
    wrong = []
    for path in python_files():
        own = own_name(path)
        for other in imported_modules(path):
            if layer_of(other) > layer_of(own):
                wrong.append(f"{path.relative_to(ROOT)} imports pyw2v.{other}")
    assert not wrong, "\n".join(wrong)


def test_extension_modules_import_nothing_of_the_package_but_each_other():
    wrong = []
    for path in sorted((PACKAGE / "_core").glob("*.p[yx][xd]")):
        for name in re.findall(
            r"^\s*(?:from|import|cimport)\s+(pyw2v[\w.]*)", path.read_text(encoding="utf-8"), re.M
        ):
            if not name.startswith("pyw2v._core"):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_one_extension_module_links_the_kernels():
    """They are larger than all else; a second module that names them would have a copy."""
    naming = [
        path.relative_to(ROOT).as_posix()
        for path in (*(PACKAGE / "_core").glob("*.p[yx][xd]"), *csrc_files())
        if re.search(
            r'(?:extern from|#include) "isa/dispatch\.h"|\bk\w+Kernels\b',
            path.read_text(encoding="utf-8"),
        )
    ]
    expected = ["csrc/isa/dispatch.cpp", "csrc/isa/kernel_table.h", "pyw2v/_core/isa.pyx"]
    assert sorted(name for name in naming if "/isa_" not in name) == expected


def test_extension_modules_have_stubs():
    missing = [
        path.name
        for path in (PACKAGE / "_core").glob("*.pyx")
        if not path.with_suffix(".pyi").exists()
    ]
    assert not missing


# The first two keep gensim's promise to classes that are not ours: the second writes what
# io.gensim_format reads again, as data. The last one's file is gensim's; it is read as data, too.
PICKLE_USERS = (
    "pyw2v/compat/gensim/utils.py",
    "pyw2v/vectors/peer_classes.py",
    "pyw2v/compat/gensim/similarities/annoy.py",
)


def test_python_files_use_no_pickle():
    wrong = [
        str(path.relative_to(ROOT))
        for path in python_files()
        if path.relative_to(ROOT).as_posix() not in PICKLE_USERS
        and re.search(r"^\s*(?:import|from)\s+(?:pickle|marshal|shelve)\b", path.read_text(), re.M)
    ]
    assert not wrong
