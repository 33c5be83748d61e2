// Exact nearest rows of many queries in one pass over the matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "isa/kernel_table.h"

namespace pyw2v {

// Keeps the k rows of highest score for every query. Of equal scores the lower id wins, and scores
// that are not numbers never do, so the answer does not depend on threads, nor on how the rows are
// cut into scans. One scan at a time.
class TopK {
 public:
  // queries: n_queries x dim, contiguous, copied. Query q never gets the ids
  // exclude_ids[exclude_offsets[q] .. exclude_offsets[q + 1]); both arrays must outlive the object.
  TopK(const KernelTable& kernels, const float* queries, std::size_t n_queries, std::size_t dim,
       std::size_t k, const std::int64_t* exclude_offsets, const WordId* exclude_ids);

  // Searches rows first_id, first_id + 1, ...; ids must rise from scan to scan. A row's score is
  // scales[i] times its dot product with the query.
  void scan(const float* rows, std::ptrdiff_t row_stride, std::size_t n_rows, const float* scales,
            WordId first_id, std::size_t n_threads);

  // Writes n_queries x k ids and scores, best first; id -1 and score 0 where there are too few.
  void result(std::int64_t* ids, float* scores) const;

  std::size_t n_queries() const { return n_queries_; }
  std::size_t dim() const { return dim_; }
  std::size_t k() const { return k_; }

 private:
  struct Candidate {
    float score;
    WordId id;
  };
  struct alignas(64) Line {
    float values[16];
  };
  // What one thread has found so far.
  struct Worker {
    std::vector<Candidate> heaps;    // n_queries x k; each a heap with its worst on top
    std::vector<std::size_t> sizes;  // filled part of each heap
    std::vector<Line> thresholds;    // what a score must beat, in the order of the tiles
  };
  struct Scan;  // the rows being searched
  struct Sink;  // where the kernel delivers

  // Strict, so that the order is total: no two candidates of a query share an id.
  static bool better(const Candidate& a, const Candidate& b) {
    return a.score > b.score || (a.score == b.score && a.id < b.id);
  }

  void pack(const float* queries);
  void add_worker();
  void work(Worker& worker, Scan& scan) const;
  void offer(Worker& worker, std::size_t query, Candidate candidate) const;
  bool excluded(std::size_t query, WordId id) const;

  std::size_t n_queries_, dim_, k_;
  const std::int64_t* exclude_offsets_;
  const WordId* exclude_ids_;
  void (*kernel_)(const TopkTile&);
  std::size_t width_;       // floats in a vector of the instruction set in use
  std::size_t tile_lanes_;  // queries in a full tile
  std::vector<Line> packed_;
  std::vector<Worker> workers_;
};

}  // namespace pyw2v
