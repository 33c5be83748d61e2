"""Doors to single steps of the engine, for the tests: nothing of the package calls them.

Where an instruction set is asked for, "double" stands for the twin in double precision. Arrays
are copied into padded rows and back, so they may be of any layout.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    AliasSampler, ByteFilterKernels, ByteVector, Chunk, ChunkResult, MatrixView, Model, Rng,
    SeenWords, Stretch, TrainingKernels, UniqueSampler, Workspace, atomic, kMaxChunkTokens,
    kRowAlignment, padded_columns, score_columns,
)
from pyw2v._core.full_output cimport FullOutput
from pyw2v._core.isa cimport double_kernels, kernels_named
from pyw2v._core.trainer import EpochResult

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


def alias_draws(weights, int n, uint64_t seed):
    """n draws by weight."""
    cdef vector[double] c_weights = weights
    cdef unique_ptr[AliasSampler] sampler
    cdef unique_ptr[Rng] rng
    cdef int32_t[::1] out = np.empty(n, np.int32)
    cdef int i
    sampler.reset(new AliasSampler(c_weights))
    rng.reset(new Rng(seed))
    for i in range(n):
        out[i] = sampler.get().draw(rng.get()[0])
    return np.asarray(out)


def unique_draws(weights, int k, int n, uint64_t seed):
    """n draws of k different words by weight, a row each."""
    cdef vector[double] c_weights = weights
    cdef unique_ptr[UniqueSampler] sampler
    cdef unique_ptr[SeenWords] seen
    cdef unique_ptr[Rng] rng
    cdef int32_t[:, ::1] out = np.empty((n, k), np.int32)
    cdef int i
    sampler.reset(new UniqueSampler(c_weights))
    seen.reset(new SeenWords(c_weights.size()))
    rng.reset(new Rng(seed))
    for i in range(n):
        sampler.get().draw(rng.get()[0], k, seen.get()[0], &out[i, 0])
    return np.asarray(out)


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


cdef MatrixView[Real] _view(Real[:, ::1] rows, int dim):
    return MatrixView[Real](&rows[0, 0], rows.shape[0], dim, rows.shape[1])


cdef ChunkResult _train(
    const TrainingKernels[Real]& kernels, Real[:, ::1] input, Real[:, ::1] output_ns,
    Real[:, ::1] output_hs, Real[:, ::1] input_ngrams, int dim, const AliasSampler* sampler,
    const UniqueSampler* unique, const Real[::1] shift, Real[::1] bias, Real[::1] log_z,
    huffman, settings,
) except *:
    cdef const int32_t[::1] tokens = settings["tokens"]
    cdef const int64_t[::1] ends = settings["ends"]
    cdef const int64_t[::1] offsets
    cdef const uint8_t[::1] codes
    cdef const int32_t[::1] points
    cdef const uint32_t[::1] keep = settings["keep"]
    cdef const float[::1] input_lock = settings["input_lock"]
    cdef const int64_t[::1] subword_offsets
    cdef const uint32_t[::1] subword_ids
    cdef const float[::1] ngrams_lock = settings["ngrams_lock"]
    cdef FullOutput full
    cdef atomic[cbool] stop
    stop.store(False)
    cdef Model[Real] model
    model.input = _view[Real](input, dim)
    sampled = settings["sampled"]
    if sampled is not None:
        model.sampled.output = _view[Real](output_ns, dim)
        model.sampled.sampler = sampler
        model.sampled.unique = unique
        if shift is not None:
            model.sampled.shift = &shift[0]
        if bias is not None:
            model.sampled.bias = &bias[0]
        if log_z is not None:
            model.sampled.log_z = &log_z[0]
        model.sampled.negative = settings["negative"]
        model.sampled.softmax = sampled.softmax
        model.sampled.remove_hits = sampled.remove_hits
        model.sampled.per_pair = sampled.per_pair
    elif output_ns is not None:
        model.ns.output = _view[Real](output_ns, dim)
        model.ns.sampler = sampler
        model.ns.negative = settings["negative"]
    if output_hs is not None:
        offsets, codes, points = huffman
        model.hs.output = _view[Real](output_hs, dim)
        model.hs.offsets = &offsets[0]
        model.hs.codes = &codes[0]
        model.hs.points = &points[0]
        model.hs.n_nodes = len(points)
        model.hs.max_path = int(np.diff(huffman[0]).max())
    if settings["full"] is not None:
        full = settings["full"]
        if Real is float:
            model.full = full.single
        else:
            model.full = full.double_
    if input_ngrams is not None:
        subword_offsets, subword_ids = settings["subwords"]
        model.subwords.rows = _view[Real](input_ngrams, dim)
        model.subwords.offsets = &subword_offsets[0]
        model.subwords.ids = &subword_ids[0]
        model.subwords.max_ids = int(np.diff(settings["subwords"][0]).max())
        if ngrams_lock is not None:
            model.subwords.lock = &ngrams_lock[0]
    if keep is not None:
        model.keep = &keep[0]
    if input_lock is not None:
        model.input_lock = &input_lock[0]
    model.skipgram = settings["sg"]
    model.window = settings["window"]
    model.shrink_windows = settings["shrink_windows"]
    model.average_context = settings["average_context"]
    model.average_gradient = settings["average_gradient"]
    model.track_loss = settings["track_loss"]

    cdef Stretch whole
    whole.end = tokens.shape[0]
    whole.ends = &ends[0]
    cdef Chunk chunk
    chunk.tokens = &tokens[0]
    chunk.stretches = &whole
    chunk.n_stretches = 1
    chunk.lr_begin = settings["lr_begin"]
    chunk.lr_end = settings["lr_end"]
    chunk.rng = Rng(settings["seed"], settings["epoch"], settings["index"])
    chunk.stop = &stop
    cdef unique_ptr[Workspace[Real]] work
    work.reset(new Workspace[Real](model))
    return kernels.train_chunk(model, chunk, work.get()[0])


def train_chunk(
    str isa, *, tokens, ends, input, output_ns=None, output_hs=None, huffman=None,
    noise_weights=None, keep=None, input_lock=None, negative=0, sg=True, window=5,
    shrink_windows=True, average_context=True, average_gradient=True, track_loss=True,
    lr_begin, lr_end, seed=0, epoch=0, index=0, input_ngrams=None, subwords=None, ngrams_lock=None,
    sampled=None,
    full=None,
):
    """One chunk of training. Changes the given matrices; returns an EpochResult.

    `sampled` is a SampledNoise, whose arrays have the precision of the kernels.
    """
    if not 0 < len(tokens) <= kMaxChunkTokens:
        raise ValueError(f"a chunk has 1 to {kMaxChunkTokens} tokens, got {len(tokens)}")
    settings = {
        "tokens": tokens, "ends": ends, "keep": keep, "input_lock": input_lock,
        "negative": negative, "sg": sg, "window": window, "shrink_windows": shrink_windows,
        "average_context": average_context, "average_gradient": average_gradient,
        "track_loss": track_loss, "lr_begin": lr_begin, "lr_end": lr_end, "seed": seed,
        "epoch": epoch, "index": index, "subwords": subwords, "ngrams_lock": ngrams_lock,
        "sampled": sampled,
        "full": full,
    }
    dtype = np.float64 if isa == "double" else np.float32
    dim = input.shape[1]
    matrices = (input, output_ns, output_hs, input_ngrams)
    rows = [None if matrix is None else padded(matrix, dtype) for matrix in matrices]
    cdef unique_ptr[AliasSampler] sampler
    cdef unique_ptr[UniqueSampler] unique
    cdef vector[double] weights
    if noise_weights is not None:
        weights = noise_weights
        sampler.reset(new AliasSampler(weights))
        if sampled is not None and sampled.unique:
            unique.reset(new UniqueSampler(weights))
    learnt = (None,) * 3 if sampled is None else (sampled.shift, sampled.bias, sampled.log_z)
    cdef ChunkResult result
    if isa == "double":
        result = _train[double](
            double_kernels().training, rows[0], rows[1], rows[2], rows[3], dim, sampler.get(),
            unique.get(), learnt[0], learnt[1], learnt[2], huffman, settings)
    else:
        result = _train[float](
            kernels_named(isa).training, rows[0], rows[1], rows[2], rows[3], dim, sampler.get(),
            unique.get(), learnt[0], learnt[1], learnt[2], huffman, settings)
    for matrix, new in zip(matrices, rows):
        if matrix is not None:
            matrix[:] = unpadded(new, dim)
    return EpochResult(result.loss, result.n_examples, result.n_words)
