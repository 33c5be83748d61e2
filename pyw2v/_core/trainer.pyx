"""The training engine: borrows NumPy arrays, runs epochs on its own threads."""

from collections import namedtuple

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    AliasSampler, ChunkResult, KernelTable, MatrixView, Model, UniqueSampler, padded_stride,
    raise_py_error, unigram_weights,
)
from pyw2v._core.full_output cimport FullOutput
from pyw2v._core.isa cimport kernels_named
from pyw2v._core.isa import isa
from pyw2v._core.matrix import is_spread


cdef extern from "train/trainer.h" namespace "pyw2v" nogil:
    cdef cppclass Corpus:
        const int32_t* tokens
        const int64_t* ends
        size_t n_sentences
    cdef cppclass Schedule:
        double lr_start
        double lr_end
        double n_epochs
        double tokens_per_epoch
        uint64_t seed
        int n_workers
    cdef cppclass CppTrainer "pyw2v::Trainer":
        CppTrainer(const KernelTable& kernels, const Model[float]& model, const Corpus& corpus,
                   const Schedule& schedule) except +raise_py_error
        void start(int epoch) except +raise_py_error
        cbool wait(double seconds) except +raise_py_error
        void stop() noexcept
        ChunkResult finish() except +raise_py_error
        int64_t tokens_done() noexcept


EpochResult = namedtuple("EpochResult", ["loss", "examples", "words_trained"])

# What sampled objectives have beyond the familiar negative sampling: SampledOutput in
# csrc/models/model.h. Arrays are borrowed; `bias` and `log_z` are learnt.
SampledNoise = namedtuple(
    "SampledNoise",
    ["unique", "shift", "bias", "log_z", "softmax", "remove_hits", "per_pair"],
)


def _check_length(name, array, length):
    if array is not None and len(array) != length:
        raise ValueError(f"{name} must hold {length} numbers, got {len(array)}")


cdef MatrixView[float] _matrix(name, array, n_rows, dim) except *:
    if not is_spread(array) or array.shape != (n_rows, dim):
        raise ValueError(
            f"{name} must be a float32 matrix of shape ({n_rows}, {dim}) as matrix.spread returns "
            f"it, got {array.dtype} {array.shape}"
        )
    cdef float[:, :] view = array
    return MatrixView[float](&view[0, 0], n_rows, dim, padded_stride[float](dim))


def _ids_in_range(tokens, n_words):
    """Whether every token names a word: kernels index by them without a further check."""
    step = 1 << 22
    return all(
        int(part.min()) >= 0 and int(part.max()) < n_words
        for part in (tokens[at:at + step] for at in range(0, len(tokens), step))
    )


def _check_subwords(offsets, ids, n_words, n_buckets):
    if (
        len(offsets) != n_words + 1
        or offsets[0] != 0
        or offsets[n_words] != len(ids)
        or (np.diff(offsets) < 0).any()
    ):
        raise ValueError(f"subwords must have {n_words + 1} offsets that rise to {len(ids)}")
    if len(ids) and int(ids.max()) >= n_buckets:
        raise ValueError(f"ids of subwords must be below {n_buckets}, got {int(ids.max())}")


