// A small, fast, seeded generator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/inline.h"

namespace pyw2v {

// SplitMix64 (Steele, Lea, Flood 2014). Chosen because its state is a counter: successive draws do
// not depend on each other, so the processor overlaps them. Passes BigCrush; 2^64 period.
class Rng {
 public:
  // Streams of different (seed, epoch, chunk) are unrelated, so what a chunk of the corpus draws
  // does not depend on which thread works on it. Inlined: a copy made by a kernel's compiler, for
  // an instruction set, could be the one that the linker keeps for all.
  PYW2V_ALWAYS_INLINE Rng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t chunk)
      : state_(mix(mix(mix(seed) + epoch) + chunk)) {}
  explicit Rng(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() { return mix(state_ += kGamma); }

  // Uniform in [0, bound) from 32 random bits without division (Lemire 2019, without the rejection
  // step: the bias is below bound / 2^32).
  static std::uint32_t below(std::uint32_t bits, std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{bits} * bound) >> 32);
  }

  // Uniform in [0, 1), of 53 random bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Uniform in [0, bound), which may exceed 32 bits; the bias is below bound / 2^53.
  std::size_t index(std::size_t bound) {
    const auto i = static_cast<std::size_t>(unit() * static_cast<double>(bound));
    return i < bound ? i : bound - 1;  // the product may round up
  }

 private:
  static constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15u;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace pyw2v
