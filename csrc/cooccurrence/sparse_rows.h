// Rows of a sparse matrix, written in order by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/growing_buffer.h"
#include "base/parallel.h"
#include "base/types.h"
#include "cooccurrence/row_sums.h"

namespace pyw2v {

// Compressed rows, as in SciPy: row r has the entries from row_ends[r - 1] (0 for the first row) up
// to row_ends[r] of columns and values. Several matrices may follow each other in the same buffers;
// row_ends then counts on. Beyond the budget, in bytes, the buffers live in nameless files.
struct SparseRows {
  SparseRows(std::uint64_t budget, const std::string& folder)
      : row_ends(std::make_unique<GrowingBuffer>(budget / 8, folder)),
        columns(std::make_unique<GrowingBuffer>(budget / 3, folder)),
        values(std::make_unique<GrowingBuffer>(budget - budget / 3, folder)) {}

  void finish() {
    for (GrowingBuffer* buffer : {row_ends.get(), columns.get(), values.get()}) buffer->finish();
  }
  std::int64_t n_entries() const {
    return static_cast<std::int64_t>(columns->size() / sizeof(WordId));
  }

  std::unique_ptr<GrowingBuffer> row_ends;  // int64
  std::unique_ptr<GrowingBuffer> columns;   // WordId
  std::unique_ptr<GrowingBuffer> values;    // double
};

// Fills rows with a team of threads. Every row is summed by one thread, so the result does not
// depend on how many there are.
class RowWriter {
 public:
  RowWriter(std::size_t n_columns, std::size_t n_threads) : n_columns_(n_columns) {
    tasks_.resize(kTasksPerThread * std::max<std::size_t>(1, n_threads));
    n_threads_ = n_threads;
  }

  // Appends rows 0 .. n_rows. fill(row, sums) adds up one of them, work(row) says about how long
  // that takes, and values are divided by `divisor`. Returns early when `stop` turns true.
  template <class Fill, class Work>
  void write(std::size_t n_rows, const Work& work, const Fill& fill, double divisor,
             const std::atomic<bool>& stop, SparseRows& out) {
    for (std::size_t row = 0; row < n_rows;) {
      std::size_t n_tasks = 0;
      while (row < n_rows && n_tasks < tasks_.size()) {
        Task& task = tasks_[n_tasks++];
        task.first_row = row;
        for (std::uint64_t sum = 0; row < n_rows && sum < kTaskWork; ++row) sum += work(row);
        task.last_row = row;
      }
      parallel_for(n_tasks, n_threads_, [&](std::size_t i) {
        if (!stop.load(std::memory_order_relaxed)) run(tasks_[i], fill, divisor);
      });
      if (stop.load(std::memory_order_relaxed)) return;
      for (std::size_t i = 0; i < n_tasks; ++i) append(tasks_[i], out);
    }
  }

 private:
  // Rows are handed out in rounds, and joined between two rounds.
  static constexpr std::size_t kTasksPerThread = 4;
  static constexpr std::uint64_t kTaskWork = std::uint64_t{1} << 19;

  struct Task {
    std::size_t first_row = 0, last_row = 0;
    std::vector<std::int64_t> row_ends;  // counted from the first row of the task
    std::vector<WordId> columns;
    std::vector<double> values;
  };

  template <class Fill>
  void run(Task& task, const Fill& fill, double divisor) {
    task.row_ends.clear();
    task.columns.clear();
    task.values.clear();
    std::unique_ptr<RowSums> sums = borrow();
    for (std::size_t row = task.first_row; row < task.last_row; ++row) {
      fill(row, *sums);
      sums->drain(divisor, task.columns, task.values);
      task.row_ends.push_back(static_cast<std::int64_t>(task.columns.size()));
    }
    give_back(std::move(sums));
  }

  static void append(Task& task, SparseRows& out) {
    const std::int64_t begin = out.n_entries();
    for (std::int64_t& end : task.row_ends) end += begin;
    append_all(task.row_ends, *out.row_ends);
    append_all(task.columns, *out.columns);
    append_all(task.values, *out.values);
  }
  template <class T>
  static void append_all(const std::vector<T>& items, GrowingBuffer& out) {
    out.append(items.data(), items.size() * sizeof(T));
  }

  std::unique_ptr<RowSums> borrow() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (spare_.empty()) return std::make_unique<RowSums>(n_columns_);
    std::unique_ptr<RowSums> sums = std::move(spare_.back());
    spare_.pop_back();
    return sums;
  }
  void give_back(std::unique_ptr<RowSums> sums) {
    const std::lock_guard<std::mutex> lock(mutex_);
    spare_.push_back(std::move(sums));
  }

  std::size_t n_columns_, n_threads_;
  std::vector<Task> tasks_;  // kept, since fresh memory costs as much as the counting
  std::mutex mutex_;
  std::vector<std::unique_ptr<RowSums>> spare_;
};

}  // namespace pyw2v
