#include "query/topk.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.h"

namespace pyw2v {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Bytes of rows that every tile of queries passes over before the next rows are taken: they stay
// in L2 beside the tile, and there are enough of them to make loading a tile cheap.
constexpr std::size_t kBlockBytes = 128 * 1024;

// A multiple of every number of rows that a kernel takes at once.
constexpr std::size_t kRowStep = 48;

// Blocks to score before the filter is tried: the first, to have thresholds to filter by; and some
// more after it let most rows pass, so that trying costs little where it does not help.
constexpr std::size_t kFirstBlocks = 1, kUselessBlocks = 8;

std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

std::size_t rows_in_block(std::size_t dim) {
  const std::size_t fitting = kBlockBytes / (std::max<std::size_t>(dim, 1) * sizeof(float));
  return std::max(kRowStep, fitting / kRowStep * kRowStep);
}

}  // namespace

struct TopK::Scan {
  const float* rows;
  std::ptrdiff_t row_stride;
  std::size_t n_rows;
  const float* scales;
  WordId first_id;
  std::atomic<std::size_t> next_row{0};
};

struct TopK::Block {
  const float* rows;
  std::ptrdiff_t row_stride;
  std::size_t n_rows;
  const float* scales;
  WordId first_id;
};

struct TopK::Sink {
  const TopK* owner;
  Worker* worker;
  std::size_t first_query, n_queries;  // of the tile
  const float* thresholds;
  WordId first_id;  // of the block

  static void take(void* context, std::size_t row, const float* scores) {
    const Sink& sink = *static_cast<const Sink*>(context);
    const WordId id = sink.first_id + static_cast<std::int32_t>(row);
    for (std::size_t j = 0; j < sink.n_queries; ++j) {
      if (scores[j] > sink.thresholds[j]) {
        sink.owner->offer(*sink.worker, sink.first_query + j, {scores[j], id});
      }
    }
  }
};

TopK::TopK(const KernelTable& kernels, const float* queries, std::size_t n_queries, std::size_t dim,
           std::size_t k, const std::int64_t* exclude_offsets, Borrowed<const WordId> exclude_ids,
           bool filter)
    : n_queries_(n_queries),
      dim_(dim),
      k_(k),
      exclude_offsets_(exclude_offsets),
      exclude_ids_(exclude_ids),
      kernel_(kernels.topk_scan),
      width_(kernels.topk_width),
      tile_lanes_(width_ * kTopkVectors),
      n_lanes_(round_up(n_queries, width_)),
      block_rows_(rows_in_block(dim)),
      shared_thresholds_(n_queries) {
  pack(queries);
  for (std::atomic<float>& threshold : shared_thresholds_) threshold = -kInfinity;
  if (filter && ByteFilter::serves(kernels, n_queries, dim)) {
    filter_ = std::make_unique<ByteFilter>(kernels, queries, n_queries, dim);
  }
}

// Tile after tile, each dim x lanes; the last has only as many vectors as it needs.
void TopK::pack(const float* queries) {
  packed_.resize(round_up(n_lanes_ * dim_, 16) / 16);
  float* out = packed_.empty() ? nullptr : packed_.data()->values;
  for (std::size_t first = 0; first < n_queries_; first += tile_lanes_) {
    const std::size_t lanes = std::min(tile_lanes_, n_lanes_ - first);
    for (std::size_t c = 0; c < dim_; ++c) {
      for (std::size_t j = 0; j < lanes; ++j, ++out) {
        *out = first + j < n_queries_ ? queries[(first + j) * dim_ + c] : 0.0f;
      }
    }
  }
}

void TopK::add_worker() {
  Worker worker;
  worker.heaps.resize(n_queries_ * k_);
  worker.sizes.resize(n_queries_);
  worker.thresholds.resize(round_up(n_lanes_, 16) / 16);
  if (n_queries_ > 0) {
    float* thresholds = worker.thresholds.data()->values;
    std::fill(thresholds, thresholds + n_queries_, -kInfinity);
    std::fill(thresholds + n_queries_, thresholds + n_lanes_, kInfinity);
  }
  if (filter_) worker.bytes = std::make_unique<ByteBlock>(block_rows_, filter_->row_stride());
  worker.unfiltered_blocks = kFirstBlocks;
  workers_.push_back(std::move(worker));
}

void TopK::scan(const float* rows, std::ptrdiff_t row_stride, std::size_t n_rows,
                const float* scales, std::int32_t first_id, std::size_t n_threads,
                const Interrupt& interrupt) {
  if (k_ == 0 || n_queries_ == 0 || n_rows == 0) return;
  Scan scan{rows, row_stride, n_rows, scales, WordId{first_id}};

  // More threads than blocks would have nothing to do.
  n_threads = std::clamp<std::size_t>(n_threads, 1, (n_rows + block_rows_ - 1) / block_rows_);
  while (workers_.size() < n_threads) add_worker();
  parallel_for(n_threads, n_threads, interrupt,
               [&](std::size_t i) { work(workers_[i], scan, interrupt); });
}

