// The contract between the filter before a search (query/byte_filter.h) and its inner loops, which
// exist once per instruction set that multiplies bytes (kernels/byte_filter.h).
//
// A vector x becomes bytes b = round(unit * x). The sum of the products of a row's and a query's
// bytes is off from unit * unit times their dot product by no more than the lengths of what
// rounding took away allow (Cauchy-Schwarz), so it tells which rows cannot beat a threshold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_data/topk_tile.h"

namespace pyw2v {

// Products of two bytes are summed in 16 bits, in two sums: of elements 0 and 1 of each four, and
// of 2 and 3. Each half of a vector of bytes is no longer than this, so that no sum overflows.
constexpr int kMaxHalfNorm = 181;
constexpr int kMaxRowByte = 64;  // with the offset at most 128: two products fit 16 bits
constexpr int kMaxQueryByte = 127;
constexpr int kRowByteOffset = 64;  // rows are stored unsigned

// Longer vectors have sums whose rounding is not accounted for.
constexpr std::size_t kMaxByteDim = 4096;

// Elements that share one 32-bit lane.
constexpr std::size_t kByteGroup = 4;

// What became of a vector; lengths are rounded up.
struct ByteVector {
  float unit;
  float norm;          // length of unit * x
  float byte_norm;     // length of b
  float residual;      // length of unit * x - b
  bool representable;  // else neither the other fields nor the bytes mean anything
};

// Few queries against the rows of a block.
struct ByteTile {
  const std::int8_t* queries;  // four bytes of group g of query j at 4 * (g * lanes + j); aligned
  const std::int16_t* starts;  // two of each query: where its two sums begin, undoing the offset
  const float* limits;         // [lanes]: threshold times the query's unit
  std::size_t lanes;           // one to kTopkVectors vectors
  std::size_t n_groups;

  const std::uint8_t* rows;
  std::size_t row_stride;  // in bytes
  std::size_t n_rows;
  const float* units;   // [n_rows]: of a row at the scale of its score
  const float* slacks;  // [n_rows]: what rounding may hide, in products of bytes

  // Out: for each vector of queries the rows that may beat a threshold of it, rising.
  std::uint32_t* candidates[kTopkVectors];  // room for n_rows each
  std::size_t n_candidates[kTopkVectors];
};

struct ByteFilterKernels {
  // Of at most kMaxByteDim elements. Writes whole groups of bytes, those past dim as of zero, each
  // plus `offset`.
  ByteVector (*quantize)(const float* x, std::size_t dim, int max_byte, int offset,
                         std::uint8_t* bytes);
  void (*filter)(ByteTile& tile);
};

}  // namespace pyw2v
