"""Which instruction set runs: the best one, or the one that was requested."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pyw2v._core import isa as isa_module
from pyw2v._core import probe

ROOT = Path(__file__).resolve().parents[2]
ORDER = ["avx2", "neon", "baseline"]


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )


def test_sets_are_listed_best_first_and_end_with_the_floor():
    names = isa_module.isas()
    assert names[-1] == "baseline"
    assert sorted(names, key=ORDER.index) == list(names)
    assert len(set(names)) == len(names)


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="needs /proc/cpuinfo")
def test_detection_agrees_with_the_system():
    flags = Path("/proc/cpuinfo").read_text().split()
    assert ("avx2" in isa_module.isas()) == ("avx2" in flags and "fma" in flags)


def test_best_set_is_used_unless_told_otherwise():
    done = run_python("import pyw2v._core.isa as m; print(m.isa() == m.isas()[0])", PYW2V_ISA="")
    assert done.stdout == "True\n", done.stderr


def test_forced_set_is_the_one_running(isa):
    assert isa_module.isa() == isa
    assert probe.table_name(isa) == isa


@pytest.mark.parametrize("name", isa_module.isas())
def test_environment_forces_a_set(name):
    code = "import pyw2v._core.isa as m; print(m.isa())"
    done = run_python(code, PYW2V_ISA=name)
    assert done.stdout.strip() == name, done.stderr


@pytest.mark.skipif(len(isa_module.isas()) < 2, reason="this machine runs one instruction set")
def test_sets_are_told_apart_by_their_rounding():
    """Fused multiply-add keeps what a product rounds off: only the set named can give this."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 4, 300)).astype(np.float32)
    results = {
        name: probe.block_step(x, y, np.ones(4), np.ones(4), 0.1, name)[0].tobytes()
        for name in isa_module.isas()
    }
    assert len(set(results.values())) == len(results)


def test_unknown_name_in_the_environment_is_an_error_that_lists_the_valid_ones():
    done = run_python("import pyw2v._core.isa", PYW2V_ISA="avx1024")
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ValueError")
    assert "'avx1024'" in last
    assert all(name in last for name in isa_module.isas())


@pytest.mark.parametrize("name", ["", "AVX2", "avx512", "baseline "])
def test_unknown_name_is_refused_and_changes_nothing(name):
    before = isa_module.isa()
    with pytest.raises(ValueError, match=r"instruction set must be one this machine runs \(.*base"):
        isa_module.use(name)
    assert isa_module.isa() == before


def test_name_must_be_text():
    with pytest.raises(TypeError, match="instruction set must be a str, got int"):
        isa_module.use(2)


def test_fma_peak_is_positive_and_needs_a_thread(isa):
    assert isa_module.fma_peak(1, 0.001) > 0
    with pytest.raises(ValueError, match="threads must be at least 1, got 0"):
        isa_module.fma_peak(0, 0.001)


def test_build_info_tells_compiler_and_language():
    info = isa_module.build_info()
    assert info["c++"] >= 201703
    assert info["abi"] in ("abi3", "version-specific")
    assert info["compiler"]


def test_objects_of_a_set_export_its_table_and_nothing_else():
    """An inline function compiled for AVX2 could be the copy the linker keeps for everyone."""
    objects = sorted((ROOT / "build").glob("**/isa_*.o"))
    if not objects or shutil.which("nm") is None:
        pytest.skip("needs nm and the object files of an in-place build")
    tables = {}
    for path in objects:
        listing = subprocess.run(
            ["nm", "-C", "--defined-only", "--extern-only", path],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        names = [line.split(maxsplit=2)[-1] for line in listing.splitlines() if line]
        # Data of the compiler's: the exception personality routine, AddressSanitizer's marks.
        tables[path.stem] = [n for n in names if not n.startswith(("DW.ref.", "__odr_asan."))]
    assert sorted(tables["isa_baseline"]) == [
        "pyw2v::kBaselineKernels",
        "pyw2v::kDoubleKernels",
    ]
    for set_name in isa_module.isas()[:-1]:
        assert tables[f"isa_{set_name}"] == [f"pyw2v::k{set_name.capitalize()}Kernels"]
