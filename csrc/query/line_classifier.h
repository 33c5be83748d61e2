// Text in, labels with their probabilities out, for many lines at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/line_features.h"
#include "isa/kernel_table.h"
#include "query/quantizer.h"
#include "tables/huffman_view.h"

namespace pyw2v {

// The input matrix: packed floats, or the codes of a product quantiser, which are decoded row by
// row.
class InputRows {
 public:
  virtual ~InputRows() = default;
  // Adds the rows of each line to its row of `out`, as PredictionKernels::add_rows does.
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

struct PredictOptions {
  std::int32_t k = 1;        // labels for a line, at most
  float threshold = 0;       // their probability is at least this
  bool as_fasttext = false;  // fastText's table of sigmoids, and its 1e-5 on every probability
  std::size_t n_threads = 1;
};

// Room for k labels for each line, best first, of which the first n_found[line] are set.
struct Predictions {
  std::int32_t* labels;
  float* probabilities;
  std::int32_t* n_found;
};

class LineClassifier {
 public:
  // All but the tree must outlive the classifier: that is read here, and by the hierarchical loss
  // alone. output: a row for every label (inner node).
  LineClassifier(const KernelTable& kernels, const LineDictionary& dictionary,
                 const InputRows& input, const MatrixView<float>& output, ClassifierLoss loss,
                 int n_labels, const HuffmanView& tree);

  // Lines begin at line_begins[i] of `text` and end where the next begins; WordTable::kReadable
  // bytes follow the last. A line without features gets no label.
  void predict(const char* text, const std::int64_t* line_begins, std::size_t n_lines,
               const PredictOptions& options, const Predictions& out,
               const Interrupt& interrupt) const;

  // The hidden vectors of the same lines: the means of their features' rows, n_lines x dim.
  void hidden(const char* text, const std::int64_t* line_begins, std::size_t n_lines,
              std::size_t n_threads, float* out, const Interrupt& interrupt) const;

 private:
  struct Found {
    float probability;
    std::int32_t label;
  };
  struct Scratch;

  void sum_words() const;
  void fill_hidden(const char* text, const std::int64_t* line_begins, std::size_t first,
                   std::size_t last, std::int32_t n_whole, Scratch& scratch,
                   const Interrupt& interrupt) const;
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
  // For every inner node the two children: an inner node, or -1 - label.
  std::vector<std::int32_t> children_;
  // For each of the most frequent words, the sum of its rows and their number. Computed at the
  // first call with many lines.
  mutable std::once_flag summed_;
  mutable std::vector<float> word_sums_;
  mutable std::vector<std::int64_t> word_sizes_;
};

}  // namespace pyw2v
