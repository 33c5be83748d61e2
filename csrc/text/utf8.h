// UTF-8, as strictly as Python's decoder: no surrogates, no overlong forms, nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pyw2v {

// Length in bytes of the character at p, or 0 when [p, end) does not begin with a valid one.
inline std::size_t utf8_length(const unsigned char* p, const unsigned char* end) {
  const auto follows = [&](std::ptrdiff_t i) { return end - p > i && (p[i] & 0xC0) == 0x80; };
  const unsigned char lead = p[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (!follows(1)) return 0;
  if (lead < 0xE0) return 2;
  if (lead == 0xE0 && p[1] < 0xA0) return 0;
  if (lead == 0xED && p[1] >= 0xA0) return 0;
  if (lead == 0xF0 && p[1] < 0x90) return 0;
  if (lead == 0xF4 && p[1] >= 0x90) return 0;
  if (lead > 0xF4 || !follows(2)) return 0;
  if (lead < 0xF0) return 3;
  return follows(3) ? 4 : 0;
}

// Offset of the first byte that is not part of a valid character, or n when there is none.
inline std::size_t utf8_valid_prefix(const char* text, std::size_t n) {
  const auto* const begin = reinterpret_cast<const unsigned char*>(text);
  const unsigned char* p = begin;
  const unsigned char* const end = begin + n;
  while (p < end) {
    const std::size_t length = utf8_length(p, end);
    if (length == 0) break;
    p += length;
  }
  return static_cast<std::size_t>(p - begin);
}

// The bytes of a character; a surrogate's look like those of its neighbours.
inline void append_utf8(std::string& text, std::uint32_t character) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto follow = [&](int shift) { put(0x80 | ((character >> shift) & 0x3F)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | (character >> 6));
    follow(0);
  } else if (character < 0x10000) {
    put(0xE0 | (character >> 12));
    follow(6);
    follow(0);
  } else {
    put(0xF0 | (character >> 18));
    follow(12);
    follow(6);
    follow(0);
  }
}

}  // namespace pyw2v
