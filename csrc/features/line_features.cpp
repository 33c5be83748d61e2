#include "features/line_features.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "text/lines.h"

namespace pyw2v {
namespace {

constexpr std::size_t kAtOnce = 4096;  // tokens of a line

}  // namespace

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

std::uint32_t FeatureRules::row_of_kept(std::uint32_t bucket) const {
  const std::uint32_t* const end = kept_buckets + n_kept;
  const std::uint32_t* const at = std::lower_bound(kept_buckets, end, bucket);
  return at != end && *at == bucket ? kept_rows[at - kept_buckets] : absent_row;
}

void WordFeatures::add_whole_word(std::string_view word, LineFeatures& out) const {
  if (rules_.hasher.has_word_ngrams())
    out.hashes.push_back(static_cast<std::int32_t>(NgramHasher::hash(word)));
}

void WordFeatures::add_word(std::string_view word, LineFeatures& out,
                            const Interrupt& interrupt) const {
  const std::size_t first = out.rows.size();
  add_buckets(word, out, interrupt);
  place_buckets(first, out.rows);
}

void WordFeatures::add_word_ngrams(LineFeatures& out, const std::function<void()>& on_some) const {
  const std::size_t n = out.hashes.size();
  for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
    if (begin > 0) on_some();
    const std::size_t first = out.rows.size();
    rules_.hasher.append_word_buckets(out.hashes.data(), n, begin, std::min(n, begin + kAtOnce),
                                      out.rows);
    for (std::size_t i = first; i < out.rows.size(); ++i) out.rows[i] += rules_.n_words;
    place_buckets(first, out.rows);
  }
}

void WordFeatures::add_buckets(std::string_view word, LineFeatures& out,
                               const Interrupt& interrupt) const {
  add_whole_word(word, out);
  if (has_ngrams() && word != kLineEnd) append_buckets(word, out.rows, interrupt);
}

// As rows behind those of words, as if all buckets had one.
void WordFeatures::append_buckets(std::string_view word, std::vector<std::uint32_t>& rows,
                                  const Interrupt& interrupt) const {
  const std::size_t first = rows.size();
  rules_.hasher.append_buckets(word, rows, interrupt);
  for (std::size_t i = first; i < rows.size(); ++i) rows[i] += rules_.n_words;
}

