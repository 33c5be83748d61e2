# distutils: language = c++
"""fastText's model files: where each part lies, the words as bytes, and entries back to bytes."""

import numpy as np

from cpython.bytes cimport PyBytes_AsString
from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view()
        string_view(const char*, size_t)

cdef extern from "_errors.h":
    void raise_py_error()

cdef extern from "base/input_file.h" namespace "pyw2v" nogil:
    cdef cppclass InputFile:
        InputFile(int, const string&) except +raise_py_error

cdef extern from "formats/fasttext.h" namespace "pyw2v" nogil:
    cdef cppclass FastTextHeader:
        int32_t version
        int32_t dim
        int32_t ws
        int32_t epoch
        int32_t min_count
        int32_t neg
        int32_t word_ngrams
        int32_t loss
        int32_t model
        int32_t bucket
        int32_t minn
        int32_t maxn
        int32_t lr_update_rate
        double t

    cdef cppclass FastTextEntry:
        uint64_t begin
        uint64_t n_bytes
        int64_t count

    cdef cppclass FastTextMatrix:
        cbool quantized
        cbool has_norms
        uint64_t rows
        uint64_t data
        int32_t n_subvectors
        int32_t dsub
        uint64_t centroids
        uint64_t norm_codes
        uint64_t norm_centroids

    cdef cppclass CppFastTextFile "pyw2v::FastTextFile":
        CppFastTextFile() noexcept
        void parse(const InputFile&) except +raise_py_error
        const FastTextHeader& header() noexcept
        int64_t n_tokens() noexcept
        const string& texts() noexcept
        const vector[FastTextEntry]& words() noexcept
        const vector[FastTextEntry]& labels() noexcept
        int64_t n_pruned() noexcept
        uint64_t pruned_offset() noexcept
        const FastTextMatrix& input() noexcept
        const FastTextMatrix& output() noexcept

    void append_fasttext_entry(string_view, int64_t, cbool, string&) except +raise_py_error

cdef extern from "Python.h":
    object PyBytes_FromStringAndSize(const char*, Py_ssize_t)


cdef dict settings_of(const FastTextHeader& header):
    return {
        "dim": header.dim,
        "ws": header.ws,
        "epoch": header.epoch,
        "min_count": header.min_count,
        "neg": header.neg,
        "word_ngrams": header.word_ngrams,
        "loss": header.loss,
        "model": header.model,
        "bucket": header.bucket,
        "minn": header.minn,
        "maxn": header.maxn,
        "lr_update_rate": header.lr_update_rate,
        "t": header.t,
    }


cdef tuple entries_of(const vector[FastTextEntry]& entries, const char* data):
    cdef Py_ssize_t i
    cdef Py_ssize_t n = <Py_ssize_t>entries.size()
    cdef list words = [None] * n
    counts = np.empty(n, np.int64)
    cdef int64_t[::1] counts_view = counts
    for i in range(n):
        words[i] = PyBytes_FromStringAndSize(
            data + entries[i].begin, <Py_ssize_t>entries[i].n_bytes)
        counts_view[i] = entries[i].count
    return words, counts


cdef dict place_of(const FastTextMatrix& matrix):
    place = {"rows": matrix.rows, "data": matrix.data, "quantized": matrix.quantized}
    if matrix.quantized:
        place.update(
            n_subvectors=matrix.n_subvectors, dsub=matrix.dsub, centroids=matrix.centroids)
    if matrix.has_norms:
        place.update(norm_codes=matrix.norm_codes, norm_centroids=matrix.norm_centroids)
    return place


def parse(int descriptor, str name):
    """Check a whole open file and tell what is in it; messages call it ``name``.

    Matrices and kept buckets are only told by their place, in bytes from the start.
    """
    cdef CppFastTextFile file
    cdef string c_name = name.encode("utf-8", "backslashreplace")
    cdef unique_ptr[InputFile] reader
    reader.reset(new InputFile(descriptor, c_name))
    with nogil:
        file.parse(dereference(reader))
    cdef const char* begin = file.texts().data()
    return {
        "settings": settings_of(file.header()),
        "words": entries_of(file.words(), begin),
        "labels": entries_of(file.labels(), begin),
        "n_tokens": file.n_tokens(),
        "pruned": None if file.n_pruned() < 0 else (file.n_pruned(), file.pruned_offset()),
        "input": place_of(file.input()),
        "output": place_of(file.output()),
    }


def entry_bytes(list words, const int64_t[::1] counts, bint are_labels):
    """The dictionary's bytes for words, or labels, and their counts."""
    cdef string out
    cdef Py_ssize_t i
    cdef bytes word
    if counts.shape[0] != len(words):
        raise ValueError(f"{len(words)} words need as many counts, got {counts.shape[0]}")
    for i in range(len(words)):
        word = words[i]
        append_fasttext_entry(
            string_view(PyBytes_AsString(word), len(word)), counts[i], are_labels, out)
    return PyBytes_FromStringAndSize(out.data(), <Py_ssize_t>out.size())
