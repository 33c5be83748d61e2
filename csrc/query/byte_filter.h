// Which rows of a block may be among the nearest of some queries, found in bytes.
//
// Bytes are multiplied at four times the rate of floats. The rows that pass are a few more than
// those that matter, never fewer: kernel_data/byte_filter_tile.h has the idea, ByteFilter::load the
// proof. They are then scored in floats, so the results are those without a filter, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "isa/kernel_table.h"

namespace pyw2v {

// Rows in bytes, and those of them that passed for the last tile of queries; one of each worker.
class ByteBlock {
 public:
  ByteBlock(std::size_t max_rows, std::size_t row_stride);

  const std::uint32_t* candidates(std::size_t vector) const {
    return candidates_.data() + vector * units_.size();
  }
  std::size_t n_candidates(std::size_t vector) const { return n_candidates_[vector]; }

 private:
  friend class ByteFilter;
  std::size_t n_rows_ = 0;
  AlignedBuffer<std::uint8_t> bytes_;
  std::vector<float> units_, slacks_;
  std::vector<std::uint32_t> candidates_;  // kTopkVectors lists
  std::size_t n_candidates_[kTopkVectors] = {};
};

class ByteFilter {
 public:
  // Too few queries do not pay for turning the rows into bytes.
  static bool serves(const KernelTable& kernels, std::size_t n_queries, std::size_t dim);

  // Queries are grouped as TopK does: in tiles of kTopkVectors vectors.
  ByteFilter(const KernelTable& kernels, const float* queries, std::size_t n_queries,
             std::size_t dim);

  std::size_t row_stride() const { return row_stride_; }

  void load(ByteBlock& block, const float* rows, std::ptrdiff_t row_stride, std::size_t n_rows,
            const float* scales) const;

  // Lists, for each vector of the tile of queries, the rows of which some score may be above its
  // threshold.
  void select(ByteBlock& block, std::size_t first_query, std::size_t lanes,
              const float* thresholds) const;

 private:
  void pack(const float* queries, std::size_t n_queries);

  const ByteFilterKernels& kernels_;
  std::size_t dim_, n_groups_, row_stride_;
  std::size_t n_lanes_, tile_lanes_;
  AlignedBuffer<std::int8_t> bytes_;    // as ByteTile says, tile after tile
  AlignedBuffer<std::int16_t> starts_;  // two a query
  std::vector<float> units_;            // of each query; zero: every row may suit it
  float longest_ = 0;                   // ByteVector::norm and residual, over all queries
  float largest_residual_ = 0;
};

}  // namespace pyw2v
