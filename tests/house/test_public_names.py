"""Every name that a program may import is found by a fresh process, wherever its code lives now."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from public_api import MODULES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def imported(code):
    process = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(process, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("module", MODULES)
def test_a_fresh_process_imports_every_name_of(module):
    names = MODULES[module].split()
    done = imported(f"from {module} import {', '.join(names)}\nimport {module}")
    assert not done.returncode, done.stderr


def documented_imports():
    """The import statements on our modules in the pages, each once."""
    found = set()
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.S | re.M):
            for node in ast.walk(ast.parse(block)):
                if (isinstance(node, ast.ImportFrom) and str(node.module).startswith("pyw2v")) or (
                    isinstance(node, ast.Import) and node.names[0].name.startswith("pyw2v")
                ):
                    found.add(ast.unparse(node))
    return sorted(found)


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="needs the sources")
def test_a_fresh_process_runs_every_import_of_the_guides():
    statements = documented_imports()
    assert len(statements) > 10
    for statement in statements:
        done = imported(statement)
        assert not done.returncode, done.stderr


@pytest.mark.parametrize("module", [name for name in MODULES if "." in name])
def test_the_package_has_the_module_as_an_attribute(module):
    name = module.partition(".")[2]
    done = imported(f"import pyw2v\nprint(pyw2v.{name}.__name__)")
    assert done.stdout == f"{module}\n", done.stderr
