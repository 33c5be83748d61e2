// Any decimal text -> the nearest double, and back to the shortest text that gives the same number.
//
// std::from_chars and std::to_chars do both, whatever the locale; but Apple's C++ library reads no
// doubles, and writes none before macOS 13.3. There the C library must, under its "C" locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

#if defined(__APPLE__)
#include <xlocale.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#endif

namespace pyw2v {

#if defined(__APPLE__)

// A null locale is the "C" locale here.
inline double nearest_double(const char* number, const char* end, std::int64_t) {
  return ::strtod_l(std::string(number, end).c_str(), nullptr, nullptr);
}

template <class Real>
char* write_shortest(char* begin, char* end, Real value) {
  const auto room = static_cast<std::size_t>(end - begin);
  int n = 0;
  for (int digits = std::numeric_limits<Real>::digits10;
       digits <= std::numeric_limits<Real>::max_digits10; ++digits) {
    n = ::snprintf_l(begin, room, nullptr, "%.*g", digits, static_cast<double>(value));
    if (static_cast<Real>(::strtod_l(begin, nullptr, nullptr)) == value) break;
  }
  return begin + n;
}

#else

// Whether the digits in [number, end), some of them not zero, times 10^exponent are below one.
inline bool below_one(const char* number, const char* end, std::int64_t exponent) {
  while (number < end && *number == '0') ++number;
  if (number < end && *number == '.') {
    while (++number < end && *number == '0') --exponent;
  } else {
    for (; number < end && *number >= '0' && *number <= '9'; ++number) ++exponent;
  }
  return exponent <= 0;
}

// [number, end) is a number without a sign, `written` its exponent as it is written there. Beyond
// the doubles the result is infinity or zero.
inline double nearest_double(const char* number, const char* end, std::int64_t written) {
  double value = 0;
  const std::from_chars_result result = std::from_chars(number, end, value);
  if (result.ec == std::errc::result_out_of_range)
    value = below_one(number, end, written) ? 0.0 : std::numeric_limits<double>::infinity();
  return value;
}

template <class Real>
char* write_shortest(char* begin, char* end, Real value) {
  return std::to_chars(begin, end, value).ptr;
}

#endif

}  // namespace pyw2v
