#include "base/row_layout.h"

#include <algorithm>
#include <cstring>

namespace pyw2v {

// From the last row on: a row's new place may reach into the old ones of later rows only.
void spread_rows(float* data, std::size_t n_rows, std::size_t dim, std::size_t stride,
                 float padding) {
  if (stride == dim) return;
  for (std::size_t row = n_rows; row-- > 0;) {
    float* const to = data + row * stride;
    std::memmove(to, data + row * dim, dim * sizeof(float));
    std::fill(to + dim, to + stride, padding);
  }
}

// From the first row on: a row's new place may reach into the old ones of earlier rows only.
void pack_rows(float* data, std::size_t n_rows, std::size_t dim, std::size_t stride) {
  if (stride == dim) return;
  for (std::size_t row = 0; row < n_rows; ++row)
    std::memmove(data + row * dim, data + row * stride, dim * sizeof(float));
}

}  // namespace pyw2v
