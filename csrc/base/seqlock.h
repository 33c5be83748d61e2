// A sequence lock: readers take no lock, and find out afterwards whether somebody wrote meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

namespace pyw2v {

// The number is odd while somebody writes, and grows with every write. Writers exclude each other
// by other means. Reads are not atomic: what a reader computed may be nonsense, and must be
// discarded if the number has changed.
class Seqlock {
 public:
  // For a reader to compare, before and after.
  std::int64_t number() const {
    std::atomic_thread_fence(std::memory_order_acquire);  // after all that was read so far
    return number_.load(std::memory_order_acquire);       // before all that is read from now on
  }

  void begin_write() {
    number_.store(number_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // before all that is written
  }

  void end_write() {
    number_.store(number_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::atomic<std::int64_t> number_{0};
};

}  // namespace pyw2v
