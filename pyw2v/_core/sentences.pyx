# distutils: language = c++
"""Sentences that are Python objects to an encoded corpus."""

import os
import time

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector

from pyw2v._core.memory cimport CppBuffer, bytes_of, wrap


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    PyObject* PyDict_GetItemWithError(object, PyObject*) except? NULL
    PyObject* PyList_GetItem(object, Py_ssize_t) except NULL
    int32_t PyLong_AsLong(PyObject*) noexcept
    const void* str_type "(const void*)&PyUnicode_Type"
    const void* type_of "(const void*)Py_TYPE"(PyObject*) noexcept


cdef enum:
    PENDING = 65536


cdef class SentenceEncoder:
    """Counts and encodes sentences that are Python objects. Words are str or int, never mixed up:
    a dict of them is the vocabulary."""

    cdef unique_ptr[CppBuffer] _tokens
    cdef unique_ptr[CppBuffer] _ends
    cdef vector[int64_t] _counts
    cdef vector[int32_t] _dense
    cdef dict _ids
    cdef list _words
    cdef bint _keep_tokens
    cdef int32_t* _pending
    cdef Py_ssize_t _n_pending
    cdef int64_t _n_words, _n_sentences

    def __cinit__(self):
        self._pending = <int32_t*>PyMem_Malloc(PENDING * sizeof(int32_t))
        if self._pending == NULL:
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self._pending)

    def __init__(self, *, uint64_t max_memory, folder, bint keep_tokens):
        cdef string c_folder = os.fsencode(folder)
        cdef uint64_t no_limit = <uint64_t>-1
        self._tokens = make_unique[CppBuffer](max_memory, c_folder)
        self._ends = make_unique[CppBuffer](no_limit, c_folder)
        self._ids = {}
        self._words = []
        self._keep_tokens = keep_tokens

    def add_sentences(self, sentences, progress=None):
        """Read an iterable of sentences. progress is called with the number done, now and then."""
        cdef int64_t last_look = self._n_words
        cdef double next_call = time.monotonic()
        for sentence in sentences:
            if type(sentence) is not list:
                sentence = _as_list(sentence, self._n_sentences)
            self._add_words(<list>sentence)
            self._end_sentence()
            # Sentences without words count too, or a list of them could not be interrupted.
            if self._n_words + self._n_sentences - last_look >= PENDING:
                last_look = self._n_words + self._n_sentences
                PyErr_CheckSignals()
                if progress is not None and time.monotonic() >= next_call:
                    next_call = time.monotonic() + 0.05
                    progress(self._n_sentences)

    def add_words(self, list words not None):
        """Read words; where their sentences end is for add_ends to say."""
        self._add_words(words)

    def add_integers(self, const int64_t[::1] words, int64_t lowest, int64_t highest):
        """The same for integers known to lie in a range small enough for a table of all of it."""
        cdef Py_ssize_t i
        cdef int32_t word_id
        cdef size_t slot
        if self._dense.size() == 0:
            self._dense.assign(<size_t>(highest - lowest + 1), -1)
        for i in range(words.shape[0]):
            if not lowest <= words[i] <= highest:
                raise ValueError(f"{words[i]} is not in the range {lowest} to {highest}")
            slot = <size_t>(words[i] - lowest)
            word_id = self._dense[slot]
            if word_id < 0:
                word_id = self._new_word(words[i])
                self._dense[slot] = word_id
            self._push(word_id)

    def add_ends(self, const int64_t[::1] ends):
        """End sentences at these positions, for words that add_words or add_integers read."""
        self._n_sentences += ends.shape[0]
        if self._keep_tokens and ends.shape[0]:
            self._ends.get().append(&ends[0], ends.shape[0] * sizeof(int64_t))

    cdef int _end_sentence(self) except -1:
        self._n_sentences += 1
        if self._keep_tokens:
            self._ends.get().append(&self._n_words, sizeof(int64_t))
        return 0

    def finish(self):
        """Return words, counts, and the memory of tokens (int32) and sentence ends (int64)."""
        self._flush()
        self._tokens.get().finish()
        self._ends.get().finish()
        return (self._words, bytes_of(self._counts), wrap(move(self._tokens)),
                wrap(move(self._ends)))

    @property
    def n_words(self):
        """Tokens read so far."""
        return self._n_words

    @property
    def n_sentences(self):
        """Sentences read so far."""
        return self._n_sentences

    cdef int _add_words(self, list words) except -1:
        cdef PyObject* word
        cdef PyObject* known
        cdef dict ids = self._ids
        cdef Py_ssize_t i = 0
        # The length is asked for again each time: turning a word into a str may run foreign code.
        while i < len(words):
            word = PyList_GetItem(words, i)
            i += 1
            # Keys are exact str and int only, so this lookup runs no foreign code and the borrowed
            # reference stays good.
            if type_of(word) == str_type:
                known = PyDict_GetItemWithError(ids, word)
                if known != NULL:
                    self._push(PyLong_AsLong(known))
                else:
                    key = <object>word
                    ids[key] = self._push(self._new_word(key))
            else:
                key = _as_key(<object>word, self._n_sentences)
                known = PyDict_GetItemWithError(ids, <PyObject*>key)
                if known != NULL:
                    self._push(PyLong_AsLong(known))
                else:
                    ids[key] = self._push(self._new_word(key))
        return 0

    cdef int32_t _new_word(self, key) except -1:
        cdef size_t word_id = self._counts.size()
        if word_id > <size_t>INT32_MAX:
            raise ValueError(f"more than {INT32_MAX} distinct words")
        self._words.append(key)
        self._counts.push_back(0)
        return <int32_t>word_id

    cdef inline int32_t _push(self, int32_t word_id) except -1:
        self._counts[word_id] += 1
        self._n_words += 1
        if self._keep_tokens:
            self._pending[self._n_pending] = word_id
            self._n_pending += 1
            if self._n_pending == PENDING:
                self._flush()
        return word_id

    cdef int _flush(self) except -1:
        cdef Py_ssize_t n = self._n_pending
        self._n_pending = 0
        self._tokens.get().append(self._pending, n * sizeof(int32_t))
        return 0


cdef list _as_list(sentence, int64_t number):
    """The words of a sentence that is not a list."""
    if isinstance(sentence, (str, bytes, bytearray)):
        raise TypeError(
            f"sentence {number} is a plain {type(sentence).__name__}, {_short(sentence)}, where a "
            "list of words is expected; split it first, for instance with sentence.split()"
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
    if not isinstance(word, bool):
        try:
            return int(word.__index__())
        except (AttributeError, TypeError):
            pass
    raise TypeError(
        f"sentence {number} contains {_short(word)} of type {type(word).__name__}; words must be "
        "str or int"
    )


cdef str _short(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
