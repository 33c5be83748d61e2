// A loop shared by threads that live no longer than the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace pyw2v {

// Calls work(i) for every i in [0, n), handed out in ascending order to at most n_threads threads,
// the caller's among them (0: as many as the machine runs at once). If work throws, no further
// items are handed out and the exception of the lowest i is rethrown; every lower item has been
// done by then, so the error does not depend on timing.
template <class Work>
void parallel_for(std::size_t n, std::size_t n_threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t failed = n;
  std::exception_ptr error;
  const auto run = [&] {
    for (;;) {
      const std::size_t i = next.fetch_add(1);
      if (i >= n) return;
      try {
        work(i);
      } catch (...) {
        next.store(n);
        const std::lock_guard<std::mutex> lock(mutex);
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
        return;
      }
    }
  };
  if (n_threads == 0) n_threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  try {
    for (std::size_t t = 1; t < std::min(n, n_threads); ++t) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads to be had: those that started, and this one, do the work.
  }
  run();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace pyw2v
