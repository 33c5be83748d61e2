// Matrix products for batches of inputs against many rows.
//
//     C (+)= A B        A: n x k scalars, B: k rows of whole vectors, C: n rows of whole vectors
//
// Lanes are columns of B and C; elements of A are broadcast, and may lie by rows or by columns. So
// nothing is summed across lanes, and the scores of a batch, the change of its inputs and the
// change of the output rows are all this one product (see models/batch.h).
#pragma once

#include "kernels/region.h"
#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Element (i, k) is data[i * row_step + k * term_step].
template <class Real>
struct Factors {
  const Real* data;
  std::ptrdiff_t row_step;
  std::ptrdiff_t term_step;
};

// Row i begins at data + i * step.
template <class Real>
struct Rows {
  Real* data;
  std::ptrdiff_t step;
};

enum class Into { kZero, kSum };  // what C holds before: nothing, or what is added to

// kRows x kVectors sums stay in registers: 4 x 3, 6 x 2 and 8 x 1 leave room, in sixteen, for the
// vectors of B and one broadcast, and are enough to hide the latency of the multiply-add.
template <class V, int kRows, int kVectors, Into kInto>
inline void product_tile(const Factors<typename V::Real>& a, int first,
                         Rows<const typename V::Real> b, int n_terms, Rows<typename V::Real> c,
                         int column) {
  using Real = typename V::Real;
  const Real* factors[kRows];
  V sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i) {
    factors[i] = a.data + (first + i) * a.row_step;
    for (int v = 0; v < kVectors; ++v)
      sums[i][v] = kInto == Into::kZero
                       ? V::zero()
                       : V::load(c.data + (first + i) * c.step + column + v * V::kWidth);
  }
  const Real* row = b.data + column;
  const std::ptrdiff_t term_step = a.term_step, b_step = b.step;
  std::ptrdiff_t at = 0;
  for (int k = 0; k < n_terms; ++k, row += b_step, at += term_step) {
    V terms[kVectors];
    for (int v = 0; v < kVectors; ++v) terms[v] = V::load(row + v * V::kWidth);
    for (int i = 0; i < kRows; ++i) {
      const V factor = V::set1(factors[i][at]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = V::fma(factor, terms[v], sums[i][v]);
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v)
      sums[i][v].store(c.data + (first + i) * c.step + column + v * V::kWidth);
}

template <class V, int kRows, int kVectors, Into kInto>
inline void product_columns(const Factors<typename V::Real>& a, int n_rows,
                            Rows<const typename V::Real> b, int n_terms, Rows<typename V::Real> c,
                            int column) {
  int i = 0;
  for (; i + kRows <= n_rows; i += kRows)
    product_tile<V, kRows, kVectors, kInto>(a, i, b, n_terms, c, column);
  for (; i + 2 <= n_rows; i += 2) product_tile<V, 2, kVectors, kInto>(a, i, b, n_terms, c, column);
  if (i < n_rows) product_tile<V, 1, kVectors, kInto>(a, i, b, n_terms, c, column);
}

// `columns` of C and B: a whole number of vectors.
template <class V, Into kInto>
inline void product(const Factors<typename V::Real>& a, int n_rows, Rows<const typename V::Real> b,
                    int n_terms, Rows<typename V::Real> c, int columns) {
  int column = 0, left = columns / V::kWidth;
  while (left > 0) {
    const int take = left == 4 ? 2 : left < 3 ? left : 3;  // 2 + 2 is quicker than 3 + 1
    if (take == 3) product_columns<V, 4, 3, kInto>(a, n_rows, b, n_terms, c, column);
    if (take == 2) product_columns<V, 6, 2, kInto>(a, n_rows, b, n_terms, c, column);
    if (take == 1) product_columns<V, 8, 1, kInto>(a, n_rows, b, n_terms, c, column);
    column += take * V::kWidth;
    left -= take;
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
