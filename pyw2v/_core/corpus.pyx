# distutils: language = c++
"""Sentences from files and from Python objects to an encoded corpus, in one pass."""

import os
import time

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector


cdef extern from *:
    """
    #include <string_view>
    """
    cdef cppclass string_view "std::string_view":
        const char* data() noexcept
        size_t size() noexcept


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    PyObject* PyDict_GetItemWithError(object, PyObject*) except? NULL
    PyObject* PyList_GetItem(object, Py_ssize_t) except NULL
    int32_t PyLong_AsLong(PyObject*) noexcept
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    const void* str_type "(const void*)&PyUnicode_Type"
    const void* type_of "(const void*)Py_TYPE"(PyObject*) noexcept


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "vocab/growing_buffer.h" namespace "pyw2v" nogil:
    cdef cppclass CppBuffer "pyw2v::GrowingBuffer":
        CppBuffer(uint64_t budget, string folder) except +raise_py_error
        void append(const void* data, size_t n) except +raise_py_error
        void finish() except +raise_py_error
        void truncate(uint64_t n) noexcept
        char* data() noexcept
        uint64_t size() noexcept
        cbool spilled() noexcept


cdef extern from "vocab/word_table.h" namespace "pyw2v" nogil:
    cdef cppclass CppWordTable "pyw2v::WordTable":
        size_t size() noexcept
        string_view word(int32_t) noexcept
        vector[int64_t] counts() except +raise_py_error


cdef extern from "vocab/corpus_scanner.h" namespace "pyw2v" nogil:
    cdef cppclass CppSentenceRule "pyw2v::SentenceRule":
        cbool at_line_feed
        int64_t max_words
        int64_t max_lines

    cdef cppclass CppScannerConfig "pyw2v::ScannerConfig":
        int n_workers
        cbool keep_tokens
        uint64_t budget
        string folder
        uint64_t chunk_bytes

    cdef cppclass CppScanner "pyw2v::CorpusScanner":
        CppScanner(CppScannerConfig) except +raise_py_error
        void start_file(const string&, const CppSentenceRule&) except +raise_py_error
        void start_merge() except +raise_py_error
        void start_renumber() except +raise_py_error
        cbool wait(double) noexcept
        void stop() noexcept
        void end_work() except +raise_py_error
        size_t add_text(const char*, size_t, cbool, const CppSentenceRule&,
                        const string&) except +raise_py_error
        uint64_t bytes_done() noexcept
        uint64_t n_words() noexcept
        uint64_t n_sentences() noexcept
        const CppWordTable& table() noexcept
        unique_ptr[CppBuffer] take_tokens() noexcept
        unique_ptr[CppBuffer] take_ends() noexcept


cdef extern from "vocab/remap.h" namespace "pyw2v" nogil:
    int64_t cpp_remap "pyw2v::remap_tokens"(
        int32_t* tokens, int64_t n_tokens, int64_t* ends, int64_t n_sentences,
        const int32_t* new_ids, int64_t n_ids, int n_workers) except +raise_py_error


# Seconds between two looks for Ctrl-C while other threads work.
cdef double POLL = 0.05


cdef class Memory:
    """Bytes owned by the core, for NumPy to look at; freed with the last view of them."""

    cdef unique_ptr[CppBuffer] _buffer
    cdef Py_ssize_t _shape[1]
    cdef Py_ssize_t _stride[1]

    @property
    def spilled(self):
        """Whether the bytes live in a temporary file."""
        return self._buffer.get().spilled()

    def truncate(self, uint64_t n_bytes):
        """Give back the memory after the first n_bytes; views of it must not be used any more."""
        self._buffer.get().truncate(n_bytes)

    def __len__(self):
        return self._buffer.get().size()

    def __getbuffer__(self, Py_buffer* view, int flags):
        self._shape[0] = <Py_ssize_t>self._buffer.get().size()
        self._stride[0] = 1
        view.buf = self._buffer.get().data()
        view.obj = self
        view.len = self._shape[0]
        view.itemsize = 1
        view.readonly = 0
        view.ndim = 1
        view.format = b"B"
        view.shape = self._shape
        view.strides = self._stride
        view.suboffsets = NULL
        view.internal = NULL


cdef Memory _memory(unique_ptr[CppBuffer] buffer):
    cdef Memory memory = Memory()
    memory._buffer = move(buffer)
    return memory


cdef extern from "<cstring>" namespace "std" nogil:
    void copy "std::memcpy"(void*, const void*, size_t) noexcept


