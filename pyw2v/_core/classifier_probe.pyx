"""A door to single steps of the classifier's kernels, for the tests, as probe is to the others."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    AliasSampler, ChunkResult, ClassifierKernels, ClassifierLoss, ClassifierModel, ClassifierWork,
    LabelledLines, MatrixView, Rng, atomic,
)
from pyw2v._core.isa cimport double_kernels, kernels_named

from pyw2v._core.probe import padded, unpadded
from pyw2v._core.trainer import EpochResult

ctypedef fused Real:
    float
    double


cdef MatrixView[Real] _view(Real[:, ::1] rows, int dim):
    return MatrixView[Real](&rows[0, 0], rows.shape[0], dim, rows.shape[1])


cdef ChunkResult _train(
    const ClassifierKernels[Real]& kernels, Real[:, ::1] input, Real[:, ::1] output, int dim,
    const AliasSampler* sampler, huffman, settings,
) except *:
    cdef ClassifierModel[Real] model
    cdef const int64_t[::1] offsets
    cdef const uint8_t[::1] codes
    cdef const int32_t[::1] points
    cdef const float[::1] class_weights
    model.input = _view[Real](input, dim)
    model.output = _view[Real](output, dim)
    model.n_labels = settings["n_labels"]
    model.loss = <ClassifierLoss><int>["softmax", "hs", "ns", "ova"].index(settings["loss"])
    model.ns.sampler = sampler
    model.ns.negative = settings["negative"]
    if huffman is not None:
        offsets, codes, points = huffman
        model.hs.offsets = &offsets[0]
        model.hs.codes = &codes[0]
        model.hs.points = &points[0]
        model.hs.max_path = int(np.diff(huffman[0]).max())
    if settings["class_weights"] is not None:
        class_weights = settings["class_weights"]
        model.class_weights = &class_weights[0]

    cdef const uint32_t[::1] rows = settings["rows"]
    cdef const int64_t[::1] row_ends = settings["row_ends"]
    cdef const int32_t[::1] labels = settings["labels"]
    cdef const int64_t[::1] label_ends = settings["label_ends"]
    cdef const double[::1] lr = settings["lr"]
    cdef atomic[cbool] stop
    stop.store(False)
    cdef LabelledLines lines
    lines.n_lines = row_ends.shape[0]
    lines.rows = &rows[0]
    lines.row_ends = &row_ends[0]
    lines.labels = &labels[0]
    lines.label_ends = &label_ends[0]
    lines.lr = &lr[0]
    lines.rng = Rng(settings["seed"], 0, 0)
    lines.stop = &stop
    cdef unique_ptr[ClassifierWork[Real]] work
    work.reset(new ClassifierWork[Real](model))
    return kernels.train_lines(model, lines, work.get()[0])


def train_lines(
    str isa, *, features, labels, input, output, loss, lr, negative=5, noise_weights=None,
    huffman=None, class_weights=None, seed=0,
):
    """Train on lines, given as lists of rows and of labels. Changes input and output."""
    settings = {
        "loss": loss, "negative": negative, "class_weights": class_weights, "seed": seed,
        "n_labels": len(output),
        "rows": np.concatenate(features).astype(np.uint32),
        "row_ends": np.cumsum([len(rows) for rows in features], dtype=np.int64),
        "labels": np.concatenate(labels).astype(np.int32),
        "label_ends": np.cumsum([len(some) for some in labels], dtype=np.int64),
        "lr": np.full(len(features), lr, np.float64),
    }
    dtype = np.float64 if isa == "double" else np.float32
    dim = input.shape[1]
    new_input, new_output = padded(input, dtype), padded(output, dtype)
    cdef unique_ptr[AliasSampler] sampler
    cdef vector[double] weights
    if noise_weights is not None:
        weights = noise_weights
        sampler.reset(new AliasSampler(weights))
    cdef ChunkResult result
    if isa == "double":
        result = _train[double](
            double_kernels().classifier, new_input, new_output, dim, sampler.get(), huffman,
            settings)
    else:
        result = _train[float](
            kernels_named(isa).classifier, new_input, new_output, dim, sampler.get(), huffman,
            settings)
    input[:] = unpadded(new_input, dim)
    output[:] = unpadded(new_output, dim)
    return EpochResult(result.loss, result.n_examples, result.n_words)
