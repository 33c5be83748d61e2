#include "kernel_data/kept_tokens.h"

namespace pyw2v {

int keep_tokens(const std::uint32_t* keep, const WordId* tokens, const Stretch& stretch, int n,
                Rng& rng, KeptTokens& kept) {
  Rng own_rng = rng;  // in a register, which no store below can be thought to change
  WordId* words = kept.words.data();
  std::int32_t *firsts = kept.first.data(), *lasts = kept.last.data();
  const TokenPos* sentence_end = stretch.ends;
  for (TokenPos at = stretch.begin; at < stretch.end; ++sentence_end) {
    const TokenPos end = *sentence_end < stretch.end ? *sentence_end : stretch.end;
    const int first = n;
    if (keep == nullptr) {
      for (; at < end; ++at) words[n++] = tokens[raw(at)];
    } else {
      for (; at < end; ++at) {
        const WordId word = tokens[raw(at)];
        words[n] = word;  // overwritten if not kept
        n += keep[raw(word)] >= static_cast<std::uint32_t>(own_rng.next() >> 32);
      }
    }
    for (int i = first; i < n; ++i) {
      firsts[i] = first;
      lasts[i] = n;
    }
  }
  rng = own_rng;
  return n;
}

int keep_tokens(const std::uint32_t* keep, const Chunk& chunk, Rng& rng, KeptTokens& kept) {
  int n = 0;
  for (std::size_t i = 0; i < chunk.n_stretches; ++i)
    n = keep_tokens(keep, chunk.tokens, chunk.stretches[i], n, rng, kept);
  return n;
}

}  // namespace pyw2v
