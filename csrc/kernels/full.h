// All rows are targets of every input: the full softmax, each word against the rest, and the
// classes of a class-based softmax. Two or three products, with the errors made in between.
//
//     S = Y X^T             scores, a row a target, lanes are inputs
//     X += G^T Y, Y += G X  from the errors G, block of rows by block of rows
#pragma once

#include "kernel_data/full_tile.h"
#include "kernels/logistic.h"
#include "kernels/product.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Rows of one width, at most kBlockRows.
struct RowBlock {
  int index = 0;
  int first = 0;
  int n = 0;
  int width = 0;
};

// The block at row `first`; of no rows past the last.
template <class Real>
inline RowBlock block_at(const FullBatch<Real>& batch, int index, int first) {
  int end = batch.n_rows, width = batch.dim;
  for (int b = 0; b < batch.bands.n; ++b) {
    if (first >= batch.bands.ends[b]) continue;
    end = batch.bands.ends[b];
    width = batch.bands.widths[b];
    break;
  }
  return {index, first, end - first < kBlockRows ? end - first : kBlockRows, width};
}

template <class Real>
inline RowBlock first_block(const FullBatch<Real>& batch) {
  return block_at(batch, 0, 0);
}

template <class Real>
inline bool is_stopped(const FullBatch<Real>& batch) {
  return batch.stop->load(std::memory_order_relaxed);
}

template <class Real>
inline RowBlock next_block(const FullBatch<Real>& batch, const RowBlock& block) {
  if (is_stopped(batch)) return {};
  return block_at(batch, block.index + 1, block.first + block.n);
}

template <class V>
inline int batch_columns(const FullBatch<typename V::Real>& batch) {
  return whole_vectors<V>(static_cast<std::size_t>(batch.n));
}

template <class Real>
inline Real* row_at(const FullBatch<Real>& batch, int row) {
  return batch.rows + row * batch.stride;
}

template <class Real>
inline Real* scores_at(const FullBatch<Real>& batch, int row) {
  return batch.scores + static_cast<std::ptrdiff_t>(row) * kBatchInputs;
}

template <class V>
inline void score_block(const FullBatch<typename V::Real>& batch, const RowBlock& block) {
  using Real = typename V::Real;
  const int columns = batch_columns<V>(batch);
  const Factors<Real> rows{row_at(batch, block.first), batch.stride, 1};
  const Rows<const Real> inputs{batch.hidden_t, kBatchInputs};
  const Rows<Real> scores{scores_at(batch, block.first), kBatchInputs};
  if (batch.bias == nullptr)
    return product<V, Into::kZero>(rows, block.n, inputs, block.width, scores, columns);
  for (int r = 0; r < block.n; ++r)
    for (int l = 0; l < columns; l += V::kWidth)
      V::set1(batch.bias[block.first + r]).store(scores.data + r * scores.step + l);
  product<V, Into::kSum>(rows, block.n, inputs, block.width, scores, columns);
}

// Changes inputs and rows by the errors, which have taken the place of the scores. `update_block`
// of every block reads the inputs as they were.
template <class V>
inline void update_block(const FullBatch<typename V::Real>& batch, const RowBlock& block) {
  using Real = typename V::Real;
  const int columns = batch_columns<V>(batch);
  Real* rows = row_at(batch, block.first);
  const Real* errors = scores_at(batch, block.first);
  product<V, Into::kSum>({rows, 1, batch.stride}, block.width, {errors, kBatchInputs}, block.n,
                         {batch.change_t, kBatchInputs}, columns);
  const int width = whole_vectors<V>(static_cast<std::size_t>(block.width));
  product<V, Into::kSum>({errors, kBatchInputs, 1}, block.n, {batch.hidden, batch.stride}, batch.n,
                         {rows, batch.stride}, width);
  for (int r = 0; r < block.n && block.width < batch.dim; ++r)
    for (int c = block.width; c < width; ++c) rows[r * batch.stride + c] = 0;
  for (int r = 0; r < block.n && batch.bias != nullptr; ++r) {
    Real sum = 0;
    for (int l = 0; l < batch.n; ++l) sum += errors[r * kBatchInputs + l];
    batch.bias[block.first + r] += sum;
  }
}

// Whether pair p has its target in the block.
template <class Real>
inline bool is_inside(const FullBatch<Real>& batch, const RowBlock& block, int p) {
  return static_cast<unsigned>(batch.pair_row[p] - block.first) < static_cast<unsigned>(block.n);
}

