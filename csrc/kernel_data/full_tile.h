// A batch of inputs that all meet the same many rows: the contract between models/batch.h, which
// fills it, and kernels/full.h, which computes on it once per instruction set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pyw2v {

// The rows of a differentiated softmax: those before ends[b], and not in an earlier band, have
// widths[b] numbers; the rest of each row is zero.
struct Bands {
  const std::int32_t* ends = nullptr;
  const std::int32_t* widths = nullptr;
  int n = 0;  // 0: all rows are whole
};

// Inputs of one batch: as many as fill the registers of the product twice. They all change the
// output rows by errors from the same old scores, so there must not be many more.
constexpr int kBatchInputs = 48;

// Rows computed with at a time: they and their scores stay in the nearest caches.
constexpr int kBlockRows = 64;

// Matrices by inputs have kBatchInputs columns, one an input; those past n, up to whole vectors,
// have zero as hidden and weight.
template <class Real>
struct FullBatch {
  Real* rows;
  std::ptrdiff_t stride;
  int n_rows;
  int dim;
  Real* bias;  // of each row, or null
  Bands bands;

  int n;                          // inputs
  const Real* hidden;             // n rows of `stride`
  const Real* hidden_t;           // dim rows by inputs
  Real* change_t;                 // dim rows by inputs; receives what the inputs change by
  const Real* weight;             // how many targets each input has
  const std::int32_t* pair_row;   // the targets: row pair_row[p] is one of input
  const std::int32_t* pair_lane;  // pair_lane[p] - first_lane
  int first_lane;
  int n_pairs;

  Real* scores;     // n_rows rows by inputs
  Real* block_max;  // a row by inputs for every block of rows
  Real* max;        // by inputs
  Real* sum;

  Real lr;
  Real self_norm;
  const std::atomic<bool>* stop;  // checked after every block of rows
};

}  // namespace pyw2v
