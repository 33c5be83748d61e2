// What a text classifier is made of, the lines it is shown, and one worker's scratch memory. Plain
// data, shared by the trainer, which fills it, and the kernels of every instruction set.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/rng.h"
#include "models/model.h"
#include "models/workspace.h"

namespace pyw2v {

enum class ClassifierLoss { kSoftmax, kHierarchical, kNegative, kOneVsAll };

template <class Real>
struct ClassifierModel {
  MatrixView<Real> input;   // a row for every feature
  MatrixView<Real> output;  // for every label, or inner node of their tree
  ClassifierLoss loss = ClassifierLoss::kSoftmax;
  int n_labels = 0;
  // Of the next two only the loss's own is used, and neither's matrix.
  NegativeSampling<Real> ns;
  HierarchicalSoftmax<Real> hs;          // a branch of 1 is the positive answer of its node
  const float* class_weights = nullptr;  // by label, factor on the rate; null is 1
  // One-vs-all only: a line without labels is an example of none of them, else it is passed over.
  bool learns_from_unlabelled = false;

  int max_targets() const {
    if (loss == ClassifierLoss::kHierarchical) return hs.max_targets();
    return loss == ClassifierLoss::kNegative ? ns.max_targets() : n_labels;
  }
};

// Lines whose features are known, so that rows can be fetched far ahead.
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
      if (all) rows[static_cast<std::size_t>(j)] = model.output.row(row_of(j));
      mask.data()[j] = 1;
    }
  }
  std::vector<Real*> rows;  // of the targets; all labels, once and for all, where all are targets
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

enum class Answer { kScores, kSoftmax, kSigmoid };

}  // namespace pyw2v
