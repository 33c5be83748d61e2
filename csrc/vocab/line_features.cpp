#include "vocab/line_features.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "text/lines.h"
#include "text/ngrams.h"

namespace pyw2v {

void LineFeatures::clear() {
  rows.clear();
  row_ends.clear();
  words.clear();
  word_ends.clear();
  labels.clear();
  label_ends.clear();
  hashes.clear();
}

void LineFeatures::end_line() {
  row_ends.push_back(static_cast<std::int64_t>(rows.size()));
  word_ends.push_back(static_cast<std::int64_t>(words.size()));
  label_ends.push_back(static_cast<std::int64_t>(labels.size()));
  hashes.clear();
}

void WordFeatures::add_whole_word(std::string_view word, LineFeatures& out) const {
  if (rules_.word_ngrams > 1) out.hashes.push_back(static_cast<std::int32_t>(ngram_hash(word)));
}

void WordFeatures::add_word(std::string_view word, LineFeatures& out) const {
  const std::size_t first = out.rows.size();
  add_buckets(word, out);
  place_buckets(first, out.rows);
}

void WordFeatures::add_word_ngrams(LineFeatures& out) const {
  const std::size_t first = out.rows.size();
  append_word_ngrams(out.hashes.data(), out.hashes.size(), rules_.word_ngrams, rules_.n_buckets,
                     out.rows);
  for (std::size_t i = first; i < out.rows.size(); ++i) out.rows[i] += rules_.n_words;
  place_buckets(first, out.rows);
}

void WordFeatures::add_buckets(std::string_view word, LineFeatures& out) const {
  add_whole_word(word, out);
  if (has_ngrams() && word != kLineEnd) append_buckets(word, out.rows);
}

// As rows behind those of words, as if all buckets had one.
void WordFeatures::append_buckets(std::string_view word, std::vector<std::uint32_t>& rows) const {
  const std::size_t first = rows.size();
  append_ngram_buckets(word, rules_.min_n, rules_.max_n, rules_.n_buckets, rows);
  for (std::size_t i = first; i < rows.size(); ++i) rows[i] += rules_.n_words;
}

void WordFeatures::place_buckets(std::size_t first, std::vector<std::uint32_t>& rows) const {
  if (rules_.bucket_rows == nullptr) return;
  constexpr std::size_t kAhead = 24;
  const std::uint32_t n_words = rules_.n_words;
  const auto bucket = [n_words](std::uint32_t row) { return row < n_words ? 0 : row - n_words; };
  std::size_t n = first;
  for (std::size_t i = first; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) prefetch(rules_.bucket_rows + bucket(rows[i + kAhead]));
    const bool is_word = rows[i] < n_words;
    const std::uint32_t row = rules_.bucket_rows[bucket(rows[i])];
    rows[n] = is_word ? rows[i] : n_words + row;  // overwritten if dropped
    n += static_cast<std::size_t>(is_word || row != kDropped);
  }
  rows.resize(n);
}

TokenFeatures::TokenFeatures(const FeatureRules& rules, const WordTable& table,
                             const TokenEntry* entries)
    : WordFeatures(rules), ngram_rows_(UINT64_MAX, "") {
  const std::size_t n = table.size();
  entries_.reserve(n);
  hashes_.reserve(n);
  if (has_ngrams()) ngram_ends_.reserve(n);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view token = table.word(static_cast<WordId>(i));
    const TokenEntry entry = entries[i];
    entries_.push_back(entry);
    hashes_.push_back(static_cast<std::int32_t>(ngram_hash(token)));
    if (!has_ngrams()) continue;
    if (entry >= kUnknownWord && token != kLineEnd) {
      rows.clear();
      append_buckets(token, rows);
      place_buckets(0, rows);
      ngram_rows_.append(rows.data(), rows.size() * sizeof(std::uint32_t));
    }
    ngram_ends_.push_back(static_cast<std::int64_t>(ngram_rows_.size() / sizeof(std::uint32_t)));
  }
  ngram_rows_.finish();
}

void TokenFeatures::add_token(WordId token, LineFeatures& out) const {
  const auto i = static_cast<std::size_t>(token);
  const TokenEntry entry = entries_[i];
  if (entry < kUnknownWord) {
    if (entry != kUnknownLabel) out.labels.push_back(-2 - entry);
    return;
  }
  if (entry >= 0) out.rows.push_back(static_cast<std::uint32_t>(entry));
  out.hashes.push_back(hashes_[i]);
  if (ngram_ends_.empty()) return;
  const auto* rows = reinterpret_cast<const std::uint32_t*>(ngram_rows_.data());
  out.rows.insert(out.rows.end(), rows + (i == 0 ? 0 : ngram_ends_[i - 1]), rows + ngram_ends_[i]);
}

