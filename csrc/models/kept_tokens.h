// Which tokens of a chunk sub-sampling leaves, and how far the window of each reaches.
#pragma once

#include "models/workspace.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Sub-samples the sentences of a stretch into `kept`, behind the n tokens there; returns their
// number then. Dropped tokens leave no gap: windows reach further (as in word2vec.c). `keep` is
// that of Model.
inline int keep_tokens(const std::uint32_t* keep, const WordId* tokens, const Stretch& stretch,
                       int n, Rng& rng, KeptTokens& kept) {
  const TokenPos* sentence_end = stretch.ends;
  for (TokenPos at = stretch.begin; at < stretch.end; ++sentence_end) {
    const TokenPos end = *sentence_end < stretch.end ? *sentence_end : stretch.end;
    const int first = n;
    if (keep == nullptr) {
      for (; at < end; ++at) kept.words[static_cast<std::size_t>(n++)] = tokens[at];
    } else {
      for (; at < end; ++at) {
        const WordId word = tokens[at];
        kept.words[static_cast<std::size_t>(n)] = word;  // overwritten if not kept
        n += keep[word] >= static_cast<std::uint32_t>(rng.next() >> 32);
      }
    }
    for (int i = first; i < n; ++i) {
      kept.first[static_cast<std::size_t>(i)] = first;
      kept.last[static_cast<std::size_t>(i)] = n;
    }
  }
  return n;
}

inline int keep_tokens(const std::uint32_t* keep, const Chunk& chunk, Rng& rng, KeptTokens& kept) {
  int n = 0;
  for (std::size_t i = 0; i < chunk.n_stretches; ++i)
    n = keep_tokens(keep, chunk.tokens, chunk.stretches[i], n, rng, kept);
  return n;
}

inline int draw_radius(int window, bool shrink, Rng& rng) {
  if (!shrink) return window;
  return 1 + static_cast<int>(Rng::below(static_cast<std::uint32_t>(rng.next() >> 32),
                                         static_cast<std::uint32_t>(window)));
}

// The window of kept token i, cut at the ends of its sentence.
inline Reach reach_of(int radius, int i, const KeptTokens& kept) {
  const auto at = static_cast<std::size_t>(i);
  const int first = kept.first[at], last = kept.last[at];
  return {radius < i - first ? i - radius : first, radius < last - 1 - i ? i + radius + 1 : last};
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
