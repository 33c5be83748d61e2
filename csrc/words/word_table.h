// Distinct words, numbered in the order of first sight, with their counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/pages.h"
#include "base/prefetch.h"
#include "base/types.h"

namespace pyw2v {

// Open addressing with linear probing. A word of up to 16 bytes, which nearly all are, is its own
// key: it is found, compared and counted in one slot, half a cache line. Looking up its text, and
// keeping counts apart, took about a quarter more time on English text.
class WordTable {
 public:
  // A lookup in flight: a word and where to look for it.
  struct Lookup {
    const char* word;
    std::size_t n;
    std::uint64_t head, tail;  // the word itself, or a hash of it
    std::uint64_t home;        // its top bits say where to look first
  };

  WordTable() { allocate(kFirstBits); }

  // The two halves of a lookup, so that the slot can arrive while other words are being read:
  // begin() prefetches it, end() uses it. kReadable bytes from word on must be readable, whatever
  // n.
  static constexpr std::size_t kReadable = 16;
  static constexpr std::size_t kAhead =
      32;  // words between the two halves: enough for the slot to arrive
  Lookup begin(const char* word, std::size_t n) const {
    Lookup lookup{word, n, 0, 0, 0};
    if (n <= 16) {  // no test for more than 8 bytes: that branch could not be predicted
      lookup.head = load(word) & kKept.masks[n][0];
      lookup.tail = load(word + 8) & kKept.masks[n][1];
    } else {
      lookup.head = hash(word, n);
    }
    lookup.home = home(lookup.head, lookup.tail);
    prefetch(&slots_[lookup.home >> shift_]);
    return lookup;
  }
  // Number of the word, which is added if it is new; its count grows by `times`.
  WordId end(const Lookup& lookup, std::int64_t times = 1) {
    const std::size_t at = place(lookup);
    Slot& slot = slots_[at];
    if (slot.number == 0) return add(lookup, at, times);
    slot.count += times;
    return WordId{slot.number - 1};
  }
  // Number of the word, or kNoWord.
  WordId find(const Lookup& lookup) const { return WordId{slots_[place(lookup)].number - 1}; }
  // How often the word was counted; 0 when there is none.
  std::int64_t count(const Lookup& lookup) const { return slots_[place(lookup)].count; }
  // Number of every word of another table here, or kNoWord.
  void find_all(const WordTable& others, Borrowed<WordId> ids) const;

  std::size_t size() const { return words_.size(); }
  std::string_view word(WordId id) const { return words_[static_cast<std::size_t>(id)]; }
  std::vector<std::int64_t> counts() const;  // by id

  void reserve(std::size_t n_words);  // room for this many without growing
  // Gives back what only lookups and counts() need: word() and size() are all that may follow.
  void freeze();

 private:
  struct Slot {
    std::uint64_t head, tail;
    std::int64_t count;
    std::uint32_t tag;    // length in bytes, as far as it fits
    std::int32_t number;  // id + 1; 0: free
  };
  static constexpr int kFirstBits = 12;

  static std::uint64_t load(const char* p) {
    std::uint64_t v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  // Which bits of 16 bytes, read as two numbers, belong to a word of n bytes.
  struct KeptBits {
    std::uint64_t masks[17][2];
    constexpr KeptBits() : masks() {
      for (int n = 0; n <= 16; ++n) {
        masks[n][0] = first_bytes(n < 8 ? n : 8);
        masks[n][1] = first_bytes(n < 8 ? 0 : n - 8);
      }
    }
    static constexpr std::uint64_t first_bytes(int n) {
      if (n == 0) return 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
      return ~std::uint64_t{0} << (64 - 8 * n);
#else
      return ~std::uint64_t{0} >> (64 - 8 * n);
#endif
    }
  };
  static const KeptBits kKept;
  static std::uint32_t tag_of(std::size_t n) {
    return n < UINT32_MAX ? static_cast<std::uint32_t>(n) : UINT32_MAX;
  }
  // Both halves of a 128-bit product: every input bit reaches every output bit (as in wyhash).
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    a = (a ^ (a >> 32)) * 0x9E3779B97F4A7C15u + b;
    return (a ^ (a >> 32)) * 0x9E3779B97F4A7C15u;
#endif
  }
  static std::uint64_t home(std::uint64_t head, std::uint64_t tail) {
    return mix(head ^ 0x2D358DCCAA6C78A5u, tail ^ 0x8BB84B93962EACC9u);
  }
  static std::uint64_t hash(const char* word, std::size_t n);
  bool is_same(WordId id, const Lookup& lookup) const {
    return word(id) == std::string_view(lookup.word, lookup.n);
  }
  // The slot of the word, or the free one where it belongs.
  std::size_t place(const Lookup& lookup) const {
    const std::uint32_t tag = tag_of(lookup.n);
    for (std::size_t at = lookup.home >> shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.number == 0) return at;
      if (slot.head == lookup.head && slot.tail == lookup.tail && slot.tag == tag &&
          (lookup.n <= 16 || is_same(WordId{slot.number - 1}, lookup))) {
        return at;
      }
    }
  }
  WordId add(const Lookup& lookup, std::size_t at, std::int64_t times);
  static std::size_t room(int bits) { return (std::size_t{1} << bits) / 8 * 5; }  // words
  void allocate(int bits);
  void grow(int bits);
  const char* keep(const char* word, std::size_t n);

  std::unique_ptr<Pages> memory_;  // of the slots; huge pages, or most lookups would miss the TLB
  Slot* slots_ = nullptr;          // a power of two of them, see room()
  std::size_t mask_ = 0;
  int shift_ = 0;
  PageVector<std::string_view> words_;  // into blocks_
  std::vector<std::unique_ptr<Pages>> blocks_;
  std::size_t block_free_ = 0;  // bytes left in the block that block_next_ points into
  char* block_next_ = nullptr;
};

inline constexpr WordTable::KeptBits WordTable::kKept{};

}  // namespace pyw2v
