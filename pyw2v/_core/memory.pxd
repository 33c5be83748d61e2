"""Memory of the core as Python sees it, shared by the modules that make it."""

from libc.stdint cimport int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "base/growing_buffer.h" namespace "pyw2v" nogil:
    cdef cppclass CppBuffer "pyw2v::GrowingBuffer":
        CppBuffer(uint64_t budget, string folder) except +raise_py_error
        void append(const void* data, size_t n) except +raise_py_error
        void finish() except +raise_py_error
        void truncate(uint64_t n) noexcept
        char* data() noexcept
        uint64_t size() noexcept
        cbool spilled() noexcept


cdef class Memory:
    cdef unique_ptr[CppBuffer] _buffer
    cdef Py_ssize_t _shape[1]
    cdef Py_ssize_t _stride[1]


# Part of an object of the core, which it keeps alive.
cdef class Lent:
    cdef object _owner
    cdef const void* _data
    cdef Py_ssize_t _shape[1]
    cdef Py_ssize_t _stride[1]


cdef Memory wrap(unique_ptr[CppBuffer] buffer)
cdef bytearray bytes_of(const vector[int64_t]& counts)
cdef Lent lend(object owner, const void* data, Py_ssize_t n_bytes)
