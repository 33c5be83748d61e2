# The n-grams of fastText as other extension modules take them.

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from pyw2v._core.interrupt cimport Interrupt
from pyw2v._core.memory cimport raise_py_error
from pyw2v._core.words cimport string_view


cdef extern from "text/ngrams.h" namespace "pyw2v" nogil:
    cdef cppclass CppNgramHasher "pyw2v::NgramHasher":
        CppNgramHasher() noexcept
        CppNgramHasher(int min_n, int max_n, uint32_t n_buckets, int word_ngrams) noexcept

        @staticmethod
        uint32_t hash(string_view text) noexcept
        int min_n() noexcept
        int max_n() noexcept
        int word_ngrams() noexcept
        uint32_t n_buckets() noexcept
        vector[string_view] ngrams(string_view bracketed_word) except +raise_py_error
        void append_buckets(
            string_view word, vector[uint32_t]& out, const Interrupt& interrupt,
        ) except +raise_py_error
        void append_word_buckets(
            const int32_t* hashes, size_t n, size_t first, size_t last_first,
            vector[uint32_t]& out) except +raise_py_error


cdef class NgramHasher:
    cdef CppNgramHasher hasher
