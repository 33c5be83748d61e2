// Scores to probabilities and to errors for the softmax, and the exact loss on the way.
#pragma once

#include "kernels/logistic.h"

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
  // Far below any score, so that the columns of the padding add nothing.
  for (int j = m; j < end; ++j) s[j] = Real(-1e30);
  V highest = V::load(s);
  for (int j = V::kWidth; j < end; j += V::kWidth) highest = V::max(highest, V::load(s + j));
  Real lanes[V::kWidth];
  highest.store(lanes);
  Real max = lanes[0];
  for (int lane = 1; lane < V::kWidth; ++lane) max = lanes[lane] > max ? lanes[lane] : max;
  V total = V::zero();
  const V shift = V::set1(max);
  for (int j = 0; j < end; j += V::kWidth) {
    const V e = V::exp(V::load(s + j) - shift);
    e.store(s + j);
    total = total + e;
  }
  total.store(lanes);
  Real sum = 0;
  for (int lane = 0; lane < V::kWidth; ++lane) sum += lanes[lane];
  return {max, sum};
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

// Far below any score, and the least exponent of a probability: e^-60 adds nothing to any sum, and
// stays a normal number when a rate multiplies it. Others make a product many times slower.
constexpr float kNoScore = -1e30f, kLeastExponent = -60.0f;

// Exponentials e^(score - highest) of the columns that count, zero for the others: the first vector
// of them, which often is all, and in every lane the highest score and the sum.
template <class V>
struct CountedExponentials {
  V first;
  V max;
  V sum;
};

template <class V>
inline V counted_scores(const typename V::Real* s, const typename V::Real* mask,
                        const typename V::Real* shift) {
  const V off = V::set1(1) - V::load(mask);
  return V::fma(off, V::set1(kNoScore), V::load(s) - V::load(shift));
}

template <class V>
inline V counted_exponential(V score, V highest, const typename V::Real* mask) {
  return V::exp(V::max(V::set1(kLeastExponent), score - highest)) * V::load(mask);
}

// Those after the first vector go to `rest`.
template <class V>
inline CountedExponentials<V> counted_exponentials(const typename V::Real* s,
                                                   const Targets<typename V::Real>& t,
                                                   const typename V::Real* mask,
                                                   typename V::Real* rest) {
  const V first = counted_scores<V>(s, mask, t.shift);
  V highest = first;
  for (int j = V::kWidth; j < t.m; j += V::kWidth) {
    const V score = counted_scores<V>(s + j, mask + j, t.shift + j);
    score.store(rest + j);
    highest = V::max(highest, score);
  }
  highest = V::max_lane(highest);
  const V first_e = counted_exponential<V>(first, highest, mask);
  V sum = first_e;
  for (int j = V::kWidth; j < t.m; j += V::kWidth) {
    const V e = counted_exponential<V>(V::load(rest + j), highest, mask + j);
    e.store(rest + j);
    sum = sum + e;
  }
  return {first_e, highest, V::sum_lanes(sum)};
}

// In place, for n rows of few scores whose targets are the first columns, one for each owner: S to
// G = lr * mask * (label - softmax(S - shift)), where the softmax is over the target and the other
// columns that count for its owner. The loss is -log p(target), summed. `scratch` holds as many
// rows as there are owners.
template <class V, bool kLoss>
inline void shifted_softmax_errors(Scores<typename V::Real> s, int n,
                                   const Targets<typename V::Real>& t, typename V::Real lr,
                                   typename V::Real* scratch, LossSum<V>& loss) {
  using Real = typename V::Real;
  const V rate = V::set1(lr);
  for (int i = 0; i < n; ++i) {
    const int owner = t.owners != nullptr ? t.owners[i] : 0;
    const int first = owner == kSecond ? 1 : 0, last = owner == kFirst ? 0 : 1;
    const Real* mask = t.mask + owner * t.mask_step;
    Real* row = s.at(i, 0);
    V first_error = rate * V::load(t.labels) * V::load(mask), shares[kMaxCentres];
    for (int k = first; k <= last; ++k) {
      const int at = k * t.mask_step;
      const CountedExponentials<V> e = counted_exponentials<V>(row, t, t.mask + at, scratch + at);
      shares[k] = rate * V::recip(e.sum);
      first_error = first_error - shares[k] * e.first;
      if constexpr (kLoss)
        loss.add_log(static_cast<double>(e.sum.first()),
                     static_cast<double>(e.max.first()) - static_cast<double>(row[k] - t.shift[k]));
      else
        loss.watch(e.sum);
    }
    first_error.store(row);
    for (int j = V::kWidth; j < t.m; j += V::kWidth) {
      V error = rate * V::load(t.labels + j) * V::load(mask + j);
      for (int k = first; k <= last; ++k)
        error = error - shares[k] * V::load(scratch + k * t.mask_step + j);
      error.store(row + j);
    }
  }
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
