// Distinct words, numbered in the order of first sight, with their counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pyw2v {

// Open addressing with linear probing, slots of 16 bytes. A word of up to eight bytes, which most
// are, is its own key: it is found with one comparison and without touching its text.
class WordTable {
 public:
  WordTable() : slots_(kFirstSlots), shift_(64 - kFirstBits) {}

  // Number of the word, which is added when it is new. The eight bytes from word on must be
  // readable, whatever n (see kTextPadding).
  WordId id_of(const char* word, std::size_t n) {
    const std::uint64_t key = n <= 8 ? short_key(word, n) : hash(word, n);
    const std::uint32_t tag = tag_of(n);
    for (std::size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.id < 0) return add(word, n, key, at);
      if (slot.key == key && slot.tag == tag && (n <= 8 || equal(slot.id, word, n))) return slot.id;
    }
  }

  void count(WordId id, std::int64_t times = 1) { counts_[static_cast<std::size_t>(id)] += times; }

  std::size_t size() const { return words_.size(); }
  std::string_view word(WordId id) const { return words_[static_cast<std::size_t>(id)]; }
  const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t tag = 0;  // length in bytes, as far as it fits
    WordId id = -1;         // negative: free
  };
  static constexpr int kFirstBits = 12;
  static constexpr std::size_t kFirstSlots = std::size_t{1} << kFirstBits;

  static std::uint64_t short_key(const char* word, std::size_t n) {
    std::uint64_t key;
    std::memcpy(&key, word, sizeof key);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return n == 0 ? 0 : key & (~std::uint64_t{0} >> (64 - 8 * n));
#else
    return n == 0 ? 0 : key & (~std::uint64_t{0} << (64 - 8 * n));
#endif
  }
  static std::uint32_t tag_of(std::size_t n) {
    return n < UINT32_MAX ? static_cast<std::uint32_t>(n) : UINT32_MAX;
  }
  // Fibonacci hashing after folding the halves: short keys differ mostly in their low bytes.
  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>(((key ^ (key >> 32)) * 0x9E3779B97F4A7C15u) >> shift_);
  }
  static std::uint64_t hash(const char* word, std::size_t n);
  bool equal(WordId id, const char* word, std::size_t n) const {
    return words_[static_cast<std::size_t>(id)] == std::string_view(word, n);
  }
  WordId add(const char* word, std::size_t n, std::uint64_t key, std::size_t at);
  void grow();
  const char* keep(const char* word, std::size_t n);

  std::vector<Slot> slots_;  // a power of two, at most half of them taken
  int shift_;
  std::vector<std::string_view> words_;  // into blocks_
  std::vector<std::int64_t> counts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_free_ = 0;  // bytes left in the block that block_next_ points into
  char* block_next_ = nullptr;
};

}  // namespace pyw2v
