// Distinct words, numbered in the order of first sight, with their counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/pages.h"
#include "base/types.h"

namespace pyw2v {

// Open addressing with linear probing, slots of 16 bytes. A word of up to eight bytes, which most
// are, is its own key: it is found with one comparison and without touching its text.
class WordTable {
 public:
  WordTable() { allocate(kFirstBits); }

  // The two halves of a lookup, so that the table's memory can arrive while other words are being
  // read: key_of() asks for it, id_of() uses it. The eight bytes from word on must be readable,
  // whatever n (see kTextPadding).
  std::uint64_t key_of(const char* word, std::size_t n) const {
    const std::uint64_t key = n <= 8 ? short_key(word, n) : hash(word, n);
    __builtin_prefetch(&slots_[home(key)]);
    return key;
  }
  // Number of the word, which is added when it is new.
  WordId id_of(const char* word, std::size_t n, std::uint64_t key) {
    const std::uint32_t tag = tag_of(n);
    for (std::size_t at = home(key);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.key == key && slot.tag == tag && slot.number > 0 &&
          (n <= 8 || equal(slot.number - 1, word, n))) {
        return slot.number - 1;
      }
      if (slot.number == 0) return add(word, n, key, at);
    }
  }
  WordId id_of(const char* word, std::size_t n) { return id_of(word, n, key_of(word, n)); }

  void count(WordId id, std::int64_t times) { counts_[static_cast<std::size_t>(id)] += times; }
  // For all words of a text at once: the additions wait for memory together, not one by one.
  void count(const WordId* ids, std::size_t n) {
    std::int64_t* const counts = counts_.data();
    for (std::size_t i = 0; i < n; ++i) ++counts[ids[i]];
  }

  std::size_t size() const { return words_.size(); }
  std::string_view word(WordId id) const { return words_[static_cast<std::size_t>(id)]; }
  const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t tag;    // length in bytes, as far as it fits
    std::int32_t number;  // id + 1; 0: free
  };
  static constexpr int kFirstBits = 12;

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
  void allocate(int bits);
  void grow();
  const char* keep(const char* word, std::size_t n);

  std::unique_ptr<Pages> memory_;  // of the slots; huge pages, or most lookups would miss the TLB
  Slot* slots_ = nullptr;          // a power of two, at most half of them taken
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::vector<std::string_view> words_;  // into blocks_
  std::vector<std::int64_t> counts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_free_ = 0;  // bytes left in the block that block_next_ points into
  char* block_next_ = nullptr;
};

}  // namespace pyw2v
