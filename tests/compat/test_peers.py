"""Other packages' own tests, on what they were made for and on pyw2v: `pytest -m peers`."""

import sys

import pytest
from peers import environment
from peers.suites import SUITES

pytestmark = pytest.mark.peers


@pytest.fixture(scope="session")
def home():
    return environment.make()


@pytest.fixture
def fasttext_command(tmp_path):
    """A folder with the program `fasttext`, which some of gensim's tests compare files with."""
    program = tmp_path / "bin" / "fasttext"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pyw2v fasttext "$@"\n')
    program.chmod(0o755)
    return program.parent


@pytest.mark.parametrize("name", SUITES)
def test_suites_pass_on_pyw2v_as_on_the_original(name, home, tmp_path, fasttext_command, capsys):
    suite = SUITES[name]
    ran = [
        environment.outcomes(home, suite, on_pyw2v, tmp_path, {"FT_HOME": str(fasttext_command)})
        for on_pyw2v in (False, True)
    ]
    original, ours = ({test for test, how in run.items() if how == "passed"} for run in ran)
    with capsys.disabled():
        print(f"\n{name}: {len(original)} pass on the original, {len(ours)} on pyw2v", end=" ")
    lost = original - ours
    told = "\n\n".join(f"{test}\n{ran[1].get(test)}" for test in sorted(lost - set(suite.excused)))
    assert not lost - set(suite.excused), told
    assert not ours & set(suite.excused), "excused tests that pass"
    assert len(ours) == suite.pyw2v
    if not suite.note:  # else it varies, or is not its best
        assert len(original) == suite.original
