// Remainders of many numbers by one divisor, without dividing each.
#pragma once

#include <cstdint>

namespace pyw2v {

class Remainder {
 public:
  explicit Remainder(std::uint32_t divisor)
      : divisor_(divisor), reciprocal_(UINT64_MAX / divisor) {}

  // x % divisor. 2^64 / divisor exceeds the reciprocal by less than 2, so that the quotient below
  // is less than 3 too small.
  std::uint32_t operator()(std::uint64_t x) const {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const auto quotient = static_cast<std::uint64_t>(static_cast<Wide>(x) * reciprocal_ >> 64);
    std::uint64_t rest = x - quotient * divisor_;
    rest = rest >= divisor_ ? rest - divisor_ : rest;
    rest = rest >= divisor_ ? rest - divisor_ : rest;
    return static_cast<std::uint32_t>(rest);
#else
    return static_cast<std::uint32_t>(x % divisor_);
#endif
  }

 private:
  std::uint64_t divisor_, reciprocal_;
};

}  // namespace pyw2v
