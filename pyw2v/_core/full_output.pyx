"""An output that compares inputs with all words, or with classes: arrays in, what C++ reads out."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool

import numpy as np

from pyw2v._core.engine cimport (
    ClassTree, CppFullOutput, FullLoss, MatrixView, kRowAlignment,
)

LOSSES = ("softmax", "logistic", "classes")

ctypedef fused Real:
    float
    double


cdef MatrixView[Real] _rows(str name, array, size_t dim, Real zero) except *:
    """Rows on cache lines, with zeros between their ends and the next row's start."""
    if array.ndim != 2 or array.shape[1] != dim:
        raise ValueError(f"{name} must have rows of {dim} numbers, got shape {array.shape}")
    if (
        array.ctypes.data % kRowAlignment
        or array.strides[0] % kRowAlignment
        or array.strides[1] != array.itemsize
        or array.strides[0] < dim * array.itemsize
    ):
        raise ValueError(f"{name} must have rows that start on cache lines, as matrix.spread's")
    cdef size_t stride = array.strides[0] // array.itemsize
    return MatrixView[Real](<Real*> <size_t> array.ctypes.data, array.shape[0], dim, stride)


cdef Real* _bias(str name, array, n, Real zero) except? NULL:
    if array is None:
        return NULL
    if array.shape != (n,) or not array.flags.c_contiguous:
        raise ValueError(f"{name} must hold {n} numbers in a row, got shape {array.shape}")
    return <Real*> <size_t> array.ctypes.data


cdef int _fill(
    CppFullOutput[Real]* full, words, nodes, word_bias, node_bias, Real zero
) except -1:
    full.words = _rows[Real]("words", words, words.shape[1], zero)
    full.word_bias = _bias[Real]("word_bias", word_bias, words.shape[0], zero)
    if nodes is not None:
        full.nodes = _rows[Real]("nodes", nodes, words.shape[1], zero)
        full.node_bias = _bias[Real]("node_bias", node_bias, nodes.shape[0], zero)
    return 0


cdef FullLoss _loss(str name) except *:
    if name == "softmax":
        return FullLoss.kSoftmax
    if name == "logistic":
        return FullLoss.kLogistic
    if name == "classes":
        return FullLoss.kClasses
    raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {name!r}")


def _check_bands(ends, widths, n_words, dim):
    if (
        len(ends) < 1
        or len(ends) != len(widths)
        or ends[len(ends) - 1] != n_words
        or ends[0] < 1
        or (np.diff(ends) <= 0).any()
        or widths.min() < 1
        or widths.max() > dim
    ):
        raise ValueError(
            f"bands must have ends that rise to {n_words} and as many widths from 1 to {dim}, "
            f"got {ends.tolist()} and {widths.tolist()}"
        )


def _check_tree(depth, n_inner, offsets, members, path_groups, path_places, n_words, n_nodes):
    """Kernels follow the tree without a further look: every index must be in range."""
    n_groups = len(offsets) - 1
    sizes = np.diff(offsets)
    if depth < 2 or n_groups != n_nodes + 1 or not 1 <= n_inner < n_groups or (
        offsets[0] != 0 or offsets[n_groups] != len(members) or (sizes < 0).any()
    ):
        raise ValueError("the groups of the class tree do not fit its nodes")
    split = offsets[n_inner]
    inner, outer = members[:split], members[split:]
    if len(inner) != n_nodes or len(outer) != n_words or (
        not np.array_equal(np.sort(inner), np.arange(n_nodes))
        or not np.array_equal(inner[:offsets[1]], np.arange(offsets[1]))
        or not np.array_equal(np.sort(outer), np.arange(n_words))
    ):
        raise ValueError("the class tree must hold every node and every word once")
    if len(path_groups) != n_words * depth or len(path_places) != n_words * depth:
        raise ValueError(f"the class tree must have {depth} steps for each of {n_words} words")
    if path_groups.min() < 0 or path_groups.max() >= n_groups or (
        (path_groups[::depth] != 0).any()
        or path_places.min() < 0
        or (path_places >= sizes[path_groups]).any()
    ):
        raise ValueError("the paths of the class tree leave its groups")


# See Run: what C++ points into must outlive its workers.
@cython.no_gc_clear
cdef class FullOutput:
    """Borrowed arrays of an output; see csrc/kernel_data/full_model.h for what they mean."""

    def __cinit__(
        self, str loss, words, *, nodes=None, word_bias=None, node_bias=None,
        double self_norm=0.0, bands=None, tree=None, cbool update=True,
    ):
        given = [array for array in (words, nodes, word_bias, node_bias) if array is not None]
        self.dtype = words.dtype
        if self.dtype not in (np.float32, np.float64) or any(
            array.dtype != self.dtype for array in given
        ):
            raise ValueError("the arrays of an output must all be float32 or all float64")
        if update and not all(array.flags.writeable for array in given):
            raise ValueError("the arrays of an output must be writeable, to train them")
        if not len(words):
            raise ValueError("the vocabulary must hold at least one word, got none")
        self.shape = words.shape
        self.single.loss = self.double_.loss = _loss(loss)
        self.single.self_norm = self.double_.self_norm = self_norm
        self.single.update = self.double_.update = update
        if self.dtype == np.float32:
            _fill[float](&self.single, words, nodes, word_bias, node_bias, 0)
        else:
            _fill[double](&self.double_, words, nodes, word_bias, node_bias, 0)
        cdef const int32_t[::1] ends, widths
        if bands is not None:
            ends, widths = bands = [np.ascontiguousarray(part, np.int32) for part in bands]
            _check_bands(*bands, *words.shape)
            self.single.bands.n = self.double_.bands.n = len(ends)
            self.single.bands.ends = self.double_.bands.ends = &ends[0]
            self.single.bands.widths = self.double_.bands.widths = &widths[0]
        if (loss == "classes") != (tree is not None and nodes is not None):
            raise ValueError("classes need a tree and its nodes, and other losses neither")
        if tree is not None:
            self._set_tree(tree, len(words), len(nodes))
        self._alive = (given, bands, tree)

    cdef object _set_tree(self, tree, n_words, n_nodes):
        _check_tree(*tree, n_words, n_nodes)
        depth, n_inner, offsets, members, path_groups, path_places = tree
        cdef const int64_t[::1] offset_view = offsets
        cdef const int32_t[::1] member_view = members
        cdef const int32_t[::1] group_view = path_groups
        cdef const int32_t[::1] place_view = path_places
        cdef ClassTree made
        made.depth = depth
        made.n_inner = n_inner
        made.n_groups = len(offsets) - 1
        made.max_group = int(np.diff(offsets).max())
        made.offsets = &offset_view[0]
        made.members = &member_view[0]
        made.path_groups = &group_view[0]
        made.path_places = &place_view[0]
        self.single.tree = self.double_.tree = made
