// The matrices and settings of a GloVe model, and the records it is trained on. Plain data, which
// the trainer fills and the kernels of every instruction set read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/matrix.h"

namespace pyw2v {

// Pennington, Socher, Manning (2014), equation 8: the cost of a record is
// weight / 2 * (word . context + their biases - log_count)^2.
template <class Real>
struct GloveRecord {
  std::uint32_t word, context;
  Real log_count;
  Real weight;  // of the count, f(x) in equation 9
};

// A vector with its bias, and the sums of squares of their gradients.
template <class Real>
struct GloveRow {
  Real* values;
  Real* squares;
};

template <class Real>
struct GloveModel {
  // The rows of words, then those of contexts: dim numbers of the vector and its bias, and in the
  // second matrix the sums of squares of their gradients. Padding is 0 in the first and 1 in the
  // second: it stays so, and nothing is ever divided by 0.
  MatrixView<Real> values;
  MatrixView<Real> squares;
  std::size_t n_words = 0;
  int dim = 0;
  Real lr = Real(0.05);
  Real bias_lr = 1;  // the C program's biases ignore its rate: 1
  Real grad_clip = 100;

  GloveRow<Real> word(std::uint32_t id) const { return row(row_number(id)); }
  GloveRow<Real> context(std::uint32_t id) const {
    return row(row_number(n_words + std::size_t{id}));
  }

 private:
  GloveRow<Real> row(RowId id) const { return {values.row(id), squares.row(id)}; }
};

}  // namespace pyw2v
