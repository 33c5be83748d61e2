// Draws words by weight in constant time: the noise words of sampled objectives.
//
// In: a weight for each word, such as count^0.75 (unigram_weights), and random bits. Out: words.
#pragma once

#include <cstdint>
#include <vector>

#include "base/inline.h"
#include "base/rng.h"
#include "base/types.h"

namespace pyw2v {

// Walker's alias method (1977), built as by Vose (1991): exact but for 2^-32 per slot. Chosen over
// word2vec.c's 100M-slot table, whose every draw misses the cache, and over gensim's cumulative
// table, which needs a binary search. Constant once built: any number of threads may draw.
class AliasSampler {
 public:
  // Weights need not sum to 1; at least one must be positive, none negative or non-finite.
  explicit AliasSampler(const std::vector<double>& weights);

  PYW2V_ALWAYS_INLINE WordId draw(Rng& rng) const { return word_at(rng.next()); }

  // The two halves of a draw, for callers that wait for memory in between: which entry 64 random
  // bits lead to, and the word found there.
  const void* entry(std::uint64_t bits) const { return slots_.data() + slot_of(bits); }
  PYW2V_ALWAYS_INLINE WordId word_at(std::uint64_t bits) const {
    const std::uint32_t slot = slot_of(bits);
    const Slot& s = slots_[slot];
    // Without a branch: it could not be predicted.
    const std::uint32_t stay = 0u - (static_cast<std::uint32_t>(bits) < s.threshold ? 1u : 0u);
    return static_cast<WordId>((slot & stay) | (s.alias & ~stay));
  }

  std::uint32_t size() const { return size_; }

  // How likely each word is drawn, as the table has it after all rounding.
  std::vector<double> probabilities() const;

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

// The words of one draw without repetition; kept by its worker from draw to draw.
class SeenWords {
 public:
  explicit SeenWords(std::size_t n_words) : draws_(n_words) {}
  void begin_draw();
  bool has(std::size_t word) const { return draws_[word] == draw_; }
  void add(std::size_t word) { draws_[word] = draw_; }

 private:
  std::vector<std::uint32_t> draws_;  // the last one that each word was in
  std::uint32_t draw_ = 0;
};

// Draws words that all differ, one after the other by weight from those not drawn yet.
class UniqueSampler {
 public:
  explicit UniqueSampler(const std::vector<double>& weights) : alias_(weights), weights_(weights) {}

  // n must be at most n_drawable().
  void draw(Rng& rng, int n, SeenWords& seen, Borrowed<WordId> out) const;

  std::size_t size() const { return weights_.size(); }
  std::size_t n_drawable() const;  // words with a positive weight

 private:
  WordId draw_unseen(Rng& rng, const SeenWords& seen) const;

  AliasSampler alias_;
  std::vector<double> weights_;
};

// count^power, the noise distribution of negative sampling (Mikolov et al. 2013, power 3/4).
std::vector<double> unigram_weights(const std::int64_t* counts, std::size_t n_words, double power);

}  // namespace pyw2v
