# distutils: language = c++
"""How often the words of an encoded corpus stand near each other."""

import os

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move

from pyw2v._core.memory cimport CppBuffer, raise_py_error, wrap


cdef extern from "cooccurrence/cooccurrence.h" namespace "pyw2v" nogil:
    cdef cppclass TokenCorpus:
        const int32_t* tokens
        int64_t n_tokens
        const int64_t* ends
        size_t n_sentences
        size_t n_words

    cdef cppclass CooccurrenceRule:
        int64_t window
        cbool symmetric
        cbool distance_weighting

    cdef cppclass CooccurrenceConfig:
        int n_workers
        uint64_t budget
        string folder

    cdef cppclass SparseRows:
        unique_ptr[CppBuffer] row_ends
        unique_ptr[CppBuffer] columns
        unique_ptr[CppBuffer] values

    cdef cppclass CppCounter "pyw2v::CooccurrenceCounter":
        CppCounter(const TokenCorpus&, const CooccurrenceRule&,
                   const CooccurrenceConfig&) except +raise_py_error
        void start() except +raise_py_error
        cbool wait(double) noexcept
        void stop() noexcept
        void finish() except +raise_py_error
        int64_t tokens_done() noexcept
        int64_t n_runs() noexcept
        SparseRows& result() noexcept


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1


# Seconds between two polls for Ctrl-C while other threads work.
cdef double POLL = 0.05


def count(const int32_t[::1] tokens, const int64_t[::1] ends, size_t n_words, *, int64_t window,
          bint symmetric, bint distance_weighting, int workers, uint64_t max_memory, folder,
          progress=None):
    """Return row ends (int64), columns (int32) and values (float64) in memory, and how many runs.

    See csrc/cooccurrence/cooccurrence.h. progress is called with the number of tokens done, now and
    then.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    cdef TokenCorpus corpus
    corpus.tokens = &tokens[0] if tokens.shape[0] else NULL
    corpus.n_tokens = tokens.shape[0]
    corpus.ends = &ends[0] if ends.shape[0] else NULL
    corpus.n_sentences = ends.shape[0]
    corpus.n_words = n_words
    cdef CooccurrenceRule rule
    rule.window = window
    rule.symmetric = symmetric
    rule.distance_weighting = distance_weighting
    cdef CooccurrenceConfig config
    config.n_workers = workers
    config.budget = max_memory
    config.folder = os.fsencode(folder)
    cdef unique_ptr[CppCounter] counter
    cdef cbool done = False
    with nogil:
        counter.reset(new CppCounter(corpus, rule, config))
        counter.get().start()
    try:
        while True:
            with nogil:
                done = counter.get().wait(POLL)
            if done:
                break
            PyErr_CheckSignals()
            if progress is not None:
                progress(counter.get().tokens_done())
    except BaseException:
        with nogil:
            counter.get().stop()
        raise
    counter.get().finish()
    cdef SparseRows* rows = &counter.get().result()
    return (wrap(move(rows.row_ends)), wrap(move(rows.columns)), wrap(move(rows.values)),
            counter.get().n_runs())
