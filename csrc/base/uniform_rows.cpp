#include "base/uniform_rows.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/rng.h"
#include "base/types.h"

namespace pyw2v {

namespace {

constexpr std::size_t kBlockRows = 4096;  // handed to a thread at a time

// 24 random bits, all that a float holds, to [-bound, bound).
float number(std::uint32_t bits, float bound) {
  return static_cast<float>(bits >> 8) * (bound * 0x1p-23f) - bound;
}

void fill_row(float* row, std::size_t dim, float bound, Rng rng) {
  std::size_t c = 0;
  for (; c + 2 <= dim; c += 2) {
    const std::uint64_t bits = rng.next();
    row[c] = number(static_cast<std::uint32_t>(bits), bound);
    row[c + 1] = number(static_cast<std::uint32_t>(bits >> 32), bound);
  }
  if (c < dim) row[c] = number(static_cast<std::uint32_t>(rng.next()), bound);
}

}  // namespace

void fill_uniform(const MatrixView<float>& matrix, std::size_t first_row, float bound,
                  std::uint64_t seed, std::size_t n_threads, const Interrupt& interrupt) {
  if (first_row >= matrix.n_rows()) return;
  const std::size_t n_rows = matrix.n_rows() - first_row;
  parallel_for((n_rows + kBlockRows - 1) / kBlockRows, n_threads, interrupt,
               [&](std::size_t block) {
                 const std::size_t begin = first_row + block * kBlockRows;
                 const std::size_t end = std::min(begin + kBlockRows, matrix.n_rows());
                 for (std::size_t row = begin; row < end; ++row)
                   fill_row(matrix.row(row_number(row)), matrix.dim(), bound, Rng(seed, 0, row));
               });
}

}  // namespace pyw2v
