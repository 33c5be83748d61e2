// Scores to errors for the softmax over a few drawn words, of one centre or of two that share them.
#pragma once

#include "base/types.h"
#include "kernels/logistic.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// The least exponent of a probability. e^-60 adds nothing to any sum, and times a learning rate it
// is still a normal number: arithmetic on subnormal numbers is many times slower.
constexpr float kLeastExponent = -60.0f;

// The scores minus their shift; those of columns that do not count are far below all others.
template <class V>
inline V counted_scores(const typename V::Real* s, const typename V::Real* mask,
                        const typename V::Real* shift) {
  const V off = V::max(V::set1(1) - V::load(mask), V::zero());
  return V::fma(off, V::set1(kNoScore), V::load(s) - V::load(shift));
}

// The highest of them in n rows, in every lane.
template <class V>
inline V highest_counted(Scores<typename V::Real> s, int n, const Targets<typename V::Real>& t,
                         const typename V::Real* mask) {
  V highest = V::set1(kNoScore);
  for (int j = 0; j < t.m; j += V::kWidth)
    for (int i = 0; i < n; ++i)
      highest = V::max(highest, counted_scores<V>(s.at(i, j), mask + j, t.shift + j));
  return V::max_lane(highest);
}

// e^(score - top) of one row, as good as zero for the columns that do not count. The first vector,
// which often is all, is returned, the others go to `rest`.
template <class V>
inline V counted_exponentials(const typename V::Real* s, const Targets<typename V::Real>& t,
                              const typename V::Real* mask, V top, typename V::Real* rest) {
  const V least = V::set1(kLeastExponent);
  for (int j = V::kWidth; j < t.m; j += V::kWidth)
    V::exp(V::max(least, counted_scores<V>(s + j, mask + j, t.shift + j) - top)).store(rest + j);
  return V::exp(V::max(least, counted_scores<V>(s, mask, t.shift) - top));
}

// The sum of those that count by one mask, in every lane.
template <class V>
inline V sum_counted(V first, const typename V::Real* rest, int m, const typename V::Real* mask) {
  V sum = first * V::load(mask);
  for (int j = V::kWidth; j < m; j += V::kWidth)
    sum = V::fma(V::load(rest + j), V::load(mask + j), sum);
  return V::sum_lanes(sum);
}

// A sum below this has lost digits: all of its scores are far below the top.
constexpr float kLeastSum = 1e-15f;

// The softmax of one owner, whose target is column k: errors to `out`, which may be s. False, and
// nothing done, if all scores are far below the top.
template <class V, bool kLoss>
inline bool one_softmax_errors(const typename V::Real* s, const Targets<typename V::Real>& t, int k,
                               V rate, V top, typename V::Real* rest, typename V::Real* out,
                               LossSum<V>& loss) {
  const typename V::Real* mask = t.mask + k * t.mask_step;
  const V first = counted_exponentials<V>(s, t, mask, top, rest);
  const V sum = sum_counted<V>(first, rest, t.m, mask), share = rate * V::recip(sum);
  if (sum.first() < kLeastSum) return false;
  if constexpr (kLoss)
    loss.add_log(static_cast<double>(sum.first()),
                 static_cast<double>(top.first()) - static_cast<double>(s[k] - t.shift[k]));
  else
    loss.watch(sum);
  for (int j = 0; j < t.m; j += V::kWidth) {
    const V e = j == 0 ? first : V::load(rest + j);
    ((rate * V::load(t.labels + j) - share * e) * V::load(mask + j)).store(out + j);
  }
  return true;
}

// The errors of both owners' softmax in place; they share most exponentials.
template <class V, bool kLoss>
inline bool both_softmax_errors(typename V::Real* s, const Targets<typename V::Real>& t, V rate,
                                V top, typename V::Real* rest, LossSum<V>& loss) {
  using Real = typename V::Real;
  const Real *first = t.mask, *second = t.mask + t.mask_step, *both = t.mask + kBoth * t.mask_step;
  const V first_e = counted_exponentials<V>(s, t, both, top, rest);
  const V sums[] = {sum_counted<V>(first_e, rest, t.m, first),
                    sum_counted<V>(first_e, rest, t.m, second)};
  const double sum = static_cast<double>(sums[0].first()),
               other = static_cast<double>(sums[1].first());
  if (sum < static_cast<double>(kLeastSum) || other < static_cast<double>(kLeastSum)) return false;
  if constexpr (kLoss)
    loss.add_log(sum * other, 2 * static_cast<double>(top.first()) -
                                  static_cast<double>(s[0] - t.shift[0]) -
                                  static_cast<double>(s[1] - t.shift[1]));
  else
    loss.watch(sums[0] + sums[1]);
  const V shares[] = {rate * V::recip(sums[0]), rate * V::recip(sums[1])};
  for (int j = 0; j < t.m; j += V::kWidth) {
    const V e = j == 0 ? first_e : V::load(rest + j);
    const V share = V::fma(shares[0], V::load(first + j), shares[1] * V::load(second + j));
    (rate * V::load(t.labels + j) * V::load(both + j) - share * e).store(s + j);
  }
  return true;
}

// In place, for n rows of few scores whose targets are the first columns, one for each owner: S to
// G = lr * mask * (label - softmax(S - shift)), where the softmax is over the target and the other
// columns that count for its owner. The loss is -log p(target), summed. `scratch` holds two rows.
//
// The exponentials of all rows are relative to one maximum, the highest score of all: finding that
// of each row would take as long as everything else. Only a row that is far below it gets its own.
template <class V, bool kLoss>
inline void shifted_softmax_errors(Scores<typename V::Real> s, int n,
                                   const Targets<typename V::Real>& t, typename V::Real lr,
                                   typename V::Real* scratch, LossSum<V>& loss) {
  using Real = typename V::Real;
  const V rate = V::set1(lr);
  const bool owned = t.owners != nullptr;
  const V top = highest_counted<V>(s, n, t, owned ? t.mask + kBoth * t.mask_step : t.mask);
  for (int i = 0; i < n; ++i) {
    const Scores<Real> row{s.at(i, 0), s.stride};
    const int owner = owned ? t.owners[i] : 0;
    if (owner == kBoth
            ? both_softmax_errors<V, kLoss>(row.data, t, rate, top, scratch, loss)
            : one_softmax_errors<V, kLoss>(row.data, t, owner, rate, top, scratch, row.data, loss))
      continue;
    Real* out = owner == kBoth ? scratch + t.mask_step : row.data;
    for (int k = owner == kSecond ? 1 : 0; k <= (owner == kFirst ? 0 : 1); ++k, out = row.data) {
      const V highest = highest_counted<V>(row, 1, t, t.mask + k * t.mask_step);
      one_softmax_errors<V, kLoss>(row.data, t, k, rate, highest, scratch, out, loss);
    }
    for (int j = 0; owner == kBoth && j < t.m; j += V::kWidth)
      (V::load(row.at(0, j)) + V::load(scratch + t.mask_step + j)).store(row.at(0, j));
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
