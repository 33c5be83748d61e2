// Counts of words and of their pairs in one table, as gensim's Phrases keeps them: a pair is
// entered as its words joined by the delimiter, connector words between them included. From the
// counts, or from given scores, follows which words of a sentence make a phrase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "phrases/phrase_text.h"
#include "words/word_table.h"

namespace pyw2v {

// What makes a pair a phrase: a score above the threshold.
struct PhraseRule {
  enum Scoring { kOriginal, kNpmi };
  Scoring scoring = kOriginal;
  double min_count = 0, threshold = 0;
  double corpus_words = 0;  // for kNpmi
};

// Words of a sentence that become one token; first == last for a word on its own, without a score.
struct PhraseSpan {
  std::size_t first, last;
  double score;
};

class PhraseTable {
 public:
  PhraseTable() : table_(std::make_unique<WordTable>()) {}

  // Counts the sentences of a finished text. Whenever the entries outgrow max_size at the end of a
  // sentence, those counted less than min_reduce times are dropped and min_reduce grows by one.
  void count(const PhraseText& text, std::size_t max_size, std::int64_t& min_reduce);
  void reserve(std::size_t n_entries) { table_->reserve(n_entries); }
  void add(const char* key, std::size_t n, std::int64_t times);
  void merge(const PhraseTable& other);
  void prune(std::int64_t min_count);  // drops entries counted less often

  std::size_t size() const { return table_->size(); }
  std::int64_t count_of(std::string_view text) const;  // kReadable bytes of it must be readable
  std::string_view key(std::size_t id) const { return table_->word(static_cast<WordId>(id)); }
  std::vector<std::int64_t> counts() const { return table_->counts(); }

  // Whether a pair with these counts is a phrase, and its score.
  bool score(const PhraseRule& rule, std::int64_t a, std::int64_t b, std::int64_t pair,
             double& score) const;
  // The tokens of the first sentence of a finished text. With `scores`, one per entry, these
  // decide instead of the counts.
  void find(const PhraseText& text, const PhraseRule& rule, const std::vector<double>* scores,
            std::vector<PhraseSpan>& tokens);
  // Counts of the parts of an entry that can be split at the delimiter; false when it cannot, or
  // when a part was never counted.
  bool parts(std::size_t id, std::string_view delimiter, std::int64_t& a, std::int64_t& b) const;

 private:
  void look_up_pairs(const PhraseText& text);
  bool is_phrase(const PhraseText& text, const PhraseText::Word& first,
                 const PhraseText::Word& last, const WordTable::Lookup& pair,
                 const PhraseRule& rule, const std::vector<double>* scores, double& score) const;

  std::unique_ptr<WordTable> table_;
  std::vector<WordTable::Lookup> pairs_;  // of each word with the last one that is no connector
};

}  // namespace pyw2v
