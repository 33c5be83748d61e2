"""A model of word vectors as the kernels see it, made of borrowed arrays and settings."""

from collections import namedtuple

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libcpp cimport bool as cbool

import numpy as np

from pyw2v._core.borrow cimport Real, learnt, numbers, rows
from pyw2v._core.engine cimport (
    CppFullOutput, HuffmanView, MatrixView, Model, SampledOutput, raise_py_error,
)
from pyw2v._core.full_output cimport FullOutput
from pyw2v._core.huffman cimport HuffmanTree
from pyw2v._core.sampler cimport AliasSampler, CppAliasSampler, UniqueSampler


cdef extern from "train/word_settings.h" namespace "pyw2v" nogil:
    cdef cppclass WordSettings[T]:
        MatrixView[T] input
        const float* input_lock
        const uint32_t* keep
        MatrixView[T] ngrams
        const int64_t* ngram_offsets
        const uint32_t* ngram_ids
        size_t n_ngram_ids
        const float* ngram_lock
        MatrixView[T] word_output
        const CppAliasSampler* sampler
        int negative
        const SampledOutput[T]* drawn
        MatrixView[T] node_output
        HuffmanView tree
        CppFullOutput[T] full
        cbool skipgram
        int window
        cbool shrink_windows
        cbool average_context
        cbool average_gradient
        cbool track_loss
    Model[T] make_model[T](const WordSettings[T]& given) except +raise_py_error


# What sampled objectives have beyond classic negative sampling: SampledOutput in
# csrc/kernel_data/model.h. Arrays are borrowed; `bias` and `log_z` are learnt.
SampledNoise = namedtuple(
    "SampledNoise",
    ["unique", "shift", "bias", "log_z", "softmax", "remove_hits", "per_pair"],
    module=__name__,
)


cdef int _set_inputs(
    WordSettings[Real]* made, input, input_lock, keep, subwords, input_ngrams, ngrams_lock,
    Real zero,
) except -1:
    n_words, dim = input.shape
    made.input = rows[Real]("input", input, n_words, dim, zero)
    made.input_lock = numbers[float]("input_lock", input_lock, n_words, "factors")
    made.keep = numbers[uint32_t]("keep", keep, n_words, "thresholds")
    if subwords is None:
        return 0
    if input_ngrams is None:
        raise ValueError("subwords need input_ngrams, the rows of n-grams, got None")
    offsets, ids = subwords
    n_buckets = len(input_ngrams)
    if len(offsets) != n_words + 1:
        raise ValueError(f"subwords must have {n_words + 1} offsets, got {len(offsets)}")
    made.ngrams = rows[Real]("input_ngrams", input_ngrams, n_buckets, dim, zero)
    made.ngram_offsets = numbers[int64_t]("offsets", offsets, n_words + 1)
    made.ngram_ids = numbers[uint32_t]("ids", ids, len(ids))
    made.n_ngram_ids = len(ids)
    made.ngram_lock = numbers[float]("ngrams_lock", ngrams_lock, n_buckets, "factors")
    return 0


cdef int _set_drawn(SampledOutput[Real]* drawn, sampled, n_words, Real zero) except -1:
    drawn.shift = numbers[Real]("shift", sampled.shift, n_words)
    drawn.bias = learnt[Real]("bias", sampled.bias, n_words)
    drawn.log_z = learnt[Real]("log_z", sampled.log_z, 1)
    drawn.softmax = sampled.softmax
    drawn.remove_hits = sampled.remove_hits
    drawn.per_pair = sampled.per_pair
    return 0


cdef int _set_paths(
    WordSettings[Real]* made, output_hs, HuffmanTree huffman, dim, Real zero
) except -1:
    if huffman is None:
        raise ValueError("output_hs needs huffman, the paths of all words, got None")
    made.node_output = rows[Real]("output_hs", output_hs, -1, dim, zero)
    made.tree = huffman.view()
    return 0


# See Run: what C++ points into must outlive its workers.
@cython.no_gc_clear
cdef class WordModel:
    """What a run trains, or a probe of the tests; the meaning is in csrc/kernel_data/model.h.

    Matrices are float32 as matrix.spread lays them, or float64 as probe.padded does. `output_ns`
    with `noise_weights` is for words against drawn ones (`sampled`: other than classic negative
    sampling), `output_hs` with `huffman` for paths, `full` for all words at once.
    """

    def __cinit__(
        self, *, input, input_lock=None, keep=None, subwords=None, input_ngrams=None,
        ngrams_lock=None, output_ns=None, int negative=0, noise_weights=None, sampled=None,
        output_hs=None, HuffmanTree huffman=None, FullOutput full=None, sg, window, shrink_windows,
        average_context, average_gradient, track_loss,
    ):
        self.n_words = len(input)
        if self.n_words < 1:
            raise ValueError("the vocabulary must hold at least one word, got none")
        self.dtype = input.dtype
        if full is not None and (full.dtype != self.dtype or full.shape != input.shape):
            raise ValueError(
                f"full must be a {self.dtype} output of shape {input.shape}, got {full.dtype} "
                f"{full.shape}"
            )
        inputs = (input, input_lock, keep, subwords, input_ngrams, ngrams_lock)
        drawn = output_ns is not None and negative > 0
        if drawn:
            numbers[double]("noise_weights", noise_weights, self.n_words)
            self._sampler = AliasSampler(noise_weights)
            if sampled is not None and sampled.unique:
                self._unique = UniqueSampler(noise_weights)
        outputs = (output_ns if drawn else None, negative, sampled, output_hs, huffman)
        settings = (sg, window, shrink_windows, average_context, average_gradient, track_loss)
        if self.dtype == np.float32:
            self.single = _made[float](
                self._sampler, self._unique, inputs, outputs, full, settings, 0)
        else:
            self.double_ = _made[double](
                self._sampler, self._unique, inputs, outputs, full, settings, 0)
        self._alive = (inputs, outputs, full)


cdef Model[Real] _made(
    AliasSampler sampler, UniqueSampler unique, tuple inputs, tuple outputs, FullOutput full,
    tuple settings, Real zero,
) except *:
    cdef WordSettings[Real] made
    cdef SampledOutput[Real] drawn
    input, input_lock, keep, subwords, input_ngrams, ngrams_lock = inputs
    output_ns, negative, sampled, output_hs, huffman = outputs
    n_words, dim = input.shape
    _set_inputs[Real](
        &made, input, input_lock, keep, subwords, input_ngrams, ngrams_lock, zero)
    made.word_output = rows[Real]("output_ns", output_ns, n_words, dim, zero)
    if sampler is not None:
        made.sampler = sampler.get()
    made.negative = negative
    if sampled is not None:
        _set_drawn[Real](&drawn, sampled, n_words, zero)
        if unique is not None:
            drawn.unique = unique.get()
        made.drawn = &drawn
    if output_hs is not None:
        _set_paths[Real](&made, output_hs, huffman, dim, zero)
    if full is not None:
        if Real is float:
            made.full = full.single
        else:
            made.full = full.double_
    (
        made.skipgram, made.window, made.shrink_windows, made.average_context,
        made.average_gradient, made.track_loss,
    ) = settings
    return make_model(made)
