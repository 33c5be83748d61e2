// Words that come one by one from outside, as text or as integers, to an encoded corpus: counted
// and numbered in the order of first sight.
//
// All words share one table. Its keys tell the kinds apart: a text is its UTF-8 (a lone surrogate
// is written like any other character), everything else begins with a byte that no UTF-8 has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/growing_buffer.h"
#include "base/types.h"
#include "words/word_table.h"

namespace pyw2v {

enum KeyKind : unsigned char {
  kEmptyKey = 0xFD,       // the empty text; nothing follows
  kBigIntegerKey = 0xFE,  // an integer in hexadecimal digits, with its sign
  kIntegerKey = 0xFF,     // an std::int64_t, as it is in memory
};

class SentenceEncoder {
 public:
  // Tokens past `budget` bytes go to a file in `folder`; see GrowingBuffer.
  SentenceEncoder(std::uint64_t budget, const std::string& folder, bool keep_tokens);

  // Code points of a short text are written to characters(), kShort of them, before add_short(n).
  static constexpr std::size_t kShort = 16;
  std::uint32_t* characters() { return characters_; }
  void add_short(std::size_t n);
  void add_text(const std::uint32_t* characters, std::size_t n);
  void add_integer(std::int64_t word);
  void add_big_integer(const std::string& digits);
  // The same for an integer that lies in a range small enough for an array of all of it.
  void add_dense(std::int64_t word, std::int64_t lowest, std::int64_t highest);

  void end_sentence();                                          // after the last word
  void end_sentences(const std::int64_t* ends, std::size_t n);  // for words added before

  void finish();
  std::int64_t n_words() const { return n_words_; }
  std::int64_t n_sentences() const { return n_sentences_; }

  // Number of every word of another table here, or kNoWord; after finish().
  void find_all(const WordTable& others, Borrowed<WordId> ids) const {
    table_->find_all(others, ids);
  }
  std::size_t n_distinct() const { return table_->size(); }
  // Once each, after finish().
  std::vector<std::int64_t> counts() const;
  std::unique_ptr<WordTable> take_table() { return std::move(table_); }
  std::unique_ptr<GrowingBuffer> take_tokens() { return std::move(tokens_); }
  std::unique_ptr<GrowingBuffer> take_ends() { return std::move(ends_); }

 private:
  static constexpr std::size_t kAhead = WordTable::kAhead;
  static constexpr std::size_t kTextBytes = 24;  // of a word in the queue
  static constexpr std::size_t kIds = 1 << 14;   // handed on at a time
  struct Waiting {
    WordTable::Lookup lookup;
    char text[kTextBytes];
  };
  static_assert(kTextBytes >= WordTable::kReadable && kTextBytes >= kShort);

  Waiting& next_place();
  void enqueue(Waiting& place, std::size_t n);
  void add_key(const char* key, std::size_t n);
  void resolve_all();
  void push(WordId id);
  void hand_on();

  std::unique_ptr<WordTable> table_;
  std::unique_ptr<GrowingBuffer> tokens_, ends_;
  bool keep_tokens_;
  std::int64_t n_words_ = 0, n_sentences_ = 0;
  std::uint32_t characters_[kShort] = {};
  Waiting waiting_[kAhead];
  std::size_t n_enqueued_ = 0, n_resolved_ = 0;
  std::vector<WordId> ids_;  // not yet in tokens_
  std::vector<WordId> dense_ids_;
  std::vector<std::int64_t> dense_counts_;  // by id
  std::string key_;
};

}  // namespace pyw2v
