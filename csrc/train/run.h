// One training run: epochs are started, waited for, paused, stopped and finished, one by one, by
// the calling thread; workers take the pieces of an epoch in turn.
//
// A run can be left at the end of a piece and entered again there: the number of the next piece and
// the sums so far are all that has to be kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/worker_team.h"
#include "train/trainer.h"

namespace pyw2v {

class Run {
 public:
  explicit Run(std::unique_ptr<Trainer> trainer) : trainer_(std::move(trainer)) {}

  // Starts the workers, fewer where the system has no more threads, and returns. Pieces before
  // `first` are done, `before` are their sums.
  void start(int epoch, std::size_t first = 0, const ChunkResult& before = {});
  void pause() noexcept { paused_ = true; }  // workers end after their current pieces
  bool wait(double seconds) { return team_.wait(seconds); }  // true when all workers have ended
  void stop() noexcept { team_.stop(); }                     // workers end as soon as they can
  // Joins the workers; rethrows the first error of any, or returns the sums of the epoch.
  ChunkResult finish();

  int epoch() const { return epoch_; }  // -1 before the first
  // All pieces before this one are done, once no worker runs.
  std::size_t next_piece() const;
  std::int64_t n_done() const { return n_done_.load(std::memory_order_relaxed); }

 private:
  void work(std::size_t worker);
  bool take(std::size_t& piece);

  const std::unique_ptr<Trainer> trainer_;
  int epoch_ = -1;
  std::size_t n_pieces_ = 0;
  ChunkResult before_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> paused_{false};
  std::atomic<std::int64_t> n_done_{0};
  std::mutex mutex_;  // guards sums_
  ChunkResult sums_;
  WorkerTeam team_;  // last, so that it ends before what it uses
};

}  // namespace pyw2v
