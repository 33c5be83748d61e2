"""Entry points to single steps of the engine, for the tests: nothing of the package calls them.

Where an instruction set is asked for, "double" stands for the twin in double precision. Arrays
are copied into padded rows and back, so they may be of any layout.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    ByteFilterKernels, ByteVector, Chunk, ChunkResult, Model, Rng, Stretch, TrainingKernels,
    Workspace, atomic, kMaxChunkTokens, kRowAlignment, padded_columns, score_columns,
)
from pyw2v._core.ids cimport TokenPos
from pyw2v._core.isa cimport double_kernels, kernels_named
from pyw2v._core.word_model cimport WordModel

from pyw2v._core.matrix import spread_copy
from pyw2v._core.runs import EpochResult

ctypedef fused Real:
    float
    double


def table_name(str isa):
    """The name that the kernel table found under `isa` bears itself."""
    return kernels_named(isa).name.decode()


def random_bits(uint64_t seed, uint64_t epoch, uint64_t chunk, int n):
    """The first n numbers of the generator of one chunk."""
    cdef unique_ptr[Rng] rng
    rng.reset(new Rng(seed, epoch, chunk))
    return np.array([rng.get().next() for _ in range(n)], np.uint64)


def byte_vector(const float[::1] x, int max_byte, int offset, str isa):
    """A vector in bytes, and the fields of ByteVector; None where no vector is filtered."""
    cdef const ByteFilterKernels* kernels = kernels_named(isa).byte_filter
    if kernels == NULL:
        return None
    cdef uint8_t[::1] out = np.full((x.shape[0] + 3) // 4 * 4 + 1, 0xEE, np.uint8)
    cdef ByteVector v = kernels.quantize(&x[0], <size_t>x.shape[0], max_byte, offset, &out[0])
    if out[out.shape[0] - 1] != 0xEE:
        raise AssertionError("wrote past the last group")
    fields = (v.unit, v.norm, v.byte_norm, v.residual, bool(v.representable))
    return np.asarray(out)[: out.shape[0] - 1], fields


def padded(array, dtype):
    """A copy in rows that begin on the kernels' boundaries, padded with zeros."""
    step = kRowAlignment // np.dtype(dtype).itemsize
    n_rows, dim = array.shape
    stride = -(-dim // step) * step
    memory = np.zeros(n_rows * stride + step, dtype)
    first = -memory.ctypes.data % kRowAlignment // memory.itemsize
    rows = memory[first:first + n_rows * stride].reshape(n_rows, stride)
    rows[:, :dim] = array
    return rows


def in_rows(matrix, str isa):
    """A copy of a matrix in the layout, and the precision, of the kernels."""
    if isa != "double":
        return spread_copy(matrix)
    return padded(matrix, np.float64)[:, :matrix.shape[1]]


def take_rows(matrix, rows):
    """Give a matrix the numbers of its copy, whose padding must still be zero."""
    whole = np.lib.stride_tricks.as_strided(
        rows, (len(rows), rows.strides[0] // rows.itemsize))
    matrix[:] = unpadded(whole, matrix.shape[1])


def unpadded(rows, dim):
    # What is not a number spreads to the padding too: NaN times zero is NaN.
    if np.isfinite(rows[:, :dim]).all() and rows[:, dim:].any():
        raise AssertionError("the padding of a row is no longer zero")
    return rows[:, :dim].copy()


def _row(values, n, dtype):
    out = np.zeros(n, dtype)
    out[:len(values)] = values
    return out


cdef double _step(
    const TrainingKernels[Real]& kernels, Real[:, ::1] x, const int64_t[::1] x_rows,
    Real[:, ::1] y, const int64_t[::1] y_rows, int dim, const Real[::1] labels,
    const Real[::1] mask, Real lr, Real[:, ::1] errors, Real[:, ::1] scratch,
) except *:
    cdef vector[Real*] x_pointers, y_pointers
    cdef Py_ssize_t i
    for i in range(x_rows.shape[0]):
        x_pointers.push_back(&x[x_rows[i], 0])
    for i in range(y_rows.shape[0]):
        y_pointers.push_back(&y[y_rows[i], 0])
    return kernels.block_step(
        x_pointers.data(), x_pointers.size(), y_pointers.data(), y_pointers.size(), dim,
        &labels[0], &mask[0], lr, &errors[0, 0], &scratch[0, 0],
    )


def block_step(x, y, labels, mask, double lr, str isa, x_rows=None, y_rows=None):
    """One block step on rows of x and y (all of them, in order, unless told).

    Returns the new x and y, the errors (one row per input) and the loss.
    """
    dtype = np.float64 if isa == "double" else np.float32
    dim = x.shape[1]
    x_ids = np.arange(len(x)) if x_rows is None else np.asarray(x_rows, np.int64)
    y_ids = np.arange(len(y)) if y_rows is None else np.asarray(y_rows, np.int64)
    n, m = len(x_ids), len(y_ids)
    columns = padded_columns(m)
    new_x, new_y = padded(x, dtype), padded(y, dtype)
    all_labels, all_mask = _row(labels, columns, dtype), _row(mask, columns, dtype)
    errors = np.zeros((n, score_columns(m)), dtype)
    scratch = padded(np.zeros((max(n, m), dim)), dtype)
    cdef double loss
    if isa == "double":
        loss = _step[double](
            double_kernels().training, new_x, x_ids, new_y, y_ids, dim, all_labels, all_mask, lr,
            errors, scratch)
    else:
        loss = _step[float](
            kernels_named(isa).training, new_x, x_ids, new_y, y_ids, dim, all_labels, all_mask, lr,
            errors, scratch)
    return unpadded(new_x, dim), unpadded(new_y, dim), errors[:, :m].copy(), loss


cdef ChunkResult _train(
    const TrainingKernels[Real]& kernels, const Model[Real]& model, const int32_t[::1] tokens,
    const int64_t[::1] ends, double lr_begin, double lr_end, tuple stream,
) except *:
    cdef atomic[cbool] stop
    stop.store(False)
    cdef Stretch whole
    whole.end = <TokenPos>tokens.shape[0]
    whole.ends = &ends[0]
    cdef Chunk chunk
    chunk.tokens = &tokens[0]
    chunk.stretches = &whole
    chunk.n_stretches = 1
    chunk.lr_begin = lr_begin
    chunk.lr_end = lr_end
    chunk.rng = Rng(stream[0], stream[1], stream[2])
    chunk.stop = &stop
    cdef unique_ptr[Workspace[Real]] work
    work.reset(new Workspace[Real](model))
    return kernels.train_chunk(model, chunk, work.get()[0])


_MATRICES = ("input", "output_ns", "output_hs", "input_ngrams")
_DEFAULTS = {
    "sg": True, "window": 5, "shrink_windows": True, "average_context": True,
    "average_gradient": True, "track_loss": True,
}


def train_chunk(
    str isa, *, tokens, ends, double lr_begin, double lr_end, seed=0, epoch=0, index=0, **model,
):
    """One chunk of training. Changes the given matrices; returns an EpochResult.

    `model` are the arguments of WordModel, whose arrays have the precision of the kernels.
    """
    if not 0 < len(tokens) <= kMaxChunkTokens:
        raise ValueError(f"a chunk has 1 to {kMaxChunkTokens} tokens, got {len(tokens)}")
    given = {name: model[name] for name in _MATRICES if model.get(name) is not None}
    copies = {name: in_rows(matrix, isa) for name, matrix in given.items()}
    cdef WordModel made = WordModel(**(_DEFAULTS | model | copies))
    stream = (seed, epoch, index)
    cdef ChunkResult result
    if isa == "double":
        result = _train[double](
            double_kernels().training, made.double_, tokens, ends, lr_begin, lr_end, stream)
    else:
        result = _train[float](
            kernels_named(isa).training, made.single, tokens, ends, lr_begin, lr_end, stream)
    for name, matrix in given.items():
        take_rows(matrix, copies[name])
    return EpochResult(result.loss, result.n_examples, result.n_words)
