"""The n-grams of fastText as bytes and as numbers of hash buckets."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.words cimport string_view, view_of


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "text/ngrams.h" namespace "pyw2v" nogil:
    uint32_t cpp_hash "pyw2v::ngram_hash"(string_view text) noexcept
    vector[string_view] cpp_ngrams "pyw2v::ngrams"(
        string_view bracketed, int min_n, int max_n) except +raise_py_error
    void append_ngram_buckets(
        string_view word, int min_n, int max_n, uint32_t n_buckets, vector[uint32_t]& out
    ) except +raise_py_error
    void append_word_ngrams(
        const int32_t* hashes, size_t n, int word_ngrams, uint32_t n_buckets,
        vector[uint32_t]& out) except +raise_py_error
    vector[uint32_t] cpp_place_buckets "pyw2v::place_buckets"(
        const uint32_t* ids, size_t n, uint32_t n_placed, uint32_t* places) except +raise_py_error


def ngram_hash(bytes text not None):
    """fastText's hash: 32 bits of FNV-1a over bytes widened as signed ones."""
    return cpp_hash(view_of(text))


def ngrams(bytes word not None, int min_n, int max_n):
    """The n-grams of b"<" + word + b">" of min_n to max_n characters, by start, then length."""
    cdef bytes bracketed = b"<" + word + b">"
    cdef vector[string_view] found = cpp_ngrams(view_of(bracketed), min_n, max_n)
    cdef size_t i
    return [found[i].data()[:found[i].size()] for i in range(found.size())]


def ngram_buckets(words, int min_n, int max_n, uint32_t bucket):
    """Buckets of the n-grams of many words: offsets (n + 1) and ids.

    Those of word w are ids[offsets[w]:offsets[w + 1]], in the order of `ngrams`.
    """
    cdef tuple held = tuple(words)  # keeps the bytes alive while the GIL is released
    cdef vector[string_view] views
    cdef vector[uint32_t] ids
    cdef int64_t[::1] offsets = np.zeros(len(held) + 1, np.int64)
    cdef bytes word
    cdef size_t i
    views.reserve(len(held))
    for word in held:
        if word is None:
            raise TypeError("a word must be bytes, got None")
        views.push_back(view_of(word))
    with nogil:
        for i in range(views.size()):
            append_ngram_buckets(views[i], min_n, max_n, bucket, ids)
            offsets[i + 1] = <int64_t> ids.size()
    return np.asarray(offsets), _array(ids)


def word_buckets(bytes word not None, int min_n, int max_n, uint32_t bucket):
    """Buckets of the n-grams of one word, a list in the order of `ngrams`."""
    cdef vector[uint32_t] ids
    append_ngram_buckets(view_of(word), min_n, max_n, bucket, ids)
    return list(ids)


def word_ngram_buckets(const int32_t[::1] hashes, int word_ngrams, uint32_t bucket):
    """Buckets of the runs of 2 to word_ngrams words, given the hashes of a line's words."""
    cdef vector[uint32_t] ids
    if hashes.shape[0] > 0:
        append_word_ngrams(&hashes[0], hashes.shape[0], word_ngrams, bucket, ids)
    return _array(ids)


def place_buckets(const uint32_t[::1] ids, uint32_t n_placed, uint32_t[::1] places):
    """Number in `places` the buckets of `ids` that are 0 there, n_placed + 1 and up, as they come.

    Returns the buckets that got a number, in the order of these.
    """
    if not ids.shape[0]:
        return np.empty(0, np.uint32)
    if int(np.max(ids)) >= places.shape[0]:
        raise ValueError(f"ids must be below {places.shape[0]}, got {np.max(ids)}")
    cdef vector[uint32_t] placed
    with nogil:
        placed = cpp_place_buckets(&ids[0], ids.shape[0], n_placed, &places[0])
    return _array(placed)


cdef _array(vector[uint32_t]& ids):
    if ids.empty():
        return np.empty(0, np.uint32)
    return np.array(<uint32_t[:ids.size()]> ids.data())
