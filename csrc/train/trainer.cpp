#include "train/trainer.h"

#include <algorithm>

namespace pyw2v {

double Schedule::lr_at(int epoch, TokenPos position) const {
  const double in_epoch =
      tokens_per_epoch > 0 ? static_cast<double>(position) / tokens_per_epoch : 0;
  const double progress = std::min(1.0, (epoch + in_epoch) / n_epochs);
  return lr_start - (lr_start - lr_end) * progress;
}

Trainer::Trainer(const KernelTable& kernels, const Model<float>& model, const Corpus& corpus,
                 const Schedule& schedule)
    : kernels_(kernels),
      model_(model),
      corpus_(corpus),
      schedule_(schedule),
      chunks_(cut_corpus(corpus)),
      threads_(n_workers(), [this](std::size_t worker, const std::atomic<bool>& stop) {
        return run_chunks(*workspaces_[worker], stop);
      }) {
  for (std::size_t w = 0; w < n_workers(); ++w)
    workspaces_.push_back(std::make_unique<Workspace<float>>(model_, static_cast<int>(w),
                                                             static_cast<int>(n_workers())));
}

std::size_t Trainer::n_workers() const {
  return std::max<std::size_t>(
      1, std::min(static_cast<std::size_t>(schedule_.n_workers), chunks_.size()));
}

void Trainer::start(int epoch) {
  stop();
  epoch_ = epoch;
  next_chunk_ = 0;
  tokens_done_ = 0;
  threads_.start();
}

ChunkResult Trainer::run_chunks(Workspace<float>& workspace, const std::atomic<bool>& stop) {
  ChunkResult sum;
  while (!stop.load(std::memory_order_relaxed)) {
    const std::size_t index = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    if (index >= chunks_.size()) break;
    const CorpusRange& range = chunks_[index];
    Chunk chunk =
        chunk_of(corpus_, range, Rng(schedule_.seed, static_cast<std::uint64_t>(epoch_), index));
    chunk.lr_begin = schedule_.lr_at(epoch_, range.begin);
    chunk.lr_end = schedule_.lr_at(epoch_, range.end);
    chunk.stop = &stop;
    const ChunkResult result = kernels_.training.train_chunk(model_, chunk, workspace);
    require_finite(result, epoch_);
    sum += result;
    tokens_done_.fetch_add(range.end - range.begin, std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace pyw2v
