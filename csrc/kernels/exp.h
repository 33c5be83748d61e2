// e^a for a <= 0 in single-precision vectors.
#pragma once

#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// A score far below all others: e^(kNoScore - score) adds nothing to a sum.
constexpr float kNoScore = -1e30f;

// a = n ln 2 + r with |r| <= ln 2 / 2 (ln 2 in two parts, Cody and Waite), e^r by a polynomial of
// degree 6; relative error below 2e-7. Arguments under -87 give e^-87, which no sigmoid can tell
// from zero. NaN gives NaN: divergence must stay visible.
//
// Adding 1.5 * 2^23 rounds a small number and leaves it in the lowest bits; 127 more, the bias of
// exponents, and those bits need but be shifted into the exponent's place to make 2^n.
template <class V>
inline V exp_nonpositive(V a) {
  const V shift = V::set1(12582912.0f + 127.0f);
  a = V::max(V::set1(-87.0f), a);
  const V biased = V::fma(a, V::set1(1.44269504f), shift);
  const V n = biased - shift;
  V r = V::fma(n, V::set1(-0.693359375f), a);
  r = V::fma(n, V::set1(2.12194440e-4f), r);
  V p = V::set1(1.9875691e-4f);
  p = V::fma(p, r, V::set1(1.3981999e-3f));
  p = V::fma(p, r, V::set1(8.3334519e-3f));
  p = V::fma(p, r, V::set1(4.1665796e-2f));
  p = V::fma(p, r, V::set1(1.6666666e-1f));
  p = V::fma(p, r, V::set1(5.0000001e-1f));
  p = V::fma(p, r * r, r) + V::set1(1.0f);
  return p * V::low_bits_to_exponent(biased);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
