"""Files that mutations found something with stay loaded, or refused, as they should be."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import pyw2v

TOOLS = Path(__file__).resolve().parents[2] / "tools"
CORPUS = TOOLS / "fuzzing" / "corpus"
FILES = sorted(CORPUS.glob("*/*"))

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir() or sys.platform != "linux", reason="needs the sources, and Linux"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_past_findings_are_mended(path, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    from fuzzing import cases  # noqa: PLC0415 (a folder of tools)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cases.replay(cases.TARGETS[path.parent.name], path, str(tmp_path)) == []


def test_the_corpus_is_small():
    assert sum(path.stat().st_size for path in CORPUS.rglob("*")) < 300_000
    assert FILES


def test_a_case_is_the_same_whenever_it_is_made(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    from fuzzing.cases import TARGETS, Maker  # noqa: PLC0415

    for name in ("weights", "gensim-phrases", "native-phrases", "compressed-rows"):
        once, again = ([Maker().make(TARGETS[name], 3, case) for case in range(200)] for _ in "ab")
        assert once == again
        assert len({str(files) for _, files, _, _ in once}) > 150


def test_faults_of_a_reader_are_found(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(TOOLS))
    from fuzzing.cases import Finding, Runner  # noqa: PLC0415
    from fuzzing.targets import Target  # noqa: PLC0415

    def fails_with(error):
        def load(path, variant):
            raise error

        target = Target("made-up", lambda: [{"x.txt": b"a b c"}], load)
        result = Runner(str(tmp_path)).run(target, 0, 1)
        return result.kind if isinstance(result, Finding) else result

    assert fails_with(ValueError("x.txt: no")) is False
    assert fails_with(ValueError("no")) == "unnamed"
    assert fails_with(KeyError("x.txt")) == "exception"
    assert fails_with(MemoryError()) == "memory"

    def use(loaded, scratch, deep):
        raise ValueError("x.txt")

    target = Target("made-up", lambda: [{"x.txt": b"a b c"}], lambda path, variant: 1, use)
    assert Runner(str(tmp_path)).run(target, 0, 1).kind == "use"


# In a process of its own, since it forks.
CAMPAIGN = """
import ctypes, sys
from pathlib import Path
from fuzzing.campaign import Campaign
from fuzzing.children import Limits
from fuzzing.targets import TARGETS, Target

def hang(path, variant):
    while True:
        pass

faults = {
    "crash": lambda path, variant: ctypes.string_at(8),
    "hang": hang,
    "memory": lambda path, variant: bytearray(1 << 30),
}
made_up = [Target(name, lambda: [{"x": b"a b"}], load) for name, load in faults.items()]
TARGETS.update({target.name: target for target in made_up})
campaign = Campaign(made_up, 0, Limits(seconds=0.3), Path(sys.argv[1]))
report = campaign.run(loads=3, seconds=None, n_children=1)
print({f["target"]: f["kind"] for f in report.findings})
print([totals.loads for totals in report.totals.values()])
"""


def test_a_campaign_outlives_crashes_hangs_and_memory(tmp_path):
    paths = (str(TOOLS), str(Path(pyw2v.__file__).parents[1]))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-c", CAMPAIGN, str(tmp_path)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.stdout.splitlines() == [
        "{'crash': 'crash', 'hang': 'hang', 'memory': 'memory'}",
        "[1, 1, 1]",
    ], result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crash", "hang", "memory"]
