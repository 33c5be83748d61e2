# Huffman trees as other extension modules take them.

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from pyw2v._core.engine cimport HuffmanView, raise_py_error


cdef extern from "tables/huffman.h" namespace "pyw2v" nogil:
    cdef cppclass CppHuffmanTree "pyw2v::HuffmanTree":
        CppHuffmanTree(CppHuffmanTree&) except +raise_py_error
        CppHuffmanTree(
            vector[int64_t] offsets, vector[uint8_t] codes, vector[int32_t] points,
        ) except +raise_py_error

        @staticmethod
        CppHuffmanTree from_counts(
            const int64_t* counts, size_t n_words) except +raise_py_error

        @staticmethod
        CppHuffmanTree fasttext(const int64_t* counts, size_t n_words) except +raise_py_error
        HuffmanView view() noexcept


cdef class HuffmanTree:
    cdef unique_ptr[CppHuffmanTree] _tree
    cdef HuffmanView view(self)
