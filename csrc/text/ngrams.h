// The n-grams of fastText: a word, or a row of words, becomes the numbers of hash buckets. Models
// in fastText's own files were trained with these very numbers, oddities included (its
// Dictionary::computeSubwords, addWordNgrams and hash; Bojanowski et al. 2017, Joulin et al. 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "base/remainder.h"

namespace pyw2v {

// In: the bytes of a word, or the hashes of a line's words. Out: the buckets of their n-grams, of
// n_buckets buckets; none at all for no buckets. Small, constant and freely copied.
class NgramHasher {
 public:
  // min_n to max_n characters, and up to word_ngrams words, are one n-gram.
  explicit NgramHasher(int min_n = 0, int max_n = 0, std::uint32_t n_buckets = 0,
                       int word_ngrams = 1)
      : min_n_(min_n),
        max_n_(max_n),
        word_ngrams_(word_ngrams),
        n_buckets_(n_buckets),
        bucket_(n_buckets > 0 ? n_buckets : 1) {}

  // FNV-1a, but that a byte is widened as a signed one (fastText's int8_t): every text with a byte
  // of 0x80 or more hashes differently from the published function.
  static std::uint32_t hash(std::string_view text);

  int min_n() const { return min_n_; }
  int max_n() const { return max_n_; }
  int word_ngrams() const { return word_ngrams_; }
  std::uint32_t n_buckets() const { return n_buckets_; }
  bool has_char_ngrams() const { return max_n_ > 0 && n_buckets_ > 0; }
  bool has_word_ngrams() const { return word_ngrams_ > 1 && n_buckets_ > 0; }

  // The n-grams of `<word>`, of min_n to max_n characters each (a character is a byte and the UTF-8
  // continuation bytes behind it, valid or not), by start and then by length. The single characters
  // at both ends, `<` and `>`, are left out.
  std::vector<std::string_view> ngrams(std::string_view bracketed_word) const;

  // The same n-grams as hash % n_buckets, for a word without its brackets.
  void append_buckets(std::string_view word, std::vector<std::uint32_t>& out,
                      const Interrupt& interrupt = kNoInterrupt) const;

  // Buckets of every run of 2 to word_ngrams words, given the words' hashes; by start, then length.
  // Of n words, the runs that start with words first to last_first - 1.
  void append_word_buckets(const std::int32_t* hashes, std::size_t n, std::size_t first,
                           std::size_t last_first, std::vector<std::uint32_t>& out) const;

 private:
  int min_n_, max_n_, word_ngrams_;
  std::uint32_t n_buckets_;
  Remainder bucket_;
};

// Numbers buckets from n_placed + 1 on, in the order of first sight: those of `ids` that have no
// place yet, places[bucket] == 0. Returns the buckets that got one.
std::vector<std::uint32_t> place_buckets(const std::uint32_t* ids, std::size_t n,
                                         std::uint32_t n_placed, std::uint32_t* places);

}  // namespace pyw2v
