// GloVe's step: one record moves one word row and one context row, each number at a rate of its own
// (AdaGrad, Duchi et al. 2011). Included inside a target region.
#pragma once

#include "kernel_data/glove_model.h"
#include "kernels/region.h"
#include "kernels/rows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

constexpr std::size_t kGloveAhead = 3;  // records whose rows are fetched before they are needed

template <class V>
inline typename V::Real dot_rows(const typename V::Real* a, const typename V::Real* b, int width) {
  V sum[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
  int c = 0;
  for (; c + 4 * V::kWidth <= width; c += 4 * V::kWidth)
    for (int u = 0; u < 4; ++u)
      sum[u] = V::fma(V::load(a + c + u * V::kWidth), V::load(b + c + u * V::kWidth), sum[u]);
  for (; c < width; c += V::kWidth) sum[0] = V::fma(V::load(a + c), V::load(b + c), sum[0]);
  const V total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  typename V::Real out[V::kWidth];
  V::template store_sums<1>(&total, out);
  return out[0];
}

// The double twin adds up in the order of the C program.
template <>
inline double dot_rows<ScalarVec<double>>(const double* a, const double* b, int width) {
  double sum = 0;
  for (int c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

template <class V>
inline void glove_column(const GloveRow<typename V::Real>& row, int c, V value, V other, V error,
                         V clip, V lr) {
  const V gradient = V::max(V::zero() - clip, V::min(clip, error * other)) * lr;
  const V squares = V::load(row.squares + c);
  (value - V::div_sqrt(gradient, squares)).store(row.values + c);
  V::fma(gradient, gradient, squares).store(row.squares + c);
}

template <class Real>
struct GloveBias {
  Real value, square;
  GloveBias(const GloveRow<Real>& row, int dim)
      : value(row.values[dim]), square(row.squares[dim]) {}
  void step(Real gradient, const GloveRow<Real>& row, int dim) const {
    row.values[dim] = value - gradient / std::sqrt(square);
    row.squares[dim] = square + gradient * gradient;
  }
};

// The bias is in the column after the vector's last. If dim is no multiple of V's width, the vector
// operations change that column, too; it is set again afterwards.
template <class V>
inline typename V::Real glove_step(const GloveModel<typename V::Real>& model,
                                   const GloveRecord<typename V::Real>& record) {
  using Real = typename V::Real;
  const int dim = model.dim, width = whole_vectors<V>(static_cast<std::size_t>(dim));
  const GloveRow<Real> word = model.word(record.word), context = model.context(record.context);
  const GloveBias<Real> word_bias(word, dim), context_bias(context, dim);
  Real diff = dot_rows<V>(word.values, context.values, width);
  if (width > dim) diff -= word_bias.value * context_bias.value;
  diff += word_bias.value + context_bias.value - record.log_count;
  const Real weighted = record.weight * diff;
  const V error = V::set1(weighted), clip = V::set1(model.grad_clip), lr = V::set1(model.lr);
  for (int c = 0; c < width; c += V::kWidth) {
    const V w = V::load(word.values + c), x = V::load(context.values + c);
    glove_column<V>(word, c, w, x, error, clip, lr);
    glove_column<V>(context, c, x, w, error, clip, lr);
  }
  word_bias.step(model.bias_lr * weighted, word, dim);
  context_bias.step(model.bias_lr * weighted, context, dim);
  return Real(0.5) * weighted * diff;
}

template <class Real>
inline void prefetch_glove_row(const GloveRow<Real>& row, int n_bytes) {
  prefetch_row(row.values, n_bytes);
  prefetch_row(row.squares, n_bytes);
}

// Returns the sum of the records' costs.
template <class V>
double train_records(const GloveModel<typename V::Real>& model,
                     const GloveRecord<typename V::Real>* records, std::size_t n) {
  const int n_bytes = static_cast<int>(model.values.stride() * sizeof(typename V::Real));
  double cost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kGloveAhead < n) {
      prefetch_glove_row(model.word(records[i + kGloveAhead].word), n_bytes);
      prefetch_glove_row(model.context(records[i + kGloveAhead].context), n_bytes);
    }
    cost += static_cast<double>(glove_step<V>(model, records[i]));
  }
  return cost;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
