"""gensim's word vectors by their own names; the rest of gensim comes from the real one."""

import importlib
from typing import Any

from pyw2v.compat import VERSIONS
from pyw2v.compat._imports import fall_through

from . import matutils, models, utils

__all__ = ["__version__", "matutils", "models", "utils"]

__version__ = VERSIONS["gensim"]

_SUBPACKAGES = ("corpora", "downloader", "interfaces", "parsing", "similarities")
_attribute = fall_through(__name__)


def __getattr__(name: str) -> Any:
    """Import a subpackage when it is first used: `import gensim` gives all of them."""
    if name in _SUBPACKAGES:
        return importlib.import_module(f"gensim.{name}")
    return _attribute(name)
