// What a line of text is to a classifier: rows of its input matrix, and labels.
//
// A word of the vocabulary gives its own row, then those of its character n-grams; any other word
// its n-grams only. Behind them come the n-grams of words, of unknown ones too, which is why every
// word has a hash (fastText's Dictionary::getLine).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/pages.h"
#include "base/types.h"
#include "vocab/growing_buffer.h"
#include "vocab/word_table.h"

namespace pyw2v {

// What a token is: the id of a word, kUnknownWord, label_entry(id of a label) or kUnknownLabel.
using TokenEntry = std::int32_t;
constexpr TokenEntry kUnknownWord = -1;
constexpr TokenEntry kUnknownLabel = INT32_MIN;
constexpr TokenEntry label_entry(std::int32_t label) { return -2 - label; }

struct FeatureRules {
  std::uint32_t n_words = 0;
  std::uint32_t n_buckets = 0;
  int min_n = 0;
  int max_n = 0;
  int word_ngrams = 1;
  // By bucket: its row behind the words', or kDropped. Null: all buckets, in order.
  const std::uint32_t* bucket_rows = nullptr;
};
constexpr std::uint32_t kDropped = UINT32_MAX;

// Lines one after the other; cleared and filled again, so that few of them allocate.
struct LineFeatures {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> row_ends;  // one for each line
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> label_ends;
  std::vector<std::int32_t> hashes;  // of the words of the line that is open

  void clear();
  void end_line();
};

// The features of a set of distinct tokens, by number.
class TokenFeatures {
 public:
  // entries: one for each word of the table, or null: token i is word i up to n_words, then label
  // i - n_words.
  TokenFeatures(const FeatureRules& rules, const WordTable& table, const TokenEntry* entries);

  void add_token(WordId token, LineFeatures& out) const;
  void add_unknown(std::string_view word, LineFeatures& out) const;
  void add_word_ngrams(LineFeatures& out) const;  // when all tokens of the line have been added

  // The buckets that a text has n-grams in, rising; all buckets must have rows (no bucket_rows).
  // tokens: of all lines, with their ends.
  std::vector<std::uint32_t> used_buckets(const WordId* tokens, const TokenPos* ends,
                                          std::size_t n_lines, std::size_t n_threads) const;

 private:
  void append_buckets_of_line(const WordId* begin, const WordId* end, LineFeatures& line) const;
  std::size_t row_of_buckets(std::vector<std::uint32_t>& buckets, std::size_t first) const;

  FeatureRules rules_;
  PageVector<TokenEntry> entries_;
  PageVector<std::int32_t> hashes_;
  PageVector<std::int64_t> ngram_ends_;  // empty: no character n-grams
  GrowingBuffer ngram_rows_;             // std::uint32_t
};

// A vocabulary that text is looked up in.
class LineDictionary {
 public:
  // `words` in the order of their rows, then `labels`.
  LineDictionary(const FeatureRules& rules, std::string label_prefix,
                 const std::vector<std::string>& words, const std::vector<std::string>& labels);

  // The features of a text up to its first line feed or `</s>`. WordTable::kReadable bytes behind
  // it must be readable.
  void add_line(std::string_view text, LineFeatures& out) const;

 private:
  static WordTable make_table(const std::vector<std::string>& words,
                              const std::vector<std::string>& labels);
  std::string label_prefix_;
  WordTable table_;
  TokenFeatures features_;
};

}  // namespace pyw2v
