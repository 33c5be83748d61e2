"""What all tests share: every instruction set in turn, and seeded numbers."""

import os
import signal

import numpy as np
import pytest
from hypothesis import settings

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
