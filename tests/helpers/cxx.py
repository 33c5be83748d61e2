"""A C++ compiler, to ask what compiles."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CSRC = Path(__file__).resolve().parents[2] / "csrc"
_FLAGS = ("-fsyntax-only", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{CSRC}", "-x", "c++")


def compiler():
    """Return the command of a compiler with GCC's options; skip the test where there is none."""
    wanted = shlex.split(os.environ.get("CXX", ""))
    for command in (wanted, ["c++"], ["g++"], ["clang++"]):
        if sys.platform != "win32" and command and shutil.which(command[-1]):
            return [part for part in command if part != "ccache"]
    pytest.skip("needs a C++ compiler with GCC's options: CXX, c++, g++ or clang++")


def errors(command, code, *flags):
    """Return what the compiler says about a translation unit; nothing if it compiles."""
    command = [*command, *_FLAGS, *flags, "-"]
    ran = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    return ran.stderr if ran.returncode else ""
