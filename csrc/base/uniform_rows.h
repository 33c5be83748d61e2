// Fills rows with uniform random numbers, fast enough for the millions of rows of n-grams.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/interrupt.h"
#include "base/matrix.h"

namespace pyw2v {

// Rows first_row .. n_rows get numbers in [-bound, bound). What a row gets depends on seed and row
// only, neither on the number of threads nor on that of rows.
void fill_uniform(const MatrixView<float>& matrix, std::size_t first_row, float bound,
                  std::uint64_t seed, std::size_t n_threads, const Interrupt& interrupt);

}  // namespace pyw2v
