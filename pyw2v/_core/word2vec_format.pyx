# distutils: language = c++
"""word2vec text and binary files: a mapped file in, words and a matrix out, and rows to bytes."""

import os

import numpy as np

from cpython.bytes cimport PyBytes_AsString
from libc.stdint cimport int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

from pyw2v._core.interrupt cimport CtrlC, Interrupt


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view()
        string_view(const char*, size_t)
        const char* data() noexcept
        size_t size() noexcept

cdef extern from "_errors.h":
    void raise_py_error()

cdef extern from "formats/numbers.h" namespace "pyw2v" nogil:
    cdef struct Half:
        pass

cdef extern from "formats/word2vec.h" namespace "pyw2v" nogil:
    cdef enum class Choice:
        kNo
        kYes
        kDetect

    cdef cppclass Word2VecOptions:
        Choice binary
        Choice header
        int64_t max_words
        cbool complete
        size_t n_threads
        const Interrupt* interrupt

    cdef cppclass CppWord2VecFile "pyw2v::Word2VecFile":
        CppWord2VecFile() noexcept
        void open(const string&, const string&, const Word2VecOptions&) except +raise_py_error
        size_t n_words() noexcept
        size_t dim() noexcept
        cbool has_more() noexcept
        void read_float "read<float>"(float*, size_t) except +raise_py_error
        void read_double "read<double>"(double*, size_t) except +raise_py_error
        void read_half "read<pyw2v::Half>"(Half*, size_t) except +raise_py_error
        string_view word(size_t) noexcept
        uint64_t word_offset(size_t) noexcept

    void append_float "pyw2v::append_text_rows<float>"(
        string_view, const float*, size_t, size_t, const Interrupt&, string&
    ) except +raise_py_error
    void append_double "pyw2v::append_text_rows<double>"(
        string_view, const double*, size_t, size_t, const Interrupt&, string&
    ) except +raise_py_error
    void append_binary_rows(
        string_view, const float*, size_t, size_t, string&) except +raise_py_error

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    object PyUnicode_Decode(const char*, Py_ssize_t, const char*, const char*)
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    object PyBytes_FromStringAndSize(const char*, Py_ssize_t)


cdef Choice choice(value) except *:
    if value is None:
        return Choice.kDetect
    return Choice.kYes if value else Choice.kNo


cdef read_into(CppWord2VecFile& file, vectors, size_t n_threads):
    # Views, because the number types of a memoryview are fixed; a size of zero has no first item.
    cdef float[::1] floats
    cdef double[::1] doubles
    cdef unsigned short[::1] halves
    flat = vectors.reshape(-1)
    if vectors.dtype == np.float32:
        floats = flat
        with nogil:
            file.read_float(&floats[0], n_threads)
    elif vectors.dtype == np.float64:
        doubles = flat
        with nogil:
            file.read_double(&doubles[0], n_threads)
    else:
        halves = flat.view(np.uint16)
        with nogil:
            file.read_half(<Half*>&halves[0], n_threads)


cdef list words_of(CppWord2VecFile& file, str name, str encoding, str errors):
    cdef bytes c_encoding = encoding.encode()
    cdef bytes c_errors = errors.encode()
    cdef const char* encoding_ptr = c_encoding
    cdef const char* errors_ptr = c_errors
    cdef cbool utf8 = encoding.lower().replace("_", "-") in ("utf8", "utf-8")
    cdef size_t row
    cdef string_view word
    cdef list words = []
    for row in range(file.n_words()):
        if row % 65536 == 0:
            PyErr_CheckSignals()
        word = file.word(row)
        try:
            if utf8:
                words.append(PyUnicode_DecodeUTF8(word.data(), word.size(), errors_ptr))
            else:
                words.append(PyUnicode_Decode(word.data(), word.size(), encoding_ptr, errors_ptr))
        except UnicodeDecodeError as error:
            raise UnicodeDecodeError(
                error.encoding, error.object, error.start, error.end,
                f"{error.reason} (word {row + 1} of {name}, byte {file.word_offset(row)}; "
                "unicode_errors='replace' or 'ignore' reads on)",
            ) from None
    return words


def load(path, str name, *, binary, header, limit, dtype, str encoding, str unicode_errors,
         bint complete=True, size_t n_threads=0):
    """The words, the matrix, and whether the file goes on after the rows that it states.

    ``binary`` and ``header`` are True, False or None (detect); ``name`` is what messages call the
    file; ``complete=False`` tells that ``path`` is only the start of it.
    """
    cdef CppWord2VecFile file
    cdef Word2VecOptions options
    cdef CtrlC interrupt
    cdef string c_path = os.fsencode(path)
    cdef string c_name = name.encode("utf-8", "backslashreplace")
    options.binary = choice(binary)
    options.header = choice(header)
    options.max_words = -1 if limit is None else limit
    options.complete = complete
    options.n_threads = n_threads
    options.interrupt = &interrupt
    with nogil:
        file.open(c_path, c_name, options)
    vectors = np.empty((file.n_words(), file.dim()), dtype)
    if vectors.size:
        read_into(file, vectors, n_threads)
    return words_of(file, name, encoding, unicode_errors), vectors, file.has_more()


def text_rows(bytes words, rows):
    """Lines of text for a C-contiguous block of rows; each word is ended by a space."""
    cdef const float[:, ::1] floats
    cdef const double[:, ::1] doubles
    cdef string out
    cdef CtrlC interrupt
    cdef string_view view = string_view(PyBytes_AsString(words), len(words))
    if rows.size == 0:
        return b""
    if rows.dtype == np.float64:
        doubles = rows
        with nogil:
            append_double(view, &doubles[0, 0], doubles.shape[0], doubles.shape[1], interrupt, out)
    else:
        floats = rows
        with nogil:
            append_float(view, &floats[0, 0], floats.shape[0], floats.shape[1], interrupt, out)
    return PyBytes_FromStringAndSize(out.data(), out.size())


def binary_rows(bytes words, const float[:, ::1] rows):
    """Binary records for a block of rows; each word is ended by a space."""
    cdef string out
    cdef string_view view = string_view(PyBytes_AsString(words), len(words))
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        return b""
    with nogil:
        append_binary_rows(view, &rows[0, 0], rows.shape[0], rows.shape[1], out)
    return PyBytes_FromStringAndSize(out.data(), out.size())


def split_words(const unsigned char[::1] data, const int64_t[::1] ends):
    """UTF-8 words stored one after the other; ``ends`` are checked by the caller."""
    cdef Py_ssize_t i
    cdef int64_t begin = 0
    cdef list words = []
    if data.shape[0] == 0:
        return [""] * ends.shape[0]
    for i in range(ends.shape[0]):
        if i % 65536 == 0:
            PyErr_CheckSignals()
        words.append(PyUnicode_DecodeUTF8(
            <const char*>&data[0] + begin, ends[i] - begin, b"surrogatepass"))
        begin = ends[i]
    return words
