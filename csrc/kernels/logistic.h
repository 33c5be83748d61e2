// Scores to errors for every logistic objective, and the exact loss on the way.
#pragma once

#include "kernels/block.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Sums softplus terms exactly at almost no cost. softplus(s) = max(s, 0) + log(1 + e^-|s|), and
// the logarithms of many factors in [1, 2] are one logarithm of their product: 64 factors in each
// of up to 8 lanes stay below 2^512, well inside a double.
template <class V>
class LossSum {
 public:
  // factor = 1 + e^-|s|, linear = the rest of the loss, per lane.
  void add(V factor, V linear) {
    product_ = product_ * factor;
    linear_ = linear_ + linear;
    if (++n_factors_ == 64) flush();
  }

  // One more term of its own: log(factor) + linear, for a factor of at least 1.
  void add_log(double factor, double linear) {
    factors_ *= factor;
    total_ += linear;
    if (factors_ < 1e200) return;
    total_ += std::log(factors_);
    factors_ = 1;
  }

  // Adds nothing, unless the score is not finite: then the total is not either.
  void watch(V score) { linear_ = V::fma(score, V::zero(), linear_); }

  double total() {
    flush();
    total_ += std::log(factors_);
    factors_ = 1;
    return total_;
  }

 private:
  void flush() {
    typename V::Real products[V::kWidth], linears[V::kWidth];
    product_.store(products);
    linear_.store(linears);
    double product = 1, linear = 0;
    for (int lane = 0; lane < V::kWidth; ++lane) {
      product *= static_cast<double>(products[lane]);
      linear += static_cast<double>(linears[lane]);
    }
    total_ += linear + std::log(product);
    product_ = V::set1(1);
    linear_ = V::zero();
    n_factors_ = 0;
  }

  V product_ = V::set1(1);
  V linear_ = V::zero();
  int n_factors_ = 0;
  double factors_ = 1;
  double total_ = 0;
};

// One set of m targets, shared by all inputs of a block. Columns m .. padded_columns(m) of the mask
// are zero, and of the labels finite.
template <class Real>
struct Targets {
  Real* const* rows;
  const Real* labels;  // 1 for what was seen, 0 for noise
  const Real* mask;    // 0 leaves a column out of loss and update
  int m;
  bool differ;  // no row twice
};

// Where decay = e^-|score|.
template <class V>
inline V sigmoid(V score, V decay) {
  const V larger = V::recip(V::set1(1) + decay);  // sigmoid(|score|)
  return V::select_negative(score, decay * larger, larger);
}

// In place: S to G = lr * mask * (label - sigmoid(S)). The loss is -log p(label), summed.
template <class V, bool kLoss>
inline void logistic_errors(Scores<typename V::Real> s, int n, const Targets<typename V::Real>& t,
                            typename V::Real lr, LossSum<V>& loss) {
  for (int j = 0; j < t.m; j += V::kWidth) {
    const V label = V::load(t.labels + j);
    const V mask = V::load(t.mask + j);
    const V rate = mask * V::set1(lr);
    for (int i = 0; i < n; ++i) {
      const V score = V::load(s.at(i, j));
      const V decay = V::exp(V::zero() - V::abs(score));
      (rate * (label - sigmoid(score, decay))).store(s.at(i, j));
      if constexpr (kLoss) {
        const V linear = V::max(score, V::zero()) - label * score;
        loss.add(V::fma(mask, decay, V::set1(1)), mask * linear);
      } else {
        loss.watch(score);
      }
    }
  }
}

// Least exponent of a probability where columns that count for nothing have scores far below all:
// e^-60 adds nothing to any sum, and stays a normal number when a rate multiplies it. Others make a
// product many times slower.
constexpr float kLeastExponent = -60.0f;

// The same for scores that a shift is taken off first: G = lr * (label - sigmoid(S - shift)).
template <class V, bool kLoss>
inline void shifted_logistic_errors(Scores<typename V::Real> s, int n, int m,
                                    const typename V::Real* labels, const typename V::Real* shift,
                                    typename V::Real lr, LossSum<V>& loss) {
  const V rate = V::set1(lr);
  for (int j = 0; j < m; j += V::kWidth) {
    const V label = V::load(labels + j);
    const V off = V::load(shift + j);
    for (int i = 0; i < n; ++i) {
      const V score = V::load(s.at(i, j)) - off;
      const V decay = V::exp(V::max(V::set1(kLeastExponent), V::zero() - V::abs(score)));
      (rate * (label - sigmoid(score, decay))).store(s.at(i, j));
      if constexpr (kLoss)
        loss.add(V::set1(1) + decay, V::max(score, V::zero()) - label * score);
      else
        loss.watch(score);
    }
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