std::vector<std::uint32_t> TokenFeatures::used_buckets(const WordId* tokens, const TokenPos* ends,
                                                       std::size_t n_lines,
                                                       std::size_t n_threads) const {
  if (rules_.bucket_rows != nullptr)
    throw std::invalid_argument("used buckets are told of features that have all buckets");
  // Atomic, since threads mark the same buckets; in any order, since all of them write 1.
  std::vector<std::atomic<std::uint8_t>> seen(rules_.n_buckets);
  const auto* rows = reinterpret_cast<const std::uint32_t*>(ngram_rows_.data());
  for (std::int64_t i = 0, n = ngram_ends_.empty() ? 0 : ngram_ends_.back(); i < n; ++i)
    seen[rows[i] - rules_.n_words].store(1, std::memory_order_relaxed);
  constexpr std::size_t kBlock = 256;  // lines handed to a thread at a time
  if (rules_.word_ngrams > 1 && rules_.n_buckets > 0)
    parallel_for((n_lines + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
      LineFeatures line;
      for (std::size_t i = block * kBlock; i < std::min(n_lines, (block + 1) * kBlock); ++i) {
        append_buckets_of_line(tokens + (i == 0 ? 0 : ends[i - 1]), tokens + ends[i], line);
        for (const std::uint32_t bucket : line.rows)
          seen[bucket].store(1, std::memory_order_relaxed);
        line.clear();
      }
    });
  std::vector<std::uint32_t> used;
  for (std::uint32_t bucket = 0; bucket < rules_.n_buckets; ++bucket)
    if (seen[bucket].load(std::memory_order_relaxed) != 0) used.push_back(bucket);
  return used;
}

// Those of the n-grams of words; of characters, all tokens have theirs in `ngram_rows_`.
void TokenFeatures::append_buckets_of_line(const WordId* begin, const WordId* end,
                                           LineFeatures& line) const {
  for (; begin != end; ++begin) {
    const auto token = static_cast<std::size_t>(*begin);
    if (entries_[token] >= kUnknownWord) line.hashes.push_back(hashes_[token]);
  }
  append_word_ngrams(line.hashes.data(), line.hashes.size(), rules_.word_ngrams, rules_.n_buckets,
                     line.rows);
}

LineDictionary::LineDictionary(const FeatureRules& rules, std::string label_prefix,
                               const std::vector<std::string>& words,
                               const std::vector<std::string>& labels)
    : label_prefix_(std::move(label_prefix)),
      table_(make_table(words, labels)),
      n_words_(static_cast<WordId>(rules.n_words)),
      features_(rules) {}

WordTable LineDictionary::make_table(const std::vector<std::string>& words,
                                     const std::vector<std::string>& labels) {
  WordTable table;
  table.reserve(words.size() + labels.size());
  std::string text;
  for (const auto* list : {&words, &labels}) {
    for (const std::string& token : *list) {
      if (token.empty()) throw std::invalid_argument("the dictionary has an empty token");
      text = token;
      text.resize(token.size() + WordTable::kReadable);
      const std::size_t size = table.size();
      table.end(table.begin(text.data(), token.size()));
      if (table.size() == size)
        throw std::invalid_argument("the dictionary has a token twice: " + token);
    }
  }
  return table;
}

void LineDictionary::add_word(WordId word, LineFeatures& out) const {
  out.rows.push_back(static_cast<std::uint32_t>(word));
  features_.add_word(table_.word(word), out);
  out.end_line();
}

void LineDictionary::add_line(std::string_view text, LineFeatures& out, WordId n_whole) const {
  static constexpr char kLineEndText[WordTable::kReadable] = "</s>";
  std::vector<WordTable::Lookup>& lookups = out.lookups;  // all under way before the first is used
  lookups.clear();
  split_lines(
      text,
      [&](std::string_view token) { lookups.push_back(table_.begin(token.data(), token.size())); },
      [&] {
        lookups.push_back(table_.begin(kLineEndText, kLineEnd.size()));
        return false;
      });
  const std::size_t first = out.rows.size();
  for (const WordTable::Lookup& lookup : lookups) {
    const std::string_view token(lookup.word, lookup.n);
    const WordId number = table_.find(lookup);
    if (number >= n_words_) {
      out.labels.push_back(number - n_words_);
    } else if (number >= 0 && number < n_whole) {
      out.words.push_back(static_cast<std::uint32_t>(number));
      features_.add_whole_word(token, out);
    } else if (number >= 0 || !starts_with(token, label_prefix_)) {
      if (number >= 0) out.rows.push_back(static_cast<std::uint32_t>(number));
      features_.add_buckets(token, out);
    }
    if (token == kLineEnd) break;
  }
  features_.place_buckets(first, out.rows);
  features_.add_word_ngrams(out);
  out.end_line();
}

}  // namespace pyw2v
