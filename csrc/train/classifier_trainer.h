// Runs the epochs of a text classifier: workers take chunks of lines from one counter, expand their
// features and update the shared matrices without locks (Hogwild, see trainer.h). Features are kept
// for the epochs to come, as far as memory allows: to make them takes a sixth of the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/kernel_table.h"
#include "train/epoch_threads.h"
#include "vocab/line_features.h"

namespace pyw2v {

struct LineCorpus {
  const WordId* tokens = nullptr;  // numbers in the table that the features were made of
  const TokenPos* ends = nullptr;  // of every line, rising, the last one the number of tokens
  std::int64_t n_lines = 0;
  const std::int64_t* order = nullptr;  // in which lines are read; null: as they are
  const float* weights = nullptr;       // by line, factor on the rate; null is 1
};

// The rate falls linearly to 0 with the lines read.
struct ClassifierSchedule {
  double lr = 0.1;
  int n_epochs = 1;
  std::uint64_t seed = 1;
  int n_workers = 1;
};

class ClassifierTrainer {
 public:
  // The memory behind all of these must outlive the trainer.
  ClassifierTrainer(const KernelTable& kernels, const ClassifierModel<float>& model,
                    const TokenFeatures& features, const LineCorpus& corpus,
                    const ClassifierSchedule& schedule);

  void start(int epoch);
  bool wait(double seconds) { return threads_.wait(seconds); }
  void stop() noexcept { threads_.stop(); }
  ChunkResult finish() { return threads_.finish(); }
  std::int64_t lines_done() const { return lines_done_.load(std::memory_order_relaxed); }

 private:
  struct Worker {
    explicit Worker(const ClassifierModel<float>& model) : scratch(model) {}
    LineFeatures lines;
    std::vector<double> lr;
    ClassifierWork<float> scratch;
  };
  ChunkResult run_chunks(Worker& worker, const std::atomic<bool>& stop);
  std::int64_t line_at(std::int64_t i) const;  // i counts in the order of reading
  const LineFeatures& features_of(std::size_t chunk, std::int64_t begin, std::int64_t end,
                                  LineFeatures& scratch);
  void expand(std::int64_t begin, std::int64_t end, LineFeatures& out) const;
  void keep(std::size_t chunk, const LineFeatures& lines);
  void set_rates(std::int64_t begin, std::int64_t end, std::vector<double>& rates) const;

  const KernelTable& kernels_;
  const ClassifierModel<float> model_;
  const TokenFeatures& features_;
  const LineCorpus corpus_;
  const ClassifierSchedule schedule_;
  std::int64_t chunk_lines_;
  int epoch_ = 0;
  std::vector<LineFeatures> kept_;  // of each chunk; without lines if there was no room for it
  std::size_t room_;                // bytes that may be kept
  std::atomic<std::size_t> n_kept_bytes_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<std::int64_t> next_chunk_{0};
  std::atomic<std::int64_t> lines_done_{0};
  EpochThreads threads_;  // last, so that they end before what they use
};

// Lines of one chunk: about kClassifierChunkTokens tokens. What is random in a chunk follows from
// its number.
constexpr std::int64_t kClassifierChunkTokens = 2048;
std::int64_t classifier_chunk_lines(std::int64_t n_lines, std::int64_t n_tokens);

}  // namespace pyw2v
