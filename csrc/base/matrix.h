// Rows of numbers, aligned and padded so that kernels may read whole vectors up to the stride.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.h"

namespace pyw2v {

constexpr std::size_t kRowAlignment = 64;  // bytes; one cache line, and the widest vector

// A matrix owned elsewhere. Invariants: data is kRowAlignment-aligned, stride is a multiple of
// kRowAlignment / sizeof(Real), and columns dim..stride of every row are zero: kernels compute on
// the padding, and zero stays zero under every update.
template <class Real>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(Real* data, std::size_t n_rows, std::size_t dim, std::size_t stride)
      : data_(data), n_rows_(n_rows), dim_(dim), stride_(stride) {}

  // 64-bit: 15M words of 300 floats overflow a 32-bit offset.
  Real* row(RowId id) const { return data_ + std::size_t{raw(id)} * stride_; }

  // N of them, in a form that compilers turn into vectors: products of 32-bit numbers.
  template <int N>
  void rows_at(const std::int32_t* ids, Real** out) const {
    const auto stride = static_cast<std::uint32_t>(stride_);
    Real* rows[N];
    for (int i = 0; i < N; ++i)
      rows[i] = data_ + std::uint64_t{static_cast<std::uint32_t>(ids[i])} * stride;
    for (int i = 0; i < N; ++i) out[i] = rows[i];
  }

  bool empty() const { return data_ == nullptr; }
  std::size_t n_rows() const { return n_rows_; }
  std::size_t dim() const { return dim_; }
  std::size_t stride() const { return stride_; }

 private:
  Real* data_ = nullptr;
  std::size_t n_rows_ = 0;
  std::size_t dim_ = 0;
  std::size_t stride_ = 0;
};

// The stride that MatrixView requires.
template <class Real>
constexpr std::size_t padded_stride(std::size_t dim) {
  constexpr std::size_t kStep = kRowAlignment / sizeof(Real);
  return (dim + kStep - 1) / kStep * kStep;
}

}  // namespace pyw2v
