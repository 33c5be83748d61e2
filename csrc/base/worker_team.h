// The one team of threads: started together, waited for, stopped. They work while the calling
// thread only waits, so that it can look for Ctrl-C. parallel_for (base/parallel.h) is a loop on
// top of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/threads.h"

namespace pyw2v {

// Make it the last member of its owner: the threads then end before what they use.
class WorkerTeam {
 public:
  WorkerTeam() = default;
  ~WorkerTeam() { stop(); }
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  // Runs body(0) .. body(n - 1) on n threads and returns at once. If the system has fewer threads,
  // some take more than one body, one after the other; throws if it has none at all.
  void start(int n, std::function<void(int)> body) {
    if (start_some(n, std::move(body)) == 0 && n > 0) throw_no_thread();
  }

  // The same for bodies that the caller can do without, and maybe runs itself; returns the number
  // of threads. Without any, no body runs.
  int start_some(int n, std::function<void(int)> body) {
    stop();
    stopping_ = false;
    n_bodies_ = n;
    next_ = 0;
    body_ = std::move(body);
    n_running_ = n;
    const auto wanted = static_cast<std::size_t>(n);
    const std::size_t started = start_threads(wanted, [this](std::size_t) { run(); }, threads_);
    const std::lock_guard<std::mutex> lock(mutex_);
    n_running_ -= static_cast<int>(wanted - started);
    if (n_running_ == 0) done_.notify_all();
    return static_cast<int>(started);
  }

  // Waits at most so long; true when all bodies have returned.
  bool wait(double seconds) {
    constexpr double kLongest = 1e6;  // the clock's nanoseconds would overflow far beyond it
    std::unique_lock<std::mutex> lock(mutex_);
    return done_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, kLongest)),
                          [this] { return n_running_ == 0; });
  }

  // Joins; rethrows the first error of a body, at every call until the next start() or stop(). That
  // error has stopped the other bodies; Interrupted, thrown by a body that was stopped, is none.
  void finish() {
    join();
    if (error_) std::rethrow_exception(error_);
  }

  // Asks the bodies to return, joins them, forgets their errors.
  void stop() noexcept {
    stopping_ = true;
    join();
    error_ = nullptr;
  }

  // For the bodies: true when they should return. Relaxed, since it only ever ends a loop.
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& stop_flag() const { return stopping_; }

 private:
  void run() {
    std::exception_ptr error;
    try {
      for (int i = next_++; i < n_bodies_ && !stopping(); i = next_++) body_(i);
    } catch (const Interrupted&) {  // stopped, by another body's error or from outside
    } catch (...) {
      error = std::current_exception();
      stopping_ = true;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error && !error_) error_ = error;
    if (--n_running_ == 0) done_.notify_all();
  }

  void join() noexcept {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::vector<std::thread> threads_;
  std::function<void(int)> body_;
  int n_bodies_ = 0;
  std::atomic<int> next_{0};  // the next body
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;  // guards what follows
  std::condition_variable done_;
  int n_running_ = 0;  // threads
  std::exception_ptr error_;
};

}  // namespace pyw2v
