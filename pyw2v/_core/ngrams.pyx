"""The n-grams of fastText as bytes and as numbers of hash buckets."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.interrupt cimport CtrlC
from pyw2v._core.memory cimport raise_py_error
from pyw2v._core.words cimport string_view, view_of


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1


cdef extern from "text/ngrams.h" namespace "pyw2v" nogil:
    vector[uint32_t] cpp_place_buckets "pyw2v::place_buckets"(
        const uint32_t* ids, size_t n, uint32_t n_placed, uint32_t* places) except +raise_py_error


cdef class NgramHasher:
    """From words to n-grams, and from n-grams to hash buckets, with fastText's own numbers.

    Character n-grams are pieces of `<word>` of min_n to max_n characters; word n-grams are runs of
    2 to word_ngrams words. Both are hashed to 0 .. n_buckets - 1; without buckets there are none.
    Words are bytes: a character is a byte and the UTF-8 continuation bytes behind it.
    """

    def __cinit__(self, int min_n, int max_n, int64_t n_buckets, int word_ngrams=1):
        if not 0 <= n_buckets < 1 << 32:
            raise ValueError(f"n_buckets must be from 0 to {(1 << 32) - 1}, got {n_buckets}")
        self.hasher = CppNgramHasher(min_n, max_n, <uint32_t>n_buckets, word_ngrams)

    @property
    def min_n(self):
        """The least length of a character n-gram, in characters."""
        return self.hasher.min_n()

    @property
    def max_n(self):
        """The greatest length of a character n-gram, in characters."""
        return self.hasher.max_n()

    @property
    def n_buckets(self):
        """How many buckets there are."""
        return self.hasher.n_buckets()

    @property
    def word_ngrams(self):
        """The greatest length of a word n-gram, in words."""
        return self.hasher.word_ngrams()

    @staticmethod
    def hash(bytes text not None):
        """fastText's hash: 32 bits of FNV-1a over bytes widened as signed ones."""
        return CppNgramHasher.hash(view_of(text))

    def ngrams(self, bytes word not None):
        """The n-grams of b"<" + word + b">", by start, then length."""
        cdef bytes bracketed = b"<" + word + b">"
        cdef vector[string_view] found = self.hasher.ngrams(view_of(bracketed))
        cdef size_t i
        cdef list grams = []
        for i in range(found.size()):
            if i % 65536 == 65535:
                PyErr_CheckSignals()
            grams.append(found[i].data()[:found[i].size()])
        return grams

    def buckets(self, bytes word not None):
        """Buckets of the n-grams of one word, a list in the order of `ngrams`."""
        cdef vector[uint32_t] ids
        cdef CtrlC interrupt
        self.hasher.append_buckets(view_of(word), ids, interrupt)
        cdef size_t i
        cdef list found = []
        for i in range(ids.size()):
            if i % 65536 == 65535:
                PyErr_CheckSignals()
            found.append(ids[i])
        return found

    def table(self, words):
        """Buckets of the n-grams of many words: offsets (n + 1) and ids.

        Those of word w are ids[offsets[w]:offsets[w + 1]], in the order of `ngrams`.
        """
        cdef tuple held = tuple(words)  # keeps the bytes alive while the GIL is released
        cdef vector[string_view] views
        cdef vector[uint32_t] ids
        cdef int64_t[::1] offsets = np.zeros(len(held) + 1, np.int64)
        cdef bytes word
        cdef size_t i
        cdef CtrlC interrupt
        views.reserve(len(held))
        for word in held:
            if word is None:
                raise TypeError("a word must be bytes, got None")
            views.push_back(view_of(word))
        with nogil:
            for i in range(views.size()):
                if i % 4096 == 0:
                    interrupt.check()
                self.hasher.append_buckets(views[i], ids, interrupt)
                offsets[i + 1] = <int64_t> ids.size()
        return np.asarray(offsets), _array(ids)

    def word_buckets(self, const int32_t[::1] hashes not None):
        """Buckets of the word n-grams of a line, given the hashes of its words, by start."""
        cdef vector[uint32_t] ids
        cdef size_t n = hashes.shape[0]
        if n:
            self.hasher.append_word_buckets(&hashes[0], n, 0, n, ids)
        return _array(ids)

    def __reduce__(self):
        return NgramHasher, (self.min_n, self.max_n, self.n_buckets, self.word_ngrams)

    def __repr__(self):
        return (
            f"NgramHasher(min_n={self.min_n}, max_n={self.max_n}, n_buckets={self.n_buckets}, "
            f"word_ngrams={self.word_ngrams})"
        )


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
