"""`python -m bench`: says so when a library is missing, before anything imports it."""

import importlib
import sys

from bench import library
from bench.errors import BenchError

if __name__ == "__main__":
    try:
        for name in library.LIBRARIES:
            library.models(name)
    except BenchError as error:
        sys.exit(f"bench: {error}")
    sys.exit(importlib.import_module("bench.main").main())
