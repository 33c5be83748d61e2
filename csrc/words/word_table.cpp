#include "words/word_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pyw2v {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kMaxWords = INT32_MAX;  // ids are WordId

}  // namespace

// Of a word longer than 16 bytes.
std::uint64_t WordTable::hash(const char* word, std::size_t n) {
  constexpr std::uint64_t kFirst = 0x2D358DCCAA6C78A5u, kSecond = 0x8BB84B93962EACC9u;
  std::uint64_t state = n ^ kFirst;
  const char* const last = word + n - 16;  // may overlap what came before it
  for (const char* p = word; p < last; p += 16) {
    state = mix(load(p) ^ kSecond, load(p + 8) ^ state);
  }
  return mix(load(last) ^ kSecond, load(last + 8) ^ state);
}

WordId WordTable::add(const Lookup& lookup, std::size_t at, std::int64_t times) {
  if (words_.size() == kMaxWords) {
    throw std::invalid_argument("more than 2147483647 distinct words");
  }
  const auto id = static_cast<WordId>(words_.size());
  words_.emplace_back(keep(lookup.word, lookup.n), lookup.n);
  slots_[at] = {lookup.head, lookup.tail, times, tag_of(lookup.n), raw(id) + 1};
  if (words_.size() > room(64 - shift_)) grow(64 - shift_ + 1);
  return id;
}

void WordTable::allocate(int bits) {
  const std::size_t n = std::size_t{1} << bits;
  memory_ = std::make_unique<Pages>(n * sizeof(Slot));
  slots_ = static_cast<Slot*>(memory_->data());
  mask_ = n - 1;
  shift_ = 64 - bits;
}

void WordTable::find_all(const WordTable& others, Borrowed<WordId> out) const {
  WordId* ids = out;
  Lookup ahead[kAhead];
  for (std::size_t i = 0; i < others.size() + kAhead; ++i) {
    Lookup& lookup = ahead[i % kAhead];
    if (i >= kAhead) *ids++ = WordId{slots_[place(lookup)].number - 1};
    if (i < others.size()) {
      const std::string_view word = others.words_[i];
      lookup = begin(word.data(), word.size());
    }
  }
}

void WordTable::reserve(std::size_t n_words) {
  words_.reserve(n_words);
  int bits = 64 - shift_;
  while (n_words > room(bits)) ++bits;
  if (bits > 64 - shift_) grow(bits);
}

void WordTable::freeze() {
  memory_.reset();
  slots_ = nullptr;
  words_.shrink_to_fit();
}

void WordTable::grow(int bits) {
  const std::unique_ptr<Pages> old_memory = std::move(memory_);
  const Slot* const old = slots_;
  const std::size_t n_old = mask_ + 1;
  allocate(bits);
  for (std::size_t i = 0; i < n_old; ++i) {
    if (old[i].number == 0) continue;
    std::size_t at = home(old[i].head, old[i].tail) >> shift_;
    while (slots_[at].number != 0) at = (at + 1) & mask_;
    slots_[at] = old[i];
  }
}

std::vector<std::int64_t> WordTable::counts() const {
  std::vector<std::int64_t> counts(words_.size());
  for (std::size_t at = 0; at <= mask_; ++at) {
    if (slots_[at].number > 0) {
      counts[static_cast<std::size_t>(slots_[at].number - 1)] = slots_[at].count;
    }
  }
  return counts;
}

const char* WordTable::keep(const char* word, std::size_t n) {
  // Readable far enough for a word taken from one table to be looked up in another.
  const std::size_t needed = std::max(n, kReadable);
  if (needed > block_free_) {
    const std::size_t size = needed > kBlockBytes / 4 ? needed : kBlockBytes;
    blocks_.push_back(std::make_unique<Pages>(size));
    char* const block = static_cast<char*>(blocks_.back()->data());
    if (size == needed) {  // a block of its own; the current one stays in use
      std::memcpy(block, word, n);
      return block;
    }
    block_next_ = block;
    block_free_ = size;
  }
  char* const copy = block_next_;
  std::memcpy(copy, word, n);
  // Words lie end to end; the readable bytes after the last one are inside its block.
  block_next_ += n;
  block_free_ -= n;
  return copy;
}

}  // namespace pyw2v
