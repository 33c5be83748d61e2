# distutils: language = c++
"""Labelled lines of text, encoded; and the rules by which they become features."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.utility cimport move

import os

import numpy as np

from pyw2v._core.ids cimport WordId
from pyw2v._core.interrupt cimport CtrlC
from pyw2v._core.memory cimport bytes_of, wrap
from pyw2v._core.ngrams cimport NgramHasher
from pyw2v._core.words cimport string_view


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1


cdef extern from *:
    """
    static inline std::string_view view_of(const char* data, size_t n) { return {data, n}; }
    """
    string_view view_of(const char* data, size_t n) noexcept


UNKNOWN_WORD = kUnknownWord
UNKNOWN_LABEL = kUnknownLabel
DROPPED = kDropped


cdef class Lines:
    """Lines of text in four bytes a token, with the distinct tokens, which are words and labels.

    Fill it with read_file or with add, then call finish; `tokens` (int32, numbers of distinct
    tokens) and `ends` (int64, of each line) are there after that.
    """

    def __init__(self, bytes label_prefix, uint64_t budget, folder):
        if not label_prefix:
            raise ValueError("label_prefix must not be empty")
        self._encoder.reset(new CppLineEncoder(label_prefix, budget, os.fsencode(folder)))

    def read_file(self, path, progress=None):
        """Add the lines of a file; progress(bytes read, bytes of the file) is called on the way."""
        cdef unique_ptr[FileReader] file
        cdef uint64_t at = 0, size
        file.reset(new FileReader(os.fsencode(path)))
        size = file.get().size()
        while at < size:
            with nogil:
                at = self._encoder.get().read_block(file.get()[0], at)
            PyErr_CheckSignals()
            if progress is not None:
                progress(at, size)

    def add(self, bytes text, labels=()):
        """Add one line: its text, and labels (bytes, without the prefix) beside those in it."""
        self._encoder.get().add_row_text(view_of(text, <size_t>len(text)))
        cdef bytes label
        for label in labels:
            self._encoder.get().add_row_label(view_of(label, <size_t>len(label)))
        self._encoder.get().end_row()

    def finish(self):
        """End the last line and make `tokens` and `ends`."""
        if self.tokens is not None:
            raise ValueError("finish must be called once")
        self._encoder.get().finish()
        self.tokens = np.frombuffer(wrap(move(self._encoder.get().take_tokens())), np.int32)
        self.ends = np.frombuffer(wrap(move(self._encoder.get().take_ends())), np.int64)

    @property
    def n_tokens(self):
        """Tokens read, labels and line ends included."""
        return self._encoder.get().n_tokens()

    @property
    def n_lines(self):
        """Lines that have ended."""
        return self._encoder.get().n_lines()

    def counts(self):
        """How often each distinct token was read; after finish()."""
        return np.frombuffer(bytes_of(self._encoder.get().counts()), np.int64)

    def is_label(self):
        """Which of the distinct tokens are labels."""
        cdef size_t n = self._encoder.get().is_label().size()
        if n == 0:
            return np.empty(0, bool)
        cdef const uint8_t* data = self._encoder.get().is_label().data()
        return np.frombuffer(<const uint8_t[:n]>data, np.uint8).astype(bool)

    def take(self, const int64_t[::1] numbers):
        """The tokens with these numbers, as bytes."""
        cdef list found = []
        cdef Py_ssize_t i
        cdef string_view token
        for i in range(numbers.shape[0]):
            if not 0 <= numbers[i] < <int64_t>self._encoder.get().table().size():
                raise IndexError(f"there is no token {numbers[i]}")
            token = self._encoder.get().table().word(<WordId>numbers[i])
            found.append(token.data()[:token.size()])
        return found

    def used_buckets(self, Rules rules, const int32_t[::1] entries, size_t workers=1):
        """The buckets that the lines have n-grams in, rising; rules without bucket_rows."""
        cdef const int32_t[::1] tokens = self.tokens
        cdef const int64_t[::1] ends = self.ends
        cdef vector[uint32_t] used
        if not len(tokens):
            return np.empty(0, np.uint32)
        cdef unique_ptr[CppTokenFeatures] features = self._features(rules, entries)
        cdef CtrlC interrupt
        with nogil:
            used = features.get().used_buckets(
                &tokens[0], &ends[0], ends.shape[0], workers, interrupt)
        if used.empty():
            return np.empty(0, np.uint32)
        return np.array(<uint32_t[:used.size()]> used.data())

    cdef unique_ptr[CppTokenFeatures] _features(
        self, Rules rules, const int32_t[::1] entries,
    ) except *:
        if entries.shape[0] != <Py_ssize_t>self._encoder.get().table().size():
            raise ValueError("entries must hold a number for each distinct token")
        cdef unique_ptr[CppTokenFeatures] features
        cdef CtrlC interrupt
        features.reset(new CppTokenFeatures(
            rules.rules, self._encoder.get().table(), &entries[0], interrupt))
        return move(features)

    def features(self, Rules rules, const int32_t[::1] entries):
        """Rows and labels of every line, for tests: lists of arrays."""
        cdef unique_ptr[CppTokenFeatures] features = self._features(rules, entries)
        cdef LineFeatures line
        cdef const int32_t[::1] tokens = self.tokens
        found = []
        cdef int64_t at = 0, end
        for end in self.ends:
            line.clear()
            while at < end:
                features.get().add_token(<WordId>tokens[at], line)
                at += 1
            features.get().add_word_ngrams(line)
            found.append((list(line.rows), list(line.labels)))
        return found


cdef class Rules:
    """How tokens become rows: those of words, then those of the buckets of n-grams.

    bucket_rows (uint32): the rows of a pruned model's buckets.

    kept: in its place, the buckets that have rows, rising, and their rows; absent: the others' row.

    n_rows: of words and buckets, that a matrix must have at least.
    """

    def __init__(
        self, *, int64_t n_words, NgramHasher hasher not None, bucket_rows=None, kept=None,
        uint32_t absent=0,
    ):
        cdef int64_t bucket = hasher.hasher.n_buckets()
        if not (0 <= n_words and n_words + bucket < <int64_t>kDropped):
            raise ValueError(
                f"words and buckets must be fewer than {kDropped}, got {n_words} and {bucket}")
        self.rules.n_words = <uint32_t>n_words
        self.rules.hasher = hasher.hasher
        cdef const uint32_t[::1] rows
        if bucket_rows is not None:
            rows = bucket_rows
            if rows.shape[0] != bucket:
                raise ValueError(f"bucket_rows must hold {bucket} rows, got {rows.shape[0]}")
            if bucket:
                self.rules.bucket_rows = &rows[0]
        self.bucket_rows = bucket_rows
        self.n_rows = n_words + bucket
        if bucket_rows is not None:
            placed = bucket_rows[bucket_rows != kDropped]
            self.n_rows = n_words + (int(placed.max()) + 1 if len(placed) else 0)
        if kept is not None:
            self._use_kept(*kept, absent)

    def _use_kept(self, const uint32_t[::1] buckets, const uint32_t[::1] rows, uint32_t absent):
        if rows.shape[0] != buckets.shape[0] or (np.diff(np.asarray(buckets, np.int64)) <= 0).any():
            raise ValueError("kept buckets must rise, and have a row each")
        self._kept = (np.asarray(buckets), np.asarray(rows))
        highest = max(int(self._kept[1].max(initial=0)), 0 if absent == kDropped else absent)
        self.n_rows = self.rules.n_words + highest + 1
        self.rules.absent_row = absent
        self.rules.n_kept = <size_t>buckets.shape[0]
        if not self.rules.n_kept:  # pointers to something, which is not read
            buckets = rows = np.zeros(1, np.uint32)
            self._kept = (np.asarray(buckets),)
        self.rules.kept_buckets = &buckets[0]
        self.rules.kept_rows = &rows[0]
