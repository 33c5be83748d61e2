#include "query/byte_filter.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace pyw2v {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Lengths of queries, and of rows at the scale of their scores, for which the rounding of a score
// is relative: far from the smallest and the largest float. Unit vectors are in the middle.
constexpr float kShortest = 1.0f / (1 << 20), kLongest = 1 << 20;

// A tile of the widest vectors there are.
constexpr std::size_t kMaxLanes = kTopkVectors * 16;

// Below these the float kernel is as fast.
constexpr std::size_t kMinTiles = 2, kMinDim = 16;

std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

bool usual_length(float norm) { return norm > kShortest && norm < kLongest; }

}  // namespace

ByteBlock::ByteBlock(std::size_t max_rows, std::size_t row_stride)
    : bytes_(max_rows * row_stride),
      units_(max_rows),
      slacks_(max_rows),
      candidates_(kTopkVectors * max_rows) {}

bool ByteFilter::serves(const KernelTable& kernels, std::size_t n_queries, std::size_t dim) {
  return kernels.byte_filter != nullptr && dim >= kMinDim && dim <= kMaxByteDim &&
         n_queries >= kMinTiles * kTopkVectors * kernels.topk_width;
}

ByteFilter::ByteFilter(const KernelTable& kernels, const float* queries, std::size_t n_queries,
                       std::size_t dim)
    : kernels_(*kernels.byte_filter),
      dim_(dim),
      n_groups_((dim + kByteGroup - 1) / kByteGroup),
      row_stride_(n_groups_ * kByteGroup),
      n_lanes_(round_up(n_queries, kernels.topk_width)),
      tile_lanes_(kernels.topk_width * kTopkVectors),
      bytes_(n_lanes_ * row_stride_),
      starts_(n_lanes_ * 2),
      units_(n_lanes_, 1.0f) {
  pack(queries, n_queries);
}

void ByteFilter::pack(const float* queries, std::size_t n_queries) {
  std::vector<std::uint8_t> bytes(row_stride_);
  for (std::size_t q = 0; q < n_queries; ++q) {
    const ByteVector query =
        kernels_.quantize(queries + q * dim_, dim_, kMaxQueryByte, 0, bytes.data());
    if (!query.representable || (query.norm > 0 && !usual_length(query.norm / query.unit))) {
      units_[q] = 0;
      continue;
    }
    units_[q] = query.unit;
    longest_ = std::max(longest_, query.norm);
    largest_residual_ = std::max(largest_residual_, query.residual);

    const std::size_t tile = q / tile_lanes_ * tile_lanes_;
    const std::size_t lanes = std::min(tile_lanes_, n_lanes_ - tile);
    std::int8_t* const out = bytes_.data() + tile * row_stride_;
    int sums[2] = {};
    for (std::size_t c = 0; c < row_stride_; ++c) {
      const std::size_t group = c / kByteGroup, place = c % kByteGroup;
      const auto byte = static_cast<std::int8_t>(bytes[c]);
      out[kByteGroup * (group * lanes + q - tile) + place] = byte;
      sums[place / 2] += byte;
    }
    // In 16 bits, wrapping around as the sums do: they come out right because they fit in the end.
    for (std::size_t half = 0; half < 2; ++half) {
      starts_.data()[2 * q + half] =
          static_cast<std::int16_t>(static_cast<std::uint16_t>(-kRowByteOffset * sums[half]));
    }
  }
}

// For a row x and query q with units s and t, bytes b and c, and rest r = s x - b, e = t q - c:
//
//   s t (x . q) = (b + r) . (c + e) = b . c + r . (t q) + b . e <= b . c + |r| |t q| + |b| |e|
//
// The score in floats exceeds x . q by less than (dim + 2) 2^-23 |x| |q|: one rounding a step. So
// it exceeds a threshold only if b . c > s t threshold - slack, where one more covers the rounding
// of this comparison: its terms are below 2^17 or the outcome is clear.
void ByteFilter::load(ByteBlock& block, const float* rows, std::ptrdiff_t row_stride,
                      std::size_t n_rows, const float* scales) const {
  const float score_rounding = static_cast<float>(dim_ + 4) / (1 << 23);
  block.n_rows_ = n_rows;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const ByteVector row =
        kernels_.quantize(rows + static_cast<std::ptrdiff_t>(i) * row_stride, dim_, kMaxRowByte,
                          kRowByteOffset, block.bytes_.data() + i * row_stride_);
    block.units_[i] = 1;
    block.slacks_[i] = kInfinity;  // passes always
    if (!row.representable) continue;
    const float slack =
        (row.residual + score_rounding * row.norm) * longest_ + row.byte_norm * largest_residual_;
    if (row.norm == 0) {  // scores zero at any unit
      block.slacks_[i] = 1;
    } else if (usual_length(row.norm / row.unit * scales[i])) {
      block.units_[i] = row.unit / scales[i];
      block.slacks_[i] = 1.001f * slack + 1;
    }
  }
}

void ByteFilter::select(ByteBlock& block, std::size_t first_query, std::size_t lanes,
                        const float* thresholds) const {
  alignas(64) float limits[kMaxLanes];
  for (std::size_t j = 0; j < lanes; ++j) {
    const float unit = units_[first_query + j];
    limits[j] = unit > 0 ? thresholds[j] * unit : -kInfinity;
  }
  ByteTile tile;
  tile.queries = bytes_.data() + first_query * row_stride_;
  tile.starts = starts_.data() + 2 * first_query;
  tile.limits = limits;
  tile.lanes = lanes;
  tile.n_groups = n_groups_;
  tile.rows = block.bytes_.data();
  tile.row_stride = row_stride_;
  tile.n_rows = block.n_rows_;
  tile.units = block.units_.data();
  tile.slacks = block.slacks_.data();
  for (std::size_t v = 0; v < kTopkVectors; ++v) {
    tile.candidates[v] = block.candidates_.data() + v * block.units_.size();
    tile.n_candidates[v] = 0;
  }
  kernels_.filter(tile);
  std::copy(tile.n_candidates, tile.n_candidates + kTopkVectors, block.n_candidates_);
}

}  // namespace pyw2v
