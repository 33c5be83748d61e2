"""Float matrices on huge pages, that the kernels train in place.

Users see them packed: C-contiguous, row behind row. Kernels want rows that start on cache lines,
padded with zeros, and so these are spread while they train, in the same memory.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr

from pyw2v._core.guard cimport Guard

import threading

import numpy as np

from pyw2v._core.interrupt cimport CtrlC, Interrupt


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "base/matrix.h" namespace "pyw2v" nogil:
    const size_t kRowAlignment
    size_t padded_stride[Real](size_t dim) noexcept
    cdef cppclass MatrixView[Real]:
        MatrixView(Real* data, size_t n_rows, size_t dim, size_t stride)


cdef extern from "base/row_layout.h" namespace "pyw2v" nogil:
    void spread_rows(float* data, size_t n_rows, size_t dim, size_t stride, float padding) noexcept
    void pack_rows(float* data, size_t n_rows, size_t dim, size_t stride) noexcept


cdef extern from "base/uniform_rows.h" namespace "pyw2v" nogil:
    void cpp_fill_uniform "pyw2v::fill_uniform"(
        const MatrixView[float]&, size_t, float, uint64_t, size_t, const Interrupt&
    ) except +raise_py_error


cdef extern from "base/pages.h" namespace "pyw2v" nogil:
    cdef cppclass Pages:
        Pages(size_t n_bytes) except +
        void* data() noexcept
        void forget_from(size_t n_bytes) noexcept


cdef class Matrix:
    """Owns the memory of a matrix; NumPy views keep it alive.

    A view is of the layout that the matrix had when it was made, and holds garbage in the other.
    """

    cdef unique_ptr[Pages] _pages
    cdef Py_ssize_t _shape[2]
    cdef Py_ssize_t _packed[2]  # strides
    cdef Py_ssize_t _spread[2]
    cdef size_t _n_spread  # how many want it spread
    cdef object _lock

    def __init__(self, Py_ssize_t n_rows, Py_ssize_t dim):
        if n_rows < 0 or dim < 1:
            raise ValueError(f"a matrix needs n_rows >= 0 and dim >= 1, got {n_rows} x {dim}")
        cdef size_t stride = padded_stride[float](dim)
        if n_rows > (<Py_ssize_t> 1 << 60) // <Py_ssize_t> stride:
            raise MemoryError(f"a matrix of {n_rows} x {dim} does not fit in memory")
        self._pages = make_unique[Pages](n_rows * stride * sizeof(float))
        self._shape[:] = [n_rows, dim]
        self._packed[:] = [dim * sizeof(float), sizeof(float)]
        self._spread[:] = [stride * sizeof(float), sizeof(float)]
        self._lock = threading.Lock()

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        buffer.buf = self._pages.get().data()
        buffer.obj = self
        buffer.len = self._shape[0] * self._shape[1] * sizeof(float)
        buffer.itemsize = sizeof(float)
        buffer.readonly = 0
        buffer.ndim = 2
        buffer.format = "f"
        buffer.shape = self._shape
        buffer.strides = self.strides()
        buffer.suboffsets = NULL
        buffer.internal = NULL

    def __releasebuffer__(self, Py_buffer* buffer):
        pass

    cdef Py_ssize_t* strides(self) noexcept:
        """Those of the present layout."""
        if self._n_spread:
            return self._spread
        return self._packed

    cdef spread(self, float padding):
        cdef float* data = <float*> self._pages.get().data()
        cdef size_t stride = self._spread[0] // sizeof(float)
        with self._lock:
            if self._n_spread == 0:
                with nogil:
                    spread_rows(data, self._shape[0], self._shape[1], stride, padding)
            self._n_spread += 1
            return np.asarray(self)

    cdef pack(self):
        cdef float* data = <float*> self._pages.get().data()
        cdef size_t stride = self._spread[0] // sizeof(float)
        with self._lock:
            if self._n_spread == 1:
                with nogil:
                    pack_rows(data, self._shape[0], self._shape[1], stride)
                    self._pages.get().forget_from(self._shape[0] * self._packed[0])
            self._n_spread -= 1


cdef Matrix _owner(array):
    """The Matrix that an array is a view of, or None."""
    base = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    owner = base.obj if isinstance(base, memoryview) else base
    return owner if isinstance(owner, Matrix) else None


cdef cbool _is_view(array, Matrix owner, Py_ssize_t* strides) except *:
    return (
        array.dtype == np.float32
        and array.ndim == 2
        and array.flags.writeable
        and array.shape[1] == owner._shape[1]
        and array.strides == (strides[0], strides[1])
    )


def zeros(n_rows, dim):
    """A zeroed C-contiguous float32 array of shape (n_rows, dim) that can be spread."""
    return np.asarray(Matrix(n_rows, dim))


def can_spread(array):
    """Whether `array` is all of a Matrix, in its present layout: what `SpreadRows` takes."""
    cdef Matrix owner = _owner(array)
    if owner is None or array.shape[0] != owner._shape[0]:
        return False
    return _is_view(array, owner, owner.strides())


cdef class SpreadRows:
    """Matrices while the core trains them: on cache lines, in the memory that they have anyway.

    Arrays of before hold garbage meanwhile. The attributes of `holders` that named one of them name
    the same matrix as it now lies, until `pack`: who asks a model in another thread gets what
    training has made of it so far. It takes 12 % more memory at 100 columns, none at multiples
    of 16. No method calls Python code, so Ctrl-C comes before or after it: a `finally` that starts
    with `pack` leaves no matrix spread.

    While rows move to their other places, their `guard` has readers wait.
    """

    cdef list _arrays, _rows, _holders
    cdef Guard _guard  # of all that are spread, if they have one

    def __cinit__(self):
        self._arrays, self._rows, self._holders = [], [], []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.pack()

    def spread(self, arrays, holders, float padding=0.0, Guard guard=None):
        """Spread these matrices, too; `padding` is what stands between their rows."""
        if guard is None:
            self._spread(arrays, holders, padding)
            return
        with guard:
            if self._guard is None:
                self._guard = guard
                guard.move(1)
            self._spread(arrays, holders, padding)

    cdef _spread(self, arrays, holders, float padding):
        cdef list old = [], new = []
        self._holders.extend(holders)
        for array in arrays:
            if not can_spread(array):
                raise ValueError("only the whole of a matrix that matrix.zeros made can be spread")
            rows = _owner(array).spread(padding)
            self._arrays.append(array)
            self._rows.append(rows)
            old.append(array)
            new.append(rows)
        _replace(self._holders, old, new)

    def pack(self):
        """Let the arrays of before hold the rows again, and be what the attributes name."""
        cdef Guard guard = self._guard
        if guard is None:
            self._pack()
            return
        interrupt = guard.enter_surely()
        try:
            self._pack()
            self._guard = None
            guard.move(-1)
        finally:
            guard.leave()
        if interrupt is not None:
            raise interrupt

    cdef _pack(self):
        cdef list arrays = []
        for before, rows in zip(self._arrays, self._rows):
            _owner(rows).pack()
            # Those of before, but for arrays that another training had spread when this one began.
            arrays.append(before if before.flags.c_contiguous else np.asarray(_owner(rows)))
        _replace(self._holders, self._rows, arrays)
        self._arrays, self._rows, self._holders = [], [], []

    def __bool__(self):
        return len(self._rows) > 0


cdef _replace(list holders, list old, list new):
    """Where an attribute names an array of `old`, let it name that of `new`."""
    cdef dict attributes
    for holder in holders:
        attributes = holder.__dict__
        for name, value in list(attributes.items()):
            for i in range(len(old)):
                if value is old[i]:
                    attributes[name] = new[i]


def is_spread(array):
    """Whether kernels may work on `array` in place: whole rows, on cache lines."""
    cdef Matrix owner = _owner(array)
    if owner is None or not _is_view(array, owner, owner._spread):
        return False
    if owner._n_spread == 0 and owner._spread[0] != owner._packed[0]:
        return False
    return array.ctypes.data % kRowAlignment == 0


def spread_copy(array):
    """A copy of `array` in rows on cache lines, for kernels that only read it."""
    rows = Matrix(*array.shape).spread(0.0)
    rows[:] = array
    return rows


def fill_uniform(array, float bound, uint64_t seed, size_t first_row=0, size_t workers=0):
    """Fill the rows of a C-contiguous array, from first_row on, with numbers from [-bound, bound).

    What a row gets depends on its place and the seed only. workers=0: as many as the machine has.
    """
    cdef float[:, ::1] view = array
    cdef size_t n_rows = array.shape[0], dim = array.shape[1]
    if not n_rows:
        return
    cdef float* data = &view[0, 0]
    cdef CtrlC interrupt
    with nogil:
        cpp_fill_uniform(
            MatrixView[float](data, n_rows, dim, dim), first_row, bound, seed, workers, interrupt
        )
