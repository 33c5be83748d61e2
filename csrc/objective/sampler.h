// Draws words by weight in constant time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "base/types.h"

namespace pyw2v {

// Walker's alias method, built as by Vose (1991): exact but for 2^-32 per slot. Chosen over
// word2vec.c's 100M-slot table, whose every draw misses the cache, and over gensim's cumulative
// table, which needs a binary search.
class AliasSampler {
 public:
  // Weights need not sum to 1; at least one must be positive, none negative or non-finite.
  explicit AliasSampler(const std::vector<double>& weights);

  WordId draw(Rng& rng) const { return word_at(rng.next()); }

  // The two halves of a draw, for callers that wait for memory in between: which entry 64 random
  // bits lead to, and the word found there.
  const void* entry(std::uint64_t bits) const { return slots_.data() + slot_of(bits); }
  WordId word_at(std::uint64_t bits) const {
    const std::uint32_t slot = slot_of(bits);
    const Slot& s = slots_[slot];
    // Without a branch: it could not be predicted.
    const std::uint32_t stay = 0u - (static_cast<std::uint32_t>(bits) < s.threshold ? 1u : 0u);
    return static_cast<WordId>((slot & stay) | (s.alias & ~stay));
  }

  std::uint32_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t threshold;  // of 2^32: stay here below it, else go to alias
    std::uint32_t alias;
  };
  std::uint32_t slot_of(std::uint64_t bits) const {
    return Rng::below(static_cast<std::uint32_t>(bits >> 32), size_);
  }

  std::vector<Slot> slots_;
  std::uint32_t size_;
};

// count^power, the noise distribution of negative sampling (Mikolov et al. 2013, power 3/4).
std::vector<double> unigram_weights(const std::int64_t* counts, std::size_t n_words, double power);

}  // namespace pyw2v
