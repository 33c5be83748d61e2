from pyw2v._core.engine cimport CppFullOutput


cdef class FullOutput:
    cdef CppFullOutput[float] single
    cdef CppFullOutput[double] double_
    cdef readonly object dtype  # which of the two is filled
    cdef readonly tuple shape  # of the words' matrix
    cdef object _alive  # the arrays that C++ points into
    cdef object _set_tree(self, tree, n_words, n_nodes)
