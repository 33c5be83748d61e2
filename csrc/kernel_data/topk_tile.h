// The contract between the search for nearest rows (query/topk.h) and its inner loop, which exists
// once per instruction set (kernels/topk.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pyw2v {

// Vectors of queries in a full tile. With four rows that makes twelve accumulators, which with
// three query vectors and one broadcast fill the sixteen registers of AVX2.
constexpr std::size_t kTopkVectors = 3;

// Gets the scores of one row, of which at least one is above its threshold. It may raise
// thresholds[].
using TopkSink = void (*)(void* context, std::size_t row, const float* scores);

// A few queries against many rows.
struct TopkTile {
  const float* queries;      // element c of query j is queries[c * query_stride + j]
  std::size_t query_stride;  // whole vectors
  float* thresholds;         // [lanes]; infinite where there is no query
  std::size_t lanes;         // one to kTopkVectors vectors
  std::size_t n_queries;     // at most lanes
  std::size_t dim;

  const float* rows;
  std::ptrdiff_t row_stride;    // in floats
  const float* scales;          // of each row; its score is scale * dot(row, query)
  const std::uint32_t* listed;  // the rows to score, rising; null for all
  std::size_t n_rows;           // to score

  TopkSink sink;
  void* context;
};

}  // namespace pyw2v
