# The C++ engine as Cython sees it: matrices, models and the kernels of an instruction set.

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from pyw2v._core.ids cimport TokenPos, WordId


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "base/matrix.h" namespace "pyw2v" nogil:
    const size_t kRowAlignment
    cdef cppclass MatrixView[Real]:
        MatrixView()
        MatrixView(Real* data, size_t n_rows, size_t dim, size_t stride)
        size_t n_rows() noexcept
        size_t dim() noexcept
    size_t padded_stride[Real](size_t dim) noexcept


cdef extern from "base/rng.h" namespace "pyw2v" nogil:
    cdef cppclass Rng:
        Rng(uint64_t seed) noexcept
        Rng(uint64_t seed, uint64_t epoch, uint64_t chunk) noexcept
        uint64_t next() noexcept


cdef extern from "tables/sampler.h" namespace "pyw2v" nogil:
    cdef cppclass AliasSampler:
        AliasSampler(const vector[double]& weights) except +raise_py_error
        WordId draw(Rng& rng) noexcept
        uint32_t size() noexcept
        vector[double] probabilities() except +raise_py_error
    cdef cppclass SeenWords:
        SeenWords(size_t n_words) except +raise_py_error
    cdef cppclass UniqueSampler:
        UniqueSampler(const vector[double]& weights) except +raise_py_error
        void draw(Rng& rng, int n, SeenWords& seen, int32_t* out) noexcept
        size_t size() noexcept
        size_t n_drawable() noexcept
    vector[double] unigram_weights(
        const int64_t* counts, size_t n_words, double power) except +raise_py_error


cdef extern from "tables/huffman_view.h" namespace "pyw2v" nogil:
    cdef cppclass HuffmanView:
        const int64_t* offsets
        const uint8_t* codes
        const int32_t* points
        int64_t n_words
        int64_t n_entries
        int max_length


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic[T]:
        atomic()
        void store(T value) noexcept


cdef extern from "kernel_data/full_model.h" namespace "pyw2v" nogil:
    cdef enum class FullLoss:
        kNone
        kSoftmax
        kLogistic
        kClasses
    cdef cppclass Bands:
        const int32_t* ends
        const int32_t* widths
        int n
    cdef cppclass ClassTree:
        int depth
        int n_groups
        int n_inner
        int max_group
        const int64_t* offsets
        const int32_t* members
        const int32_t* path_groups
        const int32_t* path_places
    cdef cppclass CppFullOutput "pyw2v::FullOutput"[Real]:
        FullLoss loss
        MatrixView[Real] words
        MatrixView[Real] nodes
        Real* word_bias
        Real* node_bias
        double self_norm
        Bands bands
        ClassTree tree
        cbool update


cdef extern from "kernel_data/model.h" namespace "pyw2v" nogil:
    cdef cppclass NegativeSampling[Real]:
        MatrixView[Real] output
        const AliasSampler* sampler
        int negative
    cdef cppclass SampledOutput[Real]:
        MatrixView[Real] output
        const AliasSampler* sampler
        const UniqueSampler* unique
        const Real* shift
        Real* bias
        Real* log_z
        int negative
        cbool softmax
        cbool remove_hits
        cbool per_pair
    cdef cppclass HierarchicalSoftmax[Real]:
        MatrixView[Real] output
        HuffmanView tree
    cdef cppclass Subwords[Real]:
        MatrixView[Real] rows
        const int64_t* offsets
        const uint32_t* ids
        int max_ids
        const float* lock
    cdef cppclass Model[Real]:
        MatrixView[Real] input
        Subwords[Real] subwords
        NegativeSampling[Real] ns
        HierarchicalSoftmax[Real] hs
        SampledOutput[Real] sampled
        CppFullOutput[Real] full
        const uint32_t* keep
        const float* input_lock
        cbool skipgram
        int window
        cbool shrink_windows
        cbool average_context
        cbool average_gradient
        cbool track_loss
    cdef cppclass Stretch:
        TokenPos begin
        TokenPos end
        const int64_t* ends
    cdef cppclass Chunk:
        const int32_t* tokens
        const Stretch* stretches
        size_t n_stretches
        double lr_begin
        double lr_end
        Rng rng
        const atomic[cbool]* stop
    cdef cppclass ChunkResult:
        double loss
        int64_t n_examples
        int64_t n_words


cdef extern from "kernel_data/workspace.h" namespace "pyw2v" nogil:
    const int64_t kMaxChunkTokens
    int padded_columns(int m) noexcept
    int score_columns(int m) noexcept
    cdef cppclass Workspace[Real]:
        Workspace(const Model[Real]& model) except +raise_py_error


cdef extern from "kernel_data/classifier_model.h" namespace "pyw2v" nogil:
    cdef enum class ClassifierLoss:
        kSoftmax
        kHierarchical
        kNegative
        kOneVsAll
    cdef cppclass ClassifierModel[Real]:
        MatrixView[Real] input
        MatrixView[Real] output
        ClassifierLoss loss
        int n_labels
        NegativeSampling[Real] ns
        HierarchicalSoftmax[Real] hs
        const float* class_weights
        cbool learns_from_unlabelled
    cdef cppclass LabelledLines:
        int n_lines
        const uint32_t* rows
        const int64_t* row_ends
        const int32_t* labels
        const int64_t* label_ends
        const double* lr
        Rng rng
        const atomic[cbool]* stop
    cdef cppclass ClassifierWork[Real]:
        ClassifierWork(const ClassifierModel[Real]& model) except +raise_py_error


cdef extern from "isa/kernel_table.h" namespace "pyw2v" nogil:
    cdef cppclass TrainingKernels[Real]:
        ChunkResult train_chunk(
            const Model[Real]& model, const Chunk& chunk, Workspace[Real]& work) noexcept
        double block_step(
            Real** x, int n, Real** y, int m, int dim, const Real* labels, const Real* mask,
            Real lr, Real* g, Real* scratch) noexcept
    cdef cppclass ByteVector:
        float unit, norm, byte_norm, residual
        bint representable
    cdef cppclass ByteFilterKernels:
        ByteVector quantize(const float*, size_t, int, int, uint8_t*) noexcept
    cdef cppclass ClassifierKernels[Real]:
        ChunkResult train_lines(
            const ClassifierModel[Real]& model, const LabelledLines& lines,
            ClassifierWork[Real]& work) noexcept
    cdef cppclass GloveKernels[Real]:
        pass
    cdef cppclass KernelTable:
        const char* name
        TrainingKernels[float] training
        ClassifierKernels[float] classifier
        GloveKernels[float] glove
        const ByteFilterKernels* byte_filter
    cdef cppclass DoubleKernels:
        TrainingKernels[double] training
        ClassifierKernels[double] classifier
        GloveKernels[double] glove
