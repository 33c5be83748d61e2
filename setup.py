"""The extension modules and the C++ sources behind them; metadata lives in pyproject.toml.

All of csrc/ is compiled once into static libraries, of which an extension links what it uses. The
kernels, the largest part by far, are linked by isa alone, which hands them to the others (isa.pxd).
Instruction sets are compiled by target regions inside the isa_*.cpp files, so no file needs flags
of its own, but for csrc/compat (what must equal another program to the last bit may not fuse
products and sums) and with MSVC, which knows no such regions: see LIBRARIES. Files are compiled
side by side, one per core or as many as `build_ext -j` says.
"""

import os
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext

MSVC = sys.platform == "win32"
# What is built for, which need not be the machine that builds.
PLATFORM = os.environ.get("_PYTHON_HOST_PLATFORM") or sysconfig.get_platform()
SOURCES = sorted(path.as_posix() for path in Path("csrc").rglob("*.cpp"))
EXACT_SOURCES = [path for path in SOURCES if path.startswith("csrc/compat/")]
HEADERS = sorted(
    path.as_posix() for folder in ("csrc", "pyw2v") for path in Path(folder).rglob("*.h")
)
MODULES = sorted(Path("pyw2v/_core").glob("*.pyx"))
# What Cython needs for memoryviews, generated once: every module would have its own copy, half of
# all there is to compile. It enters itself into sys.modules by its last name alone, which therefore
# says whose it is.
CYTHON_SHARED = "pyw2v._core._pyw2v_cython"

# One abi3 wheel serves every CPython from 3.11 on; the free-threaded builds have no stable ABI.
ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED") and os.environ.get("PYW2V_ABI3", "1") != "0"

STRICT = ["-Werror"] if os.environ.get("PYW2V_STRICT") else []
if MSVC:
    CXX_FLAGS = ["/std:c++17", "/permissive-", "/Zc:__cplusplus", "/O2", "/EHsc", "/utf-8"]
    GENERATED_FLAGS = CXX_FLAGS
    C_FLAGS = ["/O2", "/utf-8"]
else:
    # No debug information, for which many a Python's own flags ask: it takes a third of the time
    # and nine tenths of the size. tools/sanitize asks for it.
    OPTIMIZE = os.environ.get("PYW2V_OPTIMIZE", "-O3 -g0").split()
    CXX_FLAGS = [
        "-std=c++17",
        *OPTIMIZE,
        "-fno-math-errno",
        "-fno-trapping-math",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        *STRICT,
    ]
    # What Cython generates is not ours to tidy; these two are all that it provokes.
    GENERATED_FLAGS = [*CXX_FLAGS, "-Wno-missing-field-initializers", "-Wno-unused-function"]
    C_FLAGS = [*OPTIMIZE, "-fvisibility=hidden"]


def n_cores():
    """Return how many cores this process may use, as far as the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def find_msvc(compiler):
    """Let MSVC be looked for now: it is when the first file is compiled, which several may be."""
    if not getattr(compiler, "initialized", True):
        compiler.initialize()


class BuildClib(build_clib):
    """Compiles the files of a library side by side."""

    def build_libraries(self, libraries):
        find_msvc(self.compiler)
        compile_some = self.compiler.compile

        def compile_all(sources, **options):
            # The instruction sets take longest: they go first.
            sources = sorted(sources, key=lambda path: not path.startswith("csrc/isa/isa_"))
            n_jobs = self.get_finalized_command("build_ext").parallel
            with ThreadPoolExecutor(n_jobs) as pool:
                for _ in pool.map(lambda path: compile_some([path], **options), sources):
                    pass

        self.compiler.compile = compile_all
        super().build_libraries(libraries)


class BuildExt(build_ext):
    """Compiles the modules side by side, once the static libraries are there."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or n_cores()

    def run(self):
        self.run_command("build_clib")
        super().run()

    def build_extensions(self):
        find_msvc(self.compiler)
        super().build_extensions()


def static_library(name, sources, flags=()):
    return (
        name,
        {
            "sources": sources,
            "include_dirs": ["csrc"],
            "cflags": [*CXX_FLAGS, *flags],
            "obj_deps": {"": HEADERS},
        },
    )


# In the order of linking. With MSVC, a library of its own has the flags of AVX2. It is linked last:
# of an inline function that several libraries contain, the linker keeps the first copy, which any
# x86-64 can run.
AVX2_SOURCE = "csrc/isa/isa_avx2.cpp"
OTHER_SOURCES = [path for path in SOURCES if path not in (*EXACT_SOURCES, AVX2_SOURCE)]
LIBRARIES = [
    static_library("pyw2v_exact", EXACT_SOURCES, ["/fp:precise" if MSVC else "-ffp-contract=off"])
]
if PLATFORM == "win-amd64":
    LIBRARIES += [
        static_library("pyw2v_csrc", OTHER_SOURCES),
        static_library("pyw2v_csrc_avx2", [AVX2_SOURCE], ["/arch:AVX2"]),
    ]
else:
    LIBRARIES += [static_library("pyw2v_csrc", [*OTHER_SOURCES, AVX2_SOURCE])]

ABI3_MACROS = [("Py_LIMITED_API", "0x030B0000")] if ABI3 else []
extensions = [
    Extension(
        f"pyw2v._core.{path.stem}",
        [path.as_posix()],
        include_dirs=["csrc", "pyw2v"],
        depends=[*HEADERS, *SOURCES],
        language="c++",
        extra_compile_args=GENERATED_FLAGS,
        extra_link_args=[] if MSVC else ["-pthread"],
        py_limited_api=ABI3,
        define_macros=[
            ("PYW2V_FLAGS", f'"{" ".join(CXX_FLAGS)}"'),  # for bug reports, see isa.build_info()
            *ABI3_MACROS,
        ],
    )
    for path in MODULES
]
extensions.append(
    Extension(
        CYTHON_SHARED,
        [CYTHON_SHARED.replace(".", "/") + ".c"],
        extra_compile_args=C_FLAGS,
        py_limited_api=ABI3,
        define_macros=ABI3_MACROS,
    )
)

setup(
    cmdclass={"build_clib": BuildClib, "build_ext": BuildExt},
    libraries=LIBRARIES,
    ext_modules=cythonize(
        extensions,
        shared_utility_qualified_name=CYTHON_SHARED,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": True,
            "freethreading_compatible": True,
        },
    ),
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {},
)
