#include "query/word_means.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pyw2v {
namespace {

constexpr std::size_t kUsualRows = 64;
constexpr std::size_t kRowsAtOnce = 4096;

void add(const unsigned char* row, std::size_t dim, float* sum) {
  for (std::size_t i = 0; i < dim; ++i) {
    float value;
    std::memcpy(&value, row + i * sizeof value, sizeof value);
    sum[i] += value;
  }
}

}  // namespace

// Summed in this order and multiplied by 1 / n, as fastText does.
void WordMeans::mean(std::string_view word, std::int64_t own, float* out,
                     const Interrupt& interrupt) const {
  LineFeatures found;
  found.rows.reserve(kUsualRows);
  if (own >= 0) found.rows.push_back(static_cast<std::uint32_t>(own));
  features_.add_word(word, found, interrupt);
  std::fill_n(out, rows_.dim, 0.0F);
  if (found.rows.empty()) return;
  const std::size_t n = found.rows.size();
  for (std::size_t begin = 0; begin < n; begin += kRowsAtOnce) {
    if (begin > 0) interrupt.check();
    for (std::size_t i = begin; i < std::min(n, begin + kRowsAtOnce); ++i)
      add(rows_.data + found.rows[i] * rows_.stride, rows_.dim, out);
  }
  const float scale = 1.0F / static_cast<float>(n);
  for (std::size_t i = 0; i < rows_.dim; ++i) out[i] *= scale;
}

bool WordMeans::add_unit(std::string_view word, std::int64_t own, float* scratch, float* sum,
                         const Interrupt& interrupt) const {
  mean(word, own, scratch, interrupt);
  float squares = 0;
  for (std::size_t i = 0; i < rows_.dim; ++i) squares += scratch[i] * scratch[i];
  if (!(squares > 0)) return false;
  const float norm = std::sqrt(squares);
  for (std::size_t i = 0; i < rows_.dim; ++i) sum[i] += scratch[i] / norm;
  return true;
}

}  // namespace pyw2v
