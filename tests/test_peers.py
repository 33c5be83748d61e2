"""gensim's own tests, on pyw2v: `pip install -e '.[peers]' && pytest -m peers`."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from peers.excluded import EXCLUDED

import pyw2v

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("gensim", "testfixtures", "ot")),
        reason="needs gensim, testfixtures and POT: pip install 'pyw2v[peers]'",
    ),
]

SKIPPED_BY_GENSIM = {"TestWord2VecModel::test_method_in_bulk"}  # whoever runs it
SCRIPT = Path(__file__).parent / "peers" / "gensim_suite.py"


@pytest.fixture
def fasttext_command(tmp_path):
    """A folder with the program `fasttext`, which some of gensim's tests compare files with."""
    program = tmp_path / "bin" / "fasttext"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pyw2v fasttext "$@"\n')
    program.chmod(0o755)
    return program.parent


@pytest.mark.parametrize("module", EXCLUDED)
def test_gensims_own_tests_pass_on_pyw2v(module, tmp_path, fasttext_command):
    target = tmp_path / "outcomes.json"
    path = os.pathsep.join([str(Path(pyw2v.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, str(SCRIPT), module, str(target)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # some of the tests leave files behind
        env=os.environ | {"PYTHONPATH": path, "FT_HOME": str(fasttext_command)},
    )
    assert target.exists(), run.stdout + run.stderr
    outcomes = json.loads(target.read_text())
    assert sum(outcome == "passed" for outcome in outcomes.values()) > 20
    failed = {test: outcome for test, outcome in outcomes.items() if len(outcome) > len("skipped")}
    unexpected = failed.keys() - EXCLUDED[module].keys()
    assert not unexpected, "\n\n".join(f"{test}\n{failed[test]}" for test in sorted(unexpected))
    assert EXCLUDED[module].keys() <= failed.keys(), "excluded tests that pass, or do not exist"
    skipped = {test for test, outcome in outcomes.items() if outcome == "skipped"}
    assert skipped <= SKIPPED_BY_GENSIM
