// Single rows: gather, scatter, prefetch.
#pragma once

#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

inline void prefetch_row(const void* row, int n_bytes) {
  const char* line = static_cast<const char*>(row);
  for (int offset = 0; offset < n_bytes; offset += 64) PYW2V_PREFETCH(line + offset);
}

// out = scale * sum of n rows.
template <class V>
inline void gather_sum(typename V::Real* const* rows, int n, typename V::Real scale, int dim,
                       typename V::Real* out) {
  const V factor = V::set1(scale);
  for (int c = 0; c < dim; c += V::kWidth) {
    V sum = V::load(rows[0] + c);
    for (int i = 1; i < n; ++i) sum = sum + V::load(rows[i] + c);
    (sum * factor).store(out + c);
  }
}

// row += scale * change.
template <class V>
inline void add_scaled(typename V::Real* row, typename V::Real scale,
                       const typename V::Real* change, int dim) {
  const V factor = V::set1(scale);
  for (int c = 0; c < dim; c += V::kWidth)
    V::fma(factor, V::load(change + c), V::load(row + c)).store(row + c);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
