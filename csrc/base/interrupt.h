// Long work that can be interrupted: it checks now and then whether it should go on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>

namespace pyw2v {

// Thrown by work that was interrupted.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Handed down to long work, which calls check() about once in 0.1 ms to 10 ms of computing. All
// threads of a call share one; only the thread that made it calls `poll`, and not more often than
// every kEvery: polling may take a lock that is held elsewhere.
class Interrupt {
 public:
  using Poll = bool (*)();  // true: interrupt the work

  Interrupt() = default;  // never
  explicit Interrupt(Poll poll) : poll_(poll), next_(Clock::now() + kEvery) {}
  explicit Interrupt(const std::atomic<bool>& stop) : stop_(&stop) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void check() const {
    if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
    if (poll_ == nullptr || std::this_thread::get_id() != owner_) return;
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    if (poll_()) {
      own_stop_.store(true, std::memory_order_relaxed);
      throw Interrupted();
    }
    next_ = Clock::now() + kEvery;
  }

  static constexpr std::chrono::milliseconds kEvery{20};

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::atomic<bool> own_stop_{false};
  const std::atomic<bool>* stop_ = &own_stop_;
  Poll poll_ = nullptr;
  std::thread::id owner_ = std::this_thread::get_id();
  mutable Clock::time_point next_;  // only its owner uses it
};

// For work that is short, or that only short work calls.
inline const Interrupt kNoInterrupt;

// A loop of cheap steps: every kSteps-th of them checks.
class CheckedSteps {
 public:
  explicit CheckedSteps(const Interrupt& interrupt) : interrupt_(interrupt) {}
  void step(std::size_t n = 1) {
    n_ += n;
    if (n_ < kSteps) return;
    n_ = 0;
    interrupt_.check();
  }

 private:
  static constexpr std::size_t kSteps = 1 << 14;
  const Interrupt& interrupt_;
  std::size_t n_ = 0;
};

}  // namespace pyw2v
