#include "vocab/word_table.h"

#include <stdexcept>
#include <utility>

namespace pyw2v {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kMaxWords = INT32_MAX;  // ids are WordId

std::uint64_t load8(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// Both halves of a 128-bit product: every input bit reaches every output bit (as in wyhash).
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  a *= b | 1;
  a ^= a >> 32;
  return a * 0x9E3779B97F4A7C15u;
#endif
}

}  // namespace

std::uint64_t WordTable::hash(const char* word, std::size_t n) {
  constexpr std::uint64_t kFirst = 0x2D358DCCAA6C78A5u, kSecond = 0x8BB84B93962EACC9u;
  std::uint64_t state = n ^ kFirst;
  const char* p = word;
  std::size_t left = n;
  for (; left > 16; left -= 16, p += 16) state = mix(load8(p) ^ kSecond, load8(p + 8) ^ state);
  // n > 8, so the last 16 bytes may overlap what came before but never precede the word.
  const std::uint64_t head = left > 8 ? load8(p) : load8(word);
  return mix(head ^ kSecond, load8(word + n - 8) ^ state);
}

WordId WordTable::add(const char* word, std::size_t n, std::uint64_t key, std::size_t at) {
  if (words_.size() == kMaxWords)
    throw std::invalid_argument("more than 2147483647 distinct words");
  const auto id = static_cast<WordId>(words_.size());
  words_.emplace_back(keep(word, n), n);
  counts_.push_back(0);
  slots_[at] = {key, tag_of(n), id + 1};
  if (words_.size() * 2 > mask_) grow();
  return id;
}

void WordTable::allocate(int bits) {
  const std::size_t n = std::size_t{1} << bits;
  memory_ = std::make_unique<Pages>(n * sizeof(Slot));
  slots_ = static_cast<Slot*>(memory_->data());
  mask_ = n - 1;
  shift_ = 64 - bits;
}

void WordTable::grow() {
  const std::unique_ptr<Pages> old_memory = std::move(memory_);
  const Slot* const old = slots_;
  const std::size_t n_old = mask_ + 1;
  allocate(64 - shift_ + 1);
  for (std::size_t i = 0; i < n_old; ++i) {
    if (old[i].number == 0) continue;
    std::size_t at = home(old[i].key);
    while (slots_[at].number != 0) at = (at + 1) & mask_;
    slots_[at] = old[i];
  }
}

const char* WordTable::keep(const char* word, std::size_t n) {
  // Readable for eight bytes, so that a word taken from one table can be looked up in another.
  const std::size_t needed = n < 8 ? 8 : n;
  if (needed > block_free_) {
    const std::size_t size = needed > kBlockBytes / 4 ? needed : kBlockBytes;
    blocks_.push_back(std::unique_ptr<char[]>(new char[size]()));
    if (size == needed) {  // a block of its own; the current one stays in use
      std::memcpy(blocks_.back().get(), word, n);
      return blocks_.back().get();
    }
    block_next_ = blocks_.back().get();
    block_free_ = size;
  }
  char* const copy = block_next_;
  std::memcpy(copy, word, n);
  // Words lie end to end; the eight readable bytes of the last one are inside its block.
  block_next_ += n;
  block_free_ -= n;
  return copy;
}

}  // namespace pyw2v
