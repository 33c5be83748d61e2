// Bits of machine words.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace pyw2v {

// Number of zeros below the lowest one of `bits`, which has one.
inline int lowest_bit(std::uint64_t bits) {
#if defined(_MSC_VER) && !defined(__clang__)
  unsigned long at;
  _BitScanForward64(&at, bits);
  return static_cast<int>(at);
#else
  return __builtin_ctzll(bits);
#endif
}

}  // namespace pyw2v
