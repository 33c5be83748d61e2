// Where each word stands in a stretch of an encoded corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.h"
#include "base/pages.h"
#include "base/types.h"

namespace pyw2v {

// An encoded corpus of words 0 .. n_words.
struct TokenCorpus {
  Borrowed<const WordId> tokens;
  std::int64_t n_tokens = 0;
  Borrowed<const TokenPos> ends;  // of every sentence, rising, the last one n_tokens
  std::size_t n_sentences = 0;
  std::size_t n_words = 0;
};

struct Occurrence {
  std::uint32_t offset;       // in the stretch, of at most 2^32 tokens
  std::uint16_t left, right;  // words of the same sentence to both sides, `reach` at most
};
constexpr std::int64_t kMaxReach = 65535;

class Occurrences {
 public:
  // Tokens begin .. end, sorted by word and, of one word, by place. Throws std::invalid_argument if
  // a token is not a word.
  void index(const TokenCorpus& corpus, TokenPos begin, TokenPos end, std::int64_t reach,
             std::size_t n_threads, const Interrupt& interrupt);

  const Occurrence* of(std::size_t word) const { return places_.data() + starts_[word]; }
  std::size_t count(std::size_t word) const {
    return static_cast<std::size_t>(starts_[word + 1] - starts_[word]);
  }
  // Of this word and all that follow it.
  std::size_t n_from(std::size_t word) const {
    return static_cast<std::size_t>(starts_.back() - starts_[word]);
  }

 private:
  std::vector<std::uint64_t> starts_;  // by word, and one more
  PageVector<Occurrence> places_;
};

}  // namespace pyw2v
