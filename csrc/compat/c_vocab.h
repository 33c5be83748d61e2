// A text file as word2vec.c sees it: its words counted, then turned into numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/growing_buffer.h"
#include "base/types.h"
#include "compat/c_tokenizer.h"
#include "words/word_table.h"

namespace pyw2v {

constexpr std::string_view kSentenceEnd = "</s>";  // the word that a line feed stands for
using Word2vecTokenizer = CTokenizer<98>;          // MAX_STRING is 100

// Words in order of first sight, "</s>" before all others.
class CWordCounter {
 public:
  // Whenever more than max_words are known, the rarest are dropped and their counts forgotten
  // (ReduceVocab): those seen once the first time, up to twice the second, and so on.
  explicit CWordCounter(std::size_t max_words);

  void add(const char* text, std::size_t n);
  void
  finish_last_line();  // as if a line feed followed, unless there is one; the C program does not
  const WordTable& words() const { return table_; }
  std::int64_t n_tokens() const { return n_tokens_; }

  void word(const char* word, std::size_t n);  // called by the tokenizer
  void line_feed();

 private:
  void reduce();

  Word2vecTokenizer tokenizer_;
  WordTable table_;
  std::size_t max_words_;
  std::int64_t min_reduce_ = 1;
  std::int64_t n_tokens_ = 0;
  bool line_open_ = false;
};

// Encodes a text with a finished vocabulary. Unknown words are dropped; word 0 ends a sentence, be
// it "</s>" or, from a vocabulary file, any other.
class CEncoder {
 public:
  // With keep_breaks, the 0 that ends a sentence is a token too.
  CEncoder(bool keep_breaks, GrowingBuffer& tokens, GrowingBuffer& ends)
      : keep_breaks_(keep_breaks), tokens_(tokens), ends_(ends) {}

  void add_vocab_word(const char* word, std::size_t n);  // in order; of equal ones the first counts
  void add(const char* text, std::size_t n);
  void finish(bool with_last_line);  // unless it is to be lost, as in the C program
  std::int64_t n_sentences() const { return n_sentences_; }
  std::int64_t n_words() const { return n_words_; }  // read, known or not

  void word(const char* word, std::size_t n);  // called by the tokenizer
  void line_feed();

 private:
  void put(WordId id);
  void end_sentence();
  void flush();

  bool keep_breaks_;
  Word2vecTokenizer tokenizer_;
  WordTable table_;
  std::vector<WordId> ids_;  // of the table's words in the vocabulary
  WordId n_vocab_{0};
  GrowingBuffer& tokens_;
  GrowingBuffer& ends_;
  std::vector<WordId> pending_;
  std::int64_t n_tokens_ = 0, n_sentences_ = 0, n_words_ = 0;
  std::int64_t sentence_begin_ = 0;
};

}  // namespace pyw2v
