// Trains word vectors: a piece of an epoch is a chunk, stretches of text from all over the corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/kernel_table.h"
#include "train/corpus.h"
#include "train/trainer.h"

namespace pyw2v {

struct Schedule {
  double lr_start = 0.025;
  double lr_end = 0.0001;
  double n_epochs = 1;          // the last may be a part of one
  double tokens_per_epoch = 0;  // what the clock counts against; the corpus may be shorter
  std::uint64_t seed = 1;
  int n_workers = 1;

  // The one clock: the rate depends on the place in the epoch only, not on who works there.
  double lr_at(int epoch, std::int64_t position) const;
};

class WordTrainer final : public Trainer {
 public:
  // The memory behind model and corpus must outlive the trainer.
  WordTrainer(const KernelTable& kernels, const Model<float>& model, const Corpus& corpus,
              const Schedule& schedule);

  std::size_t n_workers() const override { return workspaces_.size(); }
  std::size_t open(int epoch) override;
  std::int64_t done_before(std::size_t piece, const ChunkResult&) const override {
    return chunks_[piece].position;
  }
  ChunkResult train(std::size_t worker, const Piece& piece) override;

 private:
  struct ChunkStart {
    std::size_t first;      // of its stretches
    std::int64_t position;  // tokens of the epoch before it
  };

  const KernelTable& kernels_;
  const Model<float> model_;
  const Corpus corpus_;
  const Schedule schedule_;
  int epoch_ = -1;  // whose order the next two are in
  std::vector<Stretch> stretches_;
  std::vector<ChunkStart> chunks_;  // and one more, where the last one ends
  std::vector<std::unique_ptr<Workspace<float>>> workspaces_;  // one a worker
};

}  // namespace pyw2v
