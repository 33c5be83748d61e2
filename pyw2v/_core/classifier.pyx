# distutils: language = c++
"""The engine of text classifiers: training on encoded lines, and answers for lines of text."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.engine cimport (
    AliasSampler, ChunkResult, ClassifierLoss, ClassifierModel, KernelTable, MatrixView,
    padded_stride, raise_py_error, unigram_weights,
)
from pyw2v._core.isa cimport kernels_named
from pyw2v._core.lines cimport (
    CppTokenFeatures, LineDictionary, LineFeatures, Lines, Rules, kUnknownLabel,
)
from pyw2v._core.words cimport string_view

from pyw2v._core.isa import isa
from pyw2v._core.matrix import is_spread
from pyw2v._core.trainer import EpochResult


cdef extern from "models/classifier_model.h" namespace "pyw2v" nogil:
    cdef cppclass PackedRows:
        const float* data
        size_t dim
        size_t stride


cdef extern from "train/classifier_trainer.h" namespace "pyw2v" nogil:
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
    cdef cppclass CppClassifierTrainer "pyw2v::ClassifierTrainer":
        CppClassifierTrainer(
            const KernelTable& kernels, const ClassifierModel[float]& model,
            const CppTokenFeatures& features, const LineCorpus& corpus,
            const ClassifierSchedule& schedule,
        ) except +raise_py_error
        void start(int epoch) except +raise_py_error
        cbool wait(double seconds) except +raise_py_error
        void stop() noexcept
        ChunkResult finish() except +raise_py_error
        int64_t lines_done() noexcept


cdef extern from "query/quantizer.h" namespace "pyw2v" nogil:
    cdef cppclass QuantizerShape:
        QuantizerShape(size_t dim, size_t dsub) noexcept


cdef extern from "query/line_classifier.h" namespace "pyw2v" nogil:
    cdef cppclass InputRows:
        pass
    cdef cppclass QuantizedRows:
        pass
    cdef cppclass QuantizedInput(InputRows):
        QuantizedInput(const QuantizedRows& rows) except +raise_py_error
    cdef cppclass DenseInput(InputRows):
        DenseInput(const PackedRows& rows) except +raise_py_error
    cdef cppclass LabelTree:
        const int64_t* offsets
        const uint8_t* codes
        const int32_t* points
    cdef cppclass PredictOptions:
        int32_t k
        float threshold
        cbool as_fasttext
        size_t n_threads
    cdef cppclass Predictions:
        int32_t* labels
        float* probabilities
        int32_t* n_found
    cdef cppclass LineClassifier:
        LineClassifier(
            const KernelTable& kernels, const LineDictionary& dictionary, const InputRows& input,
            const MatrixView[float]& output, ClassifierLoss loss, int n_labels,
            const LabelTree& tree,
        ) except +raise_py_error
        void predict(
            const char* text, const int64_t* line_begins, size_t n_lines,
            const PredictOptions& options, const Predictions& out,
        ) except +raise_py_error
        void hidden(
            const char* text, const int64_t* line_begins, size_t n_lines, size_t n_threads,
            float* out,
        ) except +raise_py_error


cdef extern from *:
    """
    static inline pyw2v::QuantizedRows quantized_rows(
        size_t dim, size_t dsub, const std::uint8_t* codes, const float* centroids,
        const std::uint8_t* norm_codes, const float* norms) {
      return {pyw2v::QuantizerShape(dim, dsub), codes, centroids, norm_codes, norms};
    }
    """
    QuantizedRows quantized_rows(
        size_t dim, size_t dsub, const uint8_t* codes, const float* centroids,
        const uint8_t* norm_codes, const float* norms) noexcept


cdef ClassifierLoss _loss(str name) except *:
    if name == "softmax":
        return ClassifierLoss.kSoftmax
    if name == "hs":
        return ClassifierLoss.kHierarchical
    if name == "ns":
        return ClassifierLoss.kNegative
    if name == "ova":
        return ClassifierLoss.kOneVsAll
    raise ValueError(f"loss must be 'softmax', 'hs', 'ns' or 'ova', got {name!r}")


cdef MatrixView[float] _matrix(name, array, Py_ssize_t n_rows) except *:
    if not is_spread(array) or array.shape[0] < n_rows or n_rows < 1:
        raise ValueError(
            f"{name} must be a float32 matrix of at least {max(n_rows, 1)} rows as matrix.spread "
            f"returns it, got {array.dtype} {array.shape}"
        )
    cdef float[:, :] view = array
    cdef size_t rows = array.shape[0], dim = array.shape[1]
    return MatrixView[float](&view[0, 0], rows, dim, padded_stride[float](dim))


def _check_tree(huffman, n_labels, n_rows):
    offsets, codes, points = huffman
    if (
        len(offsets) != n_labels + 1
        or offsets[0] != 0
        or offsets[n_labels] != len(codes)
        or len(codes) != len(points)
        or (np.diff(offsets) < 0).any()
        or (len(points) and not (0 <= points.min() and points.max() < n_rows))
    ):
        raise ValueError("huffman paths do not fit the labels and the output matrix")


# The garbage collector must not clear the arrays while workers still write to them.
@cython.no_gc_clear
cdef class ClassifierTrainer:
    """One call of fit(): epochs are started, waited for and finished one by one.

    `entries` tells what each distinct token of `lines` is: the id of a word, UNKNOWN_WORD,
    -2 - the id of a label, or UNKNOWN_LABEL. With `unlabelled` lines without labels are examples of
    none (loss "ova" only), else they are passed over.
    """

    cdef unique_ptr[CppClassifierTrainer] _trainer
    cdef unique_ptr[CppTokenFeatures] _features
    cdef unique_ptr[AliasSampler] _sampler
    cdef object _alive  # what C++ points into

    def __cinit__(
        self, *, Lines lines, Rules rules, entries, input, output, str loss, label_counts,
        huffman=None, int negative=5, class_weights=None, line_weights=None, order=None,
        cbool unlabelled=False, double lr, int epochs, seed, int workers,
    ):
        cdef const int32_t[::1] entry_view = entries
        cdef const int32_t[::1] tokens = lines.tokens
        cdef const int64_t[::1] ends = lines.ends
        cdef const int64_t[::1] counts = label_counts
        cdef const int64_t[::1] order_view, offsets
        cdef const uint8_t[::1] codes
        cdef const int32_t[::1] points
        cdef const float[::1] class_view, line_view
        cdef int n_labels = len(label_counts)
        n_rows = len(input)
        if epochs < 1 or workers < 1 or negative < 1 or n_labels < 1:
            raise ValueError(
                "epochs, workers, negative and labels must be at least 1, got "
                f"{epochs}, {workers}, {negative} and {n_labels}")
        if len(entries) != <Py_ssize_t>lines._encoder.get().table().size() or not len(entries):
            raise ValueError("entries must hold a number for each distinct token")
        known = entries[entries != kUnknownLabel]
        if len(known) and (known.max() >= rules.rules.n_words or known.min() < -1 - n_labels):
            raise ValueError("entries name words or labels that there are not")
        if n_rows < rules.n_rows:
            raise ValueError(f"input must have a row for each word and bucket, got {n_rows}")

        cdef ClassifierModel[float] model
        model.input = _matrix("input", input, n_rows)
        model.output = _matrix("output", output, n_labels)
        if input.shape[1] != output.shape[1]:
            raise ValueError("input and output must be of one width")
        model.loss = _loss(loss)
        model.n_labels = n_labels
        if loss == "ns":
            if n_labels < 2:
                raise ValueError("loss 'ns' needs at least two labels to tell apart, got 1")
            self._sampler.reset(new AliasSampler(unigram_weights(&counts[0], n_labels, 0.5)))
            model.ns.sampler = self._sampler.get()
            model.ns.negative = negative
        if loss == "hs":
            _check_tree(huffman, n_labels, len(output))
            offsets, codes, points = huffman
            model.hs.offsets = &offsets[0]
            if len(codes):
                model.hs.codes = &codes[0]
                model.hs.points = &points[0]
            model.hs.max_path = int(np.diff(huffman[0]).max())
        if class_weights is not None:
            class_view = class_weights
            if len(class_weights) != n_labels:
                raise ValueError(f"class_weights must hold {n_labels}, got {len(class_weights)}")
            model.class_weights = &class_view[0]
        if unlabelled and loss != "ova":
            raise ValueError(f"lines without labels teach nothing with the loss {loss!r}")
        model.learns_from_unlabelled = unlabelled

        cdef LineCorpus corpus
        corpus.n_lines = len(ends)
        if len(tokens):
            corpus.tokens = &tokens[0]
            corpus.ends = &ends[0]
        if line_weights is not None:
            line_view = line_weights
            if len(line_weights) != len(ends):
                raise ValueError(f"there must be {len(ends)} weights, got {len(line_weights)}")
            corpus.weights = &line_view[0]
        if order is not None:
            order_view = order
            if len(order) != len(ends) or (len(order) and not (
                0 <= order.min() and order.max() < len(ends)
            )):
                raise ValueError(f"order must hold {len(ends)} numbers of lines")
            corpus.order = &order_view[0]

        cdef ClassifierSchedule schedule
        schedule.lr = lr
        schedule.n_epochs = epochs
        schedule.seed = seed
        schedule.n_workers = workers
        self._features.reset(new CppTokenFeatures(
            rules.rules, lines._encoder.get().table(), &entry_view[0]))
        self._trainer.reset(new CppClassifierTrainer(
            kernels_named(isa())[0], model, self._features.get()[0], corpus, schedule))
        self._alive = (
            lines, rules, input, output, huffman, class_weights, line_weights, order, label_counts)

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
    def lines_done(self):
        """Lines read so far in this epoch."""
        return self._trainer.get().lines_done()

    def __dealloc__(self):
        self._trainer.reset()


cdef InputRows* _dense(const float[:, :] rows) except *:
    cdef PackedRows dense
    cdef Py_ssize_t step = sizeof(float)
    if rows.shape[0] < 1 or rows.strides[1] != step or rows.strides[0] % step:
        raise ValueError("input must have at least one row, and its rows must be contiguous")
    dense.data = &rows[0, 0]
    dense.dim = rows.shape[1]
    dense.stride = rows.strides[0] // step
    return new DenseInput(dense)


cdef InputRows* _quantized(matrix) except *:
    cdef const uint8_t[:, ::1] codes = matrix.codes
    cdef const float[::1] centroids = matrix.centroids
    cdef const uint8_t[::1] norm_codes
    cdef const float[::1] norms
    cdef const uint8_t* norm_code_data = NULL
    cdef const float* norm_data = NULL
    if codes.shape[0] < 1:
        raise ValueError("input must have at least one row, got none")
    if matrix.norm_codes is not None:
        norm_codes = matrix.norm_codes
        norms = matrix.norm_centroids
        norm_code_data, norm_data = &norm_codes[0], &norms[0]
    return new QuantizedInput(quantized_rows(
        matrix.dim, matrix.dsub, &codes[0, 0], &centroids[0], norm_code_data, norm_data))


cdef class Predictor:
    """Answers for lines of text, by several threads at once; the matrices must not change."""

    cdef unique_ptr[LineDictionary] _dictionary
    cdef unique_ptr[InputRows] _input
    cdef unique_ptr[LineClassifier] _classifier
    cdef Py_ssize_t _dim
    cdef readonly int n_labels
    cdef object _alive

    def __cinit__(
        self, *, Rules rules, bytes label_prefix, list words, list labels, input, output, str loss,
        huffman=None,
    ):
        cdef vector[string] c_words = words
        cdef vector[string] c_labels = labels
        cdef LabelTree tree
        cdef const int64_t[::1] offsets
        cdef const uint8_t[::1] codes
        cdef const int32_t[::1] points
        self.n_labels = len(labels)
        n_rows, dim = input.shape
        if len(words) != rules.rules.n_words or n_rows < rules.n_rows:
            raise ValueError(f"input must have a row for each word and bucket, got {n_rows}")
        self._dictionary.reset(new LineDictionary(rules.rules, label_prefix, c_words, c_labels))
        if isinstance(input, np.ndarray):
            self._input.reset(_dense(input))
        else:
            self._input.reset(_quantized(input))
        if loss == "hs":
            _check_tree(huffman, self.n_labels, len(output))
            offsets, codes, points = huffman
            tree.offsets = &offsets[0]
            if len(codes):
                tree.codes = &codes[0]
                tree.points = &points[0]
        if output.shape[1] != dim:
            raise ValueError("input and output must be of one width")
        self._dim = dim
        self._classifier.reset(new LineClassifier(
            kernels_named(isa())[0], self._dictionary.get()[0], self._input.get()[0],
            _matrix("output", output, self.n_labels), _loss(loss), self.n_labels, tree))
        self._alive = (rules, input, output, huffman)

    def predict(
        self, list texts, int k=1, double threshold=0.0, as_fasttext=False, size_t workers=1,
    ):
        """Label ids (n, k), probabilities (n, k) and how many of the k each line has.

        Lines are bytes; what follows a line feed is ignored, and only a line that has one has the
        feature `</s>`. `as_fasttext`: its probabilities to the last quirk.
        """
        cdef PredictOptions options = self._options(k, threshold, as_fasttext, workers)
        k = options.k
        begins, text = _joined(texts)
        cdef const int64_t[::1] begin_view = begins
        cdef const unsigned char[::1] text_view = text
        labels = np.zeros((len(texts), k), np.int32)
        probabilities = np.zeros((len(texts), k), np.float32)
        n_found = np.zeros(len(texts), np.int32)
        if not texts:
            return labels, probabilities, n_found
        cdef int32_t[:, ::1] label_view = labels
        cdef float[:, ::1] probability_view = probabilities
        cdef int32_t[::1] found_view = n_found
        cdef Predictions out
        out.labels = &label_view[0, 0]
        out.probabilities = &probability_view[0, 0]
        out.n_found = &found_view[0]
        cdef size_t n = len(texts)
        with nogil:
            self._classifier.get().predict(
                <const char*>&text_view[0], &begin_view[0], n, options, out)
        return labels, probabilities, n_found

    def predict_line(self, bytes line not None, int k=1, double threshold=0.0, as_fasttext=False):
        """The same for one line, in lists: ids of labels and their probabilities."""
        cdef PredictOptions options = self._options(k, threshold, as_fasttext, 1)
        cdef bytes padded = line + bytes(16)
        cdef const char* text = padded
        cdef int64_t[2] begins = [0, len(line)]
        cdef vector[int32_t] labels
        cdef vector[float] probabilities
        cdef int32_t n_found = 0
        cdef Predictions out
        labels.resize(options.k)
        probabilities.resize(options.k)
        out.labels = labels.data()
        out.probabilities = probabilities.data()
        out.n_found = &n_found
        with nogil:
            self._classifier.get().predict(text, &begins[0], 1, options, out)
        labels.resize(n_found)
        probabilities.resize(n_found)
        return list(labels), list(probabilities)

    cdef PredictOptions _options(
        self, int k, double threshold, as_fasttext, size_t workers,
    ) except *:
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        cdef PredictOptions options
        options.k = min(k, self.n_labels)
        options.threshold = <float>threshold
        options.as_fasttext = as_fasttext
        options.n_threads = workers
        return options

    def hidden(self, list texts, size_t workers=1):
        """The mean of the rows of each line's features."""
        begins, text = _joined(texts)
        cdef const int64_t[::1] begin_view = begins
        cdef const unsigned char[::1] text_view = text
        out = np.zeros((len(texts), self._dim), np.float32)
        cdef float[:, ::1] out_view = out
        cdef size_t n = len(texts)
        if n:
            with nogil:
                self._classifier.get().hidden(
                    <const char*>&text_view[0], &begin_view[0], n, workers, &out_view[0, 0])
        return out

    def line(self, bytes text):
        """Rows and label ids of one line."""
        padded = text + bytes(16)
        cdef const unsigned char[::1] view = padded
        cdef LineFeatures found
        self._dictionary.get().add_line(
            string_view(<const char*>&view[0], <size_t>len(text)), found)
        return list(found.rows), list(found.labels)


def _joined(texts):
    """The texts in one string with room behind it, and where each begins."""
    begins = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=begins[1:])
    return begins, b"".join(texts) + bytes(16)
