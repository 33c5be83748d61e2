# distutils: language = c++
"""Training runs: the one border between Python and the threads that train.

A run is started, polled, stopped and finished in the same way, whatever it trains: word vectors,
lines of a classifier, GloVe's records, or word vectors as word2vec.c trains them. All runs live in
this module, since an exception of C++ is caught only by the module that threw it.
"""

from collections import namedtuple

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr

import numpy as np

from pyw2v._core.borrow cimport Real, numbers, rows
from pyw2v._core.engine cimport (
    ChunkResult, ClassifierModel, GloveKernels, KernelTable, MatrixView, Model, raise_py_error,
)
from pyw2v._core.interrupt cimport CtrlC
from pyw2v._core.isa cimport double_kernels, kernels_named
from pyw2v._core.line_model cimport LineModel
from pyw2v._core.lines cimport CppTokenFeatures, Lines, Rules, kUnknownLabel
from pyw2v._core.word_model cimport WordModel

from pyw2v._core.glove import record_dtype
from pyw2v._core.isa import isa


cdef extern from "train/run.h" namespace "pyw2v" nogil:
    cdef cppclass CppTrainer "pyw2v::Trainer":
        pass
    cdef cppclass CppRun "pyw2v::Run":
        CppRun(unique_ptr[CppTrainer] trainer) except +raise_py_error
        void start(int epoch, size_t first, const ChunkResult& before) except +raise_py_error
        void pause() noexcept
        cbool wait(double seconds) except +raise_py_error
        void stop() noexcept
        ChunkResult finish() except +raise_py_error
        int epoch() noexcept
        size_t next_piece() noexcept
        int64_t n_done() noexcept


cdef extern from "train/word_trainer.h" namespace "pyw2v" nogil:
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
    cdef cppclass WordTrainer(CppTrainer):
        WordTrainer(
            const KernelTable& kernels, const Model[float]& model, const Corpus& corpus,
            const Schedule& schedule) except +raise_py_error


cdef extern from "train/word_settings.h" namespace "pyw2v" nogil:
    void check_corpus(
        const Corpus& corpus, size_t n_tokens, size_t n_words) except +raise_py_error


cdef extern from "train/line_trainer.h" namespace "pyw2v" nogil:
    cdef cppclass LineCorpus:
        const int32_t* tokens
        const int64_t* ends
        int64_t n_lines
        const int64_t* order
        const float* weights
    cdef cppclass ClassifierSchedule:
        double lr
        int n_epochs
        uint64_t seed
        int n_workers
    cdef cppclass LineTrainer(CppTrainer):
        LineTrainer(
            const KernelTable& kernels, const ClassifierModel[float]& model,
            const CppTokenFeatures& features, const LineCorpus& corpus,
            const ClassifierSchedule& schedule) except +raise_py_error


cdef extern from "train/glove_trainer.h" namespace "pyw2v" nogil:
    cdef cppclass GloveRecord[T]:
        pass
    cdef cppclass GloveModel[T]:
        MatrixView[T] values
        MatrixView[T] squares
        size_t n_words
        int dim
        T lr
        T bias_lr
        T grad_clip
    cdef cppclass GloveCorpus[T]:
        const GloveRecord[T]* records
        const int64_t* ends
        size_t n_tiles
        size_t n_bands
    cdef cppclass GloveTrainer[T](CppTrainer):
        GloveTrainer(
            const GloveKernels[T]& kernels, const GloveModel[T]& model,
            const GloveCorpus[T]& corpus, uint64_t seed, int n_workers) except +raise_py_error


cdef extern from "compat/word2vec_c.h" namespace "pyw2v" nogil:
    cdef cppclass CSettings:
        cbool cbow
        cbool hs
        int negative
        int window
        int iter
        float alpha
        float sample
    cdef cppclass CModel:
        MatrixView[float] syn0
        MatrixView[float] syn1
        MatrixView[float] syn1neg
    cdef cppclass CTrainer(CppTrainer):
        CTrainer(
            const CSettings& settings, const CModel& model, const int32_t* tokens,
            int64_t n_tokens, const int64_t* counts) except +raise_py_error
        float alpha() noexcept


