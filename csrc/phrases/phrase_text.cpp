#include "phrases/phrase_text.h"

#include <cstring>
#include <utility>

#include "text/utf8.h"

namespace pyw2v {

PhraseText::PhraseText(std::string delimiter, const std::vector<std::string>& connectors)
    : delimiter_(std::move(delimiter)) {
  for (const std::string& connector : connectors) {
    connectors_.end(lookup_text(connectors_, ReadableText(connector).view()));
  }
}

void PhraseText::add_short(std::size_t n) {
  // Always all of them, so that the loop needs no branches.
  char* const to = room_for(kShort);
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < kShort; ++i) {
    all |= characters_[i];
    to[i] = static_cast<char>(characters_[i]);
  }
  if (all < 0x80) return close_word(n);
  add_word(characters_, n);
  for (std::uint32_t& character : characters_) character = 0;
}

void PhraseText::add_word(const std::uint32_t* characters, std::size_t n) {
  long_word_.clear();
  for (std::size_t i = 0; i < n; ++i) append_utf8(long_word_, characters[i]);
  std::memcpy(room_for(long_word_.size()), long_word_.data(), long_word_.size());
  close_word(long_word_.size());
}

char* PhraseText::room_for(std::size_t n_bytes) {
  const std::size_t needed = n_bytes_ + n_bytes + delimiter_.size() + WordTable::kReadable;
  if (needed > text_.size()) text_.resize(2 * needed);
  return text_.data() + n_bytes_;
}

void PhraseText::close_word(std::size_t n_bytes) {
  words_.push_back({n_bytes_, n_bytes_ + n_bytes, false});
  std::memcpy(text_.data() + n_bytes_ + n_bytes, delimiter_.data(), delimiter_.size());
  n_bytes_ += n_bytes + delimiter_.size();
}

void PhraseText::finish() {
  room_for(0);  // there may be no word
  if (connectors_.size() == 0) return;
  for (Word& word : words_) {
    word.is_connector = is_word(connectors_.find(lookup_text(connectors_, between(word, word))));
  }
}

void PhraseText::clear() {
  n_bytes_ = 0;
  words_.clear();
  ends_.clear();
}

}  // namespace pyw2v
