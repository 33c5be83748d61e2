# distutils: language = c++
"""Text files to an encoded corpus, and new numbers for its words."""

import os

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move

from pyw2v._core.interrupt cimport CtrlC, Interrupt
from pyw2v._core.memory cimport CppBuffer, bytes_of, raise_py_error, wrap
from pyw2v._core.words cimport CppWordTable, wrap_table


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1


cdef extern from "corpus/corpus_scanner.h" namespace "pyw2v" nogil:
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
        unique_ptr[CppWordTable] take_table() noexcept
        unique_ptr[CppBuffer] take_tokens() noexcept
        unique_ptr[CppBuffer] take_ends() noexcept


cdef extern from "corpus/remap.h" namespace "pyw2v" nogil:
    int64_t cpp_remap "pyw2v::remap_tokens"(
        int32_t* tokens, int64_t n_tokens, int64_t* ends, int64_t n_sentences,
        const int32_t* new_ids, int64_t n_ids, int n_workers,
        const Interrupt& interrupt) except +raise_py_error


# Seconds between two polls for Ctrl-C while other threads work.
cdef double POLL = 0.05


cdef class FileScanner:
    """Counts and encodes text files with several threads; see csrc/corpus/corpus_scanner.h."""

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
        cdef unique_ptr[CppWordTable] table = self._scanner.get().take_table()
        counts = bytes_of(table.get().counts())
        return (wrap_table(move(table)), counts, wrap(self._scanner.get().take_tokens()),
                wrap(self._scanner.get().take_ends()))

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


def remap(int32_t[::1] tokens, int64_t[::1] ends, const int32_t[::1] new_ids, int workers):
    """Renumber tokens in place, dropping those whose new id is negative; return how many remain."""
    cdef int32_t* c_tokens = &tokens[0] if tokens.shape[0] else NULL
    cdef int64_t* c_ends = &ends[0] if ends.shape[0] else NULL
    cdef const int32_t* c_ids = &new_ids[0] if new_ids.shape[0] else NULL
    cdef int64_t left
    cdef CtrlC interrupt
    with nogil:
        left = cpp_remap(c_tokens, tokens.shape[0], c_ends, ends.shape[0], c_ids,
                         new_ids.shape[0], workers, interrupt)
    return left
