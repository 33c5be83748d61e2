# distutils: language = c++
"""Words of a corpus as Python sees them."""

from libc.stdint cimport int64_t
from libcpp.utility cimport move


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)


cdef extern from "<cstring>" namespace "std" nogil:
    void copy "std::memcpy"(void*, const void*, size_t) noexcept


cdef extern from "corpus/sentence_encoder.h" namespace "pyw2v" nogil:
    const unsigned char kEmptyKey
    const unsigned char kBigIntegerKey
    const unsigned char kIntegerKey


cdef class Words:
    """Distinct words by number. Each becomes a str (or int) when it is asked for, since of a large
    text most are dropped unseen."""

    def __init__(self):
        raise TypeError("Words come from a FileScanner or a SentenceEncoder only")

    def __len__(self):
        return <Py_ssize_t>self._table.get().size()

    def __getitem__(self, Py_ssize_t i):
        return self._word(i)

    def __iter__(self):
        return map(self.__getitem__, range(len(self)))

    def take(self, const int64_t[::1] positions):
        """The words at these positions, in a list."""
        cdef list words = []
        cdef Py_ssize_t i
        for i in range(positions.shape[0]):
            if i % 65536 == 0:
                PyErr_CheckSignals()
            words.append(self._word(positions[i]))
        return words

    cdef _word(self, int64_t i):
        if not 0 <= i < <int64_t>self._table.get().size():
            raise IndexError(f"there is no word {i}: there are {len(self)}")
        cdef string_view key = self._table.get().word(<WordId>i)
        cdef unsigned char kind = <unsigned char>key.data()[0]
        cdef int64_t integer
        if kind < kEmptyKey:
            return PyUnicode_DecodeUTF8(key.data(), <Py_ssize_t>key.size(), "surrogatepass")
        if kind == kEmptyKey:
            return ""
        if kind == kBigIntegerKey:
            return int(key.data()[1:key.size()], 16)
        copy(&integer, key.data() + 1, sizeof(integer))
        return integer


cdef Words wrap_table(unique_ptr[CppWordTable] table):
    table.get().freeze()
    cdef Words words = Words.__new__(Words)
    words._table = move(table)
    return words
