# distutils: language = c++
"""Memory of the core as Python sees it."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int64_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.utility cimport move
from libcpp.vector cimport vector


cdef extern from "<cstring>" namespace "std" nogil:
    void copy "std::memcpy"(void*, const void*, size_t) noexcept


cdef extern from "base/heap.h" namespace "pyw2v" nogil:
    void cpp_release_free_memory "pyw2v::release_free_memory"() noexcept


def release_free_memory():
    """Give freed memory that the allocator keeps for later back to the system."""
    with nogil:
        cpp_release_free_memory()


cdef class Memory:
    """Bytes owned by the core, for NumPy to look at; freed with the last view of them."""

    @property
    def spilled(self):
        """Whether the bytes live in a temporary file."""
        return self._buffer.get().spilled()

    def truncate(self, uint64_t n_bytes):
        """Give back the memory after the first n_bytes; views of it must not be used any more."""
        self._buffer.get().truncate(n_bytes)

    def __len__(self):
        return self._buffer.get().size()

    def __getbuffer__(self, Py_buffer* view, int flags):
        self._shape[0] = <Py_ssize_t>self._buffer.get().size()
        self._stride[0] = 1
        view.buf = self._buffer.get().data()
        view.obj = self
        view.len = self._shape[0]
        view.itemsize = 1
        view.readonly = 0
        view.ndim = 1
        view.format = b"B"
        view.shape = self._shape
        view.strides = self._stride
        view.suboffsets = NULL
        view.internal = NULL


cdef class Lent:
    """Bytes inside an object of the core, read-only for NumPy; they keep the object alive."""

    def __len__(self):
        return self._shape[0]

    def __getbuffer__(self, Py_buffer* view, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("the bytes of an object of the core are read-only")
        self._stride[0] = 1
        view.buf = <void*>self._data
        view.obj = self
        view.len = self._shape[0]
        view.itemsize = 1
        view.readonly = 1
        view.ndim = 1
        view.format = b"B"
        view.shape = self._shape
        view.strides = self._stride
        view.suboffsets = NULL
        view.internal = NULL


cdef Lent lend(object owner, const void* data, Py_ssize_t n_bytes):
    cdef Lent lent = Lent()
    lent._owner = owner
    # An empty vector may have no memory; NumPy wants an address all the same.
    lent._data = data if n_bytes else <const void*>lent._shape
    lent._shape[0] = n_bytes
    return lent


cdef Memory wrap(unique_ptr[CppBuffer] buffer):
    cdef Memory memory = Memory()
    memory._buffer = move(buffer)
    return memory


cdef bytearray bytes_of(const vector[int64_t]& counts):
    cdef size_t n = counts.size() * sizeof(int64_t)
    result = bytearray(n)
    cdef unsigned char[::1] view = result
    if n:
        copy(&view[0], counts.data(), n)
    return result
