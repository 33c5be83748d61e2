// What a line of text is to a classifier: rows of its input matrix, and labels.
//
// A word of the vocabulary gives its own row, then those of its character n-grams; any other word
// its n-grams only. Behind them come the n-grams of words, of unknown ones too, which is why every
// word has a hash (fastText's Dictionary::getLine).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_buffer.h"
#include "base/interrupt.h"
#include "base/pages.h"
#include "base/types.h"
#include "text/ngrams.h"
#include "words/word_table.h"

namespace pyw2v {

// What a token is: the id of a word, kUnknownWord, -2 - the id of a label, or kUnknownLabel.
using TokenEntry = std::int32_t;
constexpr TokenEntry kUnknownWord = -1;
constexpr TokenEntry kUnknownLabel = INT32_MIN;

struct FeatureRules {
  std::uint32_t n_words = 0;
  NgramHasher hasher;
  // By bucket: its row behind the words', or kDropped. Null: all buckets, in order.
  const std::uint32_t* bucket_rows = nullptr;
  // In place of that table, where it would be out of proportion: the buckets that have rows,
  // rising, their rows, and that of all others.
  const std::uint32_t* kept_buckets = nullptr;
  const std::uint32_t* kept_rows = nullptr;
  std::size_t n_kept = 0;
  std::uint32_t absent_row = 0;

  bool has_all_rows() const { return bucket_rows == nullptr && kept_buckets == nullptr; }
  std::uint32_t row_of_kept(std::uint32_t bucket) const;
};
constexpr std::uint32_t kDropped = UINT32_MAX;

// Lines one after the other; cleared and filled again, so that few of them allocate.
struct LineFeatures {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> row_ends;  // one for each line
  std::vector<std::uint32_t> words;    // taken whole: their rows are not in `rows`
  std::vector<std::int64_t> word_ends;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> label_ends;
  std::vector<std::int32_t> hashes;  // of the words of the line that is open
  std::vector<WordTable::Lookup> lookups;

  void clear();
  void end_line();
};

// The features that follow from the letters of words.
class WordFeatures {
 public:
  explicit WordFeatures(const FeatureRules& rules) : rules_(rules) {}

  // Its n-grams, not its own row.
  void add_word(std::string_view word, LineFeatures& out,
                const Interrupt& interrupt = kNoInterrupt) const;
  void add_whole_word(std::string_view word, LineFeatures& out) const;  // for n-grams of words only
  // When all words of the line have been added; on_some after every few thousand words.
  void add_word_ngrams(LineFeatures& out, const std::function<void()>& on_some) const;
  void add_word_ngrams(LineFeatures& out) const {
    add_word_ngrams(out, [] {});
  }

  bool has_ngrams() const { return rules_.hasher.has_char_ngrams(); }

  // add_word in two steps, the second of which waits for memory: once for many words it waits
  // less. Rows from `first` on that are not words' are then those of buckets, kept ones only.
  void add_buckets(std::string_view word, LineFeatures& out, const Interrupt& interrupt) const;
  void place_buckets(std::size_t first, std::vector<std::uint32_t>& rows) const;

 protected:
  void append_buckets(std::string_view word, std::vector<std::uint32_t>& rows,
                      const Interrupt& interrupt) const;

  FeatureRules rules_;
};

// The same for a set of distinct tokens, by number, computed beforehand: training meets them again
// and again.
class TokenFeatures : public WordFeatures {
 public:
  // entries: one for each word of the table.
  TokenFeatures(const FeatureRules& rules, const WordTable& table, const TokenEntry* entries,
                const Interrupt& interrupt);

  void add_token(WordId token, LineFeatures& out) const;

  // The buckets that a text has n-grams in, rising; all buckets must have rows (no bucket_rows).
  // tokens: of all lines, with their ends.
  std::vector<std::uint32_t> used_buckets(Borrowed<const WordId> tokens,
                                          Borrowed<const TokenPos> ends, std::size_t n_lines,
                                          std::size_t n_threads, const Interrupt& interrupt) const;

 private:
  PageVector<TokenEntry> entries_;
  PageVector<std::int32_t> hashes_;
  PageVector<std::int64_t> ngram_ends_;  // empty: no character n-grams
  GrowingBuffer ngram_rows_;             // std::uint32_t
};

// A vocabulary to look words of a text up in. The n-grams of a word are made when it is met: those
// of the whole vocabulary would take longer than many a text, and much memory.
class LineDictionary {
 public:
  // `words` in the order of their rows, then `labels`.
  LineDictionary(const FeatureRules& rules, std::string label_prefix,
                 const std::vector<std::string>& words, const std::vector<std::string>& labels);

  // The features of a text up to its first line feed or `</s>`. WordTable::kReadable bytes behind
  // it must be readable. The first n_whole words of the vocabulary are taken whole. After every few
  // thousand tokens on_some() may take the rows of this line away.
  void add_line(std::string_view text, LineFeatures& out, std::int32_t n_whole,
                const Interrupt& interrupt, const std::function<void()>& on_some) const;
  void add_line(std::string_view text, LineFeatures& out) const {
    add_line(text, out, 0, kNoInterrupt, [] {});
  }

  std::int32_t n_words() const { return n_words_; }
  bool has_ngrams() const { return features_.has_ngrams(); }
  void add_word(WordId word, LineFeatures& out) const;  // as a line without an end

 private:
  static WordTable make_table(const std::vector<std::string>& words,
                              const std::vector<std::string>& labels);
  std::string label_prefix_;
  WordTable table_;
  std::int32_t n_words_;
  WordFeatures features_;
};

}  // namespace pyw2v
