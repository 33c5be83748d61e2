"""An entry point to steps of the classifier's kernels, for the tests, as probe is to the others."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr

import numpy as np

from pyw2v._core.engine cimport (
    ChunkResult, ClassifierKernels, ClassifierModel, ClassifierWork, LabelledLines, Rng, atomic,
)
from pyw2v._core.isa cimport double_kernels, kernels_named
from pyw2v._core.line_model cimport LineModel

from pyw2v._core.probe import in_rows, take_rows
from pyw2v._core.runs import EpochResult

ctypedef fused Real:
    float
    double


cdef ChunkResult _train(
    const ClassifierKernels[Real]& kernels, const ClassifierModel[Real]& model, settings,
) except *:
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
        "seed": seed,
        "rows": np.concatenate(features).astype(np.uint32),
        "row_ends": np.cumsum([len(rows) for rows in features], dtype=np.int64),
        "labels": np.concatenate(labels).astype(np.int32),
        "label_ends": np.cumsum([len(some) for some in labels], dtype=np.int64),
        "lr": np.full(len(features), lr, np.float64),
    }
    new_input, new_output = in_rows(input, isa), in_rows(output, isa)
    cdef LineModel model = LineModel(
        input=new_input, output=new_output, loss=loss, n_labels=len(output), negative=negative,
        noise_weights=noise_weights, huffman=huffman, class_weights=class_weights)
    cdef ChunkResult result
    if isa == "double":
        result = _train[double](double_kernels().classifier, model.double_, settings)
    else:
        result = _train[float](kernels_named(isa).classifier, model.single, settings)
    take_rows(input, new_input)
    take_rows(output, new_output)
    return EpochResult(result.loss, result.n_examples, result.n_words)
