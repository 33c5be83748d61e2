#include "query/quantizer.h"

#include <algorithm>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/parallel.h"
#include "base/rng.h"

namespace pyw2v {
namespace {

constexpr int kRounds = 25;                // of k-means, as in fastText
constexpr float kSplit = 1e-7f;            // by which the halves of a split cluster are moved apart
constexpr std::size_t kEncodedRows = 512;  // at once; a block's columns fit the L2 cache

std::size_t whole_lanes(std::size_t n_points) {
  return (n_points + kCentroidLanes - 1) / kCentroidLanes * kCentroidLanes;
}

// Points as the kernel wants them: column after column, zeros after the last point.
class Columns {
 public:
  Columns(std::size_t max_points, std::size_t dim)
      : stride_(whole_lanes(max_points)), data_(stride_ * dim) {}

  void load(const PointRows& rows, std::size_t first_row, std::size_t n_rows,
            std::size_t first_column, std::size_t dim) {
    n_points_ = n_rows;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const float* row = rows.data + static_cast<std::ptrdiff_t>(first_row + i) * rows.stride;
      for (std::size_t j = 0; j < dim; ++j) column(j)[i] = row[first_column + j];
    }
  }

  // codes: room for whole_lanes(n_points)
  void assign(const KernelTable& kernels, std::size_t first_column, std::size_t dim,
              const float* centroids, std::uint8_t* codes) const {
    kernels.nearest_centroids(
        {column(first_column), stride_, whole_lanes(n_points_), dim, centroids, codes});
  }

  float* column(std::size_t j) const { return data_.data() + j * stride_; }
  std::size_t n_points() const { return n_points_; }

 private:
  std::size_t stride_;
  std::size_t n_points_ = 0;
  AlignedBuffer<float> data_;
};

// An empty cluster takes half of one drawn with a probability that rises with its size.
void fill_empty(std::vector<std::size_t>& sizes, std::size_t n_points, std::size_t dim, Rng& rng,
                float* centroids) {
  if (n_points <= kCentroids) return;  // every cluster has one point at most: none can be split
  for (std::size_t empty = 0; empty < kCentroids; ++empty) {
    if (sizes[empty] != 0) continue;
    std::size_t full = 0;
    for (;; full = (full + 1) % kCentroids) {
      const double draw = static_cast<double>(rng.next() >> 11) * 0x1p-53;
      if (draw * static_cast<double>(n_points - kCentroids) <
          static_cast<double>(sizes[full]) - 1) {
        break;
      }
    }
    for (std::size_t j = 0; j < dim; ++j) {
      const float shift = j % 2 ? kSplit : -kSplit;
      centroids[empty * dim + j] = centroids[full * dim + j] + shift;
      centroids[full * dim + j] -= shift;
    }
    sizes[empty] = sizes[full] / 2;
    sizes[full] -= sizes[empty];
  }
}

// Moves every centroid to the mean of its points.
void move_centroids(const Columns& points, std::size_t dim, const std::uint8_t* codes, Rng& rng,
                    float* centroids) {
  std::vector<std::size_t> sizes(kCentroids);
  std::vector<double> sums(kCentroids * dim);
  for (std::size_t i = 0; i < points.n_points(); ++i) ++sizes[codes[i]];
  for (std::size_t j = 0; j < dim; ++j) {
    const float* column = points.column(j);
    for (std::size_t i = 0; i < points.n_points(); ++i) sums[codes[i] * dim + j] += column[i];
  }
  for (std::size_t c = 0; c < kCentroids; ++c) {
    if (sizes[c] == 0) continue;
    for (std::size_t j = 0; j < dim; ++j) {
      centroids[c * dim + j] =
          static_cast<float>(sums[c * dim + j] / static_cast<double>(sizes[c]));
    }
  }
  fill_empty(sizes, points.n_points(), dim, rng, centroids);
}

}  // namespace

void train_centroids(const KernelTable& kernels, const QuantizerShape& shape,
                     const PointRows& points, std::size_t first_piece, std::size_t last_piece,
                     std::uint64_t seed, std::size_t n_threads, float* centroids,
                     const Interrupt& interrupt) {
  parallel_for(last_piece - first_piece, n_threads, interrupt, [&](std::size_t k) {
    const std::size_t piece = first_piece + k, dim = shape.width(piece);
    float* own = centroids + shape.centroids_offset(piece);
    Columns columns(points.n_rows, dim);
    columns.load(points, 0, points.n_rows, shape.first_column(piece), dim);
    for (std::size_t c = 0; c < kCentroids; ++c)
      for (std::size_t j = 0; j < dim; ++j) own[c * dim + j] = columns.column(j)[c];
    Rng rng(seed, piece, 0);
    std::vector<std::uint8_t> codes(whole_lanes(points.n_rows));
    for (int round = 0; round < kRounds; ++round) {
      interrupt.check();
      columns.assign(kernels, 0, dim, own, codes.data());
      move_centroids(columns, dim, codes.data(), rng, own);
    }
  });
}

void encode_rows(const KernelTable& kernels, const QuantizerShape& shape, const PointRows& rows,
                 const float* centroids, std::size_t n_threads, std::uint8_t* codes,
                 const Interrupt& interrupt) {
  const std::size_t n_blocks = (rows.n_rows + kEncodedRows - 1) / kEncodedRows;
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block) {
    const std::size_t first = block * kEncodedRows;
    const std::size_t n_rows = std::min(kEncodedRows, rows.n_rows - first);
    Columns columns(n_rows, shape.dim());
    columns.load(rows, first, n_rows, 0, shape.dim());
    std::vector<std::uint8_t> found(whole_lanes(n_rows));
    for (std::size_t piece = 0; piece < shape.n_pieces(); ++piece) {
      columns.assign(kernels, shape.first_column(piece), shape.width(piece),
                     centroids + shape.centroids_offset(piece), found.data());
      for (std::size_t i = 0; i < n_rows; ++i) {
        codes[(first + i) * shape.n_pieces() + piece] = found[i];
      }
    }
  });
}

void decode_row(const QuantizerShape& shape, const std::uint8_t* codes, const float* centroids,
                float scale, float* out) {
  for (std::size_t piece = 0; piece < shape.n_pieces(); ++piece) {
    const std::size_t width = shape.width(piece);
    const float* centroid = centroids + shape.centroids_offset(piece) + codes[piece] * width;
    for (std::size_t j = 0; j < width; ++j) *out++ = scale * centroid[j];
  }
}

}  // namespace pyw2v
