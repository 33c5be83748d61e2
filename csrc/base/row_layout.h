// Two layouts of a matrix in the same memory. Packed: row behind row, as users see it. Spread: rows
// `stride` apart with `padding` between them, as MatrixView requires. The memory holds the larger
// one.
#pragma once

#include <cstddef>

namespace pyw2v {

void spread_rows(float* data, std::size_t n_rows, std::size_t dim, std::size_t stride,
                 float padding);
void pack_rows(float* data, std::size_t n_rows, std::size_t dim, std::size_t stride);

}  // namespace pyw2v
