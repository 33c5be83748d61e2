// Private copies of the Huffman nodes near the root, which every path goes through. If workers
// shared these rows, their cache lines would move from core to core at every step: two workers
// would be slower than one. So each worker updates copies of its own. After every centre it
// reconciles one of them: it adds the copy's changes to the shared row and takes over the changes
// of other workers.
//
// Between two reconciliations a worker does not see the others' steps, and their sum must not
// overshoot. Level l of the tree has 2^l nodes, each on about 2^-l of all paths. Levels take turns,
// one node each, so a node is reconciled the more often the more paths it is on, the root most
// often. The more workers there are, the fewer levels have copies.
#pragma once

#include "base/aligned_buffer.h"
#include "base/matrix.h"
#include "base/types.h"

namespace pyw2v {

// The copies of one worker.
template <class Real>
struct HotRows {
  // Nodes are ordered by how many paths they are on; the root is the last.
  HotRows(const MatrixView<Real>& common, std::size_t n_nodes, int worker, int n_workers)
      : common(common),
        n_levels(levels(n_nodes, n_workers)),
        n((1 << n_levels) - 1),
        first(static_cast<std::int32_t>(n_nodes) - n),
        level(worker * n_levels / n_workers),
        copies(static_cast<std::size_t>(n) * common.stride()),
        known(static_cast<std::size_t>(n) * common.stride()) {}

  static int levels(std::size_t n_nodes, int n_workers) {
    constexpr int kLevels = 18;  // of all workers together
    int n = n_workers > 1 ? kLevels / n_workers : 0;
    while ((std::size_t{1} << n) - 1 > n_nodes) --n;
    return n;
  }

  // Whether a node has a copy. On a path from the root these come first.
  bool has(std::int32_t node) const { return node >= first && node - first < n; }
  Real* row(std::int32_t node) const { return copy(node - first); }
  Real* copy(int i) const { return copies.data() + static_cast<std::size_t>(i) * common.stride(); }

  // The copy to reconcile next.
  int at_turn() const {
    const int of_level = 1 << level;
    return n - of_level - (round & (of_level - 1));
  }
  void end_turn() {
    if (++level < n_levels) return;
    level = 0;
    ++round;
  }

  MatrixView<Real> common;
  int n_levels;
  int n;
  std::int32_t first;  // the first node that has a copy
  int level;           // whose turn it is; workers start at different levels
  int round = 0;
  AlignedBuffer<Real> copies;
  AlignedBuffer<Real> known;  // the shared rows as they were at the last reconciliation
};

}  // namespace pyw2v
