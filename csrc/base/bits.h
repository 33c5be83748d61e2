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

// How many ones there are. Without the instruction, which the plain x86-64 floor does not have.
inline int count_bits(std::uint64_t bits) {
  bits -= (bits >> 1) & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>((bits * 0x0101010101010101) >> 56);
}

}  // namespace pyw2v
