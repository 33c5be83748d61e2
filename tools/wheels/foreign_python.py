"""Make a CPython for another architecture, or without the GIL, from the package index alone.

python tools/wheels/foreign_python.py DIR --arch aarch64
python tools/wheels/foreign_python.py DIR --abi cp313t

The package freeze-core carries, for each CPython and architecture, an interpreter and the compiled
half of the standard library; its Python half is that of the running Python, which must be of the
same minor version. DIR/python then runs like a python (-c, -m, a script, PYTHONPATH), through
qemu-user if it must (QEMU_CPU says on which processor). Packages for it go into DIR/site.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# Read by freeze-core's own startup module; `python` is the name of the executable.
STARTUP = '''"""The command line of python, as far as tests need it."""

import os
import sys


def run(_name):
    sys.path[:] = [{stdlib!r}, *sys.path, {site!r}]
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.executable = {executable!r}
    import runpy
    import warnings

    options = sys.argv[1:]
    while options and options[0] not in ("-c", "-m") and options[0].startswith("-"):
        if options.pop(0) == "-W":
            warnings.simplefilter(options.pop(0))
    what = options.pop(0)
    if what == "-c":
        sys.argv = ["-c", *options[1:]]
        main = sys.modules["__main__"].__dict__
        main.update(__name__="__main__", __builtins__=__builtins__)
        exec(compile(options[0], "<string>", "exec"), main)
    elif what == "-m":
        sys.argv = options
        runpy.run_module(options[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [what, *options]
        runpy.run_path(what, run_name="__main__")
'''

WRAPPER = """#!/bin/sh
exec {emulator} "{interpreter}" "$@"
"""


def download(package, folder, arch, abi, *, only=True):
    """Unpack the wheel of a package, and those it needs, for an architecture and ABI."""
    tags = ("2_17", "2_27", "2_28", "2_34")
    command = [sys.executable, "-m", "pip", "-q", "install", "--target", folder]
    command += [f"--platform=manylinux_{tag}_{arch}" for tag in tags]
    command += [f"--platform=manylinux2014_{arch}", "--only-binary=:all:"]
    command += ["--implementation=cp", f"--python-version={python_version()}", f"--abi={abi}"]
    # A package of pure Python, or of the stable ABI, has another one.
    command += ["--abi=abi3", "--abi=none"]
    command += ["--no-deps"] if only else []
    subprocess.run([*command, *package], check=True)


def python_version():
    """Major and minor version of the running Python."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def emulator(arch, cpu, sysroot, libraries):
    """Return the command before the interpreter; nothing for this machine's own processor."""
    if arch == platform.machine() and not cpu:
        return ""
    for name in (f"qemu-{arch}-static", f"qemu-{arch}"):
        if path := shutil.which(name):
            root = "" if arch == platform.machine() else f'-L "{sysroot}" '
            processor = f'env QEMU_CPU="${{QEMU_CPU:-{cpu}}}"'
            return f'{processor} "{path}" {root}-E LD_LIBRARY_PATH="{libraries}"'
    raise SystemExit(f"no qemu-{arch} (Debian: apt-get install qemu-user)")


def add_zlib(folder, arch, compiler):
    """Compile zlib, which Python and NumPy expect of the system, from a package that carries it."""
    command = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--no-binary=:all:"]
    subprocess.run([*command, "-d", folder / "zlib", "pyminizip==0.2.6"], check=True)
    (archive,) = (folder / "zlib").glob("*.tar.gz")
    # Not by shutil, whose argument `filter` the first releases of 3.11 lack: Debian 12 has one.
    subprocess.run(["tar", "-xzf", archive, "-C", folder / "zlib"], check=True)
    sources = sorted(map(str, folder.glob("zlib/*/zlib-*/*.c")))
    flags = ["-O2", "-w", "-shared", "-fPIC", "-DHAVE_UNISTD_H", "-DHAVE_STDARG_H"]
    command = [compiler, *flags, "-Wl,-soname,libz.so.1", "-o", folder / "home/libz.so.1"]
    environment = os.environ | {"ZIG_TARGET": f"{arch}-linux-gnu.2.17"}
    subprocess.run([*command, *sources], env=environment, check=True)
    shutil.rmtree(folder / "zlib")


def add_first_modules(unpacked, library):
    """Put what Python imports before STARTUP into the library; later releases have it built in."""
    shutil.copy(unpacked / "freeze_core/initscripts/__startup__.py", library)
    (library / "BUILD_CONSTANTS.py").touch()
    for path in Path(sysconfig.get_path("stdlib")).iterdir():
        is_module = path.suffix == ".py" or (path / "__init__.py").exists()
        if is_module and not path.name.startswith("_sysconfigdata"):
            (library / path.name).symlink_to(path)


def make(folder, arch, abi, command):
    """Put the interpreter, its libraries and a wrapper into the folder."""
    unpacked = folder / "freeze-core"
    download(["freeze-core"], unpacked, arch, abi)
    (found,) = unpacked.glob("freeze_core/bases/console-cpython-*")
    home = folder / "home"
    shutil.copytree(unpacked / "freeze_core/lib", home / "lib")
    shutil.copytree(unpacked / "freeze_core.libs", folder / "freeze_core.libs")  # as they stood
    shutil.copy(found, home / "python")
    (home / "python").chmod(0o755)
    startup = STARTUP.format(
        stdlib=sysconfig.get_path("stdlib"),
        site=str(folder / "site"),
        executable=str(folder / "python"),
    )
    (home / "lib/__init__python.py").write_text(startup)
    if not (unpacked / "freeze_core/frozen").is_dir():
        add_first_modules(unpacked, home / "lib")
    # How Python was built: read by pytest, and near enough to the running one's. Debian has
    # the file under two names.
    threads = "t" if abi.endswith("t") else ""
    extra = '\nbuild_time_vars["Py_GIL_DISABLED"] = 1\n' if threads else ""
    for known in Path(sysconfig.get_path("stdlib")).glob("_sysconfigdata_*.py"):
        name = known.name.replace(platform.machine(), arch)
        name = name.replace("_sysconfigdata_", f"_sysconfigdata_{threads}")
        (home / "lib" / name).write_text(known.read_text() + extra)
    wrapper = folder / "python"
    wrapper.write_text(WRAPPER.format(emulator=command, interpreter=home / "python"))
    wrapper.chmod(0o755)
    shutil.rmtree(unpacked)


def main():
    """Parse the arguments; print the path of the interpreter made."""
    version = "cp{}{}".format(*sys.version_info[:2])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default=platform.machine())
    parser.add_argument("--abi", default=version, help=f"default {version}; t: without the GIL")
    parser.add_argument("--cpu", default="", help="processor to emulate, as qemu calls it")
    parser.add_argument("--sysroot", default="/usr/aarch64-linux-gnu", help="libraries for --arch")
    parser.add_argument("--compiler", help="C compiler for --arch, if its zlib must be made")
    parser.add_argument("--install", nargs="*", default=[], help="wheels or names to install")
    args = parser.parse_args()
    folder = args.folder.absolute()
    command = emulator(args.arch, args.cpu, args.sysroot, folder / "home")
    make(folder, args.arch, args.abi, command)
    if args.arch != platform.machine():
        add_zlib(folder, args.arch, args.compiler)
    if args.install:
        download(args.install, folder / "site", args.arch, args.abi, only=False)
    print(folder / "python")


if __name__ == "__main__":
    main()
