// Text to words, split where Python's str.split() splits: at ASCII and Unicode white space.
//
// In: UTF-8 bytes, followed by kTextPadding blanks that belong to the caller, so that text is read
// 64 bytes at a time without asking where it ends. Out: calls for words and line feeds, in order.
// Bytes that are not UTF-8 end up inside a word, for the word table to find: a multi-byte blank is
// a whole character, so splitting never makes invalid text valid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.h"
#include "text/byte_masks.h"

namespace pyw2v {

constexpr std::size_t kTextPadding = kMaskBytes;

// Length of the white-space character at p, whose first byte is a lead, or 0. These are all that
// str.isspace() accepts beyond ASCII: U+0085 U+00A0 U+1680 U+2000-200A U+2028 U+2029 U+202F U+205F
// U+3000.
inline int wide_blank_length(const unsigned char* p) {
  switch (p[0]) {
    case 0xC2: return p[1] == 0x85 || p[1] == 0xA0 ? 2 : 0;
    case 0xE1: return p[1] == 0x9A && p[2] == 0x80 ? 3 : 0;
    case 0xE2:
      if (p[1] == 0x80) {
        const unsigned char c = p[2];
        return (c >= 0x80 && c <= 0x8A) || c == 0xA8 || c == 0xA9 || c == 0xAF ? 3 : 0;
      }
      return p[1] == 0x81 && p[2] == 0x9F ? 3 : 0;
    default: return p[0] == 0xE3 && p[1] == 0x80 && p[2] == 0x80 ? 3 : 0;
  }
}

// Calls on_word(const char* begin, std::size_t n_bytes) and on_line_feed() in the order of the
// text.
template <class OnWord, class OnLineFeed>
void tokenize(const char* text, std::size_t n, OnWord&& on_word, OnLineFeed&& on_line_feed) {
  const char* const end = text + n;
  const char* begin = text;       // of the word that is open, if one is
  std::uint64_t after_blank = 1;  // whether the byte before the block is a blank
  std::uint64_t overhang = 0;     // bytes of a long blank that began in the block before
  // The block that holds the first padding closes the last word.
  for (const char* block = text; block <= end; block += kMaskBytes) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(block);
    const ByteMasks masks = byte_masks(bytes);
    std::uint64_t blanks = masks.blanks | overhang;
    overhang = 0;
    for (std::uint64_t leads = masks.leads; leads != 0; leads &= leads - 1) {
      const int at = lowest_bit(leads);
      const int length = wide_blank_length(bytes + at);
      if (length == 0) continue;
      const std::uint64_t ones = (std::uint64_t{1} << length) - 1;
      blanks |= ones << at;
      if (at + length > 64) overhang = ones >> (64 - at);
    }
    const std::uint64_t behind_blanks = blanks << 1 | after_blank;
    std::uint64_t begins = ~blanks & behind_blanks;
    const std::uint64_t ends = blanks & ~behind_blanks;
    // Words begin and end in turn, so the next begin is always that of the next end.
    const auto open_next = [&] {
      if (begins != 0) begin = block + lowest_bit(begins);
      begins &= begins - 1;
    };
    if (after_blank != 0) open_next();
    after_blank = blanks >> 63;
    for (std::uint64_t events = ends | masks.line_feeds; events != 0; events &= events - 1) {
      const int at = lowest_bit(events);
      if (ends >> at & 1) {
        on_word(begin, static_cast<std::size_t>(block + at - begin));
        open_next();
      }
      if (masks.line_feeds >> at & 1) on_line_feed();
    }
  }
}

}  // namespace pyw2v
