// A loop shared by threads that live no longer than the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "base/interrupt.h"
#include "base/worker_team.h"

namespace pyw2v {

// Calls work(i) for every i in [0, n), handed out in ascending order to at most n_threads threads,
// the caller's among them (0: as many as the machine runs at once). If work throws, no further
// items are handed out and the exception of the lowest i is rethrown; every lower item has been
// done by then, so the error does not depend on timing. Interrupted between two items, or by
// work(i) that checks.
template <class Work>
void parallel_for(std::size_t n, std::size_t n_threads, const Interrupt& interrupt,
                  const Work& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // guards what follows
  std::size_t failed = n;
  std::exception_ptr error;
  const auto fail = [&](std::size_t i) {
    next.store(n);
    const std::lock_guard<std::mutex> lock(mutex);
    if (error && i >= failed) return;
    failed = i;
    error = std::current_exception();
  };
  const auto run = [&] {
    for (;;) {
      const std::size_t i = next.fetch_add(1);
      if (i >= n) return;
      try {
        interrupt.check();
        work(i);
      } catch (...) {
        return fail(i);
      }
    }
  };
  if (n_threads == 0) n_threads = std::max(1u, std::thread::hardware_concurrency());
  n_threads = std::min(n, n_threads);
  WorkerTeam others;
  if (n_threads > 1) others.start_some(static_cast<int>(n_threads - 1), [&](int) { run(); });
  run();
  // Others may still have long items: this thread is the one that polls.
  while (!others.wait(std::chrono::duration<double>(Interrupt::kEvery).count())) {
    try {
      interrupt.check();
    } catch (...) {
      fail(n);
    }
  }
  others.finish();
  if (error) std::rethrow_exception(error);
}

template <class Work>
void parallel_for(std::size_t n, std::size_t n_threads, const Work& work) {
  parallel_for(n, n_threads, kNoInterrupt, work);
}

}  // namespace pyw2v
