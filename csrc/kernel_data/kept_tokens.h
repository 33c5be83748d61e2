// Which tokens of a chunk subsampling keeps, and the window around each of them. Shared by training
// and by train/pair_source.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/inline.h"
#include "base/rng.h"
#include "base/types.h"
#include "kernel_data/model.h"

namespace pyw2v {

// A chunk is cut at the first sentence end past kChunkTokens, or inside a sentence that goes on
// past kMaxChunkTokens.
constexpr std::int64_t kChunkTokens = 8192;
constexpr std::int64_t kMaxChunkTokens = 2 * kChunkTokens;

// The kept tokens of a chunk, and the sentence of each, as positions in `words`.
struct KeptTokens {
  KeptTokens() : words(kMaxChunkTokens), first(kMaxChunkTokens), last(kMaxChunkTokens) {}
  std::vector<WordId> words;
  std::vector<std::int32_t> first;  // position of the sentence's first kept token
  std::vector<std::int32_t> last;   // one past its last
};

// The window of a kept token: positions [lo, hi), the token's own among them.
struct Window {
  int lo, hi;
};

// Subsamples the sentences of a stretch into `kept`, after the n tokens that it has; returns their
// new number. Dropped tokens leave no gap, so windows reach further (as in word2vec.c). `keep` is
// Model::keep.
int keep_tokens(const std::uint32_t* keep, const WordId* tokens, const Stretch& stretch, int n,
                Rng& rng, KeptTokens& kept);

// The same for all stretches of a chunk, from the start of `kept`.
int keep_tokens(const std::uint32_t* keep, const Chunk& chunk, Rng& rng, KeptTokens& kept);

// The next two are inlined into the code of each instruction set, which may export no copies.

PYW2V_ALWAYS_INLINE int draw_radius(int window, bool shrink, Rng& rng) {
  if (!shrink) return window;
  return 1 + static_cast<int>(Rng::below(static_cast<std::uint32_t>(rng.next() >> 32),
                                         static_cast<std::uint32_t>(window)));
}

// The window of kept token i, cut at the ends of its sentence.
PYW2V_ALWAYS_INLINE Window window_around(int i, int radius, const KeptTokens& kept) {
  const auto at = static_cast<std::size_t>(i);
  const int first = kept.first[at], last = kept.last[at];
  return {radius < i - first ? i - radius : first, radius < last - 1 - i ? i + radius + 1 : last};
}

}  // namespace pyw2v
