from libc.stdint cimport int64_t


cdef extern from "base/seqlock.h" namespace "pyw2v" nogil:
    cdef cppclass Seqlock:
        int64_t number() noexcept
        void begin_write() noexcept
        void end_write() noexcept


cdef class Guard:
    cdef Seqlock _number
    cdef readonly object lock
    cdef public object derived
    cdef int _depth  # of the writes of one thread, which may call each other
    cdef int _n_moving

    cdef enter_surely(self)
    cdef leave(self)
    cdef move(self, int step)
