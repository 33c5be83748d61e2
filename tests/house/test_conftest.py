"""A source tree whose extension modules are not built, as `pip install .` leaves it behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyw2v

PACKAGE = Path(pyw2v.__file__).parent
# `python -m` and `python -c` put the current folder first, unless told not to; conftest tells them.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}

# As if pyw2v had not been installed: it is found in the tree, while that is searched, or nowhere.
HIDE_INSTALLED = """
import os, sys
from importlib.machinery import PathFinder

class Hide:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "pyw2v":
            return None
        spec = PathFinder.find_spec(name, [os.getcwd()]) if os.getcwd() in sys.path else None
        if spec is None:
            raise ModuleNotFoundError("No module named 'pyw2v'", name="pyw2v")
        return spec

sys.meta_path.insert(0, Hide)
sys.path[:0] = [os.getcwd()]
import pytest
sys.exit(pytest.main(["tests"]))
"""


@pytest.fixture
def tree(tmp_path):
    """A folder with the sources of the package, its conftest, and one test that prints."""
    for name in ("__init__.py", "_core/__init__.py"):
        target = tmp_path / "pyw2v" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / name, target)
    (tmp_path / "tests").mkdir()
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "test_it.py").write_text(
        "import pyw2v\n\n\ndef test_it():\n    print(f'found {pyw2v.__file__}')\n"
    )
    return tmp_path


def run(folder, *command, **environment):
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=ENVIRONMENT | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment,
    )


def test_python_m_pytest_finds_the_installed_package_behind_an_unbuilt_tree(tree):
    path = os.pathsep.join([str(tree), str(PACKAGE.parent)])  # twice before it, that is
    done = run(tree, "-m", "pytest", "-s", "tests", PYTHONPATH=path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"found {pyw2v.__file__}" in done.stdout


def test_without_an_installed_package_the_tests_say_what_to_do(tree):
    done = run(tree, "-c", HIDE_INSTALLED)
    assert done.returncode != 0
    assert "Traceback" not in done.stdout + done.stderr
    assert "pip install -e '.[test]'" in done.stderr


def test_a_tree_that_is_built_is_tested_itself(tree):
    shutil.rmtree(tree / "pyw2v")
    sources = shutil.ignore_patterns("__pycache__", "*.c", "*.cpp")
    shutil.copytree(PACKAGE, tree / "pyw2v", ignore=sources)
    done = run(tree, "-m", "pytest", "-s", "tests", PYTHONPATH=str(tree))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"found {tree}" in done.stdout


def test_importing_an_unbuilt_tree_says_what_to_do(tree):
    done = run(tree, "-c", "import pyw2v", PYTHONPATH=str(tree))
    assert done.returncode == 1
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("ImportError: "))
    assert str(tree / "pyw2v") in line
    assert "another folder" in line
    assert "pip install -e ." in line
