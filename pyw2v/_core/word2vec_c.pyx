# distutils: language = c++
"""The bit-exact twins of the word2vec C programs: reading, classes, phrases, cosines."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector

import os

import numpy as np

from pyw2v._core.engine cimport MatrixView
from pyw2v._core.ids cimport WordId
from pyw2v._core.interrupt cimport CtrlC, Interrupt
from pyw2v._core.memory cimport CppBuffer, raise_py_error, wrap
from pyw2v._core.words cimport CppWordTable, string_view


cdef extern from "compat/c_vocab.h" namespace "pyw2v" nogil:
    cdef cppclass CppCounter "pyw2v::CWordCounter":
        CppCounter(size_t max_words) except +raise_py_error
        void add(const char* text, size_t n) except +raise_py_error
        void finish_last_line() except +raise_py_error
        const CppWordTable& words() noexcept
        int64_t n_tokens() noexcept
    cdef cppclass CppEncoder "pyw2v::CEncoder":
        CppEncoder(cbool keep_breaks, CppBuffer& tokens, CppBuffer& ends) except +raise_py_error
        void add_vocab_word(const char* word, size_t n) except +raise_py_error
        void add(const char* text, size_t n) except +raise_py_error
        void finish(cbool with_last_line) except +raise_py_error
        int64_t n_sentences() noexcept
        int64_t n_words() noexcept


cdef extern from "compat/word2vec_c.h" namespace "pyw2v" nogil:
    void cpp_fill_initial "pyw2v::fill_initial"(const MatrixView[float]&) noexcept
    vector[int32_t] c_classes(
        const MatrixView[float]& syn0, int n_classes, const Interrupt& interrupt
    ) except +raise_py_error


cdef extern from "compat/word2phrase.h" namespace "pyw2v" nogil:
    cdef cppclass CppPhraseCounter "pyw2v::PhraseCounter":
        CppPhraseCounter() except +raise_py_error
        void add(const char* text, size_t n) except +raise_py_error
        void finish(int64_t min_count) except +raise_py_error
        int64_t n_words() noexcept
        int64_t vocab_size() noexcept
    cdef cppclass CppPhraseJoiner "pyw2v::PhraseJoiner":
        CppPhraseJoiner(const CppPhraseCounter& counts, int64_t min_count,
                        float threshold) except +raise_py_error
        void add(const char* text, size_t n) except +raise_py_error
        void finish() except +raise_py_error
        string& output() noexcept


cdef extern from "compat/c_queries.h" namespace "pyw2v" nogil:
    void c_normalize(float* values, size_t dim) noexcept
    cdef cppclass CppRows "pyw2v::CRows":
        CppRows(const float* rows, size_t n_rows, size_t dim) except +raise_py_error
        void row(size_t i, float* values) noexcept
        void dots(const float* values, float* products) noexcept


# Distinct words beyond which word2vec.c starts to forget the rarest.
MAX_WORDS = 21_000_000


cdef class WordCounter:
    """Words of a text in order of first sight, "</s>" (a line feed) before all others."""

    cdef unique_ptr[CppCounter] _counter

    def __cinit__(self, size_t max_words=MAX_WORDS):
        self._counter.reset(new CppCounter(max_words))

    def add(self, bytes piece):
        """Count the words of the next piece of the text."""
        cdef const char* text = piece
        cdef size_t n = len(piece)
        with nogil:
            self._counter.get().add(text, n)

    def finish_last_line(self):
        """Count a last line without a line feed, which is lost otherwise."""
        self._counter.get().finish_last_line()

    @property
    def n_tokens(self):
        """Words counted so far, line feeds apart."""
        return self._counter.get().n_tokens()

    def result(self):
        """All words, and their counts."""
        cdef string_view word
        cdef size_t i
        cdef vector[int64_t] counts = self._counter.get().words().counts()
        words = []
        numbers = np.empty(counts.size(), np.int64)
        cdef int64_t[::1] view = numbers
        for i in range(counts.size()):
            word = self._counter.get().words().word(<WordId>i)
            words.append(word.data()[:word.size()])
            view[i] = counts[i]
        return words, numbers


cdef class Encoder:
    """A text as the numbers of words of a vocabulary; see CEncoder."""

    cdef unique_ptr[CppBuffer] _tokens
    cdef unique_ptr[CppBuffer] _ends
    cdef unique_ptr[CppEncoder] _encoder

    def __cinit__(self, list words, *, keep_breaks, uint64_t max_memory, folder):
        cdef string c_folder = os.fsencode(folder)
        self._tokens = make_unique[CppBuffer](max_memory, c_folder)
        self._ends = make_unique[CppBuffer](max_memory, c_folder)
        cdef cbool breaks = keep_breaks
        self._encoder.reset(
            new CppEncoder(breaks, cython.operator.dereference(self._tokens),
                           cython.operator.dereference(self._ends))
        )
        cdef bytes word
        for word in words:
            self._encoder.get().add_vocab_word(word, len(word))

    def add(self, bytes piece):
        """Encode the next piece of the text."""
        cdef const char* text = piece
        cdef size_t n = len(piece)
        with nogil:
            self._encoder.get().add(text, n)

    @property
    def n_words(self):
        """Words read so far, known or not."""
        return self._encoder.get().n_words()

    @property
    def n_sentences(self):
        """Sentences that have ended so far."""
        return self._encoder.get().n_sentences()

    def finish(self, *, with_last_line):
        """Tokens and the ends of sentences, as memory; call it once."""
        self._encoder.get().finish(with_last_line)
        self._tokens.get().finish()
        self._ends.get().finish()
        return wrap(move(self._tokens)), wrap(move(self._ends))


cdef MatrixView[float] _matrix(name, array) except *:
    cdef float[:, ::1] view = array
    cdef size_t n_rows = array.shape[0], dim = array.shape[1]
    if n_rows == 0:
        raise ValueError(f"{name} must have at least one row, got none")
    return MatrixView[float](&view[0, 0], n_rows, dim, dim)


def fill_initial(array):
    """Give a float32 matrix word2vec.c's first input rows."""
    cdef MatrixView[float] rows
    if len(array):
        rows = _matrix("array", array)
        with nogil:
            cpp_fill_initial(rows)


