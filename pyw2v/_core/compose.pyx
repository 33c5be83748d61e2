"""Vectors of words as means of their own rows and those of their n-grams."""

from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport int64_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.interrupt cimport CtrlC, Interrupt
from pyw2v._core.lines cimport FeatureRules, Rules
from pyw2v._core.words cimport string_view, view_of


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1


cdef extern from "query/compose.h" namespace "pyw2v" nogil:
    cdef cppclass ConstRows:
        const float* data
        ptrdiff_t stride
    void cpp_mean_rows "pyw2v::mean_rows"(
        ConstRows words, ConstRows parts, const int64_t* offsets, const uint32_t* ids,
        size_t n_words, size_t dim, float* out, ptrdiff_t out_stride, size_t n_threads,
        const Interrupt& interrupt,
    ) except +raise_py_error


cdef extern from "query/word_means.h" namespace "pyw2v" nogil:
    cdef cppclass ByteRows:
        const unsigned char* data
        size_t dim
        size_t stride
    cdef cppclass CppWordMeans "pyw2v::WordMeans":
        CppWordMeans(const FeatureRules& rules, const ByteRows& rows) except +raise_py_error
        void mean(
            string_view word, int64_t own, float* out, const Interrupt& interrupt,
        ) except +raise_py_error
        cbool add_unit(
            string_view word, int64_t own, float* scratch, float* sum, const Interrupt& interrupt,
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
    cdef CtrlC interrupt
    with nogil:
        cpp_mean_rows(
            own, part_rows, &offsets[0], first, n_words, dim, &out[0, 0], out_rows.stride, workers,
            interrupt,
        )


cdef class WordMeans:
    """Vectors of single words and of lines of them, by the rows of a matrix at any byte.

    ids: the numbers of words; those that are no row of `rows` (labels) count for unknown.
    """

    cdef unique_ptr[CppWordMeans] _means
    cdef dict _ids
    cdef int64_t _n_rows
    cdef Py_ssize_t _dim
    cdef object _alive

    def __cinit__(self, *, Rules rules not None, dict ids not None, rows not None):
        if rows.ndim != 2 or rows.dtype != np.float32 or (
                rows.size and rows.strides[1] != sizeof(float)):
            raise ValueError("rows must be a float32 matrix of adjacent numbers")
        if len(rows) < rules.n_rows:
            raise ValueError(
                f"rows must hold one for each word and bucket, {rules.n_rows}, got {len(rows)}")
        self._n_rows, self._dim = rows.shape
        cdef const unsigned char[:, :] view
        cdef ByteRows matrix
        if self._n_rows and self._dim:
            view = rows.view(np.uint8)
            matrix.data = &view[0, 0]
            matrix.stride = view.strides[0]
        matrix.dim = self._dim
        self._means.reset(new CppWordMeans(rules.rules, matrix))
        self._ids = ids
        self._alive = (rules, rows)

    cdef int64_t _number(self, bytes word):
        cdef int64_t number = self._ids.get(word, -1)
        return number if number < self._n_rows else -1

    def word(self, bytes word not None):
        """Mean of the rows of the word and its n-grams; zeros if there are none."""
        out = np.empty(self._dim, np.float32)
        cdef float[::1] view = out
        cdef CtrlC interrupt
        if self._dim:
            self._means.get().mean(view_of(word), self._number(word), &view[0], interrupt)
        return out

    def line(self, list words not None):
        """Mean of the words' vectors, each divided by its length; zeros if none has one."""
        out = np.zeros(self._dim, np.float32)
        cdef float[::1] view = out
        cdef vector[float] scratch
        scratch.resize(self._dim)
        cdef bytes word
        cdef size_t n = 0, n_words = 0
        cdef CtrlC interrupt
        if not self._dim:
            return out
        for word in words:
            n += self._means.get().add_unit(
                view_of(word), self._number(word), scratch.data(), &view[0], interrupt)
            n_words += 1
            if n_words % 4096 == 0:
                PyErr_CheckSignals()
        if n > 1:
            out *= np.float32(1 / <double> n)
        return out
