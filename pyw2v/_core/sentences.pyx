# distutils: language = c++
"""Sentences that are Python objects to an encoded corpus."""

import os
import time

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.items cimport (
    PyUnicode_AsUCS4,
    PyUnicode_GetLength,
    list_item,
    list_item_ahead,
    list_item_done,
    str_type,
    type_of,
)
from pyw2v._core.memory cimport CppBuffer, bytes_of, raise_py_error, wrap
from pyw2v._core.words cimport CppWordTable, Words, wrap_table


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
    const void* int_type "(const void*)&PyLong_Type"


cdef extern from "corpus/sentence_encoder.h" namespace "pyw2v" nogil:
    const size_t kShort "pyw2v::SentenceEncoder::kShort"

    cdef cppclass CppEncoder "pyw2v::SentenceEncoder":
        CppEncoder(uint64_t budget, const string& folder, cbool keep_tokens) except +raise_py_error
        uint32_t* characters() noexcept
        void add_short(size_t) except +raise_py_error
        void add_text(const uint32_t*, size_t) except +raise_py_error
        void add_integer(int64_t) except +raise_py_error
        void add_big_integer(const string&) except +raise_py_error
        void add_dense(int64_t word, int64_t lowest, int64_t highest) except +raise_py_error
        void end_sentence() except +raise_py_error
        void end_sentences(const int64_t*, size_t) except +raise_py_error
        void finish() except +raise_py_error
        void find_all(const CppWordTable&, int32_t*) noexcept
        size_t n_distinct() noexcept
        int64_t n_words() noexcept
        int64_t n_sentences() noexcept
        vector[int64_t] counts() except +raise_py_error
        unique_ptr[CppWordTable] take_table() noexcept
        unique_ptr[CppBuffer] take_tokens() noexcept
        unique_ptr[CppBuffer] take_ends() noexcept


# Words and sentences between two polls for Ctrl-C.
cdef int64_t LOOK_EVERY = 65536
# Words between the one that is read and the one whose memory is prefetched.
cdef enum:
    AHEAD = 8


cdef class SentenceEncoder:
    """Counts and encodes sentences that are Python objects. Words are str or int, never mixed up;
    see csrc/corpus/sentence_encoder.h."""

    cdef unique_ptr[CppEncoder] _encoder
    cdef vector[uint32_t] _characters

    def __init__(self, *, uint64_t max_memory, folder, bint keep_tokens):
        cdef string c_folder = os.fsencode(folder)
        self._encoder = make_unique[CppEncoder](max_memory, c_folder, keep_tokens)

    def add_sentences(self, sentences, progress=None):
        """Read an iterable of sentences. progress is called with the number done, now and then."""
        cdef CppEncoder* encoder = self._encoder.get()
        cdef int64_t last_look = encoder.n_words()
        cdef double next_call = time.monotonic()
        for sentence in sentences:
            if type(sentence) is not list:
                sentence = _as_list(sentence, encoder.n_sentences())
            self._add_words(<list>sentence)
            encoder.end_sentence()
            # Sentences without words count too, or a list of them could not be interrupted.
            if encoder.n_words() + encoder.n_sentences() - last_look >= LOOK_EVERY:
                last_look = encoder.n_words() + encoder.n_sentences()
                PyErr_CheckSignals()
                if progress is not None and time.monotonic() >= next_call:
                    next_call = time.monotonic() + 0.05
                    progress(encoder.n_sentences())

    def add_words(self, list words not None):
        """Read words; where their sentences end is for add_ends to say."""
        self._add_words(words)

    def add_integers(self, const int64_t[::1] words, int64_t lowest, int64_t highest):
        """The same for integers known to lie in a range small enough for a table of all of it."""
        cdef Py_ssize_t i
        for i in range(words.shape[0]):
            self._encoder.get().add_dense(words[i], lowest, highest)

    def add_ends(self, const int64_t[::1] ends):
        """End sentences at these positions, for words that add_words or add_integers read."""
        if ends.shape[0]:
            self._encoder.get().end_sentences(&ends[0], ends.shape[0])

    def finish(self):
        """Return words, counts, and the memory of tokens (int32) and sentence ends (int64)."""
        cdef CppEncoder* encoder = self._encoder.get()
        encoder.finish()
        counts = bytes_of(encoder.counts())
        return (wrap_table(encoder.take_table()), counts, wrap(encoder.take_tokens()),
                wrap(encoder.take_ends()))

    @property
    def n_words(self):
        """Tokens read so far."""
        return self._encoder.get().n_words()

    @property
    def n_sentences(self):
        """Sentences read so far."""
        return self._encoder.get().n_sentences()

    cdef int _add_words(self, list words) except -1:
        cdef PyObject* word
        cdef Py_ssize_t i = 0, n = len(words)
        while i < n:
            word = list_item(words, i)
            i += 1
            if i + AHEAD < n:
                list_item_ahead(words, i + AHEAD)
            try:
                if type_of(word) == str_type:
                    self._add_str(word)
                elif type_of(word) == int_type:
                    self._add_int(<object>word)
                else:
                    other = <object>word  # a reference of our own: this may run foreign code
                    self._add_other(other)
                    n = len(words)
            finally:
                list_item_done(word)
        return 0

    cdef int _add_str(self, PyObject* word) except -1:
        # By its characters rather than its UTF-8: that would stay with the str, and grow it. And
        # rather than as the key of a dict, where a lookup visits four places in memory, not one.
        cdef CppEncoder* encoder = self._encoder.get()
        cdef Py_ssize_t n = PyUnicode_GetLength(word)
        if n <= <Py_ssize_t>kShort:
            PyUnicode_AsUCS4(word, encoder.characters(), kShort, 0)
            encoder.add_short(n)
        else:
            if self._characters.size() < <size_t>n:
                self._characters.resize(n)
            PyUnicode_AsUCS4(word, self._characters.data(), n, 0)
            encoder.add_text(self._characters.data(), n)
        return 0

    cdef int _add_int(self, word) except -1:
        cdef int overflow = 0
        cdef long long integer = PyLong_AsLongLongAndOverflow(word, &overflow)
        if overflow:
            self._encoder.get().add_big_integer(format(word, "x").encode())
        else:
            self._encoder.get().add_integer(integer)
        return 0

    cdef int _add_other(self, word) except -1:
        key = _as_key(word, self._encoder.get().n_sentences())
        return self._add_str(<PyObject*>key) if type(key) is str else self._add_int(key)


