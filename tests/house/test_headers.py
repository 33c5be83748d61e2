"""Every C++ header compiles alone: it depends on nothing that was included before it.

All of them take half a minute of processor time. So the suite compiles only those that include most
of the others; `.ci/run lint` asks for all, by PYW2V_ALL_HEADERS=1.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import cxx
import pytest
from cxx import CSRC

pytestmark = pytest.mark.skipif(not CSRC.is_dir(), reason="needs the sources")


@cache
def includes(header):
    """Return the headers of ours that a header includes, itself among them."""
    found = {header}
    for other in re.findall(r'#include "([^"]+)"', (CSRC / header).read_text(encoding="utf-8")):
        found |= includes(other)
    return found


def headers():
    return sorted(path.relative_to(CSRC).as_posix() for path in CSRC.rglob("*.h"))


def some_headers():
    """Return the header of each folder that includes most of ours, if no other of them does."""
    folders = {}
    for header in headers():
        folders.setdefault(header.split("/")[0], []).append(header)
    most = [max(folder, key=lambda header: len(includes(header))) for folder in folders.values()]
    return [header for header in most if sum(header in includes(other) for other in most) == 1]


def test_headers_compile_alone():
    command = cxx.compiler()
    chosen = headers() if os.environ.get("PYW2V_ALL_HEADERS") else some_headers()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda header: cxx.errors(command, f'#include "{header}"\n'), chosen)
    wrong = [f"{header}:\n{text}" for header, text in zip(chosen, found, strict=True) if text]
    assert not wrong, "\n".join(wrong)


def is_region(header):
    """Tell whether a header is compiled once per instruction set; see kernels/region.h."""
    return header.startswith(("kernels/", "models/")) or header == "isa/entry_points.h"


def test_headers_of_instruction_sets_stand_in_their_namespace_and_no_others_do():
    for header in headers():
        code = (CSRC / header).read_text(encoding="utf-8")
        named = "namespace PYW2V_ISA_NS {\nnamespace {\n" in code
        assert named == (is_region(header) and header != "kernels/region.h"), header


def test_ordinary_headers_are_included_before_a_target_region_opens():
    """What they define would else be compiled for an instruction set, and be linked elsewhere."""
    before = includes("isa/isa_headers.h")
    for header in filter(is_region, headers()):
        assert "kernels/region.h" in includes(header), header
        late = {other for other in includes(header) if not is_region(other)} - before
        assert not late, f"{header} includes {late}, which isa/isa_headers.h does not"
        code = (CSRC / header).read_text(encoding="utf-8")
        if header != "kernels/region.h":
            assert "#include <" not in code, f"{header}: ordinary headers belong in region.h"
