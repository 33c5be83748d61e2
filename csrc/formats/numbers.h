// Decimal text -> double, and double -> the number types that vectors are kept in.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "formats/charconv.h"

namespace pyw2v {

// IEEE half precision by its bits; NumPy's float16.
struct Half {
  std::uint16_t bits;
};

// Reads one number at begin and returns where it ends, or nullptr when none starts there. The value
// is the double nearest to the text, as Python's float() has it; beyond the doubles it is infinity
// or zero. "inf", "nan" and digits joined by "_" are not numbers here.
//
// Nearly all numbers in vector files have few digits: an integer below 2^53 times or over a power
// of ten up to 10^22, all exact as doubles, is rounded once by that one operation (Clinger 1990).
// The rest go to the C++ library.
inline const char* parse_number(const char* begin, const char* end, double& value) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::int64_t kMaxPower = 22;
  constexpr std::int64_t kMaxDigits = 18;  // more might overflow the mantissa
  const auto digit = [end](const char* p) { return p < end && *p >= '0' && *p <= '9'; };

  const char* p = begin;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  const char* const number = p;
  std::uint64_t mantissa = 0;
  for (; digit(p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  std::int64_t n_digits = p - number;
  std::int64_t exponent = 0;
  if (p < end && *p == '.') {
    const char* const fraction = ++p;
    for (; digit(p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    exponent = fraction - p;
    n_digits -= exponent;
  }
  if (n_digits == 0) return nullptr;
  std::int64_t written = 0;
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    const bool down = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) ++q;
    if (!digit(q)) return nullptr;
    for (; digit(q); ++q) {
      if (written < 100'000'000'000) written = written * 10 + (*q - '0');
    }
    if (down) written = -written;
    exponent += written;
    p = q;
  }
  if (n_digits <= kMaxDigits && mantissa < (std::uint64_t{1} << 53) && exponent >= -kMaxPower &&
      exponent <= kMaxPower) {
    value = static_cast<double>(mantissa);
    value = exponent < 0 ? value / kPowers[-exponent] : value * kPowers[exponent];
  } else {
    value = nearest_double(number, p, written);
  }
  if (negative) value = -value;
  return p;
}

// Nearest, ties to even, as NumPy rounds. Text gives doubles, so float32 values are those of
// numpy.float32(float(text)).
template <class Out>
struct Rounded;

template <>
struct Rounded<double> {
  static bool fits(double value) { return std::fabs(value) <= std::numeric_limits<double>::max(); }
  static double of(double value) { return value; }
};

template <>
struct Rounded<float> {
  // Half way between the largest float and 2^128 rounds to infinity.
  static bool fits(double value) { return std::fabs(value) < 0x1.ffffffp127; }
  static float of(double value) { return static_cast<float>(value); }
};

template <>
struct Rounded<Half> {
  static bool fits(double value) { return std::fabs(value) < 65520.0; }
  static Half of(double value) {
    const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
    const double size = std::fabs(value);
    unsigned bits;
    if (std::isnan(value)) {
      bits = 0x7e00u;
    } else if (!fits(value)) {
      bits = 0x7c00u;
    } else if (size < 0x1p-14) {  // subnormal, in units of 2^-24
      bits = static_cast<unsigned>(std::nearbyint(size * 0x1p24));
    } else {  // a carry out of the ten bits moves on to the next exponent, as it should
      const int exponent = std::ilogb(size);
      const auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));
      bits = (static_cast<unsigned>(exponent + 15) << 10) + steps - 1024u;
    }
    return Half{static_cast<std::uint16_t>(sign | bits)};
  }
};

}  // namespace pyw2v