void TopK::work(Worker& worker, Scan& scan, const Interrupt& interrupt) {
  while (true) {
    const std::size_t first_row = scan.next_row.fetch_add(block_rows_);
    if (first_row >= scan.n_rows) return;
    share_thresholds(worker);
    const Block block{scan.rows + static_cast<std::ptrdiff_t>(first_row) * scan.row_stride,
                      scan.row_stride, std::min(block_rows_, scan.n_rows - first_row),
                      scan.scales + first_row,
                      scan.first_id + static_cast<std::int32_t>(first_row)};
    if (filter_ && worker.unfiltered_blocks == 0) {
      score_filtered(worker, block, interrupt);
      continue;
    }
    for (std::size_t first = 0; first < n_queries_; first += tile_lanes_) {
      interrupt.check();
      score(worker, block, first, tile_lanes_, nullptr, block.n_rows);
    }
    if (filter_) --worker.unfiltered_blocks;
  }
}

// A row that k rows of another worker beat is not wanted either. It must score less than they do:
// of equal scores the lower id wins, and another worker's may be higher.
void TopK::share_thresholds(Worker& worker) {
  for (std::size_t q = 0; q < n_queries_; ++q) {
    float& own = worker.thresholds.data()->values[q];
    float shared = shared_thresholds_[q].load(std::memory_order_relaxed);
    if (own > shared) {  // it is the score of this worker's k-th row
      const float below = std::nextafter(own, -kInfinity);
      while (below > shared && !shared_thresholds_[q].compare_exchange_weak(shared, below)) {
      }
    }
    own = std::max(own, shared);
  }
}

// Scores the rows for the queries from `first_query` on that fit in `max_lanes`, all of one tile.
void TopK::score(Worker& worker, const Block& block, std::size_t first_query, std::size_t max_lanes,
                 const std::uint32_t* listed, std::size_t n_rows) const {
  const std::size_t tile_first = first_query / tile_lanes_ * tile_lanes_;
  const std::size_t n_queries = std::min(max_lanes, n_queries_ - first_query);
  float* const thresholds = worker.thresholds.data()->values + first_query;
  Sink sink{this, &worker, first_query, n_queries, thresholds, block.first_id};
  TopkTile tile;
  tile.queries = packed_.data()->values + tile_first * dim_ + (first_query - tile_first);
  tile.query_stride = std::min(tile_lanes_, n_lanes_ - tile_first);
  tile.thresholds = thresholds;
  tile.lanes = round_up(n_queries, width_);
  tile.n_queries = n_queries;
  tile.dim = dim_;
  tile.rows = block.rows;
  tile.row_stride = block.row_stride;
  tile.scales = block.scales;
  tile.listed = listed;
  tile.n_rows = n_rows;
  tile.sink = &Sink::take;
  tile.context = &sink;
  kernel_(tile);
}

// Thresholds rise while rows that passed are scored, so all that could beat them did pass.
void TopK::score_filtered(Worker& worker, const Block& block, const Interrupt& interrupt) const {
  ByteBlock& bytes = *worker.bytes;
  filter_->load(bytes, block.rows, block.row_stride, block.n_rows, block.scales);
  std::size_t n_passed = 0;
  for (std::size_t tile = 0; tile < n_lanes_; tile += tile_lanes_) {
    interrupt.check();
    const std::size_t lanes = std::min(tile_lanes_, n_lanes_ - tile);
    filter_->select(bytes, tile, lanes, worker.thresholds.data()->values + tile);
    for (std::size_t v = 0; v < lanes / width_; ++v) {
      const std::size_t n = bytes.n_candidates(v);
      if (n > 0) score(worker, block, tile + v * width_, width_, bytes.candidates(v), n);
      n_passed += n;
    }
  }
  const std::size_t n_filtered = block.n_rows * (n_lanes_ / width_);
  if (n_passed > n_filtered / 2) worker.unfiltered_blocks = kUselessBlocks;
  worker.n_filtered += n_filtered;
  worker.n_passed += n_passed;
}

bool TopK::excluded(std::size_t query, WordId id) const {
  const WordId* const end = exclude_ids_ + exclude_offsets_[query + 1];
  return std::find(exclude_ids_ + exclude_offsets_[query], end, id) != end;
}

// A worker sees ids in rising order, so a score equal to the worst kept one comes too late.
void TopK::offer(Worker& worker, std::size_t query, Candidate candidate) const {
  if (excluded(query, candidate.id)) return;
  Candidate* const heap = worker.heaps.data() + query * k_;
  std::size_t& size = worker.sizes[query];
  if (size == k_) {
    std::pop_heap(heap, heap + size, better);
    --size;
  }
  heap[size++] = candidate;
  std::push_heap(heap, heap + size, better);
  float& threshold = worker.thresholds.data()->values[query];
  if (size == k_) threshold = std::max(threshold, heap[0].score);
}

void TopK::result(std::int64_t* ids, float* scores) const {
  std::vector<Candidate> all;
  for (std::size_t q = 0; q < n_queries_; ++q) {
    all.clear();
    for (const Worker& worker : workers_) {
      const Candidate* const heap = worker.heaps.data() + q * k_;
      all.insert(all.end(), heap, heap + worker.sizes[q]);
    }
    const std::size_t n = std::min(k_, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(), better);
    for (std::size_t i = 0; i < k_; ++i) {
      ids[q * k_ + i] = i < n ? raw(all[i].id) : -1;
      scores[q * k_ + i] = i < n ? all[i].score : 0.0f;
    }
  }
}

std::size_t TopK::n_filtered() const {
  std::size_t n = 0;
  for (const Worker& worker : workers_) n += worker.n_filtered;
  return n;
}

std::size_t TopK::n_passed() const {
  std::size_t n = 0;
  for (const Worker& worker : workers_) n += worker.n_passed;
  return n;
}

}  // namespace pyw2v
