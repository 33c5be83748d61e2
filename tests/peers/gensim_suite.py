"""Runs one of gensim's own test modules on pyw2v: `python gensim_suite.py test_word2vec out.json`.

The module is loaded under its own name into the world where `gensim` is pyw2v (importing it would
load it among the real gensim's modules), and pytest finds it there. The outcome of every test goes
to a file: {"test id": "passed" | "skipped" | the error}.
"""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from pyw2v import compat

# gensim.test.test_fasttext takes a class from the first.
NEEDED = {"test_fasttext": ["test_word2vec"]}


def load(name, folder):
    """Load gensim's test module `name` where gensim is pyw2v."""
    path = folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"gensim.test.{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return path


class Outcomes:
    """A pytest plugin that keeps how each test ended."""

    def __init__(self):
        self.outcomes = {}

    def pytest_runtest_logreport(self, report):
        test = report.nodeid.partition("::")[2]
        if report.failed:
            self.outcomes[test] = str(report.longrepr)
        elif report.skipped:
            self.outcomes[test] = "skipped"
        elif report.when == "call":
            self.outcomes.setdefault(test, "passed")


def main(name, target):
    compat.install("gensim")
    from gensim.test.utils import datapath  # noqa: PLC0415 (pyw2v's, from here on)

    folder = Path(datapath("x")).parents[1]
    *_, path = [load(module, folder) for module in [*NEEDED.get(name, []), name]]
    outcomes = Outcomes()
    arguments = ["-q", "--import-mode=importlib", "-c", "/dev/null"]
    arguments += ["-p", "no:cacheprovider", "--rootdir", str(folder), "--tb=short", str(path)]
    pytest.main(arguments, plugins=[outcomes])
    Path(target).write_text(json.dumps(outcomes.outcomes))


if __name__ == "__main__":
    main(*sys.argv[1:])
