// A row in pieces whose vectors stay in registers.
#pragma once

#include "kernels/region.h"
#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Vectors of two rows that 16 registers hold, beside a factor and one more.
constexpr int kPiece = 7;

// Calls piece.at<U>(c) for U vectors from column c on, until all `dim` columns are done.
template <class V, class Piece>
inline void for_each_piece(int dim, const Piece& piece) {
  int c = 0;
  for (; c + kPiece * V::kWidth <= dim; c += kPiece * V::kWidth) piece.template at<kPiece>(c);
  switch ((dim - c) / V::kWidth) {
    case 1: return piece.template at<1>(c);
    case 2: return piece.template at<2>(c);
    case 3: return piece.template at<3>(c);
    case 4: return piece.template at<4>(c);
    case 5: return piece.template at<5>(c);
    case 6: return piece.template at<6>(c);
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
