// Text in, labels with their probabilities out, for many lines at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "isa/kernel_table.h"
#include "query/quantizer.h"
#include "vocab/line_features.h"

namespace pyw2v {

// The input rows: packed floats, or, where a file holds codes, what decodes one row.
class InputRows {
 public:
  virtual ~InputRows() = default;
  // As AnswerKernels::add_rows.
  virtual void add(const KernelTable& kernels, const std::uint32_t* rows,
                   const std::int64_t* row_ends, int n_lines, float* out,
                   std::size_t stride) const = 0;
};

class DenseInput : public InputRows {
 public:
  explicit DenseInput(const PackedRows& rows) : rows_(rows) {}
  void add(const KernelTable& kernels, const std::uint32_t* rows, const std::int64_t* row_ends,
           int n_lines, float* out, std::size_t stride) const override;

 private:
  PackedRows rows_;
};

// Codes as QuantizedMatrix holds them; norms are null, or one code for each row and their values.
struct QuantizedRows {
  QuantizerShape shape;
  const std::uint8_t* codes;
  const float* centroids;
  const std::uint8_t* norm_codes;
  const float* norms;
};

class QuantizedInput : public InputRows {
 public:
  explicit QuantizedInput(const QuantizedRows& rows) : rows_(rows) {}
  void add(const KernelTable& kernels, const std::uint32_t* rows, const std::int64_t* row_ends,
           int n_lines, float* out, std::size_t stride) const override;

 private:
  QuantizedRows rows_;
};

struct LabelTree {
  const std::int64_t* offsets = nullptr;  // as in HuffmanPaths
  const std::uint8_t* codes = nullptr;
  const std::int32_t* points = nullptr;
};

struct PredictOptions {
  std::int32_t k = 1;        // answers for a line, at most
  float threshold = 0;       // of their probability, at least
  bool as_fasttext = false;  // its table of sigmoids, and 1e-5 on top of every probability
  std::size_t n_threads = 1;
};

// k answers for each line, best first; n_found of them hold something.
struct Predictions {
  std::int32_t* labels;
  float* probabilities;
  std::int32_t* n_found;
};

class LineClassifier {
 public:
  // All of these must outlive the classifier. output: a row for every label (inner node).
  LineClassifier(const KernelTable& kernels, const LineDictionary& dictionary,
                 const InputRows& input, const MatrixView<float>& output, ClassifierLoss loss,
                 int n_labels, const LabelTree& tree);

  // Lines begin at line_begins[i] of `text` and end where the next begins; WordTable::kReadable
  // bytes follow the last. A line without features gets no answer.
  void predict(const char* text, const std::int64_t* line_begins, std::size_t n_lines,
               const PredictOptions& options, const Predictions& out) const;

  // The means of the features' rows of the same lines, n_lines x dim.
  void hidden(const char* text, const std::int64_t* line_begins, std::size_t n_lines,
              std::size_t n_threads, float* out) const;

 private:
  struct Found {
    float probability;
    std::int32_t label;
  };
  struct Scratch;

  void sum_words() const;
  void fill_hidden(const char* text, const std::int64_t* line_begins, std::size_t first,
                   std::size_t last, WordId n_whole, Scratch& scratch) const;
  void predict_block(std::size_t first, std::size_t last, const PredictOptions& options,
                     Scratch& scratch, const Predictions& out) const;
  void find_flat(const float* scores, const PredictOptions& options,
                 std::vector<Found>& found) const;
  void find_in_tree(float* hidden, const PredictOptions& options, std::vector<Found>& found) const;

  const KernelTable& kernels_;
  const LineDictionary& dictionary_;
  const InputRows& input_;
  MatrixView<float> output_;
  ClassifierLoss loss_;
  int n_labels_;
  std::vector<float*> rows_;  // of output
  // Of every inner node: what its branches lead to, an inner node or -1 - label.
  std::vector<std::int32_t> children_;
  // Of the most frequent words: the sums of their rows, and of how many. Made when many lines come.
  mutable std::once_flag summed_;
  mutable std::vector<float> word_sums_;
  mutable std::vector<std::int64_t> word_sizes_;
};

}  // namespace pyw2v
