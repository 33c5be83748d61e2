from pyw2v._core.engine cimport ClassifierLoss, ClassifierModel
from pyw2v._core.sampler cimport AliasSampler


cdef ClassifierLoss loss_named(str name) except *


cdef class LineModel:
    cdef ClassifierModel[float] single
    cdef ClassifierModel[double] double_
    cdef readonly object dtype  # which of the two is filled
    cdef readonly int n_labels
    cdef readonly Py_ssize_t n_rows  # of the input
    cdef AliasSampler _sampler
    cdef object _alive  # the arrays that C++ points into
