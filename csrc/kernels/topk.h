// Scores of queries against rows, and the few of them that beat a threshold.
//
// Lanes are queries: one element of a row is broadcast and meets the same element of a whole vector
// of queries. So nothing is ever summed across lanes, rows need no padding or alignment, scores
// come out in the order of the thresholds they are compared with, and a score's bits depend neither
// on the other queries nor on the place of its row.

#pragma once

#include "kernels/simd.h"
#include "kernels/topk_tile.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class V, int kVectors, int kRows>
inline void topk_rows(const TopkTile& tile, std::size_t row) {
  const float* const rows = tile.rows + static_cast<std::ptrdiff_t>(row) * tile.row_stride;
  const float* query = tile.queries;
  V sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] = V::zero();
  }
  for (std::size_t c = 0; c < tile.dim; ++c, query += kVectors * V::kWidth) {
    V queries[kVectors];
    for (int v = 0; v < kVectors; ++v) queries[v] = V::load(query + v * V::kWidth);
    for (int i = 0; i < kRows; ++i) {
      const V element = V::set1(rows[i * tile.row_stride + static_cast<std::ptrdiff_t>(c)]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = V::fma(element, queries[v], sums[i][v]);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    const V scale = V::set1(tile.scales[row + static_cast<std::size_t>(i)]);
    alignas(64) float scores[kVectors * V::kWidth];
    bool above = false;
    for (int v = 0; v < kVectors; ++v) {
      const V score = sums[i][v] * scale;
      score.store(scores + v * V::kWidth);
      above |= V::any_greater(score, V::load(tile.thresholds + v * V::kWidth));
    }
    if (above) tile.sink(tile.context, row + static_cast<std::size_t>(i), scores);
  }
}

template <int kRows>
inline void topk_prefetch(const TopkTile& tile, std::size_t row) {
  constexpr std::size_t kLine = 16;  // floats
  const float* next = tile.rows + static_cast<std::ptrdiff_t>(row) * tile.row_stride;
  for (int i = 0; i < kRows; ++i, next += tile.row_stride) {
    for (std::size_t c = 0; c < tile.dim; c += kLine) PYW2V_PREFETCH(next + c);
  }
}

template <class V, int kVectors, int kRows>
inline void topk_columns(const TopkTile& tile) {
  std::size_t row = 0;
  for (; row + kRows <= tile.n_rows; row += kRows) {
    // A few queries wait for memory, and rows this short are too irregular for the processor to
    // foresee. A third faster for one query of 100 dimensions.
    if (kVectors == 1 && row + 2 * kRows <= tile.n_rows) topk_prefetch<kRows>(tile, row + kRows);
    topk_rows<V, kVectors, kRows>(tile, row);
  }
  for (; row < tile.n_rows; ++row) topk_rows<V, kVectors, 1>(tile, row);
}

// Rows at once: enough independent sums to hide the latency of the multiply-add.
template <class V>
void topk_scan(const TopkTile& tile) {
  static_assert(kTopkVectors == 3, "one case for each number of vectors");
  switch (tile.lanes / V::kWidth) {
    case 1: return topk_columns<V, 1, 8>(tile);
    case 2: return topk_columns<V, 2, 6>(tile);
    default: return topk_columns<V, 3, 4>(tile);
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
