"""Where the tests of other packages run: an environment of their own, and their sources.

Both are made once, by pip, and kept in PYW2V_PEERS or a temporary folder.
"""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from peers.suites import REQUIREMENTS, WITHOUT_DEPENDENCIES, Suite

import pyw2v

# What steers Python in our own tests must not reach these.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def folder() -> Path:
    chosen = json.dumps([sys.version, REQUIREMENTS, WITHOUT_DEPENDENCIES])
    name = hashlib.sha256(chosen.encode()).hexdigest()[:12]
    return Path(os.environ.get("PYW2V_PEERS", Path(tempfile.gettempdir(), "pyw2v-peers")), name)


def make() -> Path:
    """Return the folder with the environment, or skip the test and say why."""
    home = folder()
    done = home / "complete"
    if done.exists():
        return home
    home.mkdir(parents=True, exist_ok=True)
    _run(sys.executable, "-m", "venv", "--clear", str(home / "venv"))
    _pip(home, "install", *REQUIREMENTS)
    _pip(home, "install", "--no-deps", *WITHOUT_DEPENDENCIES)
    done.touch()
    return home


def python(home: Path) -> str:
    return str(home / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python")


def source(home: Path, suite: Suite) -> Path:
    """Return the unpacked source that has the tests of a suite."""
    name = suite.sdist.replace("==", "-")
    if not (home / name).exists():
        _pip(home, "download", "--no-deps", "--no-binary", ":all:", "-d", str(home), suite.sdist)
        with tarfile.open(home / f"{name}.tar.gz") as archive:
            archive.extractall(home / f"{name}.part", filter="data")
        unpacked = home / f"{name}.part" / name
        if suite.prepare is not None:
            suite.prepare(unpacked, python(home))
        unpacked.rename(home / name)
    return home / name


def outcomes(home: Path, suite: Suite, on_pyw2v: bool, scratch: Path, env: dict[str, str]):
    """Run a suite and return {"Class::test": "passed", "skipped" or the error}."""
    report = scratch / f"{'pyw2v' if on_pyw2v else 'original'}.xml"
    shim = ["-m", "pyw2v.compat", "--only", suite.package] if on_pyw2v else []
    options = ["-q", "-c", os.devnull, "-p", "no:cacheprovider", "--junitxml", str(report)]
    link = scratch / "path" / "pyw2v"  # alone: beside the package itself may lie the originals
    if not link.exists():
        link.parent.mkdir()
        link.symlink_to(Path(pyw2v.__file__).parent, target_is_directory=True)
    run = subprocess.run(
        [python(home), *shim, "-m", "pytest", *options, *suite.tests],
        capture_output=True,
        text=True,
        check=False,
        cwd=source(home, suite) if suite.sdist else scratch,
        env=ENVIRONMENT | env | {"PYTHONPATH": str(link.parent), "PYTHONWARNINGS": "ignore"},
    )
    assert report.exists(), run.stdout + run.stderr
    found = {}
    for case in ET.parse(report).iter("testcase"):
        place = case.get("classname", "").rpartition(".")[2]
        bad = [child for child in case if child.tag in ("failure", "error", "skipped")]
        outcome = "passed"
        if bad:
            outcome = "skipped" if bad[0].tag == "skipped" else bad[0].get("message", "failed")
        found[f"{place}::{case.get('name')}"] = outcome
    assert found, run.stdout + run.stderr
    return found


def _pip(home: Path, *arguments: str) -> None:
    _run(python(home), "-m", "pip", "--quiet", *arguments)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode:
        last = done.stderr.strip()[-1000:]
        pytest.skip(f"the environment of the peers cannot be made: {' '.join(command)}: {last}")
