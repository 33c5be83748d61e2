"""fasttext.tests: fastText's own tests, of pyw2v; they come with the real fasttext.

python -m pyw2v.compat --only fasttext -m pytest --pyargs fasttext.tests.test_script
"""

import importlib
from pathlib import Path
from typing import Any

from pyw2v.compat._imports import real_folders

__path__ += [str(Path(folder, "tests")) for folder in real_folders("fasttext")]

_MODULES = {
    "get_supervised_models": "test_configurations",
    "gen_tests": "test_script",
    "gen_unit_tests": "test_script",
}


def __getattr__(name: str) -> Any:
    """Import what makes tests when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
