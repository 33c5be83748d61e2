// Scores to errors for every logistic objective, and the exact loss on the way.
#pragma once

#include "kernels/block.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Sums softplus terms exactly at almost no cost. softplus(s) = max(s, 0) + log(1 + e^-|s|), and
// the logarithms of many factors in [1, 2] are one logarithm of their product: 64 factors in each
// of up to 8 lanes stay below 2^512, well inside a double.
template <class V>
class LossSum {
 public:
  // Written out, since GCC compiles what it generates itself outside of the target region.
  LossSum() : product_(V::set1(1)), linear_(V::zero()) {}

  // factor = 1 + e^-|s|, linear = the rest of the loss, per lane; n = 2 for factors up to 2^2.
  void add(V factor, V linear, int n = 1) {
    product_ = product_ * factor;
    linear_ = linear_ + linear;
    n_factors_ += n;
    if (n_factors_ >= 64) flush();
  }

  // One more term of its own: log(factor) + linear, for a factor between 1e-100 and 1e100.
  void add_log(double factor, double linear) {
    factors_ *= factor;
    total_ += linear;
    if (factors_ > 1e-200 && factors_ < 1e200) return;
    total_ += std::log(factors_);
    factors_ = 1;
  }

  // Adds nothing, unless the score is not finite: then the total is not finite either.
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

  V product_;
  V linear_;
  int n_factors_ = 0;
  double factors_ = 1;
  double total_ = 0;
};

// One set of m targets, shared by all inputs of a block. Columns m .. padded_columns(m) of the
// masks are zero, of labels and shift finite.
template <class Real>
struct Targets {
  Real* const* rows;
  const Real* labels;  // 1 for what was seen, 0 for noise
  const Real* mask;    // how often a column counts; with owners a row for each, mask_step apart
  int m;
  bool differ;  // no row twice
  int mask_step = 0;
  const std::uint8_t* owners = nullptr;  // which mask an input has, if there is more than one
  const Real* shift = nullptr;           // subtracted from the scores of a column; null is 0
};

// The sigmoid of a score s, with what its loss is made of.
template <class V>
struct Sigmoid {
  V decay;   // e^-|s|
  V larger;  // sigmoid(|s|)

  V of(V score) const { return V::select_negative(score, decay * larger, larger); }
};

template <class V>
inline Sigmoid<V> sigmoid(V score) {
  const V decay = V::exp(V::zero() - V::abs(score));
  return {decay, V::recip(V::set1(1) + decay)};
}

// In place: S to G = lr * mask * (label - sigmoid(S - shift)). The loss is -log p(label), summed.
template <class V, bool kLoss, bool kOwned, bool kShifted>
inline void logistic_errors_by_owner(Scores<typename V::Real> s, int n,
                                     const Targets<typename V::Real>& t, typename V::Real lr,
                                     LossSum<V>& loss) {
  const V one = V::set1(1);
  for (int j = 0; j < t.m; j += V::kWidth) {
    const V label = V::load(t.labels + j);
    const V shift = kShifted ? V::load(t.shift + j) : V::zero();
    V mask = V::load(t.mask + j);
    V rate = mask * V::set1(lr);
    for (int i = 0; i < n; ++i) {
      if constexpr (kOwned) {
        mask = V::load(t.mask + t.owners[i] * t.mask_step + j);
        rate = mask * V::set1(lr);
      }
      V score = V::load(s.at(i, j));
      if constexpr (kShifted) score = score - shift;
      const Sigmoid<V> p = sigmoid(score);
      (rate * (label - p.of(score))).store(s.at(i, j));
      if constexpr (kLoss) {
        // (1 + decay)^mask, where masks are 0, 1 and, with owners, 2.
        V factor = mask;
        if constexpr (kOwned) factor = V::fma(V::max(mask - one, V::zero()), p.decay, factor);
        const V linear = V::max(score, V::zero()) - label * score;
        loss.add(V::fma(factor, p.decay, one), mask * linear, kOwned ? 2 : 1);
      } else {
        loss.watch(score);
      }
    }
  }
}

// kMayBeOwned: whether targets can have owners; kShifted: whether they have a shift.
template <class V, bool kLoss, bool kMayBeOwned = false, bool kShifted = false>
inline void logistic_errors(Scores<typename V::Real> s, int n, const Targets<typename V::Real>& t,
                            typename V::Real lr, LossSum<V>& loss) {
  if (kMayBeOwned && t.owners != nullptr)
    logistic_errors_by_owner<V, kLoss, true, kShifted>(s, n, t, lr, loss);
  else
    logistic_errors_by_owner<V, kLoss, false, kShifted>(s, n, t, lr, loss);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
