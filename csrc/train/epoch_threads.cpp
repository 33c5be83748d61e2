#include "train/epoch_threads.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "base/errors.h"

namespace pyw2v {

void EpochThreads::start() {
  stop();
  stop_ = false;
  result_ = {};
  error_ = nullptr;
  n_running_ = n_workers_;
  try {
    for (std::size_t w = 0; w < n_workers_; ++w) threads_.emplace_back(&EpochThreads::run, this, w);
  } catch (...) {  // no more threads to be had: those that did start finish first
    stop();
    n_running_ = 0;
    throw;
  }
}

bool EpochThreads::wait(double seconds) {
  constexpr double kLongest = 1e6;  // the clock's nanoseconds would overflow far beyond it
  std::unique_lock<std::mutex> lock(mutex_);
  return all_done_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, kLongest)),
                            [this] { return n_running_ == 0; });
}

void EpochThreads::stop() noexcept {
  stop_ = true;
  join();
}

ChunkResult EpochThreads::finish() {
  join();
  if (error_) std::rethrow_exception(error_);
  return result_;
}

void EpochThreads::run(std::size_t worker) {
  ChunkResult sum;
  std::exception_ptr error;
  try {
    sum = work_(worker, stop_);
  } catch (...) {
    error = std::current_exception();
    stop_ = true;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error && !error_) error_ = error;
  result_ += sum;
  if (--n_running_ == 0) all_done_.notify_all();
}

void EpochThreads::join() noexcept {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void require_finite(const ChunkResult& result, int epoch) {
  if (!std::isfinite(result.loss))
    throw DivergenceError("training diverged in epoch " + std::to_string(epoch + 1) +
                          ": the loss is no longer a finite number");
}

}  // namespace pyw2v
