#include "query/compose.h"

#include <algorithm>

#include "base/parallel.h"

namespace pyw2v {
namespace {

constexpr std::size_t kWordsAtOnce = 256;  // enough for a thread not to wait for the next ones
constexpr std::int64_t kPartsAtOnce = 4096;

void add(const float* row, std::size_t dim, float* sum) {
  for (std::size_t i = 0; i < dim; ++i) sum[i] += row[i];
}

}  // namespace

void mean_rows(ConstRows words, ConstRows parts, const std::int64_t* offsets,
               const std::uint32_t* ids, std::size_t n_words, std::size_t dim, float* out,
               std::ptrdiff_t out_stride, std::size_t n_threads, const Interrupt& interrupt) {
  const auto compose = [&](std::size_t word) {
    float* const mean = out + static_cast<std::ptrdiff_t>(word) * out_stride;
    std::int64_t n_rows = offsets[word + 1] - offsets[word];
    if (words.data != nullptr) {
      std::copy_n(words.row(word), dim, mean);
      ++n_rows;
    } else {
      std::fill_n(mean, dim, 0.0F);
    }
    for (std::int64_t begin = offsets[word]; begin < offsets[word + 1]; begin += kPartsAtOnce) {
      if (begin > offsets[word]) interrupt.check();
      const std::int64_t end = std::min(offsets[word + 1], begin + kPartsAtOnce);
      for (std::int64_t i = begin; i < end; ++i) add(parts.row(ids[i]), dim, mean);
    }
    if (n_rows < 2) return;
    const float scale = 1.0F / static_cast<float>(n_rows);
    for (std::size_t i = 0; i < dim; ++i) mean[i] *= scale;
  };
  const std::size_t n_batches = (n_words + kWordsAtOnce - 1) / kWordsAtOnce;
  parallel_for(n_batches, n_threads, interrupt, [&](std::size_t batch) {
    const std::size_t end = std::min(n_words, (batch + 1) * kWordsAtOnce);
    for (std::size_t word = batch * kWordsAtOnce; word < end; ++word) compose(word);
  });
}

}  // namespace pyw2v
