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

template <class V, int U>
inline void gather_sum_at(typename V::Real* const* rows, int n, V scale, int c,
                          typename V::Real* out) {
  V sum[U];
  for (int u = 0; u < U; ++u) sum[u] = V::load(rows[0] + c + u * V::kWidth);
  for (int i = 1; i < n; ++i)
    for (int u = 0; u < U; ++u) sum[u] = sum[u] + V::load(rows[i] + c + u * V::kWidth);
  for (int u = 0; u < U; ++u) (sum[u] * scale).store(out + c + u * V::kWidth);
}

// out = scale * sum of n rows.
template <class V>
inline void gather_sum(typename V::Real* const* rows, int n, typename V::Real scale, int dim,
                       typename V::Real* out) {
  const V factor = V::set1(scale);
  int c = 0;
  for (; c + 4 * V::kWidth <= dim; c += 4 * V::kWidth) gather_sum_at<V, 4>(rows, n, factor, c, out);
  for (; c < dim; c += V::kWidth) gather_sum_at<V, 1>(rows, n, factor, c, out);
}

// out = a - b.
template <class V>
inline void subtract(const typename V::Real* a, const typename V::Real* b, int dim,
                     typename V::Real* out) {
  for (int c = 0; c < dim; c += V::kWidth) (V::load(a + c) - V::load(b + c)).store(out + c);
}

template <class V, int U>
inline void add_to_rows_at(typename V::Real* const* rows, int n, V scale,
                           const typename V::Real* change, int c) {
  V sum[U];
  for (int u = 0; u < U; ++u) sum[u] = scale * V::load(change + c + u * V::kWidth);
  for (int i = 0; i < n; ++i) {
    typename V::Real* at = rows[i] + c;
    for (int u = 0; u < U; ++u) (V::load(at + u * V::kWidth) + sum[u]).store(at + u * V::kWidth);
  }
}

// Each of n rows += scale * change.
template <class V>
inline void add_to_rows(typename V::Real* const* rows, int n, typename V::Real scale,
                        const typename V::Real* change, int dim) {
  const V factor = V::set1(scale);
  int c = 0;
  for (; c + 4 * V::kWidth <= dim; c += 4 * V::kWidth)
    add_to_rows_at<V, 4>(rows, n, factor, change, c);
  for (; c < dim; c += V::kWidth) add_to_rows_at<V, 1>(rows, n, factor, change, c);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
