"""The instruction sets of this machine, and the one in use."""

import os

from libc.stddef cimport size_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from pyw2v._core.engine cimport DoubleKernels, KernelTable, raise_py_error


cdef extern from "isa/dispatch.h" namespace "pyw2v" nogil:
    const DoubleKernels kDoubleKernels
    vector[const KernelTable*] runnable_kernels() except +raise_py_error
    const KernelTable& cpp_kernels_named "pyw2v::kernels_named"(
        const string& name) except +raise_py_error
    double cpp_fma_peak "pyw2v::fma_peak"(
        const KernelTable& kernels, int n_threads, double seconds) except +raise_py_error


cdef extern from *:
    """
    #if defined(__clang__)
    #define PYW2V_COMPILER __VERSION__
    #elif defined(__GNUC__)
    #define PYW2V_COMPILER "GCC " __VERSION__
    #elif defined(_MSC_VER)
    #define PYW2V_STRING_(x) #x
    #define PYW2V_STRING(x) PYW2V_STRING_(x)
    #define PYW2V_COMPILER "MSVC " PYW2V_STRING(_MSC_VER)
    #else
    #define PYW2V_COMPILER "unknown"
    #endif
    #if defined(Py_LIMITED_API)
    #define PYW2V_ABI "abi3"
    #else
    #define PYW2V_ABI "version-specific"
    #endif
    """
    const char* PYW2V_COMPILER
    const char* PYW2V_ABI
    const char* PYW2V_FLAGS  # by setup.py
    long __cplusplus


cdef const KernelTable* kernels_named(str name) except NULL:
    """The kernels of an instruction set, or ValueError with the names of those that run here."""
    return &cpp_kernels_named(name.encode())


cdef const DoubleKernels* double_kernels() noexcept:
    return &kDoubleKernels


def isas():
    """Names of the instruction sets that this machine runs, best first."""
    cdef vector[const KernelTable*] tables = runnable_kernels()
    cdef size_t i
    return tuple([tables[i].name.decode() for i in range(tables.size())])


_current = isas()[0]


def isa():
    """The instruction set in use: the best one, or what PYW2V_ISA or use() asked for."""
    return _current


def use(name):
    """Work with the named instruction set from now on."""
    global _current
    if not isinstance(name, str):
        raise TypeError(f"instruction set must be a str, got {type(name).__name__}")
    kernels_named(name)
    _current = name


def fma_peak(int threads=1, double seconds=0.2):
    """GFLOP/s reached by `threads` threads that do nothing but fused multiply-adds."""
    if threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    cdef const KernelTable* kernels = kernels_named(_current)
    cdef double rate
    with nogil:
        rate = cpp_fma_peak(kernels[0], threads, seconds)
    return rate * 1e-9


def build_info():
    """How the extension modules were built."""
    return {
        "compiler": PYW2V_COMPILER.decode(),
        "c++": __cplusplus,
        "flags": PYW2V_FLAGS.decode(),
        "abi": PYW2V_ABI.decode(),
    }


if os.environ.get("PYW2V_ISA"):
    use(os.environ["PYW2V_ISA"])
