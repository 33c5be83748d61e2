# distutils: language = c++
"""The engine of GloVe: records in an order for training, and the epochs."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    ChunkResult, GloveKernels, MatrixView, padded_stride, raise_py_error,
)
from pyw2v._core.isa cimport double_kernels, kernels_named

from pyw2v._core.isa import isa
from pyw2v._core.matrix import is_spread
from pyw2v._core.trainer import EpochResult


cdef extern from "models/glove_model.h" namespace "pyw2v" nogil:
    cdef cppclass GloveRecord[Real]:
        pass
    cdef cppclass GloveModel[Real]:
        MatrixView[Real] values
        MatrixView[Real] squares
        size_t n_words
        int dim
        Real lr
        Real bias_lr
        Real grad_clip


cdef extern from "train/glove_records.h" namespace "pyw2v" nogil:
    cdef cppclass CountMatrix:
        const int64_t* row_ends
        const int32_t* columns
        const double* values
        size_t n_words
    cdef cppclass CountWeighting:
        double x_max
        double exponent
    size_t glove_tile_rows(size_t n_words, size_t dim) noexcept
    vector[int64_t] cpp_make_tiles "pyw2v::make_tiles"(
        const CountMatrix&, const CountWeighting&, size_t, uint64_t, size_t, GloveRecord[float]*,
    ) except +raise_py_error
    void cpp_make_records "pyw2v::make_records"(
        const int32_t*, const int32_t*, const double*, size_t, const CountWeighting&,
        GloveRecord[double]*,
    ) except +raise_py_error


cdef extern from "train/glove_trainer.h" namespace "pyw2v" nogil:
    cdef cppclass GloveCorpus[Real]:
        const GloveRecord[Real]* records
        const int64_t* ends
        size_t n_tiles
        size_t n_bands
    cdef cppclass CppTrainer "pyw2v::GloveTrainer"[Real]:
        CppTrainer(
            const GloveKernels[Real]& kernels, const GloveModel[Real]& model,
            const GloveCorpus[Real]& corpus, uint64_t seed, int n_workers,
        ) except +raise_py_error
        void start(int epoch) except +raise_py_error
        cbool wait(double seconds) except +raise_py_error
        void stop() noexcept
        ChunkResult finish() except +raise_py_error
        int64_t records_done() noexcept


def record_dtype(real):
    """The NumPy type of a record whose numbers are of type `real`."""
    return np.dtype([("word", "u4"), ("context", "u4"), ("log_count", real), ("weight", real)])


def _check_matrix(row_ends, columns, values):
    n = len(columns)
    if (
        len(values) != n
        or (len(row_ends) and (row_ends[0] < 0 or int(row_ends[len(row_ends) - 1]) != n))
        or (n and not len(row_ends))
        or (np.diff(row_ends) < 0).any()
    ):
        raise ValueError(f"row_ends must rise to {n}, the number of columns and of values")


def make_tiles(row_ends, columns, values, records, *, double x_max, double exponent, int dim,
               uint64_t seed, size_t workers, size_t tile_rows=0):
    """Fill `records` with the entries of a matrix in compressed rows, grouped into tiles.

    Return where the tiles end and how many bands of words, and of contexts, they are made of.
    """
    _check_matrix(row_ends, columns, values)
    if records.dtype != record_dtype(np.float32) or records.shape != (len(columns),):
        raise ValueError(f"records must have room for {len(columns)} float32 records")
    cdef const int64_t[::1] end_view = row_ends
    cdef const int32_t[::1] column_view = columns
    cdef const double[::1] value_view = values
    cdef unsigned char[::1] bytes_view = records.view(np.uint8)
    cdef size_t n_words = len(row_ends)
    if not len(columns):
        return np.zeros(0, np.int64), 0
    cdef CountMatrix matrix
    matrix.row_ends = &end_view[0]
    matrix.columns = &column_view[0]
    matrix.values = &value_view[0]
    matrix.n_words = n_words
    cdef CountWeighting weighting
    weighting.x_max = x_max
    weighting.exponent = exponent
    if tile_rows == 0:
        tile_rows = glove_tile_rows(n_words, dim)
    cdef vector[int64_t] ends
    with nogil:
        ends = cpp_make_tiles(
            matrix, weighting, tile_rows, seed, workers, <GloveRecord[float]*>&bytes_view[0])
    result = np.empty(ends.size(), np.int64)
    cdef int64_t[::1] result_view = result
    cdef size_t i
    for i in range(ends.size()):
        result_view[i] = ends[i]
    return result, (n_words + tile_rows - 1) // tile_rows


def make_records(words, contexts, values, *, double x_max, double exponent):
    """The records of single entries, in their order, in double precision."""
    n = len(values)
    if len(words) != n or len(contexts) != n:
        raise ValueError(f"words and contexts must be as many as the {n} values")
    cdef const int32_t[::1] word_view = words
    cdef const int32_t[::1] context_view = contexts
    cdef const double[::1] value_view = values
    records = np.empty(n, record_dtype(np.float64))
    cdef unsigned char[::1] bytes_view = records.view(np.uint8)
    cdef CountWeighting weighting
    weighting.x_max = x_max
    weighting.exponent = exponent
    if n:
        with nogil:
            cpp_make_records(&word_view[0], &context_view[0], &value_view[0],
                             <size_t>value_view.shape[0], weighting,
                             <GloveRecord[double]*>&bytes_view[0])
    return records


cdef MatrixView[float] _spread(name, array) except *:
    if not is_spread(array):
        raise ValueError(f"{name} must be float64, or float32 on cache lines as SpreadRows lays it")
    cdef float[:, :] view = array
    cdef size_t dim = view.shape[1]
    return MatrixView[float](&view[0, 0], view.shape[0], dim, padded_stride[float](dim))


cdef MatrixView[double] _doubles(double[:, ::1] view) except *:
    cdef size_t dim = view.shape[1]
    return MatrixView[double](&view[0, 0], view.shape[0], dim, dim)


# The garbage collector must not clear the arrays while workers still write to them.
@cython.no_gc_clear
cdef class GloveTrainer:
    """One call of train(): epochs are started, waited for and finished one by one.

    `values` and `squares`, spread float32 or float64, are what GloveModel
    (csrc/models/glove_model.h) says; the records are of the same type. `n_bands=0` trains tiles in
    their order.
    """

    cdef unique_ptr[CppTrainer[float]] _single
    cdef unique_ptr[CppTrainer[double]] _double
    cdef object _alive  # what C++ points into

    def __cinit__(self, *, values, squares, records, ends, size_t n_bands=0, double lr,
                  double bias_lr, double grad_clip, uint64_t seed, int workers):
        real = values.dtype
        n_rows, width = values.shape
        if squares.shape != values.shape or squares.dtype != real:
            raise ValueError("squares must be of the shape and the type of values")
        if width < 2 or n_rows < 2 or n_rows % 2:
            raise ValueError(f"values of shape {values.shape} are not those of words and contexts")
        cdef int dim = width - 1
        if records.dtype != record_dtype(real) or records.ndim != 1 or not len(records):
            raise ValueError(f"records must be an array of {real} records and not empty")
        if max(int(records["word"].max()), int(records["context"].max())) >= n_rows // 2:
            raise ValueError(f"records name words from {n_rows // 2} on, which there are not")
        last = len(ends) - 1
        if last < 0 or ends[last] != len(records) or ends[0] < 0 or (np.diff(ends) < 0).any():
            raise ValueError(f"the ends of tiles must rise to {len(records)}")
        if n_bands and n_bands * n_bands != <size_t>len(ends):
            raise ValueError(f"{n_bands} bands need {n_bands * n_bands} tiles, got {len(ends)}")
        cdef const int64_t[::1] end_view = ends
        # Of a mapped file, too, which NumPy does not let us write to.
        cdef const unsigned char[::1] record_view = records.view(np.uint8)
        cdef GloveModel[float] single
        cdef GloveModel[double] double_
        cdef GloveCorpus[float] single_corpus
        cdef GloveCorpus[double] double_corpus
        if real == np.float32:
            single.values = _spread("values", values)
            single.squares = _spread("squares", squares)
            single.n_words = n_rows // 2
            single.dim = dim
            single.lr = lr
            single.bias_lr = bias_lr
            single.grad_clip = grad_clip
            single_corpus.records = <const GloveRecord[float]*>&record_view[0]
            single_corpus.ends = &end_view[0]
            single_corpus.n_tiles = len(ends)
            single_corpus.n_bands = n_bands
            self._single.reset(new CppTrainer[float](
                kernels_named(isa()).glove, single, single_corpus, seed, workers))
        else:
            double_.values = _doubles(values)
            double_.squares = _doubles(squares)
            double_.n_words = n_rows // 2
            double_.dim = dim
            double_.lr = lr
            double_.bias_lr = bias_lr
            double_.grad_clip = grad_clip
            double_corpus.records = <const GloveRecord[double]*>&record_view[0]
            double_corpus.ends = &end_view[0]
            double_corpus.n_tiles = len(ends)
            double_corpus.n_bands = n_bands
            self._double.reset(new CppTrainer[double](
                double_kernels().glove, double_, double_corpus, seed, workers))
        self._alive = (values, squares, records, ends)

    def start(self, int epoch):
        """Start the workers of one epoch and return at once."""
        if self._single:
            self._single.get().start(epoch)
        else:
            self._double.get().start(epoch)

    def wait(self, double seconds):
        """Sleep up to `seconds`; True when the epoch is over."""
        cdef cbool done
        with nogil:
            if self._single:
                done = self._single.get().wait(seconds)
            else:
                done = self._double.get().wait(seconds)
        return done

    def stop(self):
        """Ask the workers to stop and wait until they have. Never raises."""
        with nogil:
            if self._single:
                self._single.get().stop()
            else:
                self._double.get().stop()

    def finish(self):
        """Wait for the workers; raise what one of them raised, or return the epoch's sums."""
        cdef ChunkResult result
        with nogil:
            if self._single:
                result = self._single.get().finish()
            else:
                result = self._double.get().finish()
        return EpochResult(result.loss, result.n_examples, result.n_words)

    @property
    def records_done(self):
        """Records trained so far in this epoch."""
        if self._single:
            return self._single.get().records_done()
        return self._double.get().records_done()

    def __dealloc__(self):
        self._single.reset()
        self._double.reset()
