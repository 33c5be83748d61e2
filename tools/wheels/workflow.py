"""Check .github/workflows and the settings of cibuildwheel, without building anything.

python tools/wheels/workflow.py
"""

import itertools
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github/workflows"
BIN = Path(sys.executable).parent

PYTHONS = ("cp311", "cp312", "cp313", "cp314", "cp314t", "cp315", "cp315t")
TARGETS = {
    ("linux", "x86_64"): ("manylinux_x86_64", "musllinux_x86_64"),
    ("linux", "aarch64"): ("manylinux_aarch64", "musllinux_aarch64"),
    ("macos", "arm64"): ("macosx_arm64",),
    ("macos", "x86_64"): ("macosx_x86_64",),
    ("windows", "AMD64"): ("win_amd64",),
    ("windows", "ARM64"): ("win_arm64",),
}


def expected(tags):
    """Return what cibuildwheel should build and test for one platform and architecture."""
    return sorted(f"{python}-{tag}" for python, tag in itertools.product(PYTHONS, tags))


def identifiers(platform, arch):
    """Return what cibuildwheel says it would build and test."""
    command = [BIN / "cibuildwheel", "--platform", platform, "--archs", arch]
    command += ["--print-build-identifiers"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(done.stdout.split())


def faults():
    """Yield a sentence for all that is wrong."""
    link = ROOT / "wheels.yml"
    if not link.is_symlink() or link.resolve() != WORKFLOWS / "wheels.yml":
        yield "wheels.yml is not a symbolic link to .github/workflows/wheels.yml"
    rows = (WORKFLOWS / "wheels.yml").read_text()
    for (platform, arch), tags in TARGETS.items():
        if f"{{ platform: {platform}, arch: {arch}, " not in rows:
            yield f"wheels.yml has no row for {platform} {arch}"
        found, wanted = identifiers(platform, arch), expected(tags)
        if found != wanted:
            yield f"cibuildwheel for {platform} {arch}: {found}, expected {wanted}"
    files = sorted(WORKFLOWS.glob("*.yml"))
    schema = ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]
    for command in (
        [*schema, *files],
        ["zizmor", "--offline", "--quiet", "--no-progress", *files],
        ["validate-pyproject", ROOT / "pyproject.toml"],
    ):
        if subprocess.run([BIN / command[0], *command[1:]], check=False).returncode:
            yield f"{command[0]} found something"


def main():
    """Print the faults; the exit code is 1 when there are any."""
    found = list(faults())
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        print(f"workflows: {len(TARGETS)} platforms, {len(PYTHONS)} CPythons each")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
