// Sentences to look for phrases in: their words lie end to end with the delimiter between them, so
// that a phrase, joined, is simply the text from the start of one word to the end of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/sentence_encoder.h"
#include "words/word_table.h"

namespace pyw2v {

class PhraseText {
 public:
  struct Word {
    std::size_t begin, end;  // bytes of the text
    bool is_connector;       // may stand inside a phrase, never at its ends
  };

  PhraseText(std::string delimiter, const std::vector<std::string>& connectors);

  // Code points of a short word are written to characters(), kShort of them, before add_short(n).
  static constexpr std::size_t kShort = 16;
  std::uint32_t* characters() { return characters_; }
  void add_short(std::size_t n);
  void add_word(const std::uint32_t* characters, std::size_t n);
  void end_sentence() { ends_.push_back(words_.size()); }

  // After the last word: tells connectors. The text is readable as far as WordTable reads.
  void finish();
  void clear();

  const std::vector<Word>& words() const { return words_; }
  const std::vector<std::size_t>& ends() const { return ends_; }  // of sentences, among the words
  std::size_t n_bytes() const { return n_bytes_; }
  std::string_view between(const Word& first, const Word& last) const {
    return {text_.data() + first.begin, last.end - first.begin};
  }
  const std::string& delimiter() const { return delimiter_; }

 private:
  char* room_for(std::size_t n_bytes);   // at the end of the text
  void close_word(std::size_t n_bytes);  // that were written there

  std::string delimiter_;
  WordTable connectors_;
  std::vector<char> text_;  // longer than its n_bytes_
  std::size_t n_bytes_ = 0;
  std::string long_word_;
  std::vector<Word> words_;
  std::vector<std::size_t> ends_;
  std::uint32_t characters_[kShort] = {};
};

// A text, copied to where it can be looked up.
class ReadableText {
 public:
  explicit ReadableText(std::string_view text) : copy_(text), n_(text.size()) {
    copy_.append(WordTable::kReadable, '\0');
  }
  std::string_view view() const { return std::string_view(copy_).substr(0, n_); }

 private:
  std::string copy_;
  std::size_t n_;
};

// The lookup of a text in a table whose key of the empty text is kEmptyKey; see sentence_encoder.h.
inline WordTable::Lookup lookup_text(const WordTable& table, std::string_view text) {
  static constexpr char kEmpty[WordTable::kReadable] = {static_cast<char>(kEmptyKey)};
  return text.empty() ? table.begin(kEmpty, 1) : table.begin(text.data(), text.size());
}

}  // namespace pyw2v
