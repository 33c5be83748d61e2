#include "compat/sigmoid_table.h"

#include <cmath>

namespace pyw2v {

// The mix of float and double, and so the rounding, is the C program's.
SigmoidTable::SigmoidTable() {
  for (int i = 0; i < kSize; ++i) {
    const float x = (static_cast<float>(i) / kSize * 2 - 1) * kMaxExp;
    const auto e = static_cast<float>(std::exp(static_cast<double>(x)));
    values_[static_cast<std::size_t>(i)] = e / (e + 1);
  }
}

}  // namespace pyw2v
