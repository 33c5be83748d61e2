// Training examples for other frameworks: an encoded corpus in, batches of (centre, context words,
// noise words, log Q) out. The windows, the sub-sampling and the sampler are those of training.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.h"
#include "tables/sampler.h"
#include "train/corpus.h"

namespace pyw2v {

struct PairSettings {
  int window = 5;
  bool shrink_windows = true;
  int positives = 1;              // context words of one example
  int negative = 5;               // noise words of one example
  bool noise_per_window = false;  // examples of one centre share their noise words
  bool mark_hits = false;         // a noise word that is a positive gets kHitLogQ for its log Q
  std::size_t pool = 0;           // examples to draw the next one from; 0: in the corpus's order
  std::uint64_t seed = 1;
};

// Subtracted from a score, it leaves nothing of the example's loss; infinity would make 0 * inf.
constexpr float kHitLogQ = 3.4028235e38f;

// Where noise words come from: one of the two samplers; null both for none.
struct PairNoise {
  const AliasSampler* sampler = nullptr;
  const UniqueSampler* unique = nullptr;  // the noise words of an example differ
  const float* log_q = nullptr;           // per word
};

// Where the examples of a batch go. Rows of `context` and of `negatives` stand `*_stride` apart, so
// that the two may also be columns of one matrix. log_q has positives + negative columns.
struct PairArrays {
  Borrowed<WordId> centre;
  Borrowed<WordId> context;
  std::size_t context_stride = 0;
  Borrowed<WordId> negatives;
  std::size_t negatives_stride = 0;
  float* log_q = nullptr;
};

// Examples in flight: the seed of their noise, the centre and its context words. One record
// each, so that a random one costs one wait for memory.
class ExampleRows {
 public:
  explicit ExampleRows(int positives) : width_(static_cast<std::size_t>(positives) + kSeed + 1) {}

  std::size_t size() const { return records_.size() / width_; }
  void clear() { records_.clear(); }
  WordId* push(std::uint64_t seed);  // the words to be written
  void push(const ExampleRows& from, std::size_t i);
  void pop() { records_.resize(records_.size() - width_); }
  void copy(std::size_t to, const ExampleRows& from, std::size_t i);
  const WordId* words(std::size_t i) const { return records_.data() + i * width_ + kSeed; }
  std::uint64_t seed(std::size_t i) const;

 private:
  static constexpr std::size_t kSeed = sizeof(std::uint64_t) / sizeof(WordId);

  std::size_t width_;
  std::vector<WordId> records_;
};

class PairSource {
 public:
  // The memory behind all of these must outlive the source. keep: per word, of 2^32, null for all.
  PairSource(const Corpus& corpus, std::size_t n_words, const std::uint32_t* keep,
             const PairNoise& noise, const PairSettings& settings);

  void start(std::uint64_t epoch);  // before the first batch

  // Writes up to n examples; returns how many, 0 when the epoch is over.
  std::size_t fill(const PairArrays& out, std::size_t n, const Interrupt& interrupt);

 private:
  bool next_window();
  bool next_chunk();
  void add_examples(int centre);
  void top_up_pool(CheckedSteps& steps);
  bool take(ExampleRows& out, CheckedSteps& steps);
  void write(const PairArrays& out, std::size_t i, const ExampleRows& example);
  void draw_noise(std::uint64_t seed, WordId* noise);

  const Corpus corpus_;
  const std::uint32_t* keep_;
  const PairNoise noise_;
  const PairSettings settings_;
  std::vector<Stretch> chunks_;
  std::uint64_t epoch_ = 0;
  std::size_t chunk_ = 0;  // the next one
  KeptTokens kept_;        // of the current one
  int n_kept_ = 0;
  int centre_ = 0;  // the next one
  Rng text_rng_{0};
  Rng pool_rng_{0};
  ExampleRows window_;         // examples of the current centre,
  std::size_t in_window_ = 0;  // and the next of them
  ExampleRows pool_;
  ExampleRows example_;
  SeenWords seen_;  // for draws of unique words
};

}  // namespace pyw2v
