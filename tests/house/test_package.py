"""The package itself: what it offers, and what importing it costs."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

import pyw2v
from pyw2v._core.isa import isas


def test_every_public_name_is_there():
    assert all(hasattr(pyw2v, name) for name in pyw2v.__all__)
    assert {"Word2Vec", "KeyedVectors", "StopTraining", "isa"} <= set(pyw2v.__all__)


def test_public_names_and_modules_are_loaded_when_first_used():
    code = (
        "import sys, pyw2v; "
        "print([name in sys.modules for name in ('numpy', 'pyw2v.vectors')]); "
        "print(pyw2v.vectors.KeyedVectors is pyw2v.KeyedVectors, 'GloVe' in dir(pyw2v)); "
        "print('pyw2v.glove' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[False, False]\nTrue True\nFalse\n"


def test_version_is_that_of_the_installed_package():
    try:
        expected = version("pyw2v")
    except PackageNotFoundError:
        expected = "0+unknown"
    assert pyw2v.__version__ == expected


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = pyw2v.nonsense


def test_isa_names_one_of_the_instruction_sets_of_this_machine():
    assert pyw2v.isa() in isas()


def test_import_loads_numpy_and_nothing_else_from_outside():
    # `_missing_stdlib_info`: how Python itself (3.15) tells of parts a distributor left out.
    code = (
        "import sys; before = set(sys.modules); from pyw2v import *; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(*new - {*sys.stdlib_module_names, '_missing_stdlib_info'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if "cython" not in name.lower()}
    assert loaded <= {"numpy", "pyw2v"}
