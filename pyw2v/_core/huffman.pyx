"""Huffman coding of a vocabulary."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.utility cimport move
from libcpp.vector cimport vector

import numpy as np


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "objective/huffman.h" namespace "pyw2v" nogil:
    cdef cppclass HuffmanPaths:
        vector[int64_t] offsets
        vector[uint8_t] codes
        vector[int32_t] points
    HuffmanPaths huffman_paths(const int64_t* counts, size_t n_words) except +raise_py_error
    HuffmanPaths fasttext_paths(const int64_t* counts, size_t n_labels) except +raise_py_error


def huffman(const int64_t[::1] counts):
    """Paths of all words: offsets (n + 1), branches taken (0 or 1), inner nodes met.

    Word w's path, from the root, is entries offsets[w]:offsets[w + 1] of the other two.
    """
    cdef size_t n_words = counts.shape[0]
    cdef HuffmanPaths paths
    if n_words > 0:
        with nogil:
            paths = move(huffman_paths(&counts[0], n_words))
    else:
        paths.offsets.push_back(0)
    return _arrays(paths)


def fasttext_huffman(const int64_t[::1] counts):
    """The same for the labels of a fastText classifier, in the tree that fastText makes of them."""
    if counts.shape[0] == 0:
        raise ValueError("a tree needs at least one label, got none")
    return _arrays(fasttext_paths(&counts[0], <size_t>counts.shape[0]))


cdef _arrays(const HuffmanPaths& paths):
    return (
        _array(<const unsigned char*> paths.offsets.data(), paths.offsets.size() * 8, np.int64),
        _array(<const unsigned char*> paths.codes.data(), paths.codes.size(), np.uint8),
        _array(<const unsigned char*> paths.points.data(), paths.points.size() * 4, np.int32),
    )


cdef object _array(const unsigned char* data, size_t n_bytes, dtype):
    if n_bytes == 0:
        return np.empty(0, dtype)
    return np.frombuffer(<const unsigned char[:n_bytes]> data, dtype).copy()
