// Exact nearest rows of many queries in one pass over the matrix.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/interrupt.h"
#include "base/types.h"
#include "isa/kernel_table.h"
#include "query/byte_filter.h"

namespace pyw2v {

// Keeps the k rows of highest score for every query. Of equal scores the lower id wins, and scores
// that are not numbers never do, so the result does not depend on threads, nor on how the rows are
// cut into scans. One scan at a time.
class TopK {
 public:
  // queries: n_queries x dim, contiguous, copied. Query q never gets the ids
  // exclude_ids[exclude_offsets[q] .. exclude_offsets[q + 1]); both arrays must outlive the object.
  // `filter`: leave out rows by their bytes, if that may be faster; the result is the same.
  TopK(const KernelTable& kernels, const float* queries, std::size_t n_queries, std::size_t dim,
       std::size_t k, const std::int64_t* exclude_offsets, Borrowed<const WordId> exclude_ids,
       bool filter);

  // Searches rows first_id, first_id + 1, ...; ids must rise from scan to scan. A row's score is
  // scales[i] times its dot product with the query.
  void scan(const float* rows, std::ptrdiff_t row_stride, std::size_t n_rows, const float* scales,
            std::int32_t first_id, std::size_t n_threads, const Interrupt& interrupt);

  // Writes n_queries x k ids and scores, best first; id -1 and score 0 where there are too few.
  void result(std::int64_t* ids, float* scores) const;

  // Rows that the filter tested and rows that passed it, counted once for each vector of queries.
  std::size_t n_filtered() const;
  std::size_t n_passed() const;

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
    std::unique_ptr<ByteBlock> bytes;
    std::size_t unfiltered_blocks;  // left before the filter is tried again
    std::size_t n_filtered = 0, n_passed = 0;
  };
  struct Scan;   // the rows being searched
  struct Block;  // those that one worker is at
  struct Sink;   // where the kernel delivers

  // Strict, so that the order is total: no two candidates of a query share an id.
  static bool better(const Candidate& a, const Candidate& b) {
    return a.score > b.score || (a.score == b.score && a.id < b.id);
  }

  void pack(const float* queries);
  void add_worker();
  void work(Worker& worker, Scan& scan, const Interrupt& interrupt);
  void share_thresholds(Worker& worker);
  void score(Worker& worker, const Block& block, std::size_t first_query, std::size_t max_lanes,
             const std::uint32_t* listed, std::size_t n_rows) const;
  void score_filtered(Worker& worker, const Block& block, const Interrupt& interrupt) const;
  void offer(Worker& worker, std::size_t query, Candidate candidate) const;
  bool excluded(std::size_t query, WordId id) const;

  std::size_t n_queries_, dim_, k_;
  const std::int64_t* exclude_offsets_;
  const WordId* exclude_ids_;
  void (*kernel_)(const TopkTile&);
  std::size_t width_;       // floats in a vector of the instruction set in use
  std::size_t tile_lanes_;  // queries in a full tile
  std::size_t n_lanes_;     // n_queries in whole vectors
  std::size_t block_rows_;  // rows that every tile of queries passes over before the next
  std::vector<Line> packed_;
  std::unique_ptr<ByteFilter> filter_;  // null where it would not help
  std::vector<Worker> workers_;
  std::vector<std::atomic<float>> shared_thresholds_;  // of each query, for every worker
};

}  // namespace pyw2v
