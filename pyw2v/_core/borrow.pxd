# What C++ gets of a NumPy array: where its numbers are. Whoever calls keeps the array alive.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from pyw2v._core.engine cimport MatrixView

ctypedef fused Number:
    float
    double
    int32_t
    int64_t
    uint8_t
    uint32_t

ctypedef fused Real:
    float
    double


# The n numbers of an array, which are called `what` if there are not as many; NULL for None.
cdef const Number* numbers(
    str name, const Number[::1] array, Py_ssize_t n, str what=*) except? NULL
# The same for numbers that are learnt.
cdef Real* learnt(str name, Real[::1] array, Py_ssize_t n) except? NULL
# The rows of a matrix, which lie on cache lines; no rows for None. n_rows < 0: any number of them.
cdef MatrixView[Real] rows(str name, array, Py_ssize_t n_rows, Py_ssize_t dim, Real zero) except *
