// Trains a text classifier: a piece of an epoch is a chunk of lines, whose features are expanded
// first. Features are kept for later epochs, as far as memory allows: to make them takes a sixth of
// the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "features/line_features.h"
#include "isa/kernel_table.h"
#include "train/trainer.h"

namespace pyw2v {

struct LineCorpus {
  Borrowed<const WordId> tokens;  // numbers in the table that the features were made of
  Borrowed<const TokenPos> ends;  // of every line, rising, the last one the number of tokens
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

class LineTrainer final : public Trainer {
 public:
  // The memory behind all of these must outlive the trainer.
  LineTrainer(const KernelTable& kernels, const ClassifierModel<float>& model,
              const TokenFeatures& features, const LineCorpus& corpus,
              const ClassifierSchedule& schedule);

  std::size_t n_workers() const override { return workers_.size(); }
  std::size_t open(int) override { return static_cast<std::size_t>(n_chunks_); }
  std::int64_t done_before(std::size_t piece, const ChunkResult&) const override;
  ChunkResult train(std::size_t worker, const Piece& piece) override;

 private:
  struct Worker {
    explicit Worker(const ClassifierModel<float>& model) : scratch(model) {}
    LineFeatures lines;
    std::vector<double> lr;
    ClassifierWork<float> scratch;
  };
  struct Range {
    std::int64_t begin, end;
  };
  Range lines_in(std::size_t chunk) const;
  std::int64_t line_at(std::int64_t i) const;  // i counts in the order of reading
  const LineFeatures& features_in(const Piece& chunk, LineFeatures& scratch);
  void expand(Range lines, LineFeatures& out, const std::atomic<bool>& stop) const;
  void keep(std::size_t chunk, const LineFeatures& lines);
  void set_rates(int epoch, Range lines, std::vector<double>& rates) const;

  const KernelTable& kernels_;
  const ClassifierModel<float> model_;
  const TokenFeatures& features_;
  const LineCorpus corpus_;
  const ClassifierSchedule schedule_;
  const std::int64_t chunk_lines_;
  const std::int64_t n_chunks_;
  std::vector<LineFeatures> kept_;  // of each chunk; without lines if there was no room for it
  std::size_t room_;                // bytes that may be kept
  std::atomic<std::size_t> n_kept_bytes_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Lines of one chunk: about kClassifierChunkTokens tokens. What is random in a chunk follows from
// its number.
constexpr std::int64_t kClassifierChunkTokens = 2048;
std::int64_t classifier_chunk_lines(std::int64_t n_lines, std::int64_t n_tokens);

}  // namespace pyw2v
