// Single rows: gather, scatter, prefetch.
#pragma once

#include "kernels/pieces.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Line by line: four at once, in an unrolled loop, made CBOW a quarter slower (AMD Zen 3).
inline void prefetch_row(const void* row, int n_bytes) {
  const char* line = static_cast<const char*>(row);
  for (int offset = 0; offset < n_bytes; offset += 64) PYW2V_PREFETCH(line + offset);
}

template <class V>
struct GatherSum {
  typename V::Real* const* rows;
  int n;
  V scale;
  typename V::Real* out;

  template <int U>
  void at(int c) const {
    V sum[U];
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) sum[u] = V::load(rows[0] + c + u * V::kWidth);
    for (int i = 1; i < n; ++i) {
      const typename V::Real* row = rows[i] + c;
      PYW2V_OPAQUE(row);
      PYW2V_UNROLL
      for (int u = 0; u < U; ++u) sum[u] = sum[u] + V::load(row + u * V::kWidth);
    }
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) (sum[u] * scale).store(out + c + u * V::kWidth);
  }
};

// out = scale * sum of n rows.
template <class V>
inline void gather_sum(typename V::Real* const* rows, int n, typename V::Real scale, int dim,
                       typename V::Real* out) {
  for_each_piece<V>(dim, GatherSum<V>{rows, n, V::set1(scale), out});
}

// out = a - b.
template <class V>
inline void subtract(const typename V::Real* a, const typename V::Real* b, int dim,
                     typename V::Real* out) {
  for (int c = 0; c < dim; c += V::kWidth) (V::load(a + c) - V::load(b + c)).store(out + c);
}

template <class V>
struct AddToRows {
  typename V::Real* const* rows;
  int n;
  V scale;
  const typename V::Real* change;

  template <int U>
  void at(int c) const {
    typename V::Real* const* to = rows;
    const int n_rows = n;
    V sum[U];
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) sum[u] = scale * V::load(change + c + u * V::kWidth);
    for (int i = 0; i < n_rows; ++i) {
      typename V::Real* row = to[i] + c;
      PYW2V_OPAQUE(row);
      PYW2V_UNROLL
      for (int u = 0; u < U; ++u)
        (V::load(row + u * V::kWidth) + sum[u]).store(row + u * V::kWidth);
    }
  }
};

// Each of n rows += scale * change.
template <class V>
inline void add_to_rows(typename V::Real* const* rows, int n, typename V::Real scale,
                        const typename V::Real* change, int dim) {
  for_each_piece<V>(dim, AddToRows<V>{rows, n, V::set1(scale), change});
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
