// Outputs that compare an input with all words, or with all members of a few classes, and the
// scratch memory of a batch of inputs. Plain data, as model.h.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/matrix.h"
#include "base/types.h"
#include "kernel_data/columns.h"
#include "kernel_data/full_tile.h"

namespace pyw2v {

enum class FullLoss {
  kNone,      // the model has no such output
  kSoftmax,   // over all words
  kLogistic,  // each word against the rest; as a distribution: sigmoids divided by their sum
  kClasses,   // over the classes, then over the members of one, down a tree of a few levels
};

// A tree in which all words lie equally deep. Group 0 are the children of the root, group 1 + k
// those of node k; nodes are numbered level by level. Children of the nodes above the last level
// are nodes, the others words.
struct ClassTree {
  int depth = 0;                              // decisions on the way to a word
  int n_groups = 0;                           // nodes and the root
  int n_inner = 0;                            // groups of nodes, which come first
  int max_group = 0;                          // members of the largest
  const std::int64_t* offsets = nullptr;      // group g has members offsets[g] .. offsets[g + 1]
  const std::int32_t* members = nullptr;      // nodes or words
  const std::int32_t* path_groups = nullptr;  // where a word decides, `depth` of them for each,
  const std::int32_t* path_places = nullptr;  // and for which member, counted within the group

  std::size_t path_at(WordId word, int level) const {
    return static_cast<std::size_t>(word) * static_cast<std::size_t>(depth) +
           static_cast<std::size_t>(level);
  }
};

constexpr int kClassBatchInputs = 5 * kBatchInputs;

template <class Real>
struct FullOutput {
  FullLoss loss = FullLoss::kNone;
  MatrixView<Real> words;     // a row a word
  MatrixView<Real> nodes;     // of classes: a row a node
  Real* word_bias = nullptr;  // added to scores; null: nothing is
  Real* node_bias = nullptr;
  double self_norm = 0;  // of the softmax: this times (log Z)^2 is part of the loss
  Bands bands;
  ClassTree tree;
  bool update = true;  // else only the loss is computed, and nothing written

  bool on() const { return loss != FullLoss::kNone; }

  // Rows that all inputs meet.
  std::size_t n_all() const {
    if (loss == FullLoss::kClasses) return static_cast<std::size_t>(tree.offsets[1]);
    return words.n_rows();
  }

  // Inputs that are compared with all rows at once. If there are few rows, each has a large share
  // of the probability and gets a large change from every input, so that many inputs would
  // overshoot.
  int lanes() const { return between(1, n_all() / 8, kBatchInputs); }

  // Inputs of one batch, made of the rows as they are at its start. With classes there are several
  // times as many: then some share a class, whose rows are read once for all of them.
  int batch_inputs() const {
    return loss == FullLoss::kClasses ? between(lanes(), words.n_rows() / 64, kClassBatchInputs)
                                      : lanes();
  }

 private:
  static int between(int least, std::size_t n, int most) {
    const int m = n < static_cast<std::size_t>(most) ? static_cast<int>(n) : most;
    return m < least ? least : m;
  }
};

// Targets of one skip-gram input in one batch, on either side of it. Farther ones are in a later
// batch, for the same reason. See kMaxBlockInputs.
constexpr int kBatchReach = 8;

// Inputs that meet the members of one class at once.
constexpr int kClassInputs = 16;

template <class Real>
struct BatchWork {
  static constexpr std::size_t kLanes = kBatchInputs;
  static constexpr std::size_t kInputs = kClassBatchInputs;
  static constexpr std::size_t kPairs = kInputs * 2 * kBatchReach;

  // n_all: rows that all inputs meet.
  BatchWork(std::size_t n_all, std::size_t n_bands, const ClassTree& tree, std::size_t stride)
      : stride(stride),
        class_stride(static_cast<int>(class_columns(tree))),
        hidden(kInputs * stride),
        change(kInputs * stride),
        hidden_t(kLanes * stride),
        change_t(kLanes * stride),
        scores(n_all * kLanes),
        block_max((n_all / kBlockRows + n_bands + 2) * kLanes),
        max(kLanes),
        sum(kLanes),
        weight(kLanes),
        lo(kInputs),
        hi(kInputs),
        skip(kInputs),
        n_rows(kInputs),
        n_targets(kInputs),
        pair_lane(kPairs),
        pair_word(kPairs),
        pair_row(kPairs),
        pair_next(kPairs),
        group_head(static_cast<std::size_t>(tree.n_groups), -1),
        group_rows(static_cast<std::size_t>(tree.max_group)),
        class_scores(tree.depth > 0 ? kClassInputs * class_columns(tree) : 1),
        delta(tree.depth > 0 ? static_cast<std::size_t>(tree.max_group + kClassInputs) * stride
                             : 1) {}

  static std::size_t class_columns(const ClassTree& tree) {
    return static_cast<std::size_t>(score_columns(tree.max_group));
  }

  std::size_t stride;  // of the rows of inputs
  int class_stride;
  int n = 0;                               // inputs in the batch
  int n_pairs = 0;                         // of an input and a word
  AlignedBuffer<Real> hidden, change;      // a row an input
  AlignedBuffer<Real> hidden_t, change_t;  // a row a column of those; of `lanes` inputs at a time
  AlignedBuffer<Real> scores;              // a row an output row, a column an input
  AlignedBuffer<Real> block_max;           // of the scores so far, when each block was computed
  AlignedBuffer<Real> max, sum;            // of the scores; of e^(score - max)
  AlignedBuffer<Real> weight;              // n_targets of each
  std::vector<std::int32_t> lo, hi, skip;  // the tokens that each input is made of
  std::vector<std::int32_t> n_rows;        // the number of their rows
  std::vector<std::int32_t> n_targets;
  std::vector<std::int32_t> pair_lane;
  std::vector<WordId> pair_word;
  std::vector<std::int32_t> pair_row, pair_next;
  std::vector<std::int32_t> group_head;  // of the pairs that meet in each group of a tree; -1: none
  std::vector<Real*> group_rows;
  AlignedBuffer<Real> class_scores, delta;
};

}  // namespace pyw2v
