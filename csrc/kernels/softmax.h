// Scores to probabilities and to errors for the softmax, and the exact loss on the way.
#pragma once

#include "kernels/region.h"
#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class Real>
struct SoftmaxSum {
  Real max;  // of the scores
  Real sum;  // of e^(score - max)
};

// In place: m scores s to e^(s - max). s has room for whole vectors.
template <class V>
inline SoftmaxSum<typename V::Real> exponentials(typename V::Real* s, int m) {
  using Real = typename V::Real;
  const int end = whole_vectors<V>(static_cast<std::size_t>(m));
  for (int j = m; j < end; ++j) s[j] = Real(kNoScore);
  V highest = V::load(s);
  for (int j = V::kWidth; j < end; j += V::kWidth) highest = V::max(highest, V::load(s + j));
  const V max = V::max_lane(highest);
  V total = V::zero();
  for (int j = 0; j < end; j += V::kWidth) {
    const V e = V::exp(V::load(s + j) - max);
    e.store(s + j);
    total = total + e;
  }
  return {max.first(), sum_in_order(total)};
}

template <class V>
inline void scale_row(typename V::Real* s, int m, typename V::Real factor) {
  const V by = V::set1(factor);
  for (int j = 0; j < m; j += V::kWidth) (V::load(s + j) * by).store(s + j);
}

// In place: m scores to lr * (onehot(target) - softmax). Returns the loss, -log p(target); it is
// not a number when a score is not: every one of them is in the sum.
template <class V>
inline double softmax_errors(typename V::Real* s, int m, int target, typename V::Real lr) {
  const double score = static_cast<double>(s[target]);
  const SoftmaxSum<typename V::Real> e = exponentials<V>(s, m);
  scale_row<V>(s, m, -lr / e.sum);
  s[target] += lr;
  return std::log(static_cast<double>(e.sum)) + (static_cast<double>(e.max) - score);
}

// In place: m scores to probabilities that sum to 1.
template <class V>
inline void softmax(typename V::Real* s, int m) {
  const SoftmaxSum<typename V::Real> e = exponentials<V>(s, m);
  scale_row<V>(s, m, typename V::Real(1) / e.sum);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
