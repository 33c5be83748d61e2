"""word2vec.c's table of sigmoids, which the exact engine reads."""

from libc.math cimport isnan
from libcpp.memory cimport unique_ptr

import numpy as np

from pyw2v._core.memory cimport lend, raise_py_error


cdef extern from "compat/sigmoid_table.h" namespace "pyw2v" nogil:
    cdef cppclass CppSigmoidTable "pyw2v::SigmoidTable":
        CppSigmoidTable() except +raise_py_error
        float look_up "operator()"(float x) noexcept

    cdef int kSize "pyw2v::SigmoidTable::kSize"
    cdef int kMaxExp "pyw2v::SigmoidTable::kMaxExp"


cdef extern from *:
    """
    static inline const float* values_of(const pyw2v::SigmoidTable& table) {
      return table.values().data();
    }
    """
    const float* values_of(const CppSigmoidTable& table) noexcept


cdef class SigmoidTable:
    """word2vec.c's expTable: 1000 sigmoids on [-6, 6), equal to the last bit.

    Entry i is the sigmoid of (i / 1000 * 2 - 1) * 6.
    """

    cdef unique_ptr[CppSigmoidTable] _table

    def __cinit__(self):
        self._table.reset(new CppSigmoidTable())

    def __len__(self):
        return kSize

    @property
    def max_exp(self):
        """Beyond plus or minus this score a sigmoid counts as 1 or 0."""
        return kMaxExp

    @property
    def values(self):
        """The entries: a read-only float32 view that keeps the table alive."""
        n_bytes = kSize * sizeof(float)
        return np.frombuffer(lend(self, values_of(self._table.get()[0]), n_bytes), np.float32)

    # What word2vec.c takes for the sigmoid of a score. No docstring: the limited API has no use for
    # one here, and Clang warns of it.
    def __call__(self, float x):
        if isnan(x):
            raise ValueError("x must be a number, got nan")
        return self._table.get()[0].look_up(x)