def positions(Words words not None, list known not None):
    """The position of each word in a list of distinct words, or -1, as the bytes of int32. None if
    the list holds what a corpus cannot."""
    cdef SentenceEncoder encoder = SentenceEncoder(max_memory=0, folder="", keep_tokens=False)
    try:
        encoder.add_words(known)
    except TypeError:
        return None
    cdef CppEncoder* c_known = encoder._encoder.get()
    c_known.finish()
    if c_known.n_distinct() != <size_t>len(known):
        return None
    result = bytearray(len(words) * sizeof(int32_t))
    cdef unsigned char[::1] view = result
    if len(words):
        c_known.find_all(words._table.get()[0], <int32_t*>&view[0])
    return result


cdef list _as_list(sentence, int64_t number):
    """The words of a sentence that is not a list."""
    if isinstance(sentence, (str, bytes, bytearray)):
        raise TypeError(
            f"sentence {number} is a plain {type(sentence).__name__}, {_short(sentence)}, where a "
            "list of words is expected; split it first, for instance with sentence.split()"
        )
    if isinstance(sentence, dict):
        raise TypeError(
            f"sentence {number} is a dict, where a list of words is expected; of a table give one "
            "column of lists"
        )
    if hasattr(sentence, "tolist"):  # NumPy and pandas: Python objects at once, not one by one
        words = sentence.tolist()
        if type(words) is list:
            return words
    try:
        words = iter(sentence)
    except TypeError:
        raise TypeError(
            f"sentence {number} must be a list of words, got {_short(sentence)} of type "
            f"{type(sentence).__name__}"
        ) from None
    return list(words)


cdef _as_key(word, int64_t number):
    """An exact str or int for a word that is a kind of one of them."""
    if isinstance(word, str):
        return str.__str__(word) if type(word) is not str else word
    if type(word) is int:
        return word
    if isinstance(word, (bytes, bytearray)):
        raise TypeError(
            f"sentence {number} contains {_short(word)}, which is {type(word).__name__}; words "
            "must be str: decode it first, for instance with word.decode('utf-8')"
        )
    if not isinstance(word, (bool, np.bool_)):  # which has an index, too, in NumPy 1.26
        try:
            return int(word.__index__())
        except (AttributeError, TypeError):
            pass
    raise TypeError(
        f"sentence {number} contains {_short(word)} of type {type(word).__name__}; words must be "
        "str or int"
    )


cdef str _short(value):
    text = " ".join(repr(value).split())  # in one line, also of what prints as a table
    return text if len(text) <= 60 else text[:57] + "..."
