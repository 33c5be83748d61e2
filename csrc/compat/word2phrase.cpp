#include "compat/word2phrase.h"

#include <algorithm>
#include <numeric>

namespace pyw2v {
namespace {

constexpr std::size_t kMaxPairBytes = 59;

// The name of a pair in the table, with the bytes behind it that the table may read.
struct Pair {
  std::string text;
  std::size_t n;

  Pair(const std::string& left, const char* right, std::size_t n_right) : text(left) {
    text += '_';
    text.append(right, n_right);
    n = std::min(text.size(), kMaxPairBytes);
    text.append(WordTable::kReadable, '\0');
  }
};

}  // namespace

PhraseCounter::PhraseCounter() {
  char end[4 + WordTable::kReadable] = {'<', '/', 's', '>'};
  table_.end(table_.begin(end, 4), 0);
}

void PhraseCounter::word(const char* word, std::size_t n) {
  ++n_words_;
  table_.end(table_.begin(word, n));
  const Pair pair(last_, word, n);
  table_.end(table_.begin(pair.text.data(), pair.n));
  last_.assign(word, n);
}

void PhraseCounter::finish(std::int64_t min_count) {
  tokenizer_.finish(*this);
  counts_ = table_.counts();
  const std::size_t n = counts_.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // "</s>" stays first whatever its count.
  std::stable_sort(order.begin() + 1, order.end(),
                   [this](std::size_t a, std::size_t b) { return counts_[a] > counts_[b]; });
  // The loop of SortVocab: an entry that is dropped shortens the list at its far end.
  std::size_t size = n;
  std::vector<std::int64_t> kept(n, -1);
  for (std::size_t i = 0; i < size; ++i) {
    if (counts_[order[i]] < min_count)
      --size;
    else
      kept[order[i]] = counts_[order[i]];
  }
  counts_ = std::move(kept);
  vocab_size_ = static_cast<std::int64_t>(size);
}

std::int64_t PhraseCounter::find(const char* word, std::size_t n) const {
  const WordId id = table_.find(table_.begin(word, n));
  return !is_word(id) ? -1 : counts_[static_cast<std::size_t>(id)];
}

void PhraseJoiner::word(const char* word, std::size_t n) {
  const std::int64_t count = counts_.find(word, n);
  const Pair pair(last_, word, n);
  const std::int64_t pair_count = counts_.find(pair.text.data(), pair.n);
  const bool known = count >= 0 && left_known_ && pair_count >= 0;
  if (count >= 0) right_count_ = count;
  left_known_ = count >= 0;
  const bool joined = joins(pair_count, known);
  if (joined) right_count_ = 0;  // no phrase of three words
  output_ += joined ? '_' : ' ';
  output_.append(word, n);
  left_count_ = right_count_;
  last_.assign(word, n);
}

bool PhraseJoiner::joins(std::int64_t pair_count, bool known) {
  if (!known || left_count_ < min_count_ || right_count_ < min_count_) return 0 > threshold_;
  const float score = static_cast<float>(pair_count - min_count_) /
                      static_cast<float>(left_count_) / static_cast<float>(right_count_) *
                      static_cast<float>(counts_.n_words());
  return score > threshold_;
}

// The word before the first of a line is the line feed itself, which is in no pair.
void PhraseJoiner::line_feed() {
  output_ += '\n';
  last_ = "\n";
}

}  // namespace pyw2v
