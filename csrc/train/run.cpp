#include "train/run.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.h"

namespace pyw2v {

void Run::start(int epoch, std::size_t first, const ChunkResult& before) {
  stop();
  epoch_ = epoch;
  n_pieces_ = trainer_->open(epoch);
  next_ = std::min(first, n_pieces_);
  before_ = before;
  paused_ = false;
  sums_ = {};
  n_done_ = trainer_->done_before(next_piece(), before);
  team_.start(static_cast<int>(trainer_->n_workers()),
              [this](int worker) { work(static_cast<std::size_t>(worker)); });
}

ChunkResult Run::finish() {
  team_.finish();
  return sums_;
}

std::size_t Run::next_piece() const {
  return std::min(next_.load(std::memory_order_relaxed), n_pieces_);
}

void Run::work(std::size_t worker) {
  // One worker alone so adds up in the same order, and to the same bits, as if it had never paused.
  ChunkResult sums = worker == 0 ? before_ : ChunkResult{};
  std::size_t piece = 0;
  while (!team_.stopping() && take(piece))
    sums += trainer_->train(worker, {epoch_, piece, team_.stop_flag(), n_done_});
  const std::lock_guard<std::mutex> lock(mutex_);
  sums_ += sums;
}

bool Run::take(std::size_t& piece) {
  if (paused_.load(std::memory_order_relaxed)) return false;
  piece = next_.fetch_add(1, std::memory_order_relaxed);
  return piece < n_pieces_;
}

void require_finite(const ChunkResult& result, int epoch) {
  if (!std::isfinite(result.loss))
    throw DivergenceError("training diverged in epoch " + std::to_string(epoch + 1) +
                          ": the loss is no longer a finite number");
}

}  // namespace pyw2v
