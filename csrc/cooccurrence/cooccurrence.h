// An encoded corpus to the matrix of how often words stand near each other, exactly and in bounded
// memory.
//
// The matrix is made row by row. The places of each word are known (occurrences.h), so a row is
// summed by one thread in memory of its own, from the tokens around those places: no hashing, no
// sorting, no locks, and the rows come out in order. A corpus whose places do not fit into the
// budget is done in stretches. Each gives a run, a sorted matrix of its own in a file, and the rows
// of all runs are added up in the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/worker_team.h"
#include "cooccurrence/occurrences.h"
#include "cooccurrence/sparse_rows.h"

namespace pyw2v {

struct CooccurrenceRule {
  std::int64_t window = 15;
  bool symmetric = true;           // else only the words to the right count as neighbours
  bool distance_weighting = true;  // a neighbour d words away counts 1 / d, else 1
};

struct CooccurrenceConfig {
  int n_workers = 1;
  std::uint64_t budget = UINT64_MAX;  // bytes; in addition, each thread has a number per word
  std::string folder;                 // for the files that take the rest
};

class CooccurrenceCounter {
 public:
  // The memory behind `corpus` must outlive the counter.
  CooccurrenceCounter(const TokenCorpus& corpus, const CooccurrenceRule& rule,
                      const CooccurrenceConfig& config);

  void start();
  bool wait(double seconds) { return team_.wait(seconds); }
  void stop() { team_.stop(); }
  void finish();  // joins, rethrows the error of a thread

  // Of n_runs() passes over the corpus in stretches; each token counts once.
  std::int64_t tokens_done() const { return tokens_done_.load(std::memory_order_relaxed); }
  std::int64_t n_runs() const { return n_runs_; }
  SparseRows& result() { return result_; }

 private:
  void run();
  void count(TokenPos begin, TokenPos end, double divisor, SparseRows& out);
  void add_neighbours(std::size_t word, TokenPos begin, RowSums& sums, const Interrupt& interrupt);
  void merge(const SparseRows& runs);
  std::int64_t stretch_tokens() const;

  const TokenCorpus corpus_;
  const CooccurrenceRule rule_;
  const CooccurrenceConfig config_;
  std::vector<double> weights_;  // by distance, in units
  double units_ = 1;             // of a count of 1
  Occurrences occurrences_;
  RowWriter writer_;
  SparseRows result_;
  std::int64_t n_runs_ = 0;
  std::atomic<std::int64_t> tokens_done_{0};
  WorkerTeam team_;  // last, so that it ends before what it uses
};

}  // namespace pyw2v
