# Samplers of words as other extension modules take them.

from libcpp.memory cimport unique_ptr

from pyw2v._core.engine cimport AliasSampler as CppAliasSampler, UniqueSampler as CppUniqueSampler


cdef class AliasSampler:
    cdef unique_ptr[CppAliasSampler] _sampler
    cdef const CppAliasSampler* get(self)


cdef class UniqueSampler:
    cdef unique_ptr[CppUniqueSampler] _sampler
    cdef const CppUniqueSampler* get(self)