template <class Real>
inline Real& pair_score(const FullBatch<Real>& batch, int p) {
  return scores_at(batch, batch.pair_row[p])[batch.pair_lane[p] - batch.first_lane];
}

// The scores of a block's targets, summed.
template <class Real>
inline double target_score_sum(const FullBatch<Real>& batch, const RowBlock& block) {
  double total = 0;
  for (int p = 0; p < batch.n_pairs; ++p)
    if (is_inside(batch, block, p)) total += static_cast<double>(pair_score(batch, p));
  return total;
}

template <class Real>
inline void add_to_targets(const FullBatch<Real>& batch, const RowBlock& block) {
  for (int p = 0; p < batch.n_pairs; ++p)
    if (is_inside(batch, block, p)) pair_score(batch, p) += batch.lr;
}

// In place: the scores of a block to e^(score - max), with max the highest so far; what was summed
// before under a lower one is scaled down.
template <class V>
inline void block_exponentials(const FullBatch<typename V::Real>& batch, const RowBlock& block) {
  using Real = typename V::Real;
  const int columns = batch_columns<V>(batch);
  Real* scores = scores_at(batch, block.first);
  Real* block_max = batch.block_max + static_cast<std::ptrdiff_t>(block.index) * kBatchInputs;
  for (int l = 0; l < columns; l += V::kWidth) {
    const V before = V::load(batch.max + l);
    V highest = before;
    for (int r = 0; r < block.n; ++r)
      highest = V::max(highest, V::load(scores + r * kBatchInputs + l));
    V sum = V::load(batch.sum + l) * V::exp(before - highest);
    for (int r = 0; r < block.n; ++r) {
      const V e = V::exp(V::load(scores + r * kBatchInputs + l) - highest);
      e.store(scores + r * kBatchInputs + l);
      sum = sum + e;
    }
    highest.store(batch.max + l);
    highest.store(block_max + l);
    sum.store(batch.sum + l);
  }
}

// In place: exponentials to lr * (targets - weight * softmax). factor: by inputs.
template <class V>
inline void block_softmax_errors(const FullBatch<typename V::Real>& batch, const RowBlock& block,
                                 const typename V::Real* factor) {
  using Real = typename V::Real;
  const int columns = batch_columns<V>(batch);
  Real* scores = scores_at(batch, block.first);
  const Real* block_max = batch.block_max + static_cast<std::ptrdiff_t>(block.index) * kBatchInputs;
  for (int l = 0; l < columns; l += V::kWidth) {
    const V scale = V::load(factor + l) * V::exp(V::load(block_max + l) - V::load(batch.max + l));
    for (int r = 0; r < block.n; ++r)
      (V::load(scores + r * kBatchInputs + l) * scale).store(scores + r * kBatchInputs + l);
  }
  add_to_targets(batch, block);
}

template <class V>
inline void start_sums(const FullBatch<typename V::Real>& batch) {
  for (int l = 0; l < kBatchInputs; ++l) {
    batch.max[l] = typename V::Real(kNoScore);
    batch.sum[l] = 0;
  }
}

template <class Real>
inline double log_sum(const FullBatch<Real>& batch, int lane) {
  return static_cast<double>(batch.max[lane]) + std::log(static_cast<double>(batch.sum[lane]));
}

// One step of the softmax over all rows; returns the loss, summed over pairs. It is not a number
// when a score is not.
template <class V, bool kUpdate>
inline double full_softmax(const FullBatch<typename V::Real>& batch) {
  using Real = typename V::Real;
  start_sums<V>(batch);
  double loss = 0;
  for (RowBlock b = first_block(batch); b.n > 0; b = next_block(batch, b)) {
    score_block<V>(batch, b);
    loss -= target_score_sum(batch, b);
    block_exponentials<V>(batch, b);
  }
  if (is_stopped(batch)) return 0;  // the sums are not of all rows
  Real factor[kBatchInputs] = {};
  const double alpha = static_cast<double>(batch.self_norm);
  for (int l = 0; l < batch.n; ++l) {
    const double log_z = log_sum(batch, l), weight = static_cast<double>(batch.weight[l]);
    loss += weight * (log_z + alpha * log_z * log_z);
    factor[l] = static_cast<Real>(-static_cast<double>(batch.lr) * weight *
                                  (1 + 2 * alpha * log_z) / static_cast<double>(batch.sum[l]));
  }
  for (RowBlock b = first_block(batch); kUpdate && b.n > 0; b = next_block(batch, b)) {
    block_softmax_errors<V>(batch, b, factor);
    update_block<V>(batch, b);
  }
  return loss;
}

