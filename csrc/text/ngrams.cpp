#include "text/ngrams.h"

#include <algorithm>
#include <cstring>

namespace pyw2v {
namespace {

constexpr std::uint32_t kHashSeed = 2166136261U;

inline std::uint32_t hash_step(std::uint32_t hash, char byte) {
  const auto widened = static_cast<std::uint32_t>(static_cast<signed char>(byte));
  return (hash ^ widened) * 16777619U;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Where the characters of a text begin, and behind them where it ends; returns their number.
// begins: room for one more than there are bytes.
std::size_t find_characters(std::string_view text, std::uint32_t* begins) {
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    begins[n] = static_cast<std::uint32_t>(at);  // overwritten if none begins here
    n += static_cast<std::size_t>(!continues_character(text[at]));
  }
  begins[n] = static_cast<std::uint32_t>(text.size());
  return n;
}

constexpr std::size_t kAtOnce = 4096;  // characters between two checks for an interrupt

// Calls visit(first, last) for every n-gram [first, last) of n_characters that begins before
// last_first, and before those that begin at `first` on_first(first, the largest last).
template <class OnFirst, class Visit>
void visit_ngrams(std::size_t n_characters, std::size_t first, std::size_t last_first, int min_n,
                  int max_n, OnFirst on_first, Visit visit) {
  const std::size_t least = min_n > 1 ? static_cast<std::size_t>(min_n) : 1;
  const std::size_t most = max_n > 0 ? static_cast<std::size_t>(max_n) : 0;
  for (; first < last_first; ++first) {
    const std::size_t end = n_characters - first > most ? first + most : n_characters;
    on_first(first, end);
    for (std::size_t last = first + least; last <= end; ++last) {
      const bool is_bracket = last == first + 1 && (first == 0 || last == n_characters);
      if (!is_bracket) visit(first, last);
    }
  }
}

// The memory that the n-grams of a word need; few words need any from the heap.
class Scratch {
 public:
  explicit Scratch(std::string_view word) : size_(word.size() + 2) {
    if (size_ > kUsual) {
      long_text_.resize(size_);
      long_numbers_.resize(2 * size_ + 1);
    }
    char* const to = size_ > kUsual ? long_text_.data() : text_;
    to[0] = '<';
    std::memcpy(to + 1, word.data(), word.size());
    to[size_ - 1] = '>';
  }
  std::string_view bracketed() const { return {size_ > kUsual ? long_text_.data() : text_, size_}; }
  std::uint32_t* begins() { return size_ > kUsual ? long_numbers_.data() : numbers_; }
  std::uint32_t* hashes() { return begins() + size_ + 1; }

 private:
  static constexpr std::size_t kUsual = 128;
  std::size_t size_;
  char text_[kUsual];
  std::uint32_t numbers_[2 * kUsual + 1];
  std::vector<char> long_text_;
  std::vector<std::uint32_t> long_numbers_;
};

}  // namespace

std::uint32_t NgramHasher::hash(std::string_view text) {
  std::uint32_t hash = kHashSeed;
  for (const char byte : text) hash = hash_step(hash, byte);
  return hash;
}

std::vector<std::string_view> NgramHasher::ngrams(std::string_view bracketed_word) const {
  std::vector<std::uint32_t> begins(bracketed_word.size() + 1);
  const std::size_t n = find_characters(bracketed_word, begins.data());
  std::vector<std::string_view> found;
  visit_ngrams(
      n, 0, n, min_n_, max_n_, [](std::size_t, std::size_t) {},
      [&](std::size_t first, std::size_t last) {
        found.push_back(bracketed_word.substr(begins[first], begins[last] - begins[first]));
      });
  return found;
}

void NgramHasher::append_buckets(std::string_view word, std::vector<std::uint32_t>& out,
                                 const Interrupt& interrupt) const {
  if (n_buckets_ == 0) return;
  const Remainder bucket = bucket_;  // a copy, which `out` cannot overlap
  Scratch scratch(word);
  const std::string_view text = scratch.bracketed();
  std::uint32_t* const begins = scratch.begins();
  std::uint32_t* const hashes = scratch.hashes();  // by the last byte hashed
  const std::size_t n = find_characters(text, begins);
  for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
    if (begin > 0) interrupt.check();
    visit_ngrams(
        n, begin, std::min(n, begin + kAtOnce), min_n_, max_n_,
        [&](std::size_t first, std::size_t end) {
          std::uint32_t hash = kHashSeed;
          for (std::uint32_t at = begins[first]; at < begins[end]; ++at)
            hashes[at] = hash = hash_step(hash, text[at]);
        },
        [&](std::size_t, std::size_t last) { out.push_back(bucket(hashes[begins[last] - 1])); });
  }
}

void NgramHasher::append_word_buckets(const std::int32_t* hashes, std::size_t n, std::size_t first,
                                      std::size_t last_first,
                                      std::vector<std::uint32_t>& out) const {
  if (!has_word_ngrams()) return;
  const Remainder bucket = bucket_;
  const auto reach = static_cast<std::size_t>(word_ngrams_);
  for (; first < last_first; ++first) {
    // fastText keeps hashes as int32_t and mixes in 64 bits: the sign is extended.
    auto mixed = static_cast<std::uint64_t>(std::int64_t{hashes[first]});
    for (std::size_t last = first + 1; last < n && last - first < reach; ++last) {
      mixed = mixed * 116049371U + static_cast<std::uint64_t>(std::int64_t{hashes[last]});
      out.push_back(bucket(mixed));
    }
  }
}

std::vector<std::uint32_t> place_buckets(const std::uint32_t* ids, std::size_t n,
                                         std::uint32_t n_placed, std::uint32_t* places) {
  std::vector<std::uint32_t> placed;
  for (std::size_t i = 0; i < n; ++i) {
    if (places[ids[i]] != 0) continue;
    placed.push_back(ids[i]);
    places[ids[i]] = n_placed + static_cast<std::uint32_t>(placed.size());
  }
  return placed;
}

}  // namespace pyw2v
