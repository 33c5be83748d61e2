"""Float matrices laid out for the kernels: rows on 64-byte boundaries, zero padding, huge pages."""

from libc.stddef cimport size_t
from libc.stdint cimport uint64_t
from libcpp.memory cimport make_unique, unique_ptr

import numpy as np


cdef extern from "base/matrix.h" namespace "pyw2v" nogil:
    const size_t kRowAlignment
    size_t padded_stride[Real](size_t dim) noexcept
    cdef cppclass MatrixView[Real]:
        MatrixView(Real* data, size_t n_rows, size_t dim, size_t stride)


cdef extern from "base/uniform_rows.h" namespace "pyw2v" nogil:
    void cpp_fill_uniform "pyw2v::fill_uniform"(
        const MatrixView[float]&, size_t, float, uint64_t, size_t) except +


cdef extern from "base/pages.h" namespace "pyw2v" nogil:
    cdef cppclass Pages:
        Pages(size_t n_bytes) except +
        void* data() noexcept


cdef class Matrix:
    """Owns the memory of a matrix; NumPy views keep it alive."""

    cdef unique_ptr[Pages] _pages
    cdef Py_ssize_t _shape[2]
    cdef Py_ssize_t _strides[2]

    def __init__(self, Py_ssize_t n_rows, Py_ssize_t dim):
        if n_rows < 0 or dim < 1:
            raise ValueError(f"a matrix needs n_rows >= 0 and dim >= 1, got {n_rows} x {dim}")
        cdef size_t stride = padded_stride[float](dim)
        if n_rows > (<Py_ssize_t> 1 << 60) // <Py_ssize_t> stride:
            raise MemoryError(f"a matrix of {n_rows} x {dim} does not fit in memory")
        self._pages = make_unique[Pages](n_rows * stride * sizeof(float))
        self._shape[0] = n_rows
        self._shape[1] = dim
        self._strides[0] = stride * sizeof(float)
        self._strides[1] = sizeof(float)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        buffer.buf = self._pages.get().data()
        buffer.obj = self
        buffer.len = self._shape[0] * self._shape[1] * sizeof(float)
        buffer.itemsize = sizeof(float)
        buffer.readonly = 0
        buffer.ndim = 2
        buffer.format = "f"
        buffer.shape = self._shape
        buffer.strides = self._strides
        buffer.suboffsets = NULL
        buffer.internal = NULL

    def __releasebuffer__(self, Py_buffer* buffer):
        pass


def aligned(n_rows, dim):
    """A zeroed float32 array of shape (n_rows, dim) that the Trainer takes without a copy."""
    return np.asarray(Matrix(n_rows, dim))


def is_aligned(array):
    """Whether the Trainer may work on `array` in place: whole rows of a Matrix."""
    if array.dtype != np.float32 or array.ndim != 2 or not array.flags.writeable:
        return False
    base = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    matrix = base.obj if isinstance(base, memoryview) else base
    return (
        isinstance(matrix, Matrix)
        and array.shape[1] == (<Matrix> matrix)._shape[1]
        and array.strides == ((<Matrix> matrix)._strides[0], sizeof(float))
        and array.ctypes.data % kRowAlignment == 0
    )


def fill_uniform(array, float bound, uint64_t seed, size_t first_row=0, size_t workers=0):
    """Fill the rows of an aligned array, from first_row on, with numbers from [-bound, bound).

    What a row gets depends on its place and the seed only. workers=0: as many as the machine has.
    """
    if not is_aligned(array):
        raise ValueError("fill_uniform needs a matrix made by aligned()")
    if not len(array):
        return
    cdef float[:, :] view = array
    cdef float* data = &view[0, 0]
    cdef size_t n_rows = array.shape[0], dim = array.shape[1]
    with nogil:
        cpp_fill_uniform(
            MatrixView[float](data, n_rows, dim, padded_stride[float](dim)), first_row, bound,
            seed, workers,
        )
