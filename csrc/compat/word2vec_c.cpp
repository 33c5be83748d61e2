#include "compat/word2vec_c.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.h"

namespace pyw2v {
namespace {

// As InitUnigramTable: the text's length to the power 0.75 is a running sum of doubles.
std::vector<double> unigram_shares(const std::int64_t* counts, std::size_t n_words) {
  std::vector<double> shares(n_words);
  double sum = 0;
  for (std::size_t i = 0; i < n_words; ++i) {
    shares[i] = std::pow(static_cast<double>(counts[i]), 0.75);
    sum += shares[i];
  }
  // Without any counts the C program compares with NaN, and never leaves word 0.
  for (double& share : shares) share = sum > 0 ? share / sum : 1.0;
  return shares;
}

// The mix of float and double in this formula is the C program's.
float keep_chance(std::int64_t count, float sample, std::int64_t train_words) {
  const float threshold = sample * static_cast<float>(train_words);
  const float ratio = static_cast<float>(count) / threshold;
  const double chance = (std::sqrt(static_cast<double>(ratio)) + 1) *
                        static_cast<double>(threshold) / static_cast<double>(count);
  return static_cast<float>(chance);
}

}  // namespace

CUnigramTable::CUnigramTable(const std::int64_t* counts, std::size_t n_words) {
  if (n_words == 0) return;
  const std::vector<double> shares = unigram_shares(counts, n_words);
  const auto slots = static_cast<double>(kSlots);
  double reach = 0;  // word i fills slots up to the first one beyond this share, and at least one
  std::int64_t start = 0;
  for (std::size_t i = 0; i < n_words && start < kSlots; ++i) {
    starts_.push_back(start);
    reach += shares[i];
    auto last = static_cast<std::int64_t>(std::min(reach, 1.0) * slots);
    while (last > start && static_cast<double>(last - 1) / slots > reach) --last;
    if (last < start) last = start;
    while (last < kSlots && !(static_cast<double>(last) / slots > reach)) ++last;
    start = last + 1;
  }
  std::size_t word = 0;
  for (std::int64_t slot = 0; slot < kSlots; slot += kStep) {
    while (word + 1 < starts_.size() && starts_[word + 1] <= slot) ++word;
    first_word_.push_back(static_cast<WordId>(word));
  }
}

CTrainer::CTrainer(const CSettings& settings, const CModel& model, Borrowed<const WordId> tokens,
                   std::int64_t n_tokens, const std::int64_t* counts)
    : settings_(settings),
      model_(model),
      tokens_(tokens),
      n_tokens_(n_tokens),
      n_words_(static_cast<std::int64_t>(model.syn0.n_rows())),
      train_words_(std::accumulate(counts, counts + n_words_, std::int64_t{0})),
      tree_(settings.hs ? HuffmanTree::fasttext(counts, model.syn0.n_rows()) : HuffmanTree()),
      paths_(tree_.view()),
      table_(counts, settings.negative > 0 ? model.syn0.n_rows() : 0),
      rate_(settings.alpha),
      neu1_(model.syn0.dim()),
      neu1e_(model.syn0.dim()),
      alpha_(settings.alpha) {
  if (settings_.sample > 0) {
    for (std::int64_t i = 0; i < n_words_; ++i)
      keep_.push_back(keep_chance(counts[i], settings_.sample, train_words_));
  }
}

// TrainModelThread, from one opening of the file to its end. eof_ is never cleared, so every epoch
// after the one that met the end of the file ends at once: with one thread, all but the first do,
// unless a vocabulary from elsewhere says that the file has fewer words than it has.
ChunkResult CTrainer::train(std::size_t, const Piece& epoch) {
  ChunkResult result;
  std::int64_t last_word_count = 0;
  std::size_t position = 0;
  word_count_ = next_token_ = 0;
  sentence_.clear();
  stop_ = &epoch.stop;
  while (!epoch.stop) {
    if (word_count_ - last_word_count > 10000) {
      update_alpha(word_count_ - last_word_count, epoch);
      last_word_count = word_count_;
    }
    if (sentence_.empty()) {
      read_sentence();
      position = 0;
    }
    if (eof_ || word_count_ > train_words_) break;
    train_position(position);
    if (!sentence_.empty()) ++result.n_words;
    if (++position >= sentence_.size()) sentence_.clear();
  }
  word_count_actual_ += word_count_ - last_word_count;
  return result;
}

void CTrainer::update_alpha(std::int64_t word_count, const Piece& epoch) {
  word_count_actual_ += word_count;
  const auto all = static_cast<float>(settings_.iter * train_words_ + 1);
  rate_ = settings_.alpha * (1 - static_cast<float>(word_count_actual_) / all);
  const double least = static_cast<double>(settings_.alpha) * 0.0001;
  if (static_cast<double>(rate_) < least) rate_ = static_cast<float>(least);
  alpha_.store(rate_, std::memory_order_relaxed);
  epoch.n_done.store(next_token_, std::memory_order_relaxed);
}

void CTrainer::read_sentence() {
  while (!eof_) {
    if (next_token_ >= n_tokens_) {
      eof_ = true;  // what was read of an unfinished last line is lost
      return;
    }
    const WordId word = tokens_[next_token_++];
    ++word_count_;
    if (word == WordId{0}) return;
    if (!keep_.empty() && keep_[static_cast<std::size_t>(word)] < random_.next_unit()) continue;
    sentence_.push_back(word);
    if (sentence_.size() >= kMaxSentence) return;
  }
}

// An empty sentence costs its draw, too.
void CTrainer::train_position(std::size_t position) {
  const auto shrink =
      static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(settings_.window));
  if (sentence_.empty()) return;
  if (settings_.cbow)
    cbow(position, shrink);
  else
    skipgram(position, shrink);
}

