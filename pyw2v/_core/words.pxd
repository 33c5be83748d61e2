"""Words of a corpus as Python sees them, shared by the modules that count them."""

from libc.stdint cimport int64_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from pyw2v._core.ids cimport WordId
from pyw2v._core.memory cimport raise_py_error


cdef extern from *:
    """
    #include <string_view>
    """
    cdef cppclass string_view "std::string_view":
        string_view() noexcept
        string_view(const char*, size_t) noexcept
        const char* data() noexcept
        size_t size() noexcept


cdef inline string_view view_of(bytes text):
    return string_view(<const char*> text, <size_t> len(text))


cdef extern from "words/word_table.h" namespace "pyw2v" nogil:
    cdef cppclass CppWordTable "pyw2v::WordTable":
        size_t size() noexcept
        string_view word(WordId) noexcept
        vector[int64_t] counts() except +raise_py_error
        void freeze() except +raise_py_error


cdef class Words:
    cdef unique_ptr[CppWordTable] _table
    cdef _word(self, int64_t i)


cdef Words wrap_table(unique_ptr[CppWordTable] table)
