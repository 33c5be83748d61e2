# distutils: language = c++
"""Predictions of a text classifier for lines of text."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

import numpy as np

from pyw2v._core.borrow cimport rows
from pyw2v._core.engine cimport (
    ClassifierLoss, HuffmanView, KernelTable, MatrixView, raise_py_error,
)
from pyw2v._core.huffman cimport HuffmanTree
from pyw2v._core.interrupt cimport CtrlC, Interrupt
from pyw2v._core.isa cimport kernels_named
from pyw2v._core.line_model cimport loss_named
from pyw2v._core.lines cimport LineDictionary, LineFeatures, Rules
from pyw2v._core.words cimport string_view

from pyw2v._core.isa import isa


cdef extern from "kernel_data/classifier_model.h" namespace "pyw2v" nogil:
    cdef cppclass PackedRows:
        const float* data
        size_t dim
        size_t stride


cdef extern from "train/word_settings.h" namespace "pyw2v" nogil:
    void check_tree(
        const HuffmanView& tree, size_t n_words, size_t n_rows) except +raise_py_error


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
            const HuffmanView& tree,
        ) except +raise_py_error
        void predict(
            const char* text, const int64_t* line_begins, size_t n_lines,
            const PredictOptions& options, const Predictions& out, const Interrupt& interrupt,
        ) except +raise_py_error
        void hidden(
            const char* text, const int64_t* line_begins, size_t n_lines, size_t n_threads,
            float* out, const Interrupt& interrupt,
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


cdef InputRows* _dense(const float[:, :] input) except *:
    cdef PackedRows dense
    cdef Py_ssize_t step = sizeof(float)
    if input.shape[0] < 1 or input.strides[1] != step or input.strides[0] % step:
        raise ValueError("input must have at least one row, and its rows must be contiguous")
    dense.data = &input[0, 0]
    dense.dim = input.shape[1]
    dense.stride = input.strides[0] // step
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
    """Predictions for lines of text, by several threads at once; the matrices must not change."""

    cdef unique_ptr[LineDictionary] _dictionary
    cdef unique_ptr[InputRows] _input
    cdef unique_ptr[LineClassifier] _classifier
    cdef Py_ssize_t _dim
    cdef readonly int n_labels
    cdef object _alive

    def __cinit__(
        self, *, Rules rules, bytes label_prefix, list words, list labels, input, output, str loss,
        HuffmanTree huffman=None,
    ):
        cdef vector[string] c_words = words
        cdef vector[string] c_labels = labels
        cdef HuffmanView tree
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
            if huffman is None:
                raise ValueError("loss 'hs' needs huffman, the paths of all labels, got None")
            tree = huffman.view()
            check_tree(tree, self.n_labels, len(output))
        if output.shape[1] != dim or len(output) < max(self.n_labels, 1):
            raise ValueError(
                f"output must have {max(self.n_labels, 1)} rows of {dim} numbers, got "
                f"{output.shape}"
            )
        self._dim = dim
        self._classifier.reset(new LineClassifier(
            kernels_named(isa())[0], self._dictionary.get()[0], self._input.get()[0],
            rows[float]("output", output, -1, dim, 0), loss_named(loss), self.n_labels, tree))
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
        cdef CtrlC interrupt
        with nogil:
            self._classifier.get().predict(
                <const char*>&text_view[0], &begin_view[0], n, options, out, interrupt)
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
        cdef CtrlC interrupt
        with nogil:
            self._classifier.get().predict(text, &begins[0], 1, options, out, interrupt)
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
        cdef CtrlC interrupt
        if n:
            with nogil:
                self._classifier.get().hidden(
                    <const char*>&text_view[0], &begin_view[0], n, workers, &out_view[0, 0],
                    interrupt)
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