cdef bytearray _bytes(const vector[int64_t]& counts):
    cdef size_t n = counts.size() * sizeof(int64_t)
    result = bytearray(n)
    cdef unsigned char[::1] view = result
    if n:
        copy(&view[0], counts.data(), n)
    return result


cdef class FileScanner:
    """Counts and encodes text files with several threads; see csrc/vocab/corpus_scanner.h."""

    cdef unique_ptr[CppScanner] _scanner

    def __init__(self, *, int workers, uint64_t max_memory, folder, bint keep_tokens,
                 uint64_t chunk_bytes=1 << 20):
        if workers < 1 or chunk_bytes < 1:
            raise ValueError(f"workers and chunk_bytes must be at least 1, got {workers} and "
                             f"{chunk_bytes}")
        cdef CppScannerConfig config
        config.n_workers = workers
        config.keep_tokens = keep_tokens
        config.budget = max_memory
        config.folder = os.fsencode(folder)
        config.chunk_bytes = chunk_bytes
        self._scanner = make_unique[CppScanner](config)

    def add_file(self, path, *, bint at_line_feed=True, int64_t max_words=0,
                 int64_t max_lines=-1, progress=None):
        """Read a file. progress is called with the number of bytes done, now and then."""
        cdef CppSentenceRule rule
        rule.at_line_feed = at_line_feed
        rule.max_words = max_words
        rule.max_lines = max_lines
        cdef string c_path = os.fsencode(path)
        with nogil:
            self._scanner.get().start_file(c_path, rule)
        self._wait(progress)

    def add_text(self, const unsigned char[::1] data, bint is_last, name, *,
                 bint at_line_feed=True, int64_t max_words=0):
        """Read a piece of text; return how many of its bytes were used, pass the others again."""
        cdef CppSentenceRule rule
        rule.at_line_feed = at_line_feed
        rule.max_words = max_words
        rule.max_lines = -1
        cdef string c_name = os.fsencode(name)
        cdef const char* text = <const char*>&data[0] if data.shape[0] else NULL
        cdef size_t used
        with nogil:
            used = self._scanner.get().add_text(text, data.shape[0], is_last, rule, c_name)
        return used

    def finish(self):
        """Return words, counts, and the memory of tokens (int32) and sentence ends (int64)."""
        self._scanner.get().start_merge()
        self._wait(None)
        self._scanner.get().start_renumber()
        self._wait(None)
        cdef const CppWordTable* table = &self._scanner.get().table()
        cdef string_view word
        cdef list words = []
        cdef Py_ssize_t i, n = table.size()
        for i in range(n):
            if i % 65536 == 0:
                PyErr_CheckSignals()
            word = table.word(<int32_t>i)
            words.append(PyUnicode_DecodeUTF8(word.data(), <Py_ssize_t>word.size(), NULL))
        return (words, _bytes(table.counts()), _memory(self._scanner.get().take_tokens()),
                _memory(self._scanner.get().take_ends()))

    @property
    def n_words(self):
        """Tokens read so far."""
        return self._scanner.get().n_words()

    @property
    def n_sentences(self):
        """Sentences read so far."""
        return self._scanner.get().n_sentences()

    cdef _wait(self, progress):
        cdef cbool done = False
        try:
            while True:
                with nogil:
                    done = self._scanner.get().wait(POLL)
                if done:
                    break
                PyErr_CheckSignals()
                if progress is not None:
                    progress(self._scanner.get().bytes_done())
        except BaseException:
            with nogil:
                self._scanner.get().stop()
            raise
        self._scanner.get().end_work()


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
                    next_call = time.monotonic() + POLL
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
        return self._words, _bytes(self._counts), _memory(move(self._tokens)), _memory(move(self._ends))

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


def remap(int32_t[::1] tokens, int64_t[::1] ends, const int32_t[::1] new_ids, int workers):
    """Renumber tokens in place, dropping those whose new id is negative; return how many remain."""
    cdef int32_t* c_tokens = &tokens[0] if tokens.shape[0] else NULL
    cdef int64_t* c_ends = &ends[0] if ends.shape[0] else NULL
    cdef const int32_t* c_ids = &new_ids[0] if new_ids.shape[0] else NULL
    cdef int64_t left
    with nogil:
        left = cpp_remap(c_tokens, tokens.shape[0], c_ends, ends.shape[0], c_ids,
                         new_ids.shape[0], workers)
    return left
