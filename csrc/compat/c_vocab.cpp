#include "compat/c_vocab.h"

#include <string>

namespace pyw2v {
namespace {

constexpr std::size_t kPendingTokens = 1 << 16;

// A copy with the bytes behind it that the word table may read.
std::string padded(std::string_view word) {
  std::string copy(word);
  copy.append(WordTable::kReadable, '\0');
  return copy;
}

WordId count(WordTable& table, std::string_view word, std::int64_t times) {
  const std::string copy = padded(word);
  return table.end(table.begin(copy.data(), word.size()), times);
}

}  // namespace

CWordCounter::CWordCounter(std::size_t max_words) : max_words_(max_words) {
  count(table_, kSentenceEnd, 0);
}

void CWordCounter::add(const char* text, std::size_t n) { tokenizer_.feed(text, n, *this); }

void CWordCounter::finish_last_line() {
  tokenizer_.finish(*this);
  if (line_open_) line_feed();
}

void CWordCounter::word(const char* word, std::size_t n) {
  line_open_ = true;
  ++n_tokens_;
  table_.end(table_.begin(word, n));
  if (table_.size() > max_words_) reduce();
}

void CWordCounter::line_feed() {
  line_open_ = false;
  count(table_, kSentenceEnd, 1);
  if (table_.size() > max_words_) reduce();
}

void CWordCounter::reduce() {
  const std::vector<std::int64_t> counts = table_.counts();
  WordTable kept;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > min_reduce_) count(kept, table_.word(static_cast<WordId>(i)), counts[i]);
  table_ = std::move(kept);
  ++min_reduce_;
}

void CEncoder::add_vocab_word(const char* word, std::size_t n) {
  const auto at = static_cast<std::size_t>(count(table_, {word, n}, 1));
  if (at == ids_.size()) ids_.push_back(n_vocab_);
  ++n_vocab_;
}

void CEncoder::add(const char* text, std::size_t n) { tokenizer_.feed(text, n, *this); }

void CEncoder::finish(bool with_last_line) {
  if (with_last_line) {
    tokenizer_.finish(*this);
    if (n_tokens_ > sentence_begin_) end_sentence();
  }
  flush();
}

void CEncoder::word(const char* word, std::size_t n) {
  ++n_words_;
  const WordId at = table_.find(table_.begin(word, n));
  if (is_word(at)) put(ids_[static_cast<std::size_t>(at)]);
}

void CEncoder::line_feed() {
  const std::string end = padded(kSentenceEnd);
  const WordId at = table_.find(table_.begin(end.data(), kSentenceEnd.size()));
  if (is_word(at)) put(ids_[static_cast<std::size_t>(at)]);
}

void CEncoder::put(WordId id) {
  if (id == WordId{0}) {
    end_sentence();
    return;
  }
  pending_.push_back(id);
  ++n_tokens_;
  if (pending_.size() >= kPendingTokens) flush();
}

void CEncoder::end_sentence() {
  if (keep_breaks_) {
    pending_.push_back(WordId{0});
    ++n_tokens_;
  }
  ends_.append(&n_tokens_, sizeof n_tokens_);
  sentence_begin_ = n_tokens_;
  ++n_sentences_;
}

void CEncoder::flush() {
  tokens_.append(pending_.data(), pending_.size() * sizeof(WordId));
  pending_.clear();
}

}  // namespace pyw2v
