# distutils: language = c++
"""GloVe's records, in an order for training."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport raise_py_error
from pyw2v._core.interrupt cimport CtrlC, Interrupt


cdef extern from "kernel_data/glove_model.h" namespace "pyw2v" nogil:
    cdef cppclass GloveRecord[Real]:
        pass


cdef extern from "train/glove_records.h" namespace "pyw2v" nogil:
    cdef cppclass CountMatrix:
        const int64_t* row_ends
        const int32_t* columns
        const double* values
        size_t n_words
    cdef cppclass CountWeighting:
        double x_max
        double exponent
    size_t glove_tile_rows(size_t n_words, size_t dim) noexcept
    vector[int64_t] cpp_make_tiles "pyw2v::make_tiles"(
        const CountMatrix&, const CountWeighting&, size_t, uint64_t, size_t, GloveRecord[float]*,
        const Interrupt&,
    ) except +raise_py_error
    void cpp_make_records "pyw2v::make_records"(
        const int32_t*, const int32_t*, const double*, size_t, const CountWeighting&,
        GloveRecord[double]*, const Interrupt&,
    ) except +raise_py_error


def record_dtype(real):
    """The NumPy type of a record whose numbers are of type `real`."""
    return np.dtype([("word", "u4"), ("context", "u4"), ("log_count", real), ("weight", real)])


def _check_matrix(row_ends, columns, values):
    n = len(columns)
    if (
        len(values) != n
        or (len(row_ends) and (row_ends[0] < 0 or int(row_ends[len(row_ends) - 1]) != n))
        or (n and not len(row_ends))
        or (np.diff(row_ends) < 0).any()
    ):
        raise ValueError(f"row_ends must rise to {n}, the number of columns and of values")


def make_tiles(row_ends, columns, values, records, *, double x_max, double exponent, int dim,
               uint64_t seed, size_t workers, size_t tile_rows=0):
    """Fill `records` with the entries of a matrix in compressed rows, grouped into tiles.

    Return where the tiles end and how many bands of words, and of contexts, they are made of.
    """
    _check_matrix(row_ends, columns, values)
    if records.dtype != record_dtype(np.float32) or records.shape != (len(columns),):
        raise ValueError(f"records must have room for {len(columns)} float32 records")
    cdef const int64_t[::1] end_view = row_ends
    cdef const int32_t[::1] column_view = columns
    cdef const double[::1] value_view = values
    cdef unsigned char[::1] bytes_view = records.view(np.uint8)
    cdef size_t n_words = len(row_ends)
    if not len(columns):
        return np.zeros(0, np.int64), 0
    cdef CountMatrix matrix
    matrix.row_ends = &end_view[0]
    matrix.columns = &column_view[0]
    matrix.values = &value_view[0]
    matrix.n_words = n_words
    cdef CountWeighting weighting
    weighting.x_max = x_max
    weighting.exponent = exponent
    if tile_rows == 0:
        tile_rows = glove_tile_rows(n_words, dim)
    cdef vector[int64_t] ends
    cdef CtrlC interrupt
    with nogil:
        ends = cpp_make_tiles(
            matrix, weighting, tile_rows, seed, workers, <GloveRecord[float]*>&bytes_view[0],
            interrupt)
    result = np.empty(ends.size(), np.int64)
    cdef int64_t[::1] result_view = result
    cdef size_t i
    for i in range(ends.size()):
        result_view[i] = ends[i]
    return result, (n_words + tile_rows - 1) // tile_rows


def make_records(words, contexts, values, *, double x_max, double exponent):
    """The records of single entries, in their order, in double precision."""
    n = len(values)
    if len(words) != n or len(contexts) != n:
        raise ValueError(f"words and contexts must be as many as the {n} values")
    cdef const int32_t[::1] word_view = words
    cdef const int32_t[::1] context_view = contexts
    cdef const double[::1] value_view = values
    records = np.empty(n, record_dtype(np.float64))
    cdef unsigned char[::1] bytes_view = records.view(np.uint8)
    cdef CountWeighting weighting
    weighting.x_max = x_max
    weighting.exponent = exponent
    cdef CtrlC interrupt
    if n:
        with nogil:
            cpp_make_records(&word_view[0], &context_view[0], &value_view[0],
                             <size_t>value_view.shape[0], weighting,
                             <GloveRecord[double]*>&bytes_view[0], interrupt)
    return records
