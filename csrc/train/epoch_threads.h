// The threads of one epoch: started together, waited for, stopped; their sums, or the first error
// of any of them, out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "models/model.h"

namespace pyw2v {

class EpochThreads {
 public:
  // What worker 0, 1, ... does; it returns early when stop turns true.
  using Work = std::function<ChunkResult(std::size_t worker, const std::atomic<bool>& stop)>;

  EpochThreads(std::size_t n_workers, Work work) : n_workers_(n_workers), work_(std::move(work)) {}
  ~EpochThreads() { stop(); }
  EpochThreads(const EpochThreads&) = delete;
  EpochThreads& operator=(const EpochThreads&) = delete;

  void start();
  bool wait(double seconds);  // true when all workers are done
  void stop() noexcept;       // ask them to stop, and join them
  ChunkResult finish();       // join them; rethrow the first error of any

 private:
  void run(std::size_t worker);
  void join() noexcept;

  std::size_t n_workers_;
  Work work_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};

  std::mutex mutex_;  // guards what follows
  std::condition_variable all_done_;
  std::size_t n_running_ = 0;
  ChunkResult result_;
  std::exception_ptr error_;
};

// Throws DivergenceError if the loss of a chunk is not a finite number; epochs count from 0.
void require_finite(const ChunkResult& result, int epoch);

}  // namespace pyw2v
