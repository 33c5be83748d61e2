// Scores of queries against rows, and the few of them that beat a threshold.
//
// Lanes are queries: one element of a row is broadcast and meets the same element of a whole vector
// of queries. So nothing is ever summed across lanes, rows need no padding or alignment, scores
// come out in the order of the thresholds they are compared with, and a score's bits depend neither
// on the other queries nor on the place of its row.

#pragma once

#include "kernel_data/topk_tile.h"
#include "kernels/region.h"
#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

inline std::size_t topk_row(const TopkTile& tile, std::size_t i) {
  return tile.listed ? tile.listed[i] : i;
}

inline const float* topk_elements(const TopkTile& tile, std::size_t row) {
  return tile.rows + static_cast<std::ptrdiff_t>(row) * tile.row_stride;
}

// Of rows `first` and on. Those past the last are scored as the last once more, which is quicker
// than one after the other, and not delivered.
template <class V, int kVectors, int kRows>
inline void topk_rows(const TopkTile& tile, std::size_t first) {
  std::size_t rows[kRows];
  const float* elements[kRows];
  for (std::size_t i = 0; i < kRows; ++i) {
    rows[i] = topk_row(tile, first + i < tile.n_rows ? first + i : tile.n_rows - 1);
    elements[i] = topk_elements(tile, rows[i]);
  }
  const float* query = tile.queries;
  V sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] = V::zero();
  }
  for (std::size_t c = 0; c < tile.dim; ++c, query += tile.query_stride) {
    V queries[kVectors];
    for (int v = 0; v < kVectors; ++v) queries[v] = V::load(query + v * V::kWidth);
    for (int i = 0; i < kRows; ++i) {
      const V element = V::set1(elements[i][c]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = V::fma(element, queries[v], sums[i][v]);
    }
  }
  for (std::size_t i = 0; i < kRows && first + i < tile.n_rows; ++i) {
    const V scale = V::set1(tile.scales[rows[i]]);
    alignas(64) float scores[kVectors * V::kWidth];
    bool above = false;
    for (int v = 0; v < kVectors; ++v) {
      const V score = sums[i][v] * scale;
      score.store(scores + v * V::kWidth);
      above |= V::any_greater(score, V::load(tile.thresholds + v * V::kWidth));
    }
    if (above) tile.sink(tile.context, rows[i], scores);
  }
}

// A row past the last is no harm: a prefetch never faults.
inline void topk_prefetch(const TopkTile& tile, std::size_t row) {
  constexpr std::size_t kLine = 16;  // floats
  const float* const ahead = topk_elements(tile, row);
  for (std::size_t c = 0; c < tile.dim; c += kLine) PYW2V_PREFETCH_READ(ahead + c);
}

template <class V, int kVectors, int kRows>
inline void topk_columns(const TopkTile& tile) {
  for (std::size_t row = 0; row < tile.n_rows; row += kRows) {
    if (kVectors == 1 && !tile.listed) {  // a few queries wait for memory
      for (std::size_t i = 0; i < kRows; ++i) topk_prefetch(tile, row + kRows + i);
    }
    topk_rows<V, kVectors, kRows>(tile, row);
  }
}

// One query of at least kWidth elements. Lanes are rows; each sum is taken in the same order as
// above, so its bits are the same. Memory sets the pace: rows are fetched two rounds ahead, one row
// a step, which at 100 dimensions is twice as fast as prefetching all of them at once.
template <class V>
inline void topk_one(const TopkTile& tile) {
  constexpr int kGroups = 2;  // of kWidth rows
  constexpr std::size_t kWidth = V::kWidth, kRows = kGroups * kWidth;
  const std::size_t whole = tile.dim / kWidth * kWidth;
  const float* const query = tile.queries;
  std::size_t row = 0;
  for (; row + kRows <= tile.n_rows; row += kRows) {
    const float* rows[kGroups];
    V sums[kGroups], columns[kWidth];
    for (int g = 0; g < kGroups; ++g) {
      rows[g] = topk_elements(tile, row + g * kWidth);
      sums[g] = V::zero();
    }
    std::size_t ahead = 2 * kRows;
    for (std::size_t c = 0; c < whole; c += kWidth) {
      for (int g = 0; g < kGroups; ++g) {
        if (ahead < 3 * kRows) topk_prefetch(tile, row + ahead++);
        V::load_columns(rows[g] + c, tile.row_stride, columns);
        for (std::size_t j = 0; j < kWidth; ++j) {
          sums[g] = V::fma(columns[j], V::set1(query[(c + j) * tile.query_stride]), sums[g]);
        }
      }
    }
    // The last columns end with the row, so some before them come a second time.
    const std::size_t last = tile.dim - kWidth;
    for (int g = 0; whole < tile.dim && g < kGroups; ++g) {
      V::load_columns(rows[g] + last, tile.row_stride, columns);
      for (std::size_t j = whole - last; j < kWidth; ++j) {
        sums[g] = V::fma(columns[j], V::set1(query[(last + j) * tile.query_stride]), sums[g]);
      }
    }
    for (int g = 0; g < kGroups; ++g) {
      const std::size_t first = row + g * kWidth;
      const V scores = sums[g] * V::load(tile.scales + first);
      if (!V::any_greater(scores, V::set1(tile.thresholds[0]))) continue;
      float each[kWidth];
      scores.store(each);
      for (std::size_t i = 0; i < kWidth; ++i) tile.sink(tile.context, first + i, each + i);
    }
  }
  for (; row < tile.n_rows; ++row) topk_rows<V, 1, 1>(tile, row);
}

// Rows at once: enough independent sums to hide the latency of the multiply-add.
template <class V>
void topk_scan(const TopkTile& tile) {
  static_assert(kTopkVectors == 3, "one case for each number of vectors");
  if (tile.n_queries == 1 && tile.dim >= V::kWidth && !tile.listed) return topk_one<V>(tile);
  switch (tile.lanes / V::kWidth) {
    case 1: return topk_columns<V, 1, 8>(tile);
    case 2: return topk_columns<V, 2, 6>(tile);
    default: return topk_columns<V, 3, 4>(tile);
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
