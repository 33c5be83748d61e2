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
        any(importlib.util.find_spec(name) is None for name in ("gensim", "testfixtures")),
        reason="needs gensim and testfixtures: pip install 'pyw2v[peers]'",
    ),
]

SCRIPT = Path(__file__).parent / "peers" / "gensim_suite.py"


@pytest.mark.parametrize("module", EXCLUDED)
def test_gensims_own_tests_pass_on_pyw2v(module, tmp_path):
    target = tmp_path / "outcomes.json"
    run = subprocess.run(
        [sys.executable, str(SCRIPT), module, str(target)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # some of the tests leave files behind
        env=os.environ | {"PYTHONPATH": str(Path(pyw2v.__file__).parents[1])},
    )
    assert target.exists(), run.stdout + run.stderr
    outcomes = json.loads(target.read_text())
    assert sum(outcome == "passed" for outcome in outcomes.values()) > 20
    failed = {test: outcome for test, outcome in outcomes.items() if len(outcome) > len("skipped")}
    unexpected = failed.keys() - EXCLUDED[module].keys()
    assert not unexpected, "\n\n".join(f"{test}\n{failed[test]}" for test in sorted(unexpected))
    assert EXCLUDED[module].keys() <= outcomes.keys(), "excluded tests that do not exist"