def classes(array, int n_classes):
    """The class of each row of a float32 matrix, by the k-means of word2vec.c."""
    if n_classes < 1:
        raise ValueError(f"n_classes must be at least 1, got {n_classes}")
    cdef MatrixView[float] rows = _matrix("array", array)
    cdef vector[int32_t] found
    cdef CtrlC interrupt
    with nogil:
        found = c_classes(rows, n_classes, interrupt)
    result = np.empty(found.size(), np.int32)
    cdef int32_t[::1] view = result
    cdef size_t i
    for i in range(found.size()):
        view[i] = found[i]
    return result


cdef class PhraseCounter:
    """Counts the words and pairs of a text."""

    cdef unique_ptr[CppPhraseCounter] _counter

    def __cinit__(self):
        self._counter.reset(new CppPhraseCounter())

    def add(self, bytes piece):
        """Count the next piece of the text."""
        cdef const char* text = piece
        cdef size_t n = len(piece)
        with nogil:
            self._counter.get().add(text, n)

    def finish(self, int64_t min_count):
        """Drop what is rare; nothing can be added any more."""
        with nogil:
            self._counter.get().finish(min_count)

    @property
    def n_words(self):
        """Words of the text."""
        return self._counter.get().n_words()

    @property
    def vocab_size(self):
        """Words and pairs so far; after finish() those left, as word2phrase.c counts them."""
        return self._counter.get().vocab_size()


cdef class PhraseJoiner:
    """Writes a text anew with '_' between the words of phrases."""

    cdef unique_ptr[CppPhraseJoiner] _joiner
    cdef PhraseCounter _counts

    def __cinit__(self, PhraseCounter counts not None, int64_t min_count, float threshold):
        self._counts = counts
        self._joiner.reset(
            new CppPhraseJoiner(
                cython.operator.dereference(counts._counter), min_count, threshold
            )
        )

    def add(self, bytes piece):
        """Return what the next piece of the text becomes, as far as that is known."""
        cdef const char* text = piece
        cdef size_t n = len(piece)
        with nogil:
            self._joiner.get().add(text, n)
        return self._take()

    def finish(self):
        """Return a last word without a blank behind it."""
        self._joiner.get().finish()
        return self._take()

    cdef bytes _take(self):
        cdef bytes output = self._joiner.get().output()
        self._joiner.get().output().clear()
        return output


def normalize(float[::1] values):
    """Divide a vector by its length, in place."""
    if values.shape[0]:
        c_normalize(&values[0], <size_t>values.shape[0])


cdef class Rows:
    """Normalised rows, for cosines with one vector after the other."""

    cdef unique_ptr[CppRows] _rows
    cdef Py_ssize_t _n_rows
    cdef Py_ssize_t _dim

    def __cinit__(self, const float[:, ::1] rows not None):
        self._n_rows, self._dim = rows.shape[0], rows.shape[1]
        if self._n_rows == 0 or self._dim == 0:
            raise ValueError(f"there must be rows and columns, got {self._n_rows} x {self._dim}")
        self._rows.reset(new CppRows(&rows[0, 0], self._n_rows, self._dim))

    def __len__(self):
        return self._n_rows

    def row(self, Py_ssize_t i):
        """A normalised row."""
        if not 0 <= i < self._n_rows:
            raise IndexError(f"there is no row {i}: there are {self._n_rows}")
        values = np.empty(self._dim, np.float32)
        cdef float[::1] view = values
        self._rows.get().row(i, &view[0])
        return values

    def dots(self, const float[::1] values):
        """The product of every row with a vector."""
        if values.shape[0] != self._dim:
            raise ValueError(f"the vector must have {self._dim} numbers, got {values.shape[0]}")
        products = np.empty(self._n_rows, np.float32)
        cdef float[::1] view = products
        with nogil:
            self._rows.get().dots(&values[0], &view[0])
        return products
