#include "train/pair_source.h"

#include <algorithm>
#include <cstring>

#include "kernel_data/kept_tokens.h"

namespace pyw2v {
namespace {

// Chunks in random order are short, a few sentences: the pool, whose examples are of some hundred
// chunks, does the rest.
constexpr std::int64_t kPairChunkTokens = 64;

// Of the pool: another stream of an epoch that belongs to no chunk.
constexpr std::uint64_t kPoolStream = kOrderStream - 1;

}  // namespace

WordId* ExampleRows::push(std::uint64_t seed) {
  records_.resize(records_.size() + width_);
  WordId* record = records_.data() + records_.size() - width_;
  std::memcpy(record, &seed, sizeof seed);
  return record + kSeed;
}

void ExampleRows::push(const ExampleRows& from, std::size_t i) {
  const WordId* record = from.records_.data() + i * width_;
  records_.insert(records_.end(), record, record + width_);
}

void ExampleRows::copy(std::size_t to, const ExampleRows& from, std::size_t i) {
  std::copy_n(from.records_.data() + i * width_, width_, records_.data() + to * width_);
}

std::uint64_t ExampleRows::seed(std::size_t i) const {
  std::uint64_t seed;
  std::memcpy(&seed, records_.data() + i * width_, sizeof seed);
  return seed;
}

PairSource::PairSource(const Corpus& corpus, std::size_t n_words, const std::uint32_t* keep,
                       const PairNoise& noise, const PairSettings& settings)
    : corpus_(corpus),
      keep_(keep),
      noise_(noise),
      settings_(settings),
      chunks_(settings.pool == 0 ? cut_corpus(corpus, kChunkTokens) : std::vector<Stretch>()),
      window_(settings.positives),
      pool_(settings.positives),
      example_(settings.positives),
      seen_(noise.unique != nullptr ? n_words : 0) {
  example_.push(0);
}

void PairSource::start(std::uint64_t epoch) {
  epoch_ = epoch;
  chunk_ = 0;
  n_kept_ = centre_ = 0;
  in_window_ = 0;
  window_.clear();
  pool_.clear();
  pool_rng_ = Rng(settings_.seed, epoch, kPoolStream);
  if (settings_.pool == 0) return;
  chunks_ = shuffled_corpus(corpus_, kPairChunkTokens, settings_.seed, epoch);
}

std::size_t PairSource::fill(const PairArrays& out, std::size_t n, const Interrupt& interrupt) {
  CheckedSteps steps(interrupt);
  const auto work = static_cast<std::size_t>(settings_.positives + settings_.negative);
  std::size_t i = 0;
  for (; i < n && take(example_, steps); ++i) {
    write(out, i, example_);
    steps.step(work);
  }
  return i;
}

bool PairSource::take(ExampleRows& out, CheckedSteps& steps) {
  if (settings_.pool == 0) {
    if (in_window_ == window_.size() && !next_window()) return false;
    out.copy(0, window_, in_window_++);
    return true;
  }
  top_up_pool(steps);
  if (pool_.size() == 0) return false;
  const std::size_t chosen = pool_rng_.index(pool_.size());
  out.copy(0, pool_, chosen);
  pool_.copy(chosen, pool_, pool_.size() - 1);
  pool_.pop();
  return true;
}

void PairSource::top_up_pool(CheckedSteps& steps) {
  while (pool_.size() < settings_.pool) {
    if (in_window_ == window_.size() && !next_window()) return;
    pool_.push(window_, in_window_++);
    steps.step();
  }
}

// The examples of the next centre that has a context, into window_; false at the corpus's end.
bool PairSource::next_window() {
  window_.clear();
  in_window_ = 0;
  while (window_.size() == 0) {
    while (centre_ == n_kept_)
      if (!next_chunk()) return false;
    add_examples(centre_++);
  }
  return true;
}

bool PairSource::next_chunk() {
  if (chunk_ == chunks_.size()) return false;
  const Stretch& chunk = chunks_[chunk_++];
  text_rng_ = Rng(settings_.seed, epoch_, static_cast<std::uint64_t>(raw(chunk.begin)));
  n_kept_ = keep_tokens(keep_, corpus_.tokens, chunk, 0, text_rng_, kept_);
  centre_ = 0;
  return true;
}

// A window's last example is filled up with the window's words, from the first on: whoever has more
// positives than context words repeats them (as the manual of TensorFlow's nce_loss advises).
void PairSource::add_examples(int centre) {
  const int radius = draw_radius(settings_.window, settings_.shrink_windows, text_rng_);
  const Window reach = window_around(centre, radius, kept_);
  const int n = reach.hi - reach.lo - 1;
  const WordId* words = kept_.words.data();
  std::uint64_t seed = text_rng_.next();
  for (int first = 0; first < n; first += settings_.positives) {
    WordId* example = window_.push(seed);
    *example++ = words[centre];
    for (int j = first; j < first + settings_.positives; ++j) {
      const int at = reach.lo + j % n;
      *example++ = words[at < centre ? at : at + 1];
    }
    if (!settings_.noise_per_window) seed = text_rng_.next();
  }
}

void PairSource::write(const PairArrays& out, std::size_t i, const ExampleRows& example) {
  const auto positives = static_cast<std::size_t>(settings_.positives);
  const auto negative = static_cast<std::size_t>(settings_.negative);
  const WordId* words = example.words(0);
  const WordId* context = words + 1;
  out.centre[i] = words[0];
  std::copy_n(context, positives, out.context + i * out.context_stride);
  if (negative == 0) return;
  WordId* noise = out.negatives + i * out.negatives_stride;
  draw_noise(example.seed(0), noise);
  float* log_q = out.log_q + i * (positives + negative);
  for (std::size_t j = 0; j < positives; ++j) *log_q++ = noise_.log_q[raw(context[j])];
  for (std::size_t j = 0; j < negative; ++j) {
    const bool hit = settings_.mark_hits &&
                     std::find(context, context + positives, noise[j]) != context + positives;
    *log_q++ = hit ? kHitLogQ : noise_.log_q[raw(noise[j])];
  }
}

void PairSource::draw_noise(std::uint64_t seed, WordId* noise) {
  Rng rng(seed);
  if (noise_.unique != nullptr) {
    noise_.unique->draw(rng, settings_.negative, seen_, noise);
    return;
  }
  for (int j = 0; j < settings_.negative; ++j) noise[j] = noise_.sampler->draw(rng);
}

}  // namespace pyw2v
