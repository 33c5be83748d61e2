// Below the root of a tree of classes: the inputs of a batch that meet in a class are compared with
// its members in one block step. What they meet at the root is in kernels/full.h.
#pragma once

#include "kernel_data/full_model.h"
#include "kernels/block.h"
#include "kernels/region.h"
#include "kernels/rows.h"
#include "kernels/softmax.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Members of one group, and the inputs that meet them.
template <class Real>
struct ClassBlock {
  Real* const* rows;
  const std::int32_t* members;
  int m;
  Real* bias;  // of all rows of their kind, or null
  Real* inputs[kClassInputs];
  std::int32_t targets[kClassInputs];  // places in the group
  int n = 0;
};

template <class V, bool kUpdate>
inline double class_step(const ClassBlock<typename V::Real>& b, int dim, typename V::Real lr,
                         BatchWork<typename V::Real>& work) {
  using Real = typename V::Real;
  const Block<Real> block{b.inputs, b.n, b.rows, b.m, dim, true, work.delta.data()};
  const Scores<Real> scores{work.class_scores.data(), work.class_stride};
  score<V>(block, scores);
  double loss = 0;
  for (int i = 0; i < b.n; ++i) {
    Real* s = scores.at(i, 0);
    for (int j = 0; j < b.m && b.bias != nullptr; ++j) s[j] += b.bias[b.members[j]];
    loss += softmax_errors<V>(s, b.m, b.targets[i], lr);
    for (int j = 0; j < b.m && kUpdate && b.bias != nullptr; ++j) b.bias[b.members[j]] += s[j];
  }
  if (kUpdate && b.n == 1) {
    update_targets<V>(block, scores);
    add_to_rows<V>(b.inputs, 1, Real(1), work.delta.data(), dim);
  } else if (kUpdate) {
    update<V>(block, scores);
  }
  return loss;
}

// All pairs chained to group g.
template <class V, bool kUpdate>
inline double class_group(const FullOutput<typename V::Real>& full, int g, int dim,
                          typename V::Real lr, BatchWork<typename V::Real>& work) {
  using Real = typename V::Real;
  const ClassTree& tree = full.tree;
  const std::int32_t* members = tree.members + tree.offsets[g];
  const int m = static_cast<int>(tree.offsets[g + 1] - tree.offsets[g]);
  if (m < 2) return 0;  // nothing to decide
  const bool inner = g < tree.n_inner;
  const MatrixView<Real>& matrix = inner ? full.nodes : full.words;
  Real** rows = work.group_rows.data();
  for (int j = 0; j < m; ++j) rows[j] = matrix.row(row_number(members[j]));
  ClassBlock<Real> block{rows, members, m, inner ? full.node_bias : full.word_bias, {}, {}};
  double loss = 0;
  for (int p = work.group_head[static_cast<std::size_t>(g)]; p >= 0;) {
    const auto at = static_cast<std::size_t>(p);
    block.inputs[block.n] =
        work.hidden.data() + static_cast<std::size_t>(work.pair_lane[at]) * work.stride;
    block.targets[block.n++] = work.pair_row[at];
    p = work.pair_next[at];
    if (block.n < kClassInputs && p >= 0) continue;
    loss += class_step<V, kUpdate>(block, dim, lr, work);
    block.n = 0;
  }
  return loss;
}

// The decisions of all pairs below the root; changes work.hidden in place.
template <class V, bool kUpdate>
inline double class_levels(const FullOutput<typename V::Real>& full, int dim, typename V::Real lr,
                           BatchWork<typename V::Real>& work) {
  const ClassTree& tree = full.tree;
  double loss = 0;
  for (int level = 1; level < tree.depth; ++level) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(work.n_pairs); ++p) {
      const std::size_t at = tree.path_at(work.pair_word[p], level);
      std::int32_t& head = work.group_head[static_cast<std::size_t>(tree.path_groups[at])];
      work.pair_row[p] = tree.path_places[at];
      work.pair_next[p] = head;
      head = static_cast<std::int32_t>(p);
    }
    for (std::size_t p = 0; p < static_cast<std::size_t>(work.n_pairs); ++p) {
      const int group = tree.path_groups[tree.path_at(work.pair_word[p], level)];
      std::int32_t& head = work.group_head[static_cast<std::size_t>(group)];
      if (head < 0) continue;  // done already
      loss += class_group<V, kUpdate>(full, group, dim, lr, work);
      head = -1;
    }
  }
  return loss;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
