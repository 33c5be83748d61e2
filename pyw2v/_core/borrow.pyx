"""What C++ gets of a NumPy array: where its numbers are. Used from other modules' Cython only."""

from libc.stddef cimport size_t

from pyw2v._core.engine cimport MatrixView, kRowAlignment

from pyw2v._core.matrix import is_spread


cdef const Number* numbers(
    str name, const Number[::1] array, Py_ssize_t n, str what="numbers"
) except? NULL:
    if array is None:
        return NULL
    if array.shape[0] != n:
        raise ValueError(f"{name} must hold {n} {what}, got {array.shape[0]}")
    return &array[0] if n else NULL


cdef Real* learnt(str name, Real[::1] array, Py_ssize_t n) except? NULL:
    if array is None:
        return NULL
    if array.shape[0] != n:
        raise ValueError(f"{name} must hold {n} numbers, got {array.shape[0]}")
    return &array[0] if n else NULL


cdef MatrixView[Real] rows(
    str name, array, Py_ssize_t n_rows, Py_ssize_t dim, Real zero
) except *:
    if array is None:
        return MatrixView[Real]()
    if n_rows < 0:
        n_rows = len(array)
    if array.shape != (n_rows, dim) or not _is_padded(array, Real is float):
        kind = "float32" if Real is float else "float64"
        raise ValueError(
            f"{name} must be a {kind} matrix of shape ({n_rows}, {dim}) in rows on cache lines, as "
            f"matrix.spread returns it, got {array.dtype} {array.shape}"
        )
    return MatrixView[Real](
        <Real*> <size_t> array.ctypes.data, n_rows, dim, array.strides[0] // array.itemsize)


cdef bint _is_padded(array, bint single) except -1:
    """Whether kernels may take what lies behind each row for zeros."""
    if single:
        return is_spread(array)
    return (  # only the tests' own matrices, which probe.padded makes
        array.dtype == "f8"
        and array.ctypes.data % kRowAlignment == 0
        and array.strides[0] % kRowAlignment == 0
        and array.strides[1] == array.itemsize
    )
