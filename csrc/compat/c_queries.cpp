#include "compat/c_queries.h"

#include <algorithm>
#include <cmath>

namespace pyw2v {

void c_normalize(float* vector, std::size_t dim) {
  float square = 0;
  for (std::size_t c = 0; c < dim; ++c) square += vector[c] * vector[c];
  const auto length = static_cast<float>(std::sqrt(static_cast<double>(square)));
  for (std::size_t c = 0; c < dim; ++c) vector[c] /= length;
}

CRows::CRows(const float* rows, std::size_t n_rows, std::size_t dim)
    : n_rows_(n_rows), dim_(dim), tiles_((n_rows + kTile - 1) / kTile * kTile * dim) {
  std::vector<float> row(dim);
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::copy(rows + r * dim, rows + (r + 1) * dim, row.begin());
    c_normalize(row.data(), dim);
    float* const tile = &tiles_[r / kTile * kTile * dim];
    for (std::size_t c = 0; c < dim; ++c) tile[c * kTile + r % kTile] = row[c];
  }
}

void CRows::row(std::size_t i, float* values) const {
  const float* const tile = &tiles_[i / kTile * kTile * dim_];
  for (std::size_t c = 0; c < dim_; ++c) values[c] = tile[c * kTile + i % kTile];
}

void CRows::dots(const float* vector, float* products) const {
  for (std::size_t first = 0; first < n_rows_; first += kTile) {
    const float* const tile = &tiles_[first * dim_];
    float sums[kTile] = {};
    for (std::size_t c = 0; c < dim_; ++c)
      for (std::size_t k = 0; k < kTile; ++k) sums[k] += vector[c] * tile[c * kTile + k];
    std::copy(sums, sums + std::min(kTile, n_rows_ - first), products + first);
  }
}

}  // namespace pyw2v
