#include "corpus/sentence_encoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "text/utf8.h"

namespace pyw2v {

SentenceEncoder::SentenceEncoder(std::uint64_t budget, const std::string& folder, bool keep_tokens)
    : table_(std::make_unique<WordTable>()),
      tokens_(std::make_unique<GrowingBuffer>(budget, folder)),
      ends_(std::make_unique<GrowingBuffer>(std::numeric_limits<std::uint64_t>::max(), folder)),
      keep_tokens_(keep_tokens) {
  ids_.reserve(kIds);
}

void SentenceEncoder::add_short(std::size_t n) {
  // Always all of them, so that the loop needs no branches; what lies behind the word does no harm.
  Waiting& place = next_place();
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < kShort; ++i) {
    all |= characters_[i];
    place.text[i] = static_cast<char>(characters_[i]);
  }
  if (all < 0x80 && n > 0) {
    enqueue(place, n);
  } else {
    add_text(characters_, n);
    std::fill_n(characters_, kShort, 0);
  }
}

void SentenceEncoder::add_text(const std::uint32_t* characters, std::size_t n) {
  key_.clear();
  for (std::size_t i = 0; i < n; ++i) append_utf8(key_, characters[i]);
  if (n == 0) key_.push_back(static_cast<char>(kEmptyKey));
  add_key(key_.data(), key_.size());
}

void SentenceEncoder::add_integer(std::int64_t word) {
  Waiting& place = next_place();
  place.text[0] = static_cast<char>(kIntegerKey);
  std::memcpy(place.text + 1, &word, sizeof word);
  enqueue(place, 1 + sizeof word);
}

void SentenceEncoder::add_big_integer(const std::string& digits) {
  key_.assign(1, static_cast<char>(kBigIntegerKey));
  key_ += digits;
  add_key(key_.data(), key_.size());
}

void SentenceEncoder::add_dense(std::int64_t word, std::int64_t lowest, std::int64_t highest) {
  if (word < lowest || word > highest) {
    throw std::invalid_argument(std::to_string(word) + " is not in the range " +
                                std::to_string(lowest) + " to " + std::to_string(highest));
  }
  if (dense_ids_.empty())
    dense_ids_.assign(static_cast<std::size_t>(highest - lowest) + 1, kNoWord);
  WordId& id = dense_ids_.at(static_cast<std::size_t>(word - lowest));
  if (!is_word(id)) {
    resolve_all();
    char key[WordTable::kReadable] = {static_cast<char>(kIntegerKey)};
    std::memcpy(key + 1, &word, sizeof word);
    id = table_->end(table_->begin(key, 1 + sizeof word), 0);
    dense_counts_.resize(table_->size());
  }
  ++dense_counts_[static_cast<std::size_t>(id)];
  ++n_words_;
  push(id);
}

// The place may be written to; enqueue() makes it a word.
SentenceEncoder::Waiting& SentenceEncoder::next_place() {
  Waiting& place = waiting_[n_enqueued_ % kAhead];
  if (n_enqueued_ - n_resolved_ == kAhead) {
    push(table_->end(place.lookup));
    ++n_resolved_;
  }
  return place;
}

void SentenceEncoder::enqueue(Waiting& place, std::size_t n) {
  place.lookup = table_->begin(place.text, n);
  ++n_enqueued_;
  ++n_words_;
}

void SentenceEncoder::add_key(const char* key, std::size_t n) {
  if (n <= kTextBytes) {
    Waiting& place = next_place();
    std::memcpy(place.text, key, n);
    enqueue(place, n);
    return;
  }
  resolve_all();
  push(table_->end(table_->begin(key, n)));
  ++n_words_;
}

void SentenceEncoder::resolve_all() {
  for (; n_resolved_ < n_enqueued_; ++n_resolved_) {
    push(table_->end(waiting_[n_resolved_ % kAhead].lookup));
  }
}

void SentenceEncoder::push(WordId id) {
  if (!keep_tokens_) return;
  ids_.push_back(id);
  if (ids_.size() == kIds) hand_on();
}

void SentenceEncoder::hand_on() {
  tokens_->append(ids_.data(), ids_.size() * sizeof(WordId));
  ids_.clear();
}

void SentenceEncoder::end_sentence() { end_sentences(&n_words_, 1); }

void SentenceEncoder::end_sentences(const std::int64_t* ends, std::size_t n) {
  n_sentences_ += static_cast<std::int64_t>(n);
  if (keep_tokens_) ends_->append(ends, n * sizeof *ends);
}

void SentenceEncoder::finish() {
  resolve_all();
  hand_on();
  tokens_->finish();
  ends_->finish();
}

std::vector<std::int64_t> SentenceEncoder::counts() const {
  std::vector<std::int64_t> counts = table_->counts();
  for (std::size_t id = 0; id < dense_counts_.size(); ++id) counts[id] += dense_counts_[id];
  return counts;
}

}  // namespace pyw2v
