// Threads that work while the calling thread only waits, so that it can look for Ctrl-C.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pyw2v {

class WorkerTeam {
 public:
  WorkerTeam() = default;
  ~WorkerTeam() { stop(); }
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  // Runs body(0) .. body(n - 1), each on a thread of its own, and returns at once. When no thread
  // can be had, those already started are stopped and joined.
  void start(int n, std::function<void(int)> body) {
    stop();
    stopping_ = false;
    error_ = nullptr;
    running_ = n;
    body_ = std::move(body);
    try {
      for (int i = 0; i < n; ++i) threads_.emplace_back([this, i] { run(i); });
    } catch (...) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        running_ -= n - static_cast<int>(threads_.size());
      }
      stop();
      throw;
    }
  }

  // Waits at most so long; true when all bodies have returned.
  bool wait(double seconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    return done_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [this] { return running_ == 0; });
  }

  // Joins; rethrows the first error of a body.
  void finish() {
    join();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  // Asks the bodies to return, joins them, forgets their errors.
  void stop() {
    stopping_ = true;
    join();
    error_ = nullptr;
  }

  // For the bodies: true when they should return. Relaxed, since it only ever ends a loop.
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& stop_flag() const { return stopping_; }

 private:
  void run(int i) {
    std::exception_ptr error;
    try {
      body_(i);
    } catch (...) {
      error = std::current_exception();
      stopping_ = true;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (error && !error_) error_ = error;
    if (--running_ == 0) done_.notify_all();
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::vector<std::thread> threads_;
  std::function<void(int)> body_;
  std::mutex mutex_;
  std::condition_variable done_;
  int running_ = 0;
  std::exception_ptr error_;
  std::atomic<bool> stopping_{false};
};

}  // namespace pyw2v
