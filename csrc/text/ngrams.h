// The n-grams of fastText: a word, or a row of words, becomes the numbers of hash buckets. Models
// in fastText's own files were trained with these very numbers, oddities included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pyw2v {

constexpr std::uint32_t kNgramHashSeed = 2166136261U;

// FNV-1a, but that a byte is widened as a signed one (fastText's int8_t): every text with a byte
// of 0x80 or more hashes differently from the published function.
inline std::uint32_t ngram_hash_step(std::uint32_t hash, char byte) {
  const auto widened = static_cast<std::uint32_t>(static_cast<signed char>(byte));
  return (hash ^ widened) * 16777619U;
}

std::uint32_t ngram_hash(std::string_view text);

// The n-grams of `<word>`, of min_n to max_n characters each (a character is a byte and the UTF-8
// continuation bytes behind it, valid or not), by start and then by length. The single characters
// at both ends, `<` and `>`, are left out.
std::vector<std::string_view> ngrams(std::string_view bracketed_word, int min_n, int max_n);

// The same n-grams as hash % n_buckets, for a word without its brackets; none for no buckets.
void append_ngram_buckets(std::string_view word, int min_n, int max_n, std::uint32_t n_buckets,
                          std::vector<std::uint32_t>& out);

// Buckets of every run of 2 to word_ngrams words, given the words' hashes; by start, then length.
void append_word_ngrams(const std::int32_t* hashes, std::size_t n, int word_ngrams,
                        std::uint32_t n_buckets, std::vector<std::uint32_t>& out);

// Numbers buckets from n_placed + 1 on, in the order of first sight: those of `ids` that have no
// place yet, places[bucket] == 0. Returns the buckets that got one.
std::vector<std::uint32_t> place_buckets(const std::uint32_t* ids, std::size_t n,
                                         std::uint32_t n_placed, std::uint32_t* places);

}  // namespace pyw2v
