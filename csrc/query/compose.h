// Rows made of other rows: the vector of a word is the mean of its own row and its n-grams' rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/interrupt.h"

namespace pyw2v {

// Rows of one matrix, `stride` floats apart; none if data is null.
struct ConstRows {
  const float* data = nullptr;
  std::ptrdiff_t stride = 0;
  const float* row(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

// Row w of out, `out_stride` floats after the one before it, becomes the mean of words.row(w), if
// there are words, and of parts.row(i) for i in ids[offsets[w]] .. ids[offsets[w + 1]]; zero where
// there is nothing to average. Summed in this order and multiplied by 1 / n, as fastText does.
void mean_rows(ConstRows words, ConstRows parts, const std::int64_t* offsets,
               const std::uint32_t* ids, std::size_t n_words, std::size_t dim, float* out,
               std::ptrdiff_t out_stride, std::size_t n_threads, const Interrupt& interrupt);

}  // namespace pyw2v