EpochResult = namedtuple("EpochResult", ["loss", "examples", "words_trained"], module=__name__)


# The garbage collector must not clear the arrays while workers still write to them.
@cython.no_gc_clear
cdef class Run:
    """One call to train(): epochs are started, polled and finished one by one."""

    cdef unique_ptr[CppRun] _run
    cdef object _alive  # what C++ points into

    cdef int _begin(self, CppTrainer* trainer, alive) except -1:
        self._alive = alive
        self._run.reset(new CppRun(unique_ptr[CppTrainer](trainer)))
        return 0

    cdef CppRun* _get(self) except NULL:
        if not self._run:
            raise TypeError("a run is made by one of the classes that derive from Run")
        return self._run.get()

    def start(self, int epoch, size_t first=0, before=(0.0, 0, 0)):
        """Start the workers of one epoch, at a piece of it, and return at once.

        `before` are the sums of the pieces before it.
        """
        cdef ChunkResult sums
        sums.loss, sums.n_examples, sums.n_words = before
        self._get().start(epoch, first, sums)

    def pause(self):
        """Ask the workers to stop when they have finished their current pieces."""
        self._get().pause()

    @property
    def place(self):
        """The epoch (-1 before the first), and its first piece that is not done yet."""
        return self._get().epoch(), self._get().next_piece()

    def wait(self, double seconds):
        """Sleep up to `seconds`; True when the epoch is over."""
        cdef cbool done
        cdef CppRun* run = self._get()
        with nogil:
            done = run.wait(seconds)
        return done

    def stop(self):
        """Ask the workers to stop and wait until they have. Never raises."""
        cdef CppRun* run = self._get()
        with nogil:
            run.stop()

    def finish(self):
        """Wait for the workers; raise what one of them raised, or return the epoch's sums."""
        cdef ChunkResult result
        cdef CppRun* run = self._get()
        with nogil:
            result = run.finish()
        return EpochResult(result.loss, result.n_examples, result.n_words)

    @property
    def n_done(self):
        """Tokens, lines or records trained so far in this epoch."""
        return self._get().n_done()

    def __dealloc__(self):
        self._run.reset()


def _check_counts(**settings):
    """Raise unless all are at least 1."""
    for name, value in settings.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value:g}")


@cython.no_gc_clear
cdef class WordRun(Run):
    """Trains word vectors on an encoded corpus."""

    def __cinit__(
        self, WordModel model not None, *, tokens, ends, double lr_start, double lr_end,
        double epochs, double total_tokens, seed, int workers,
    ):
        _check_counts(epochs=epochs, workers=workers)
        if model.dtype != np.float32:
            raise ValueError(f"a run trains float32 matrices, got {model.dtype}")
        cdef Corpus corpus
        corpus.tokens = numbers[int32_t]("tokens", tokens, len(tokens))
        corpus.ends = numbers[int64_t]("ends", ends, len(ends))
        corpus.n_sentences = len(ends)
        cdef size_t n_tokens = len(tokens)
        cdef size_t n_words = model.n_words
        with nogil:
            check_corpus(corpus, n_tokens, n_words)
        cdef Schedule schedule
        schedule.lr_start = lr_start
        schedule.lr_end = lr_end
        schedule.n_epochs = epochs
        schedule.tokens_per_epoch = total_tokens
        schedule.seed = seed
        schedule.n_workers = workers
        self._begin(
            new WordTrainer(kernels_named(isa())[0], model.single, corpus, schedule),
            (model, tokens, ends))