namespace {

// Calls visit(word) for the context of a position, left to right.
template <class Visit>
void for_context(const std::vector<WordId>& sentence, std::size_t position, std::int64_t reach,
                 const Visit& visit) {
  const auto centre = static_cast<std::int64_t>(position);
  const auto length = static_cast<std::int64_t>(sentence.size());
  for (std::int64_t i = std::max<std::int64_t>(centre - reach, 0);
       i <= centre + reach && i < length; ++i)
    if (i != centre) visit(sentence[static_cast<std::size_t>(i)]);
}

}  // namespace

void CTrainer::skipgram(std::size_t position, std::int64_t shrink) {
  const std::size_t dim = neu1e_.size();
  for_context(sentence_, position, settings_.window - shrink, [&](WordId context) {
    float* const input = model_.syn0.row(row_of(context));
    std::fill(neu1e_.begin(), neu1e_.end(), 0.0f);
    learn(sentence_[position], input);
    for (std::size_t c = 0; c < dim; ++c) input[c] += neu1e_[c];
  });
}

// Every context word gets the whole error, although the hidden layer is their mean.
void CTrainer::cbow(std::size_t position, std::int64_t shrink) {
  const std::size_t dim = neu1_.size();
  const std::int64_t reach = settings_.window - shrink;
  std::fill(neu1_.begin(), neu1_.end(), 0.0f);
  std::fill(neu1e_.begin(), neu1e_.end(), 0.0f);
  int n_context = 0;
  for_context(sentence_, position, reach, [&](WordId context) {
    const float* const input = model_.syn0.row(row_of(context));
    for (std::size_t c = 0; c < dim; ++c) neu1_[c] += input[c];
    ++n_context;
  });
  if (n_context == 0) return;
  for (float& value : neu1_) value /= static_cast<float>(n_context);
  learn(sentence_[position], neu1_.data());
  for_context(sentence_, position, reach, [&](WordId context) {
    float* const input = model_.syn0.row(row_of(context));
    for (std::size_t c = 0; c < dim; ++c) input[c] += neu1e_[c];
  });
}

void CTrainer::learn(WordId word, const float* hidden) {
  if (stop_->load(std::memory_order_relaxed)) return;  // one position may meet many noise words
  if (settings_.hs) learn_path(word, hidden);
  if (settings_.negative > 0) learn_negatives(word, hidden);
}

void CTrainer::learn_path(WordId word, const float* hidden) {
  const auto w = static_cast<std::size_t>(word);
  const auto end = static_cast<std::size_t>(paths_.offsets[w + 1]);
  for (auto i = static_cast<std::size_t>(paths_.offsets[w]); i < end; ++i) {
    float* const output = model_.syn1.row(row_number(paths_.points[i]));
    const float f = dot(hidden, output);
    if (!SigmoidTable::covers(f)) continue;
    learn_row(output, hidden, (static_cast<float>(1 - paths_.codes[i]) - sigmoid(f)) * rate_);
  }
}

// A draw of word 0 becomes any other word, from the same draw; one of the word itself is skipped,
// so there may be fewer negatives than asked for.
void CTrainer::learn_negatives(WordId word, const float* hidden) {
  for (int d = 0; d <= settings_.negative; ++d) {
    WordId target = word;
    if (d > 0) {
      const std::uint64_t draw = random_.next();
      target = table_.at(static_cast<std::int64_t>((draw >> 16) % CUnigramTable::kSlots));
      if (target == WordId{0})
        target = static_cast<WordId>(draw % static_cast<std::uint64_t>(n_words_ - 1) + 1);
      if (target == word) continue;
    }
    const float label = d == 0 ? 1.0f : 0.0f;
    float* const output = model_.syn1neg.row(row_of(target));
    const float f = dot(hidden, output);
    learn_row(output, hidden, (label - sigmoid(f)) * rate_);
  }
}

void CTrainer::learn_row(float* output, const float* hidden, float gradient) {
  const std::size_t dim = neu1e_.size();
  float* const error = neu1e_.data();
  for (std::size_t c = 0; c < dim; ++c) error[c] += gradient * output[c];
  for (std::size_t c = 0; c < dim; ++c) output[c] += gradient * hidden[c];
}

float CTrainer::dot(const float* a, const float* b) const {
  float sum = 0;
  for (std::size_t c = 0; c < neu1_.size(); ++c) sum += a[c] * b[c];
  return sum;
}

float CTrainer::sigmoid(float f) const {
  if (std::isnan(f))
    throw DivergenceError("training diverged: a score is no longer a finite number");
  return sigmoid_table_(f);
}

void fill_initial(const MatrixView<float>& syn0) {
  CRandom random(1);
  const auto dim = static_cast<double>(syn0.dim());
  for (std::size_t r = 0; r < syn0.n_rows(); ++r) {
    float* const row = syn0.row(static_cast<RowId>(r));
    for (std::size_t c = 0; c < syn0.dim(); ++c)
      row[c] = static_cast<float>((static_cast<double>(random.next_unit()) - 0.5) / dim);
  }
}

}  // namespace pyw2v
