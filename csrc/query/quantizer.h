// Product quantiser (Jegou, Douze, Schmid 2011): a row is cut into pieces of dsub numbers, and each
// piece replaced by the byte that names the nearest of 256 centroids of its own. Codes and
// centroids lie as in the files of fastText.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/interrupt.h"
#include "isa/kernel_table.h"

namespace pyw2v {

// How rows of `dim` numbers are cut: all pieces have dsub numbers, but the last has what is left.
class QuantizerShape {
 public:
  QuantizerShape(std::size_t dim, std::size_t dsub)
      : dim_(dim), dsub_(dsub), n_pieces_((dim + dsub - 1) / dsub) {}

  std::size_t dim() const { return dim_; }
  std::size_t n_pieces() const { return n_pieces_; }
  std::size_t first_column(std::size_t piece) const { return piece * dsub_; }
  std::size_t width(std::size_t piece) const {
    return piece + 1 < n_pieces_ ? dsub_ : dim_ - piece * dsub_;
  }
  // Offset of a piece's centroids among dim x kCentroids numbers; centroid i is i * width further.
  std::size_t centroids_offset(std::size_t piece) const { return piece * dsub_ * kCentroids; }

 private:
  std::size_t dim_, dsub_, n_pieces_;
};

// Rows owned elsewhere, `stride` numbers apart.
struct PointRows {
  const float* data;
  std::ptrdiff_t stride;
  std::size_t n_rows;
};

// Finds the centroids of the pieces [first_piece, last_piece) by 25 rounds of k-means over all
// points, which must be kCentroids or more, finite, and in random order: the first are the initial
// centroids. What a piece gets depends on (points, seed, piece) only, not on the threads.
void train_centroids(const KernelTable& kernels, const QuantizerShape& shape,
                     const PointRows& points, std::size_t first_piece, std::size_t last_piece,
                     std::uint64_t seed, std::size_t n_threads, float* centroids,
                     const Interrupt& interrupt);

// Writes the n_rows x n_pieces codes of finite rows.
void encode_rows(const KernelTable& kernels, const QuantizerShape& shape, const PointRows& rows,
                 const float* centroids, std::size_t n_threads, std::uint8_t* codes,
                 const Interrupt& interrupt);

// Writes the dim numbers that the codes of one row stand for, times `scale`.
void decode_row(const QuantizerShape& shape, const std::uint8_t* codes, const float* centroids,
                float scale, float* out);

}  // namespace pyw2v