void WordFeatures::place_buckets(std::size_t first, std::vector<std::uint32_t>& rows) const {
  if (rules_.has_all_rows()) return;
  constexpr std::size_t kAhead = 24;
  const std::uint32_t n_words = rules_.n_words;
  if (rules_.kept_buckets != nullptr) {
    std::size_t n = first;
    for (std::size_t i = first; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i] < n_words ? 0 : rules_.row_of_kept(rows[i] - n_words);
      if (row != kDropped) rows[n++] = rows[i] < n_words ? rows[i] : n_words + row;
    }
    rows.resize(n);
    return;
  }
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
                             const TokenEntry* entries, const Interrupt& interrupt)
    : WordFeatures(rules), ngram_rows_(UINT64_MAX, "") {
  const std::size_t n = table.size();
  entries_.reserve(n);
  hashes_.reserve(n);
  if (has_ngrams()) ngram_ends_.reserve(n);
  std::vector<std::uint32_t> rows;
  CheckedSteps steps(interrupt);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view token = table.word(static_cast<WordId>(i));
    const TokenEntry entry = entries[i];
    entries_.push_back(entry);
    hashes_.push_back(static_cast<std::int32_t>(NgramHasher::hash(token)));
    steps.step();
    if (!has_ngrams()) continue;
    if (entry >= kUnknownWord && token != kLineEnd) {
      rows.clear();
      append_buckets(token, rows, interrupt);
      steps.step(rows.size());
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

std::vector<std::uint32_t> TokenFeatures::used_buckets(Borrowed<const WordId> tokens,
                                                       Borrowed<const TokenPos> ends,
                                                       std::size_t n_lines, std::size_t n_threads,
                                                       const Interrupt& interrupt) const {
  if (!rules_.has_all_rows())
    throw std::invalid_argument("used buckets are told of features that have all buckets");
  // Atomic, since threads mark the same buckets; in any order, since all of them write 1.
  std::vector<std::atomic<std::uint8_t>> seen(rules_.hasher.n_buckets());
  const auto* rows = reinterpret_cast<const std::uint32_t*>(ngram_rows_.data());
  for (std::int64_t i = 0, n = ngram_ends_.empty() ? 0 : ngram_ends_.back(); i < n; ++i)
    seen[rows[i] - rules_.n_words].store(1, std::memory_order_relaxed);
  constexpr std::size_t kBlock = 256;  // lines handed to a thread at a time
  if (rules_.hasher.has_word_ngrams())
    parallel_for((n_lines + kBlock - 1) / kBlock, n_threads, interrupt, [&](std::size_t block) {
      LineFeatures line;
      const auto mark = [&] {  // those of the n-grams of words; `ngram_rows_` has all others
        for (const std::uint32_t row : line.rows)
          seen[row - rules_.n_words].store(1, std::memory_order_relaxed);
        line.rows.clear();
      };
      const auto check_and_mark = [&] {
        interrupt.check();
        mark();
      };
      for (std::size_t i = block * kBlock; i < std::min(n_lines, (block + 1) * kBlock); ++i) {
        for (TokenPos at = i == 0 ? TokenPos{0} : ends[i - 1]; at < ends[i]; ++at) {
          const auto token = static_cast<std::size_t>(tokens[raw(at)]);
          if (entries_[token] >= kUnknownWord) line.hashes.push_back(hashes_[token]);
        }
        add_word_ngrams(line, std::ref(check_and_mark));
        mark();
        line.hashes.clear();
      }
    });
  std::vector<std::uint32_t> used;
  for (std::uint32_t bucket = 0; bucket < rules_.hasher.n_buckets(); ++bucket)
    if (seen[bucket].load(std::memory_order_relaxed) != 0) used.push_back(bucket);
  return used;
}

LineDictionary::LineDictionary(const FeatureRules& rules, std::string label_prefix,
                               const std::vector<std::string>& words,
                               const std::vector<std::string>& labels)
    : label_prefix_(std::move(label_prefix)),
      table_(make_table(words, labels)),
      n_words_(static_cast<std::int32_t>(rules.n_words)),
      features_(rules) {}

WordTable LineDictionary::make_table(const std::vector<std::string>& words,
                                     const std::vector<std::string>& labels) {
  WordTable table;
  table.reserve(words.size() + labels.size());
  std::string text;
  for (const auto* list : {&words, &labels}) {
    for (const std::string& token : *list) {
      // One may be empty, as pretrained vectors make it: no line has it.
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

void LineDictionary::add_line(std::string_view text, LineFeatures& out, std::int32_t n_whole,
                              const Interrupt& interrupt,
                              const std::function<void()>& on_some) const {
  static constexpr char kLineEndText[WordTable::kReadable] = "</s>";
  std::vector<WordTable::Lookup>& lookups = out.lookups;  // all in flight before the first is used
  lookups.clear();
  bool ended = false;
  const auto resolve = [&] {
    const std::size_t first = out.rows.size();
    for (const WordTable::Lookup& lookup : lookups) {
      const std::string_view token(lookup.word, lookup.n);
      const std::int32_t number = raw(table_.find(lookup));
      if (number >= n_words_) {
        out.labels.push_back(number - n_words_);
      } else if (number >= 0 && number < n_whole) {
        out.words.push_back(static_cast<std::uint32_t>(number));
        features_.add_whole_word(token, out);
      } else if (number >= 0 || !starts_with(token, label_prefix_)) {
        if (number >= 0) out.rows.push_back(static_cast<std::uint32_t>(number));
        features_.add_buckets(token, out, interrupt);
      }
      ended = token == kLineEnd;
      if (ended) break;
    }
    lookups.clear();
    features_.place_buckets(first, out.rows);
  };
  split_lines(
      text,
      [&](std::string_view token) {
        if (lookups.size() == kAtOnce && !ended) {
          resolve();
          on_some();
        }
        if (!ended) lookups.push_back(table_.begin(token.data(), token.size()));
      },
      [&] {
        if (!ended) lookups.push_back(table_.begin(kLineEndText, kLineEnd.size()));
        return false;
      });
  resolve();
  features_.add_word_ngrams(out, on_some);
  out.end_line();
}

}  // namespace pyw2v
