// word2vec.c's table of sigmoids, its expTable: equal to it to the last bit.
//
// In: a score x. Out: the sigmoid of the left end of the step of the table that x is in; 1 above
// max_exp, 0 below -max_exp. This is the only table of sigmoids in training, and the exact engine
// its only user: all other kernels compute sigmoids, which is faster with vectors and exact.
#pragma once

#include <array>
#include <cstddef>

namespace pyw2v {

class SigmoidTable {
 public:
  static constexpr int kSize = 1000;  // EXP_TABLE_SIZE
  static constexpr int kMaxExp = 6;   // MAX_EXP

  SigmoidTable();

  const std::array<float, kSize>& values() const { return values_; }

  // Whether the table has x: for other scores hierarchical softmax learns nothing.
  static bool covers(float x) { return !(x <= -kMaxExp || x >= kMaxExp); }

  // x must not be NaN.
  float operator()(float x) const {
    // 83 for 83.33: the C program divides its integers, so the table's last entries are never used.
    constexpr int kPerUnit = kSize / kMaxExp / 2;
    if (x > kMaxExp) return 1;
    if (x < -kMaxExp) return 0;
    return values_[static_cast<std::size_t>((x + kMaxExp) * kPerUnit)];
  }

 private:
  std::array<float, kSize> values_;
};

}  // namespace pyw2v