// In place: the scores of a block to lr * (targets - weight * sigmoid). Returns the sum of
// weight * softplus(score): as in LossSum, the logarithm of a product, which kBlockRows factors
// below 2 keep inside a float.
template <class V>
inline double block_logistic_errors(const FullBatch<typename V::Real>& batch,
                                    const RowBlock& block) {
  using Real = typename V::Real;
  static_assert(kBlockRows <= 120);
  const int columns = batch_columns<V>(batch);
  Real* scores = scores_at(batch, block.first);
  double loss = 0;
  for (int l = 0; l < columns; l += V::kWidth) {
    const V rate = V::zero() - V::load(batch.weight + l) * V::set1(batch.lr);
    V product = V::set1(1), linear = V::zero();
    for (int r = 0; r < block.n; ++r) {
      Real* at = scores + r * kBatchInputs + l;
      const V score = V::load(at);
      const Sigmoid<V> s = sigmoid(score);
      (rate * s.of(score)).store(at);
      product = product * (V::set1(1) + s.decay);
      linear = linear + V::max(score, V::zero());
    }
    Real products[V::kWidth], linears[V::kWidth];
    product.store(products);
    linear.store(linears);
    for (int lane = 0; lane < V::kWidth && l + lane < batch.n; ++lane)
      loss += static_cast<double>(batch.weight[l + lane]) *
              (std::log(static_cast<double>(products[lane])) + static_cast<double>(linears[lane]));
  }
  add_to_targets(batch, block);
  return loss;
}

// One step of every row against the rest; returns the loss, summed over pairs.
template <class V>
inline double full_logistic(const FullBatch<typename V::Real>& batch) {
  double loss = 0;
  for (RowBlock b = first_block(batch); b.n > 0; b = next_block(batch, b)) {
    score_block<V>(batch, b);
    loss -= target_score_sum(batch, b);
    loss += block_logistic_errors<V>(batch, b);
    update_block<V>(batch, b);
  }
  return loss;
}

// Adds the sigmoids of a block's scores to the sums, times e^-max, where max is the highest score
// so far or 0: so that none is lost when all scores are far below zero.
template <class V>
inline void add_sigmoids(const FullBatch<typename V::Real>& batch, const RowBlock& block) {
  using Real = typename V::Real;
  const int columns = batch_columns<V>(batch);
  const Real* scores = scores_at(batch, block.first);
  for (int l = 0; l < columns; l += V::kWidth) {
    const V before = V::load(batch.max + l);
    V highest = before;
    for (int r = 0; r < block.n; ++r)
      highest = V::max(highest, V::load(scores + r * kBatchInputs + l));
    highest = V::zero() - V::max(V::zero() - highest, V::zero());
    V sum = V::load(batch.sum + l) * V::exp(before - highest);
    for (int r = 0; r < block.n; ++r) {
      const V score = V::load(scores + r * kBatchInputs + l);
      const Sigmoid<V> s = sigmoid(score);
      const V shifted = V::exp(V::zero() - V::max(highest - score, V::zero()));
      sum = sum + V::select_negative(score, shifted * s.larger, s.larger);
    }
    highest.store(batch.max + l);
    sum.store(batch.sum + l);
  }
}

// -log p of all pairs, where p is a sigmoid divided by the sum of all sigmoids. Changes nothing.
template <class V>
inline double logistic_negative_log_likelihood(const FullBatch<typename V::Real>& batch) {
  start_sums<V>(batch);
  double loss = 0;
  for (RowBlock b = first_block(batch); b.n > 0; b = next_block(batch, b)) {
    score_block<V>(batch, b);
    add_sigmoids<V>(batch, b);
  }
  for (int p = 0; p < batch.n_pairs; ++p) {
    const double score = static_cast<double>(pair_score(batch, p));
    const double softplus = (score < 0 ? -score : 0) + std::log1p(std::exp(-std::fabs(score)));
    loss += softplus + log_sum(batch, batch.pair_lane[p] - batch.first_lane);
  }
  return loss;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
