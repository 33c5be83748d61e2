// The twin of word2phrase.c: words that often follow each other are joined by '_'.
//
// In: a text, twice: PhraseCounter counts its words and pairs, PhraseJoiner writes it anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compat/c_tokenizer.h"
#include "words/word_table.h"

namespace pyw2v {

using PhraseTokenizer = CTokenizer<58>;  // MAX_STRING is 60

// One table of words and pairs, as in the C program: the pair "a b" and the word "a_b" are one.
// Pairs are cut to 59 bytes. The last word of a line and the first of the next are a pair, too.
class PhraseCounter {
 public:
  PhraseCounter();

  void add(const char* text, std::size_t n) { tokenizer_.feed(text, n, *this); }
  // Counts a last word that no blank follows, which the C program loses, and drops what is rare. As
  // in the C program the last entry by falling count is lost even if it is frequent enough, since
  // "</s>", which never occurs, takes its place.
  void finish(std::int64_t min_count);
  std::int64_t n_words() const { return n_words_; }  // of the text
  // Words and pairs; after finish() as the C program prints it, too large.
  std::int64_t vocab_size() const {
    return counts_.empty() ? static_cast<std::int64_t>(table_.size()) : vocab_size_;
  }

  // Count of a word or pair, -1 if it is not in the table.
  std::int64_t find(const char* word, std::size_t n) const;

  void word(const char* word, std::size_t n);  // called by the tokenizer
  void line_feed() {}

 private:
  PhraseTokenizer tokenizer_;
  WordTable table_;
  std::vector<std::int64_t> counts_;  // of the words that are left, by id; -1 for the others
  std::string last_;
  std::int64_t n_words_ = 0, vocab_size_ = 0;
};

class PhraseJoiner {
 public:
  PhraseJoiner(const PhraseCounter& counts, std::int64_t min_count, float threshold)
      : counts_(counts), min_count_(min_count), threshold_(threshold) {}

  // Adds to the output: every word has a blank or, where it is joined, '_' before it.
  void add(const char* text, std::size_t n) { tokenizer_.feed(text, n, *this); }
  void finish() { tokenizer_.finish(*this); }  // a last word without a blank, see above
  std::string& output() { return output_; }

  void word(const char* word, std::size_t n);  // called by the tokenizer
  void line_feed();

 private:
  bool joins(std::int64_t pair_count, bool known);

  const PhraseCounter& counts_;
  std::int64_t min_count_;
  float threshold_;
  PhraseTokenizer tokenizer_;
  std::string last_, output_;
  std::int64_t left_count_ = 0, right_count_ = 0;
  bool left_known_ = false;
};

}  // namespace pyw2v
