// Reconciles the copies of hot rows with the shared rows; see kernel_data/hot_rows.h.
#pragma once

#include "kernel_data/hot_rows.h"
#include "kernels/region.h"
#include "kernels/rows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class Real>
inline Real* common_row(const HotRows<Real>& hot, int i) {
  return hot.common.row(row_number(hot.first + i));
}

template <class Real>
inline void take_copies(const HotRows<Real>& hot) {
  const std::size_t n_bytes = static_cast<std::size_t>(hot.n) * hot.common.stride() * sizeof(Real);
  if (n_bytes == 0) return;
  std::memcpy(hot.copies.data(), common_row(hot, 0), n_bytes);
  std::memcpy(hot.known.data(), hot.copies.data(), n_bytes);
}

// Two workers that do this to one row at the same moment may lose a change, as they may with any
// row.
template <class V>
inline void reconcile_row(const HotRows<typename V::Real>& hot, int i) {
  using Real = typename V::Real;
  const int dim = whole_vectors<V>(hot.common.dim());
  Real* common = common_row(hot, i);
  Real* copy = hot.copy(i);
  Real* known = hot.known.data() + (copy - hot.copies.data());
  for (int c = 0; c < dim; c += V::kWidth) {
    const V now = V::load(common + c) + (V::load(copy + c) - V::load(known + c));
    now.store(common + c);
    now.store(copy + c);
    now.store(known + c);
  }
}

template <class V>
inline void reconcile_next(HotRows<typename V::Real>& hot) {
  if (hot.n == 0) return;
  reconcile_row<V>(hot, hot.at_turn());
  hot.end_turn();
  prefetch_row(common_row(hot, hot.at_turn()),
               static_cast<int>(hot.common.dim() * sizeof(typename V::Real)));
}

template <class V>
inline void reconcile_all(const HotRows<typename V::Real>& hot) {
  for (int i = 0; i < hot.n; ++i) reconcile_row<V>(hot, i);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
