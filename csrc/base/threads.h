// Starts threads, as many as the system allows.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pyw2v {

// The system has no thread for work that needs one. Becomes RuntimeError, as in Python itself.
class ThreadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Starts run(0) .. run(n - 1) behind the threads that are there, each on a thread of its own, and
// returns how many of them started: fewer where the system has no more threads, or no memory.
template <class Run>
std::size_t start_threads(std::size_t n, const Run& run, std::vector<std::thread>& threads) {
  std::size_t started = 0;
  try {
    threads.reserve(threads.size() + n);  // growing must not fail: a lost thread ends the process
    for (; started < n; ++started) threads.emplace_back(run, started);
  } catch (const std::exception&) {
  }
  return started;
}

// When not one of them started: std::bad_alloc if memory is short, else ThreadError.
[[noreturn]] void throw_no_thread();

}  // namespace pyw2v
