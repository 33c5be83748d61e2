// Bytes to words by the rules of word2vec.c and word2phrase.c, both of which read so.
//
// In: pieces of a file. Out: calls for words and line feeds, in order. Carriage returns vanish,
// even inside words; blanks, tabs and line feeds end a word; nothing else does, so any bytes are
// text.
#pragma once

#include <cstddef>
#include <cstring>

#include "words/word_table.h"

namespace pyw2v {

// Longer words are cut to kMaxBytes bytes, in the middle of a character if need be.
template <std::size_t kMaxBytes>
class CTokenizer {
 public:
  // Calls sink.word(const char*, std::size_t) and sink.line_feed(). A word lies in a buffer with
  // WordTable::kReadable bytes behind it.
  template <class Sink>
  void feed(const char* text, std::size_t n, Sink& sink) {
    for (const char* const end = text + n; text < end; ++text) {
      const char c = *text;
      if (c == '\r') continue;
      if (c != ' ' && c != '\t' && c != '\n') {
        if (length_ < kMaxBytes) word_[length_++] = c;
        continue;
      }
      finish(sink);
      if (c == '\n') sink.line_feed();
    }
  }
  // The C programs lose a last word that no blank follows; whoever wants it calls this.
  template <class Sink>
  void finish(Sink& sink) {
    word_[length_] = '\0';
    const std::size_t n = std::strlen(word_);  // a C string ends at its first zero byte
    length_ = 0;
    if (n > 0) sink.word(word_, n);
  }

 private:
  char word_[kMaxBytes + WordTable::kReadable] = {};
  std::size_t length_ = 0;
};

}  // namespace pyw2v