# The garbage collector must not clear the arrays while workers still write to them.
@cython.no_gc_clear
cdef class Trainer:
    """One call to train(): epochs are started, waited for and finished one by one."""

    cdef unique_ptr[CppTrainer] _trainer
    cdef unique_ptr[AliasSampler] _sampler
    cdef unique_ptr[UniqueSampler] _unique
    cdef object _alive  # the arrays that C++ points into

    def __cinit__(
        self, *, tokens, ends, keep, counts, input, output_ns=None, output_hs=None, huffman=None,
        sg, int negative, double ns_exponent, int window, shrink_windows, cbow_mean, str cbow_grad,
        double lr_start, double lr_end, double epochs, double total_tokens, seed, int workers,
        compute_loss, input_lock=None, subwords=None, input_ngrams=None, ngrams_lock=None,
        noise_weights=None, sampled=None,
        FullOutput full=None,
    ):
        n_words, dim = input.shape
        if n_words < 1:
            raise ValueError("the vocabulary must hold at least one word, got none")
        if cbow_grad not in ("sum", "mean"):
            raise ValueError(f"cbow_grad must be 'sum' or 'mean', got {cbow_grad!r}")
        if window < 1 or epochs < 1 or workers < 1 or negative < 0:
            raise ValueError(
                "window, epochs and workers must be at least 1 and negative at least 0, got "
                f"{window}, {epochs:g}, {workers} and {negative}"
            )
        if output_hs is None and (output_ns is None or negative == 0) and full is None:
            raise ValueError("training needs negative sampling or hierarchical softmax, got none")
        if full is not None and (full.dtype != np.float32 or full.shape != (n_words, dim)):
            raise ValueError(
                f"full must be a float32 output of shape ({n_words}, {dim}), got {full.dtype} "
                f"{full.shape}"
            )

        cdef const int32_t[::1] token_view = tokens
        cdef const int64_t[::1] end_view = ends
        cdef const int64_t[::1] count_view = counts
        cdef const uint32_t[::1] keep_view
        cdef const float[::1] lock_view
        cdef const int64_t[::1] subword_offsets
        cdef const uint32_t[::1] subword_ids
        cdef const float[::1] ngrams_lock_view
        cdef const float[::1] shift_view
        cdef float[::1] bias_view, log_z_view
        cdef vector[double] weights
        cdef const int64_t[::1] offset_view
        cdef const uint8_t[::1] code_view
        cdef const int32_t[::1] point_view
        if len(counts) != n_words:
            raise ValueError(f"counts must hold {n_words} numbers, got {len(counts)}")
        if not _ids_in_range(np.asarray(tokens), n_words):
            raise ValueError(f"token ids must be from 0 to {n_words - 1}")
        last = len(ends) - 1
        if last >= 0 and (
            ends[last] != len(tokens) or ends[0] < 0 or (ends[1:] < ends[:last]).any()
        ):
            raise ValueError(f"sentence ends must rise to {len(tokens)}, the number of tokens")

        cdef Model[float] model
        model.input = _matrix("input", input, n_words, dim)
        if output_ns is not None and negative > 0:
            if noise_weights is None:
                weights = unigram_weights(&count_view[0], n_words, ns_exponent)
            else:
                _check_length("noise_weights", noise_weights, n_words)
                weights = noise_weights
            self._sampler.reset(new AliasSampler(weights))
            if sampled is None:
                model.ns.output = _matrix("output_ns", output_ns, n_words, dim)
                model.ns.sampler = self._sampler.get()
                model.ns.negative = negative
            else:
                model.sampled.output = _matrix("output_ns", output_ns, n_words, dim)
                model.sampled.sampler = self._sampler.get()
                model.sampled.negative = negative
                if sampled.unique:
                    if negative >= n_words:
                        raise ValueError(
                            f"at most {n_words - 1} unique words can be drawn, got {negative}"
                        )
                    self._unique.reset(new UniqueSampler(weights))
                    model.sampled.unique = self._unique.get()
                _check_length("shift", sampled.shift, n_words)
                _check_length("bias", sampled.bias, n_words)
                _check_length("log_z", sampled.log_z, 1)
                if sampled.shift is not None:
                    shift_view = sampled.shift
                    model.sampled.shift = &shift_view[0]
                if sampled.bias is not None:
                    bias_view = sampled.bias
                    model.sampled.bias = &bias_view[0]
                if sampled.log_z is not None:
                    log_z_view = sampled.log_z
                    model.sampled.log_z = &log_z_view[0]
                model.sampled.softmax = sampled.softmax
                model.sampled.remove_hits = sampled.remove_hits
                model.sampled.per_pair = sampled.per_pair
        if output_hs is not None:
            if huffman is None:
                raise ValueError("output_hs needs huffman, the paths of all words, got None")
            offset_view, code_view, point_view = huffman
            model.hs.output = _matrix("output_hs", output_hs, len(output_hs), dim)
            if (
                len(offset_view) != n_words + 1
                or offset_view[0] != 0
                or offset_view[n_words] != len(code_view)
                or len(code_view) != len(point_view)
                or (len(point_view) and not _ids_in_range(np.asarray(huffman[2]), len(output_hs)))
                or (np.diff(huffman[0]) < 0).any()
            ):
                raise ValueError("huffman paths do not fit the vocabulary and output_hs")
            model.hs.offsets = &offset_view[0]
            if len(code_view):
                model.hs.codes = &code_view[0]
                model.hs.points = &point_view[0]
            model.hs.n_nodes = len(point_view)
            model.hs.max_path = int(np.diff(huffman[0]).max())
        if full is not None:
            model.full = full.single
        if keep is not None:
            keep_view = keep
            if len(keep) != n_words:
                raise ValueError(f"keep must hold {n_words} thresholds, got {len(keep)}")
            model.keep = &keep_view[0]
        if input_lock is not None:
            lock_view = input_lock
            if len(input_lock) != n_words:
                raise ValueError(f"input_lock must hold {n_words} factors, got {len(input_lock)}")
            model.input_lock = &lock_view[0]
        if subwords is not None:
            if input_ngrams is None:
                raise ValueError("subwords need input_ngrams, the rows of n-grams, got None")
            subword_offsets, subword_ids = subwords
            n_buckets = len(input_ngrams)
            _check_subwords(*subwords, n_words, n_buckets)
            model.subwords.rows = _matrix("input_ngrams", input_ngrams, n_buckets, dim)
            model.subwords.offsets = &subword_offsets[0]
            if len(subword_ids):
                model.subwords.ids = &subword_ids[0]
            model.subwords.max_ids = int(np.diff(subwords[0]).max())
            if ngrams_lock is not None:
                ngrams_lock_view = ngrams_lock
                if len(ngrams_lock) != n_buckets:
                    raise ValueError(
                        f"ngrams_lock must hold {n_buckets} factors, got {len(ngrams_lock)}"
                    )
                model.subwords.lock = &ngrams_lock_view[0]
        model.skipgram = sg
        model.window = window
        model.shrink_windows = shrink_windows
        model.average_context = cbow_mean
        # Without the mean, the error itself is shared out (word2vec.c does neither; gensim does).
        model.average_gradient = cbow_grad == "mean" or not cbow_mean
        model.track_loss = compute_loss

        cdef Corpus corpus
        if len(token_view):
            corpus.tokens = &token_view[0]
        if len(end_view):
            corpus.ends = &end_view[0]
        corpus.n_sentences = len(end_view)

        cdef Schedule schedule
        schedule.lr_start = lr_start
        schedule.lr_end = lr_end
        schedule.n_epochs = epochs
        schedule.tokens_per_epoch = total_tokens
        schedule.seed = seed
        schedule.n_workers = workers

        self._trainer.reset(new CppTrainer(kernels_named(isa())[0], model, corpus, schedule))
        self._alive = (
            tokens, ends, keep, counts, input, output_ns, output_hs, huffman, input_lock, subwords,
            input_ngrams, ngrams_lock, sampled, full,
        )

    def start(self, int epoch):
        """Start the workers of one epoch and return at once."""
        self._trainer.get().start(epoch)

    def wait(self, double seconds):
        """Sleep up to `seconds`; True when the epoch is over."""
        cdef cbool done
        with nogil:
            done = self._trainer.get().wait(seconds)
        return done

    def stop(self):
        """Ask the workers to stop and wait until they have. Never raises."""
        with nogil:
            self._trainer.get().stop()

    def finish(self):
        """Wait for the workers; raise what one of them raised, or return the epoch's sums."""
        cdef ChunkResult result
        with nogil:
            result = self._trainer.get().finish()
        return EpochResult(result.loss, result.n_examples, result.n_words)

    @property
    def words_done(self):
        """Tokens read so far in this epoch."""
        return self._trainer.get().tokens_done()

    def __dealloc__(self):
        self._trainer.reset()
