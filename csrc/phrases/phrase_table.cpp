#include "phrases/phrase_table.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace pyw2v {
namespace {

// Lookups in flight, so that slots arrive while other words are being read.
class Pipeline {
 public:
  explicit Pipeline(WordTable& table) : table_(table) {}
  void push(std::string_view text) {
    WordTable::Lookup& place = ahead_[n_begun_ % WordTable::kAhead];
    if (n_begun_ - n_ended_ == WordTable::kAhead) end_next();
    place = lookup_text(table_, text);
    ++n_begun_;
  }
  void drain() {
    while (n_ended_ < n_begun_) end_next();
  }

 private:
  void end_next() { table_.end(ahead_[n_ended_++ % WordTable::kAhead]); }

  WordTable& table_;
  WordTable::Lookup ahead_[WordTable::kAhead];
  std::size_t n_begun_ = 0, n_ended_ = 0;
};

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

void PhraseTable::count(const PhraseText& text, std::size_t max_size, std::int64_t& min_reduce) {
  const std::vector<PhraseText::Word>& words = text.words();
  std::size_t at = 0;
  for (std::size_t sentence = 0; sentence < text.ends().size();) {
    Pipeline pipeline(*table_);
    bool full = false;
    for (; sentence < text.ends().size() && !full; ++sentence) {
      std::size_t start = kNone;
      for (; at < text.ends()[sentence]; ++at) {
        if (words[at].is_connector) continue;
        pipeline.push(text.between(words[at], words[at]));
        if (start != kNone) pipeline.push(text.between(words[start], words[at]));
        start = at;
      }
      if (table_->size() + WordTable::kAhead > max_size) {
        pipeline.drain();
        full = table_->size() > max_size;
      }
    }
    pipeline.drain();
    if (full) prune(min_reduce++);
  }
}

void PhraseTable::add(const char* key, std::size_t n, std::int64_t times) {
  const ReadableText readable(std::string_view(key, n));
  table_->end(lookup_text(*table_, readable.view()), times);
}

void PhraseTable::merge(const PhraseTable& other) {
  const std::vector<std::int64_t> counts = other.counts();
  for (std::size_t id = 0; id < counts.size(); ++id) {
    const std::string_view key = other.key(id);
    table_->end(table_->begin(key.data(), key.size()), counts[id]);
  }
}

void PhraseTable::prune(std::int64_t min_count) {
  const std::vector<std::int64_t> counts = table_->counts();
  auto kept = std::make_unique<WordTable>();
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] < min_count) continue;
    const std::string_view word = key(id);
    kept->end(kept->begin(word.data(), word.size()), counts[id]);
  }
  table_ = std::move(kept);
}

std::int64_t PhraseTable::count_of(std::string_view text) const {
  return table_->count(lookup_text(*table_, text));
}

// Mikolov et al. 2013, "Distributed Representations of Words and Phrases", equation 6, times the
// number of entries; and Bouma 2009, "Normalized (Pointwise) Mutual Information in Collocation
// Extraction". The operations and their order are gensim's, so that scores are equal to the bit.
bool PhraseTable::score(const PhraseRule& rule, std::int64_t a, std::int64_t b, std::int64_t pair,
                        double& score) const {
  const auto together = static_cast<double>(pair);
  if (rule.scoring == PhraseRule::kOriginal) {
    // In Python the product of the counts is exact, and rounded once.
    const double product = a < (std::int64_t{1} << 31) && b < (std::int64_t{1} << 31)
                               ? static_cast<double>(a * b)
                               : static_cast<double>(a) * static_cast<double>(b);
    score = (together - rule.min_count) / product * static_cast<double>(size());
  } else {
    if (together < rule.min_count) return false;
    const double pa = static_cast<double>(a) / rule.corpus_words;
    const double pb = static_cast<double>(b) / rule.corpus_words;
    const double pab = together / rule.corpus_words;
    score = std::log(pab / (pa * pb)) / -std::log(pab);
  }
  return score > rule.threshold;
}

// All of a sentence at once: the slots arrive while the next ones are prefetched.
void PhraseTable::look_up_pairs(const PhraseText& text) {
  const std::vector<PhraseText::Word>& words = text.words();
  pairs_.resize(words.size());
  std::size_t before = kNone;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].is_connector) continue;
    if (before != kNone) pairs_[at] = lookup_text(*table_, text.between(words[before], words[at]));
    before = at;
  }
}

bool PhraseTable::is_phrase(const PhraseText& text, const PhraseText::Word& first,
                            const PhraseText::Word& last, const WordTable::Lookup& pair,
                            const PhraseRule& rule, const std::vector<double>* scores,
                            double& result) const {
  if (scores != nullptr) {
    const WordId id = table_->find(pair);
    if (!is_word(id)) return false;
    result = (*scores)[static_cast<std::size_t>(id)];
    return result > rule.threshold;
  }
  // The pair first: most are too rare, and their words need not be looked up. (Below min_count,
  // the original score is negative, which a negative threshold lets pass.)
  const std::int64_t together = table_->count(pair);
  const bool rare = static_cast<double>(together) < rule.min_count && rule.threshold >= 0;
  if (together <= 0 || rare) return false;
  const std::int64_t a = count_of(text.between(first, first));
  const std::int64_t b = count_of(text.between(last, last));
  return a > 0 && b > 0 && score(rule, a, b, together, result);
}

void PhraseTable::find(const PhraseText& text, const PhraseRule& rule,
                       const std::vector<double>* scores, std::vector<PhraseSpan>& tokens) {
  const std::vector<PhraseText::Word>& words = text.words();
  const auto alone = [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) tokens.push_back({begin, begin, 0});
  };
  tokens.clear();
  look_up_pairs(text);
  std::size_t start = kNone;  // the word that a phrase may begin with; what follows it waits
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].is_connector) {
      if (start == kNone) alone(at, at + 1);
      continue;
    }
    double score = 0;
    if (start != kNone &&
        is_phrase(text, words[start], words[at], pairs_[at], rule, scores, score)) {
      tokens.push_back({start, at, score});
      start = kNone;
      continue;
    }
    if (start != kNone) alone(start, at);
    // gensim takes an empty word for none: it begins no phrase, and is dropped.
    start = words[at].begin == words[at].end ? kNone : at;
  }
  if (start != kNone) alone(start, words.size());
}

bool PhraseTable::parts(std::size_t id, std::string_view delimiter, std::int64_t& a,
                        std::int64_t& b) const {
  const std::string_view whole = key(id);
  const std::size_t first = whole.find(delimiter);
  if (first == std::string_view::npos) return false;
  // From the left, as str.split does: delimiters of several characters may overlap.
  std::size_t last = first;
  for (std::size_t next = first; next != std::string_view::npos;) {
    last = next;
    next = whole.find(delimiter, next + delimiter.size());
  }
  a = count_of(whole.substr(0, first));
  if (a <= 0) return false;
  b = count_of(ReadableText(whole.substr(last + delimiter.size())).view());
  return b > 0;
}

}  // namespace pyw2v
