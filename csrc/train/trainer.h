// Runs the epochs: workers take chunks of the corpus from one counter and update the shared
// matrices without locks; the calling thread starts, waits and stops.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/kernel_table.h"
#include "train/corpus.h"
#include "train/epoch_threads.h"

namespace pyw2v {

struct Schedule {
  double lr_start = 0.025;
  double lr_end = 0.0001;
  double n_epochs = 1;          // the last may be a part of one
  double tokens_per_epoch = 0;  // what the clock counts against; the corpus may be shorter
  std::uint64_t seed = 1;
  int n_workers = 1;

  // The one clock: the rate depends on the place in the epoch only, not on who works there.
  double lr_at(int epoch, TokenPos position) const;
};

// Lock-free by design (Hogwild, Niu et al. 2011): workers read and write rows of the shared
// matrices without synchronisation. Rows are large and collisions rare; a lost update is noise.
class Trainer {
 public:
  // The memory behind model and corpus must outlive the trainer.
  Trainer(const KernelTable& kernels, const Model<float>& model, const Corpus& corpus,
          const Schedule& schedule);

  void start(int epoch);
  bool wait(double seconds) { return threads_.wait(seconds); }
  void stop() noexcept { threads_.stop(); }
  ChunkResult finish() { return threads_.finish(); }
  TokenPos tokens_done() const { return tokens_done_.load(std::memory_order_relaxed); }

 private:
  struct ChunkStart {
    std::size_t first;  // of its stretches
    TokenPos position;  // tokens of the epoch before it
  };

  std::size_t n_workers() const;
  void order_chunks();
  ChunkResult run_chunks(Workspace<float>& workspace, const std::atomic<bool>& stop);

  const KernelTable& kernels_;
  const Model<float> model_;
  const Corpus corpus_;
  const Schedule schedule_;
  std::vector<Stretch> stretches_;  // in the order of the epoch
  std::vector<ChunkStart> chunks_;  // and one more, where the last one ends
  std::vector<std::unique_ptr<Workspace<float>>> workspaces_;  // one a worker
  int epoch_ = 0;
  std::atomic<std::size_t> next_chunk_{0};
  std::atomic<TokenPos> tokens_done_{0};
  EpochThreads threads_;  // last, so that they end before what they use
};

}  // namespace pyw2v