@cython.no_gc_clear
cdef class LineRun(Run):
    """Trains a text classifier on encoded lines.

    `entries` tells what each distinct token of `lines` is: the id of a word, UNKNOWN_WORD,
    -2 - the id of a label, or UNKNOWN_LABEL.
    """

    cdef unique_ptr[CppTokenFeatures] _features

    def __cinit__(
        self, LineModel model not None, *, Lines lines, Rules rules, entries, line_weights=None,
        order=None, double lr, int epochs, seed, int workers,
    ):
        _check_counts(epochs=epochs, workers=workers)
        if model.dtype != np.float32 or model.n_rows < rules.n_rows:
            raise ValueError(f"input must have a row for each word and bucket, got {model.n_rows}")
        _check_entries(lines, rules, entries, model.n_labels)
        cdef LineCorpus corpus
        n_lines = len(lines.ends)
        corpus.n_lines = n_lines
        corpus.tokens = numbers[int32_t]("tokens", lines.tokens, len(lines.tokens))
        corpus.ends = numbers[int64_t]("ends", lines.ends, n_lines)
        corpus.weights = numbers[float]("line_weights", line_weights, n_lines)
        corpus.order = numbers[int64_t]("order", order, n_lines)
        if order is not None and n_lines and not 0 <= order.min() <= order.max() < n_lines:
            raise ValueError(f"order must hold numbers of lines below {n_lines}")
        cdef ClassifierSchedule schedule
        schedule.lr = lr
        schedule.n_epochs = epochs
        schedule.seed = seed
        schedule.n_workers = workers
        cdef CtrlC interrupt
        self._features.reset(new CppTokenFeatures(
            rules.rules, lines._encoder.get().table(),
            numbers[int32_t]("entries", entries, len(entries)), interrupt))
        self._begin(
            new LineTrainer(
                kernels_named(isa())[0], model.single, self._features.get()[0], corpus, schedule),
            (model, lines, rules, line_weights, order))

    def __dealloc__(self):
        self._run.reset()  # before the features


cdef int _check_entries(Lines lines, Rules rules, entries, int n_labels) except -1:
    if len(entries) != <Py_ssize_t>lines._encoder.get().table().size() or not len(entries):
        raise ValueError("entries must hold a number for each distinct token")
    known = entries[entries != kUnknownLabel]
    if len(known) and (known.max() >= rules.rules.n_words or known.min() < -1 - n_labels):
        raise ValueError("entries name words or labels that there are not")
    return 0


cdef CppTrainer* _glove_trainer(
    const GloveKernels[Real]& kernels, GloveModel[Real]* model, const unsigned char[::1] records,
    ends, size_t n_bands, settings, Real zero,
) except NULL:
    cdef GloveCorpus[Real] corpus
    corpus.records = <const GloveRecord[Real]*>&records[0]
    corpus.ends = numbers[int64_t]("ends", ends, len(ends))
    corpus.n_tiles = len(ends)
    corpus.n_bands = n_bands
    model.n_words = model.values.n_rows() // 2
    model.dim = model.values.dim() - 1
    model.lr, model.bias_lr, model.grad_clip, seed, workers = settings
    return new GloveTrainer[Real](kernels, model[0], corpus, seed, workers)


cdef MatrixView[double] _doubles(double[:, ::1] view) except *:
    cdef size_t dim = view.shape[1]
    return MatrixView[double](&view[0, 0], view.shape[0], dim, dim)


