"""Words drawn by weight: the noise of sampled objectives."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    AliasSampler as CppAliasSampler, Rng, SeenWords, UniqueSampler as CppUniqueSampler,
    unigram_weights as cpp_unigram_weights,
)


def unigram_weights(const int64_t[::1] counts not None, double power):
    """Return count^power of each word: the noise distribution of negative sampling."""
    cdef vector[double] weights
    if counts.shape[0]:
        weights = cpp_unigram_weights(&counts[0], counts.shape[0], power)
    return np.array(weights, np.float64)


cdef class AliasSampler:
    """Draws words by weight in constant time, by the alias method of Walker and Vose.

    Weights, one for each word, need not sum to 1; at least one must be positive, none negative or
    not finite. unigram_weights(counts, power) has those of negative sampling.
    """

    def __cinit__(self, weights):
        self._sampler.reset(new CppAliasSampler(_vector(weights)))

    cdef const CppAliasSampler* get(self):
        return self._sampler.get()

    def __len__(self):
        return self._sampler.get().size()

    def probabilities(self):
        """How likely each word is drawn, as the table has it after all rounding: float64."""
        cdef vector[double] found = self._sampler.get().probabilities()
        return np.array(<double[:found.size()]> found.data())

    def draw(self, Py_ssize_t n, uint64_t seed):
        """The first n words, int32, of a generator with this seed."""
        cdef int32_t[::1] out = np.empty(n, np.int32)
        cdef unique_ptr[Rng] rng
        cdef Py_ssize_t i
        rng.reset(new Rng(seed))
        with nogil:
            for i in range(n):
                out[i] = <int32_t>self._sampler.get().draw(rng.get()[0])
        return np.asarray(out)


cdef class UniqueSampler:
    """Draws words that all differ, one after the other by weight from those not drawn yet."""

    def __cinit__(self, weights):
        self._sampler.reset(new CppUniqueSampler(_vector(weights)))

    cdef const CppUniqueSampler* get(self):
        return self._sampler.get()

    def __len__(self):
        return self._sampler.get().size()

    def draw(self, int k, Py_ssize_t n, uint64_t seed):
        """n draws of k different words each: int32, (n, k)."""
        cdef size_t most = self._sampler.get().n_drawable()
        if not 1 <= k <= <Py_ssize_t>most:
            raise ValueError(
                f"k must be from 1 to {most}, the number of words with a positive weight, got {k}")
        cdef int32_t[:, ::1] out = np.empty((n, k), np.int32)
        cdef unique_ptr[SeenWords] seen
        cdef unique_ptr[Rng] rng
        cdef Py_ssize_t i
        seen.reset(new SeenWords(self._sampler.get().size()))
        rng.reset(new Rng(seed))
        with nogil:
            for i in range(n):
                self._sampler.get().draw(rng.get()[0], k, seen.get()[0], &out[i, 0])
        return np.asarray(out)


cdef vector[double] _vector(weights) except *:
    cdef const double[::1] values = np.ascontiguousarray(weights, np.float64)
    cdef vector[double] copied
    if values.shape[0]:
        copied.assign(&values[0], &values[0] + values.shape[0])
    return copied
