"""Vectors of words as means of their own rows and those of their n-grams."""

from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport int64_t, uint32_t

import numpy as np


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "query/compose.h" namespace "pyw2v" nogil:
    cdef cppclass ConstRows:
        const float* data
        ptrdiff_t stride
    void cpp_mean_rows "pyw2v::mean_rows"(
        ConstRows words, ConstRows parts, const int64_t* offsets, const uint32_t* ids,
        size_t n_words, size_t dim, float* out, ptrdiff_t out_stride, size_t n_threads
    ) except +raise_py_error


cdef ConstRows _rows(name, const float[:, :] matrix, Py_ssize_t dim) except *:
    if matrix.shape[1] != dim:
        raise ValueError(f"{name} must have rows of {dim} numbers, got {matrix.shape[1]}")
    if dim > 1 and matrix.strides[1] != sizeof(float) or matrix.strides[0] % sizeof(float):
        raise ValueError(f"{name} must have rows of adjacent numbers")
    cdef ConstRows rows
    if matrix.shape[0]:
        rows.data = &matrix[0, 0]
    rows.stride = matrix.strides[0] // <ptrdiff_t> sizeof(float)
    return rows


def mean_rows(
    words, const float[:, :] parts, const int64_t[::1] offsets, const uint32_t[::1] ids,
    float[:, :] out, size_t workers=1,
):
    """Write to row w of `out` the mean of words[w] and of parts[ids[offsets[w]:offsets[w + 1]]].

    Without `words`, None, of the latter alone, which are zero where there are none.
    """
    cdef Py_ssize_t n_words = out.shape[0], dim = out.shape[1]
    if len(offsets) != n_words + 1 or (words is not None and len(words) != n_words):
        raise ValueError(f"offsets and words must fit the {n_words} rows of out")
    if offsets[0] != 0 or offsets[n_words] != len(ids) or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must rise from 0 to {len(ids)}, the number of ids")
    if len(ids) and int(np.max(ids)) >= parts.shape[0]:
        raise ValueError(f"ids must be below {parts.shape[0]}, the number of parts")
    if n_words == 0 or dim == 0:
        return
    cdef ConstRows own
    if words is not None:
        own = _rows("words", words, dim)
    cdef ConstRows part_rows = _rows("parts", parts, dim)
    cdef ConstRows out_rows = _rows("out", out, dim)
    cdef const uint32_t* first = &ids[0] if len(ids) else NULL
    with nogil:
        cpp_mean_rows(
            own, part_rows, &offsets[0], first, n_words, dim, &out[0, 0], out_rows.stride, workers
        )
