"""Huffman coding of a vocabulary: frequent words get short paths."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.utility cimport move

import numpy as np

from pyw2v._core.engine cimport HuffmanView
from pyw2v._core.memory cimport lend

_NO_COUNTS = np.empty(0, np.int64)


cdef class HuffmanTree:
    """The paths from the root of a Huffman tree to all words, which never change.

    HuffmanTree(counts) takes int64 counts in any order; among equals a word comes before an inner
    node, which keeps the longest path as short as it can be. HuffmanTree.fasttext(counts) is the
    tree of word2vec.c and fastText to the last tie, HuffmanTree.from_paths one made elsewhere.

    The path of word w, from the root down, is entries offsets[w]:offsets[w + 1] of `codes`, the
    branches taken (0 or 1), and of `points`, the inner nodes met: 0 to n_words - 2, the root being
    the last. The arrays are read-only views that keep the tree alive.
    """

    def __cinit__(self, const int64_t[::1] counts not None):
        cdef size_t n_words = counts.shape[0]
        cdef const int64_t* first = &counts[0] if n_words else NULL
        with nogil:
            self._tree.reset(new CppHuffmanTree(
                move(CppHuffmanTree.from_counts(first, n_words))))

    @staticmethod
    def fasttext(const int64_t[::1] counts not None):
        """The tree that word2vec.c and fastText make of these counts, which should fall."""
        cdef size_t n_words = counts.shape[0]
        if n_words == 0:
            raise ValueError("a tree needs at least one label, got none")
        cdef HuffmanTree tree = HuffmanTree(_NO_COUNTS)
        with nogil:
            tree._tree.reset(new CppHuffmanTree(
                move(CppHuffmanTree.fasttext(&counts[0], n_words))))
        return tree

    @staticmethod
    def from_paths(
        const int64_t[::1] offsets not None, const uint8_t[::1] codes not None,
        const int32_t[::1] points not None,
    ):
        """A tree of copies of these arrays; ValueError if they cannot be paths."""
        return _tree_from(offsets, codes, points)

    cdef HuffmanView view(self):
        return self._tree.get().view()

    @property
    def n_words(self):
        """How many words have a path."""
        return self._tree.get().view().n_words

    @property
    def max_length(self):
        """The length of the longest path."""
        return self._tree.get().view().max_length

    @property
    def offsets(self):
        """Where each path begins, and where the last one ends: int64, n_words + 1."""
        cdef HuffmanView view = self._tree.get().view()
        n_bytes = (view.n_words + 1) * sizeof(int64_t)
        return np.frombuffer(lend(self, view.offsets, n_bytes), np.int64)

    @property
    def codes(self):
        """The branches taken, uint8, path after path."""
        cdef HuffmanView view = self._tree.get().view()
        return np.frombuffer(lend(self, view.codes, view.n_entries), np.uint8)

    @property
    def points(self):
        """The inner nodes met, int32, path after path."""
        cdef HuffmanView view = self._tree.get().view()
        n_bytes = view.n_entries * sizeof(int32_t)
        return np.frombuffer(lend(self, view.points, n_bytes), np.int32)

    def path(self, Py_ssize_t word):
        """The codes and the points of one word."""
        cdef HuffmanView view = self._tree.get().view()
        if not 0 <= word < view.n_words:
            raise IndexError(f"there is no word {word}: there are {view.n_words}")
        entries = slice(view.offsets[word], view.offsets[word + 1])
        return self.codes[entries], self.points[entries]

    def __reduce__(self):
        return HuffmanTree.from_paths, (self.offsets, self.codes, self.points)

    def __repr__(self):
        return f"HuffmanTree(n_words={self.n_words}, max_length={self.max_length})"


cdef HuffmanTree _tree_from(
    const int64_t[::1] offsets, const uint8_t[::1] codes, const int32_t[::1] points,
):
    cdef vector[int64_t] c_offsets
    cdef vector[uint8_t] c_codes
    cdef vector[int32_t] c_points
    if offsets.shape[0]:
        c_offsets.assign(&offsets[0], &offsets[0] + offsets.shape[0])
    if codes.shape[0]:
        c_codes.assign(&codes[0], &codes[0] + codes.shape[0])
    if points.shape[0]:
        c_points.assign(&points[0], &points[0] + points.shape[0])
    cdef HuffmanTree tree = HuffmanTree(_NO_COUNTS)
    tree._tree.reset(new CppHuffmanTree(move(c_offsets), move(c_codes), move(c_points)))
    return tree
