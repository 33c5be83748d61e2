"""Check what is in a wheel: nothing but the package, small, and with the tag promised.

python tools/wheels/contents.py WHEEL [--tag cp311-abi3-manylinux2014_x86_64]
"""

import argparse
import re
import sys
import zipfile
from pathlib import Path

LIMIT = 6_000_000  # bytes
# Python and its stubs, extension modules, the demo's text, the metadata.
EXPECTED = re.compile(
    r"pyw2v/.*(\.py|\.pyi|\.so|\.pyd|py\.typed|demo\.txt\.xz|data/README\.md)|"
    r"pyw2v-[^/]*\.dist-info/.*"
)


def faults(wheel, tag):
    """Yield a sentence for all that is wrong."""
    size = wheel.stat().st_size
    if size > LIMIT:
        yield f"{size:,} bytes, more than {LIMIT:,}"
    if tag and not all(part in wheel.name for part in tag.split("-")):
        yield f"the tag is not {tag}"
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    for name in names:
        if not EXPECTED.fullmatch(name):
            yield f"{name} does not belong there"
    # All modules but the private one of Cython's own helpers have stubs.
    modules = [name for name in names if re.fullmatch(r"pyw2v/_core/[a-z].*\.(so|pyd)", name)]
    stubs = [name for name in names if re.fullmatch(r"pyw2v/_core/\w+\.pyi", name)]
    if len(modules) != len(stubs):
        yield f"{len(modules)} extension modules but {len(stubs)} stubs"


def main():
    """Print the faults, or the size; the exit code is 1 when there are faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--tag", default="", help="parts of the file name, joined by -")
    args = parser.parse_args()
    found = list(faults(args.wheel, args.tag))
    for fault in found:
        print(f"{args.wheel.name}: {fault}", file=sys.stderr)
    if not found:
        print(f"{args.wheel.name}: {args.wheel.stat().st_size:,} bytes, contents as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
