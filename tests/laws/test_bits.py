"""Changes of structure change no bit: trained numbers are those that were recorded."""

import json
import os
import subprocess
import sys

import bits
import pytest

from pyw2v._core import isa as isa_module

RECORDED = json.loads(bits.RECORDED.read_text()).get(bits.COMPILER, {})


@pytest.fixture(scope="module")
def found():
    command = [sys.executable, bits.__file__]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("isa", isa_module.isas())
def test_one_worker_learns_the_recorded_numbers_on(isa, found):
    if isa not in RECORDED:
        pytest.skip(f"nothing is recorded for {isa} by the compiler {bits.COMPILER}")
    assert found[isa] == RECORDED[isa]
