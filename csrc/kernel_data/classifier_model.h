// A text classifier's matrices and loss, the labelled lines it is trained on, and one worker's
// scratch memory. Plain data, which the trainer fills and the kernels of every instruction set
// read.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/rng.h"
#include "kernel_data/model.h"
#include "kernel_data/workspace.h"

namespace pyw2v {

enum class ClassifierLoss { kSoftmax, kHierarchical, kNegative, kOneVsAll };

template <class Real>
struct ClassifierModel {
  MatrixView<Real> input;   // a row for every feature
  MatrixView<Real> output;  // a row for every label, or inner node of the labels' tree
  ClassifierLoss loss = ClassifierLoss::kSoftmax;
  int n_labels = 0;
  // Only the one that the loss names is used, and its sampler or tree alone: the matrix is
  // `output`.
  NegativeSampling<Real> ns;
  HierarchicalSoftmax<Real> hs;          // the label of a node is its branch, as in fastText
  const float* class_weights = nullptr;  // per label, factor on the learning rate; null is 1
  // One-vs-all only: a line without labels is a negative example of every label; else it is
  // skipped.
  bool learns_from_unlabelled = false;

  int max_targets() const {
    if (loss == ClassifierLoss::kHierarchical) return hs.max_targets();
    return loss == ClassifierLoss::kNegative ? ns.max_targets() : n_labels;
  }
};

// Lines with their features. All are known beforehand, so that rows can be prefetched.
struct LabelledLines {
  int n_lines = 0;
  const std::uint32_t* rows = nullptr;  // of all lines
  const std::int64_t* row_ends = nullptr;
  const std::int32_t* labels = nullptr;
  const std::int64_t* label_ends = nullptr;
  const double* lr = nullptr;  // of each line
  Rng rng{0};
  const std::atomic<bool>* stop = nullptr;
};

template <class Real>
struct ClassifierWork {
  explicit ClassifierWork(const ClassifierModel<Real>& model)
      : rows(static_cast<std::size_t>(padded_columns(model.max_targets()))),
        labels(rows.size()),
        mask(rows.size()),
        scores(static_cast<std::size_t>(score_columns(model.max_targets()))),
        hidden(model.input.stride()),
        hidden_grad(model.input.stride()) {
    const bool all =
        model.loss != ClassifierLoss::kHierarchical && model.loss != ClassifierLoss::kNegative;
    for (int j = 0; j < model.max_targets(); ++j) {
      if (all) rows[static_cast<std::size_t>(j)] = model.output.row(row_number(j));
      mask.data()[j] = 1;
    }
  }
  std::vector<Real*> rows;  // of the targets; set once where every label is a target
  AlignedBuffer<Real> labels;
  AlignedBuffer<Real> mask;
  AlignedBuffer<Real> scores;
  AlignedBuffer<Real> hidden;
  AlignedBuffer<Real> hidden_grad;
};

// Rows of a matrix that may be packed: no alignment, no padding, any stride.
struct PackedRows {
  const float* data = nullptr;
  std::size_t dim = 0;
  std::size_t stride = 0;
};

enum class Activation { kScores, kSoftmax, kSigmoid };

}  // namespace pyw2v