@cython.no_gc_clear
cdef class GloveRun(Run):
    """Trains GloVe's vectors on records, in float32 or float64.

    `values` and `squares`, spread float32 or plain float64, are what GloveModel
    (csrc/kernel_data/glove_model.h) says; the records are of the same type. `n_bands=0` trains
    tiles in their order.
    """

    def __cinit__(self, *, values, squares, records, ends, size_t n_bands=0, double lr,
                  double bias_lr, double grad_clip, uint64_t seed, int workers):
        _check_records(values, squares, records, ends, n_bands)
        # Of a mapped file, too, which NumPy does not let us write to.
        cdef const unsigned char[::1] view = records.view(np.uint8)
        cdef GloveModel[float] single
        cdef GloveModel[double] double_
        cdef CppTrainer* trainer
        width = values.shape[1]
        settings = (lr, bias_lr, grad_clip, seed, workers)
        if values.dtype == np.float32:
            single.values = rows[float]("values", values, -1, width, 0)
            single.squares = rows[float]("squares", squares, -1, width, 0)
            trainer = _glove_trainer[float](
                kernels_named(isa()).glove, &single, view, ends, n_bands, settings, 0)
        else:
            double_.values = _doubles(values)
            double_.squares = _doubles(squares)
            trainer = _glove_trainer[double](
                double_kernels().glove, &double_, view, ends, n_bands, settings, 0)
        self._begin(trainer, (values, squares, records, ends))


def _check_records(values, squares, records, ends, n_bands):
    real = values.dtype
    n_rows, width = values.shape
    if squares.shape != values.shape or squares.dtype != real:
        raise ValueError("squares must be of the shape and the type of values")
    if width < 2 or n_rows < 2 or n_rows % 2:
        raise ValueError(f"values of shape {values.shape} are not those of words and contexts")
    if records.dtype != record_dtype(real) or records.ndim != 1 or not len(records):
        raise ValueError(f"records must be an array of {real} records and not empty")
    if max(int(records["word"].max()), int(records["context"].max())) >= n_rows // 2:
        raise ValueError(f"records name words from {n_rows // 2} on, which there are not")
    last = len(ends) - 1
    if last < 0 or ends[last] != len(records) or ends[0] < 0 or (np.diff(ends) < 0).any():
        raise ValueError(f"the ends of tiles must rise to {len(records)}")
    if n_bands and n_bands * n_bands != len(ends):
        raise ValueError(f"{n_bands} bands need {n_bands * n_bands} tiles, got {len(ends)}")


cdef MatrixView[float] _packed(name, array, shape) except *:
    if array is None:
        return MatrixView[float]()
    if array.shape != shape or len(array) == 0:
        raise ValueError(f"{name} must be of shape {shape}, got {array.shape}")
    cdef float[:, ::1] view = array
    return MatrixView[float](&view[0, 0], view.shape[0], view.shape[1], view.shape[1])


@cython.no_gc_clear
cdef class ExactRun(Run):
    """Trains word vectors as word2vec.c does, bit for bit. Epochs come one after the other."""

    cdef CTrainer* _trainer  # the run's

    def __cinit__(
        self, *, tokens, counts, syn0, syn1=None, syn1neg=None, cbow, int negative, int window,
        int epochs, float alpha, float sample,
    ):
        _check_counts(window=window, epochs=epochs)
        if negative < 0:
            raise ValueError(f"negative must be at least 0, got {negative}")
        n_words = len(syn0)
        if negative > 0 and syn1neg is None:
            raise ValueError("negative sampling needs syn1neg, got None")
        cdef Corpus corpus
        corpus.tokens = numbers[int32_t]("tokens", tokens, len(tokens))
        check_corpus(corpus, len(tokens), n_words)
        cdef CSettings settings
        settings.cbow = cbow
        settings.hs = syn1 is not None
        settings.negative = negative
        settings.window = window
        settings.iter = epochs
        settings.alpha = alpha
        settings.sample = sample
        cdef CModel model
        model.syn0 = _packed("syn0", syn0, syn0.shape)
        model.syn1 = _packed("syn1", syn1, syn0.shape)
        model.syn1neg = _packed("syn1neg", syn1neg if negative > 0 else None, syn0.shape)
        self._trainer = new CTrainer(
            settings, model, corpus.tokens, len(tokens),
            numbers[int64_t]("counts", counts, n_words))
        self._begin(self._trainer, (tokens, counts, syn0, syn1, syn1neg))

    @property
    def alpha(self):
        """The learning rate now."""
        return self._trainer.alpha()
