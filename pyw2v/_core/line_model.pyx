"""A text classifier as the kernels see it, made of borrowed arrays and settings."""

cimport cython
from libcpp cimport bool as cbool

import numpy as np

from pyw2v._core.borrow cimport Real, numbers, rows
from pyw2v._core.engine cimport ClassifierLoss, ClassifierModel, raise_py_error
from pyw2v._core.huffman cimport HuffmanTree
from pyw2v._core.sampler cimport AliasSampler


cdef extern from "train/line_settings.h" namespace "pyw2v" nogil:
    void check_model[T](const ClassifierModel[T]& model) except +raise_py_error


cdef ClassifierLoss loss_named(str name) except *:
    if name == "softmax":
        return ClassifierLoss.kSoftmax
    if name == "hs":
        return ClassifierLoss.kHierarchical
    if name == "ns":
        return ClassifierLoss.kNegative
    if name == "ova":
        return ClassifierLoss.kOneVsAll
    raise ValueError(f"loss must be 'softmax', 'hs', 'ns' or 'ova', got {name!r}")


cdef int _fill(
    ClassifierModel[Real]* model, input, output, HuffmanTree huffman, class_weights, Real zero
) except -1:
    model.input = rows[Real]("input", input, -1, input.shape[1], zero)
    model.output = rows[Real]("output", output, -1, output.shape[1], zero)
    if len(input) < 1 or len(output) < model.n_labels:
        raise ValueError(
            f"input must have at least 1 row and output {model.n_labels}, got {len(input)} and "
            f"{len(output)}"
        )
    model.class_weights = numbers[float]("class_weights", class_weights, model.n_labels)
    if huffman is not None:
        model.hs.tree = huffman.view()
    check_model(model[0])
    return 0


# See Run: what C++ points into must outlive its workers.
@cython.no_gc_clear
cdef class LineModel:
    """What a run trains, or a probe of the tests; see csrc/kernel_data/classifier_model.h.

    Matrices are float32 as matrix.spread lays them, or float64 as probe.padded does. Loss "ns"
    needs `noise_weights`, "hs" `huffman`. With `unlabelled` lines without labels are examples of
    none (loss "ova" only), else they are passed over.
    """

    def __cinit__(
        self, *, input, output, str loss, int n_labels, int negative=5, noise_weights=None,
        HuffmanTree huffman=None, class_weights=None, cbool unlabelled=False,
    ):
        self.n_rows = len(input)
        self.n_labels = n_labels
        self.dtype = input.dtype
        if loss == "ns":
            numbers[double]("noise_weights", noise_weights, n_labels)
            self._sampler = AliasSampler(noise_weights)
            self.single.ns.sampler = self.double_.ns.sampler = self._sampler.get()
        if loss == "hs" and huffman is None:
            raise ValueError("loss 'hs' needs huffman, the paths of all labels, got None")
        if loss != "hs":
            huffman = None
        self.single.loss = self.double_.loss = loss_named(loss)
        self.single.n_labels = self.double_.n_labels = n_labels
        self.single.ns.negative = self.double_.ns.negative = negative
        self.single.learns_from_unlabelled = self.double_.learns_from_unlabelled = unlabelled
        if self.dtype == np.float32:
            _fill[float](&self.single, input, output, huffman, class_weights, 0)
        else:
            _fill[double](&self.double_, input, output, huffman, class_weights, 0)
        self._alive = (input, output, huffman, class_weights)
