// The nodes of a Huffman tree near its root, which every worker changes all the time. Shared, they
// would travel from one core to the other at every step: two workers would be slower than one. So
// each worker has copies of them, and with every centre one copy gives its changes to the common
// row and takes over those of others.
//
// Until then a worker does not see the others' steps, whose sum must not overshoot. So the root has
// its turn soonest: level l of the tree, of 2^l nodes with about 2^-l of all steps each, is as
// often at work as any other level. And the more workers, the fewer levels.
#pragma once

#include "base/aligned_buffer.h"
#include "base/matrix.h"
#include "base/types.h"

namespace pyw2v {

// The copies of one worker.
template <class Real>
struct HotRows {
  // Nodes are in the order of how often they are met; the root is the last.
  HotRows(const MatrixView<Real>& common, std::size_t n_nodes, int worker, int n_workers)
      : common(common),
        n_levels(levels(n_nodes, n_workers)),
        n((1 << n_levels) - 1),
        first(static_cast<WordId>(n_nodes) - n),
        level(worker * n_levels / n_workers),
        copies(static_cast<std::size_t>(n) * common.stride()),
        known(static_cast<std::size_t>(n) * common.stride()) {}

  static int levels(std::size_t n_nodes, int n_workers) {
    constexpr int kLevels = 18;  // of all workers together
    int n = n_workers > 1 ? kLevels / n_workers : 0;
    while ((std::size_t{1} << n) - 1 > n_nodes) --n;
    return n;
  }

  // On the way from the root those that have copies come first.
  bool has(WordId id) const { return id >= first && id - first < n; }
  Real* row(WordId id) const { return copy(id - first); }
  Real* copy(int i) const { return copies.data() + static_cast<std::size_t>(i) * common.stride(); }

  // The row whose turn it is.
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
  WordId first;  // row that has a copy
  int level;     // at work: with other workers, others
  int round = 0;
  AlignedBuffer<Real> copies;
  AlignedBuffer<Real> known;  // the common rows when they were last seen
};

}  // namespace pyw2v
