# distutils: language = c++
"""Training examples for other frameworks, as NumPy batches."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport AliasSampler, Rng, UniqueSampler, raise_py_error
from pyw2v._core.interrupt cimport CtrlC, Interrupt


cdef extern from "train/corpus.h" namespace "pyw2v" nogil:
    cdef cppclass Corpus:
        const int32_t* tokens
        const int64_t* ends
        size_t n_sentences


cdef extern from "train/pair_source.h" namespace "pyw2v" nogil:
    cdef cppclass PairSettings:
        int window
        cbool shrink_windows
        int positives
        int negative
        cbool noise_per_window
        cbool mark_hits
        size_t pool
        uint64_t seed
    cdef cppclass PairNoise:
        const AliasSampler* sampler
        const UniqueSampler* unique
        const float* log_q
    cdef cppclass PairArrays:
        int32_t* centre
        int32_t* context
        size_t context_stride
        int32_t* negatives
        size_t negatives_stride
        float* log_q
    cdef cppclass CppPairSource "pyw2v::PairSource":
        CppPairSource(const Corpus&, size_t n_words, const uint32_t* keep, const PairNoise&,
                      const PairSettings&) except +raise_py_error
        void start(uint64_t epoch) except +raise_py_error
        size_t fill(
            const PairArrays& out, size_t n, const Interrupt& interrupt) except +raise_py_error


cdef extern from "train/skipgrams.h" namespace "pyw2v" nogil:
    cdef cppclass SkipgramSettings:
        int64_t vocabulary_size
        int64_t window
        double negative_samples
        const double* keep
        cbool shuffle
    cdef cppclass CppSkipgrams "pyw2v::Skipgrams":
        vector[int64_t] couples
        vector[uint8_t] labels
    CppSkipgrams cpp_skipgrams "pyw2v::skipgrams"(
        const int64_t* words, int64_t n_words, Rng rng, const SkipgramSettings& settings,
        const Interrupt& interrupt,
    ) except +raise_py_error


# The garbage collector must not clear the arrays that C++ points into.
@cython.no_gc_clear
cdef class PairSource:
    """The examples of one epoch after the other; see csrc/train/pair_source.h.

    The caller has checked that tokens are below n_words and that ends rise to their number.
    """

    cdef unique_ptr[CppPairSource] _source
    cdef unique_ptr[AliasSampler] _sampler
    cdef unique_ptr[UniqueSampler] _unique
    cdef object _alive
    cdef int _positives, _negative

    def __cinit__(
        self, *, const int32_t[::1] tokens, const int64_t[::1] ends, const uint32_t[::1] keep,
        const double[::1] weights, const float[::1] log_q, int window, bint shrink_windows,
        int positives, int negative, bint noise_per_window, bint unique, bint mark_hits,
        size_t pool, uint64_t seed,
    ):
        cdef vector[double] copied
        cdef Corpus corpus
        cdef PairNoise noise
        cdef PairSettings settings
        cdef Py_ssize_t i
        if tokens.shape[0]:
            corpus.tokens = &tokens[0]
        if ends.shape[0]:
            corpus.ends = &ends[0]
        corpus.n_sentences = ends.shape[0]
        if negative > 0:
            copied.reserve(weights.shape[0])
            for i in range(weights.shape[0]):
                copied.push_back(weights[i])
            if unique:
                self._unique.reset(new UniqueSampler(copied))
            else:
                self._sampler.reset(new AliasSampler(copied))
            noise.sampler = self._sampler.get()
            noise.unique = self._unique.get()
            noise.log_q = &log_q[0]
        settings.window = window
        settings.shrink_windows = shrink_windows
        settings.positives = self._positives = positives
        settings.negative = self._negative = negative
        settings.noise_per_window = noise_per_window
        settings.mark_hits = mark_hits
        settings.pool = pool
        settings.seed = seed
        self._source.reset(new CppPairSource(
            corpus, copied.size(), &keep[0] if keep is not None else NULL, noise, settings,
        ))
        self._alive = (tokens, ends, keep, log_q)

    def start(self, uint64_t epoch):
        """Begin an epoch; what it holds depends on the seed and its number only."""
        with nogil:
            self._source.get().start(epoch)

    def batch(self, size_t n, bint joined):
        """Up to n examples: centres, context words, noise words, log Q, each with one row a piece.

        None at the end of the epoch. joined: context and noise words are columns of one matrix,
        which comes twice.
        """
        cdef size_t positives = self._positives, negative = self._negative, done
        cdef size_t columns = positives + negative
        centre = np.empty(n, np.int32)
        context = np.empty((n, columns if joined else positives), np.int32)
        noise = context if joined else np.empty((n, negative), np.int32)
        log_q = np.zeros((n, columns), np.float32)
        cdef int32_t[::1] centre_view = centre
        cdef int32_t[:, ::1] context_view = context
        cdef int32_t[:, ::1] noise_view = noise
        cdef float[:, ::1] log_q_view = log_q
        cdef PairArrays out
        out.centre = &centre_view[0]
        out.context = &context_view[0, 0]
        out.context_stride = context_view.shape[1]
        if negative:
            out.negatives = &noise_view[0, 0] + (positives if joined else 0)
        out.negatives_stride = noise_view.shape[1]
        out.log_q = &log_q_view[0, 0]
        cdef CtrlC interrupt
        with nogil:
            done = self._source.get().fill(out, n, interrupt)
        if done == 0:
            return None
        return centre[:done], context[:done], noise[:done], log_q[:done]


def skipgrams(
    const int64_t[::1] words, const double[::1] keep, *, int64_t vocabulary_size, int64_t window,
    double negative_samples, bint shuffle, uint64_t seed,
):
    """Couples (n, 2) and labels (n) of Keras's function; words must be ids that keep covers."""
    cdef SkipgramSettings settings
    cdef CppSkipgrams found
    cdef const int64_t* first = &words[0] if words.shape[0] else NULL
    settings.vocabulary_size = vocabulary_size
    settings.window = window
    settings.negative_samples = negative_samples
    settings.keep = &keep[0] if keep is not None else NULL
    settings.shuffle = shuffle
    cdef CtrlC interrupt
    with nogil:
        found = cpp_skipgrams(first, words.shape[0], Rng(seed), settings, interrupt)
    if found.labels.empty():
        return np.empty((0, 2), np.int64), np.empty(0, np.uint8)
    couples = np.array(<int64_t[:found.couples.size()]> found.couples.data())
    labels = np.array(<uint8_t[:found.labels.size()]> found.labels.data())
    return couples.reshape(-1, 2), labels
