"""Encoded lines of labelled text, shared by the modules that read and train on them."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from pyw2v._core.ids cimport WordId
from pyw2v._core.interrupt cimport Interrupt
from pyw2v._core.memory cimport CppBuffer, raise_py_error
from pyw2v._core.ngrams cimport CppNgramHasher
from pyw2v._core.words cimport CppWordTable, string_view


cdef extern from "text/reader.h" namespace "pyw2v" nogil:
    cdef cppclass FileReader:
        FileReader(string path) except +raise_py_error
        uint64_t size() noexcept


cdef extern from "corpus/line_encoder.h" namespace "pyw2v" nogil:
    cdef cppclass CppLineEncoder "pyw2v::LineEncoder":
        CppLineEncoder(string label_prefix, uint64_t budget, string folder) except +raise_py_error
        uint64_t read_block(const FileReader& file, uint64_t offset) except +raise_py_error
        void add_row_text(string_view text) except +raise_py_error
        void add_row_label(string_view label) except +raise_py_error
        void end_row() except +raise_py_error
        void finish() except +raise_py_error
        const CppWordTable& table() noexcept
        const vector[uint8_t]& is_label() noexcept
        const vector[int64_t]& counts() noexcept
        int64_t n_tokens() noexcept
        int64_t n_lines() noexcept
        unique_ptr[CppBuffer] take_tokens() noexcept
        unique_ptr[CppBuffer] take_ends() noexcept


cdef extern from "features/line_features.h" namespace "pyw2v" nogil:
    const uint32_t kDropped
    const int32_t kUnknownWord
    const int32_t kUnknownLabel
    cdef cppclass FeatureRules:
        uint32_t n_words
        CppNgramHasher hasher
        const uint32_t* bucket_rows
        const uint32_t* kept_buckets
        const uint32_t* kept_rows
        size_t n_kept
        uint32_t absent_row
    cdef cppclass LineFeatures:
        vector[uint32_t] rows
        vector[int64_t] row_ends
        vector[int32_t] labels
        vector[int64_t] label_ends
        vector[int32_t] hashes
        void clear() except +raise_py_error
        void end_line() except +raise_py_error
    cdef cppclass CppTokenFeatures "pyw2v::TokenFeatures":
        CppTokenFeatures(
            const FeatureRules& rules, const CppWordTable& table, const int32_t* entries,
            const Interrupt& interrupt,
        ) except +raise_py_error
        void add_token(WordId token, LineFeatures& out) except +raise_py_error
        void add_word_ngrams(LineFeatures& out) except +raise_py_error
        vector[uint32_t] used_buckets(
            const int32_t* tokens, const int64_t* ends, size_t n_lines, size_t n_threads,
            const Interrupt& interrupt,
        ) except +raise_py_error
    cdef cppclass LineDictionary:
        LineDictionary(
            const FeatureRules& rules, string label_prefix, const vector[string]& words,
            const vector[string]& labels,
        ) except +raise_py_error
        void add_line(string_view text, LineFeatures& out) except +raise_py_error


cdef class Rules:
    cdef FeatureRules rules
    cdef readonly object bucket_rows
    cdef object _kept
    cdef readonly int64_t n_rows


cdef class Lines:
    cdef unique_ptr[CppLineEncoder] _encoder
    cdef readonly object tokens
    cdef readonly object ends
    cdef unique_ptr[CppTokenFeatures] _features(
        self, Rules rules, const int32_t[::1] entries) except *
