"""Product quantiser: centroids of the pieces of rows, and the bytes that name them."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from pyw2v._core.engine cimport KernelTable, raise_py_error
from pyw2v._core.interrupt cimport CtrlC, Interrupt
from pyw2v._core.isa cimport kernels_named

from pyw2v._core import isa as _isa


cdef extern from "query/quantizer.h" namespace "pyw2v" nogil:
    cdef cppclass QuantizerShape:
        QuantizerShape(size_t dim, size_t dsub) noexcept
        size_t n_pieces() noexcept

    cdef cppclass PointRows:
        const float* data
        ptrdiff_t stride
        size_t n_rows

    void cpp_train_centroids "pyw2v::train_centroids"(
        const KernelTable&, const QuantizerShape&, const PointRows&, size_t, size_t, uint64_t,
        size_t, float*, const Interrupt&
    ) except +raise_py_error
    void encode_rows(
        const KernelTable&, const QuantizerShape&, const PointRows&, const float*, size_t, uint8_t*,
        const Interrupt&
    ) except +raise_py_error
    void decode_row(
        const QuantizerShape&, const uint8_t*, const float*, float, float*
    ) noexcept


cdef PointRows _points(const float[:, :] rows) except *:
    cdef PointRows points
    if rows.shape[1] > 1 and rows.strides[1] != sizeof(float):
        raise ValueError("the elements of a row must lie side by side")
    if rows.strides[0] % <Py_ssize_t>sizeof(float):
        raise ValueError("the distance between rows must be a whole number of floats")
    points.data = &rows[0, 0] if rows.shape[0] else NULL
    points.stride = rows.strides[0] // <Py_ssize_t>sizeof(float)
    points.n_rows = <size_t>rows.shape[0]
    return points


cdef size_t _n_pieces(Py_ssize_t dim, Py_ssize_t dsub, Py_ssize_t n_centroids) except 0:
    """The number of codes of a row; raises ValueError if the arrays do not belong together."""
    if dim < 1 or dsub < 1:
        raise ValueError(f"dim and dsub must be at least 1, got {dim} and {dsub}")
    if n_centroids != 256 * dim:
        raise ValueError(f"centroids must have {256 * dim} elements, got {n_centroids}")
    return QuantizerShape(<size_t>dim, <size_t>dsub).n_pieces()


def train_centroids(
    const float[:, :] points,
    Py_ssize_t dsub,
    float[::1] centroids,
    size_t first_piece,
    size_t last_piece,
    uint64_t seed,
    size_t workers,
):
    """Fill in the centroids of some pieces; the first 256 points are where they start."""
    cdef size_t n_pieces = _n_pieces(points.shape[1], dsub, centroids.shape[0])
    if points.shape[0] < 256:
        raise ValueError(f"there must be at least 256 points, got {points.shape[0]}")
    if first_piece > last_piece or last_piece > n_pieces:
        raise ValueError(f"pieces must be among {n_pieces}, got {first_piece} to {last_piece}")
    cdef PointRows rows = _points(points)
    cdef const KernelTable* kernels = kernels_named(_isa.isa())
    cdef CtrlC interrupt
    with nogil:
        cpp_train_centroids(
            kernels[0],
            QuantizerShape(<size_t>points.shape[1], <size_t>dsub),
            rows,
            first_piece,
            last_piece,
            seed,
            workers,
            &centroids[0],
            interrupt,
        )


def encode(
    const float[:, :] rows,
    Py_ssize_t dsub,
    const float[::1] centroids,
    uint8_t[:, ::1] codes,
    size_t workers,
):
    """Fill in the codes of rows."""
    cdef size_t n_pieces = _n_pieces(rows.shape[1], dsub, centroids.shape[0])
    if codes.shape[0] != rows.shape[0] or <size_t>codes.shape[1] != n_pieces:
        raise ValueError(f"codes must have shape ({rows.shape[0]}, {n_pieces})")
    if rows.shape[0] == 0:
        return
    cdef PointRows points = _points(rows)
    cdef const KernelTable* kernels = kernels_named(_isa.isa())
    cdef CtrlC interrupt
    with nogil:
        encode_rows(
            kernels[0],
            QuantizerShape(<size_t>rows.shape[1], <size_t>dsub),
            points,
            &centroids[0],
            workers,
            &codes[0, 0],
            interrupt,
        )


def decode(
    const uint8_t[:, ::1] codes,
    const int64_t[::1] ids,
    Py_ssize_t dsub,
    const float[::1] centroids,
    const float[::1] scales,
    float[:, ::1] out,
):
    """Fill row i of `out` with row ids[i] of the matrix, times scales[i] if there are scales."""
    cdef Py_ssize_t i, n = ids.shape[0]
    cdef size_t n_pieces = _n_pieces(out.shape[1], dsub, centroids.shape[0])
    if <size_t>codes.shape[1] != n_pieces:
        raise ValueError(f"codes must have {n_pieces} columns, got {codes.shape[1]}")
    if out.shape[0] != n or (scales is not None and scales.shape[0] != n):
        raise ValueError(f"out and scales must have {n} rows")
    for i in range(n):
        if ids[i] < 0 or ids[i] >= codes.shape[0]:
            raise IndexError(f"row {ids[i]} is not among the {codes.shape[0]} rows")
    cdef QuantizerShape* shape = new QuantizerShape(<size_t>out.shape[1], <size_t>dsub)
    with nogil:
        for i in range(n):
            decode_row(
                shape[0],
                &codes[ids[i], 0],
                &centroids[0],
                scales[i] if scales is not None else 1,
                &out[i, 0],
            )
    del shape
