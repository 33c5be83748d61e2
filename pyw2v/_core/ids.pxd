"""The C++ types of ids, which a plain number becomes by a cast only: `<WordId>number`.

Arrays need none: what takes pointers to ids takes pointers to NumPy's numbers, too (Borrowed).
"""

from libc.stdint cimport int32_t, int64_t


cdef extern from "base/types.h" namespace "pyw2v" nogil:
    ctypedef int32_t WordId
    ctypedef int64_t TokenPos
