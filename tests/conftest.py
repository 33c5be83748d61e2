"""What all tests share: every instruction set in turn, and seeded numbers."""

import os
import signal
import sys

import numpy as np
import pytest
from hypothesis import settings

from pyw2v import compat
from pyw2v._core import isa as isa_module

# After `pip install .`, the folder pyw2v/ of the sources has no extension modules. pytest does not
# look there, but `python -c` and `python -m`, which some tests start, would: they search the
# current folder first unless told not to.
os.environ["PYTHONSAFEPATH"] = "1"

# How long an example takes says more about the machine than about the code: it may be emulated.
settings.register_profile("pyw2v", deadline=None)
settings.load_profile("pyw2v")

# A shell starts its background jobs deaf to Ctrl-C, and so all that they start. Some tests send it.
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
