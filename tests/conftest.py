"""What all tests share: every instruction set in turn, and seeded numbers."""

import os
import signal
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np
import pytest

TREE = Path(__file__).resolve().parents[1]


def without_tree(path):
    """The folders of a search path, but for the one these tests are in."""
    return [folder for folder in path if Path(folder or ".").resolve() != TREE]


# After `pip install .`, the folder pyw2v/ of the sources has no extension modules. It must not hide
# the installed package from `python -m pytest`, which searches the current folder first, nor from
# what some tests start: `python -c` and `python -m` do the same, unless told not to.
os.environ["PYTHONSAFEPATH"] = "1"
if PathFinder.find_spec("isa", [str(TREE / "pyw2v" / "_core")]) is None:
    sys.path[:] = without_tree(sys.path)
    if given := os.environ.get("PYTHONPATH"):
        os.environ["PYTHONPATH"] = os.pathsep.join(without_tree(given.split(os.pathsep)))

try:
    from hypothesis import settings

    from pyw2v import compat
    from pyw2v._core import isa as isa_module
except ImportError as error:
    # Not an exception, of which pytest would show the way through its own files.
    sys.exit(
        f"The tests cannot start: {error}. In the folder of pyproject.toml, pip install '.[test]' "
        "installs what they need, or pip install -e '.[test]' to work on pyw2v."
    )

# How long an example takes says more about the machine than about the code: it may be emulated.
settings.register_profile("pyw2v", deadline=None)
settings.load_profile("pyw2v")

# A shell starts its background jobs with SIGINT ignored, which they pass on. Some tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=isa_module.isas())
def isa(request):
    """Run the test under each instruction set of this machine."""
    before = isa_module.isa()
    isa_module.use(request.param)
    yield request.param
    isa_module.use(before)


@pytest.fixture
def rng():
    return np.random.default_rng(20260)


@pytest.fixture
def shim():
    """Install for one test, and leave everything as it was."""
    before = {name: module for name, module in sys.modules.items() if _is_peer(name)}
    compat.install()
    yield
    compat.uninstall()
    after = {name: module for name, module in sys.modules.items() if _is_peer(name)}
    assert before.items() <= after.items()


def _is_peer(name):
    return name.partition(".")[0] in compat.PACKAGES


@pytest.fixture
def no_gensim(monkeypatch):
    """Hide the real gensim, as if it were not installed."""
    hidden = {name: module for name, module in sys.modules.items() if _is_peer(name)}
    for name in hidden:
        monkeypatch.delitem(sys.modules, name)

    class Hide:
        def find_spec(self, name, path=None, target=None):
            if name == "gensim":
                raise ModuleNotFoundError("No module named 'gensim'", name="gensim")

    finder = Hide()
    sys.meta_path.insert(0, finder)
    yield
    sys.meta_path.remove(finder)
