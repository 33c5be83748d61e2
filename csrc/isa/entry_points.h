// The functions a KernelTable points to. Included last inside a target region.
#pragma once

#include "kernels/byte_filter.h"
#include "kernels/centroids.h"
#include "kernels/region.h"
#include "kernels/topk.h"
#include "models/classifier.h"
#include "models/glove.h"
#include "models/policies.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class V>
double block_step(typename V::Real* const* x, int n, typename V::Real* const* y, int m, int dim,
                  const typename V::Real* labels, const typename V::Real* mask, typename V::Real lr,
                  typename V::Real* g, typename V::Real* scratch) {
  using Real = typename V::Real;
  const int width = whole_vectors<V>(static_cast<std::size_t>(dim));
  const bool differ = all_differ(y, m);
  const Block<Real> block{x, n, y, m, width, differ, scratch};
  const Scores<Real> scores{g, score_columns(m)};
  LossSum<V> loss;
  score<V>(block, scores);
  logistic_errors<V, true>(scores, n, {y, labels, mask, m, differ}, lr, loss);
  update<V>(block, scores);
  return loss.total();
}

template <class V>
double fma_work(long n_steps, float* sink) {
  constexpr int kChains = 12;  // enough to cover the latency of two FMA units
  V acc[kChains];
  for (int k = 0; k < kChains; ++k) acc[k] = V::set1(static_cast<float>(k));
  const V factor = V::set1(sink[0]), term = V::set1(sink[1]);
  for (long step = 0; step < n_steps; ++step)
    for (int k = 0; k < kChains; ++k) acc[k] = V::fma(acc[k], factor, term);
  V sum = V::zero();
  for (int k = 0; k < kChains; ++k) sum = sum + acc[k];
  float lanes[V::kWidth];
  sum.store(lanes);
  sink[2] = lanes[0];
  return 2.0 * V::kWidth * kChains * static_cast<double>(n_steps);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
