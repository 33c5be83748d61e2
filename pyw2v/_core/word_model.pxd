from pyw2v._core.engine cimport Model
from pyw2v._core.sampler cimport AliasSampler, UniqueSampler


cdef class WordModel:
    cdef Model[float] single
    cdef Model[double] double_
    cdef readonly object dtype  # which of the two is filled
    cdef readonly Py_ssize_t n_words
    cdef AliasSampler _sampler
    cdef UniqueSampler _unique
    cdef object _alive  # the arrays that C++ points into
