// Text to words, split where Python's str.split() splits: at ASCII and Unicode white space.
//
// In: UTF-8 bytes, followed by kTextPadding blanks that belong to the caller, so that words can be
// read eight bytes at a time without asking where the text ends. Out: calls for words and line
// feeds, in order. Bytes that are not UTF-8 end up inside a word, for the word table to find: a
// multi-byte blank is a whole character, so splitting never makes invalid text valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pyw2v {

constexpr std::size_t kTextPadding = 16;

enum class ByteKind : std::uint8_t {
  kWord,       // part of a word, whatever follows
  kBlank,      // ASCII white space, also the separators 0x1C to 0x1F that str.split() knows
  kLineFeed,   // a blank that may end a sentence
  kBlankLead,  // first byte of a character that may be a blank
};

constexpr ByteKind byte_kind(unsigned char c) {
  if (c == '\n') return ByteKind::kLineFeed;
  if (c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F)) return ByteKind::kBlank;
  if (c == 0xC2 || (c >= 0xE1 && c <= 0xE3)) return ByteKind::kBlankLead;
  return ByteKind::kWord;
}

// True for the bytes at which a text may be cut in two without looking at its characters.
constexpr bool is_ascii_blank(char c) {
  const ByteKind kind = byte_kind(static_cast<unsigned char>(c));
  return kind == ByteKind::kBlank || kind == ByteKind::kLineFeed;
}

struct ByteKinds {
  ByteKind kind[256];
  constexpr ByteKinds() : kind() {
    for (int c = 0; c < 256; ++c) kind[c] = byte_kind(static_cast<unsigned char>(c));
  }
};
inline constexpr ByteKinds kByteKinds{};

// Length of the white-space character at p, whose first byte is a kBlankLead, or 0. These are all
// that str.isspace() accepts beyond ASCII: U+0085 U+00A0 U+1680 U+2000-200A U+2028 U+2029 U+202F
// U+205F U+3000.
inline std::size_t wide_blank_length(const unsigned char* p) {
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

// A bit in every byte of v that is not printable ASCII; exact up to the lowest such byte, which is
// all that is used (a borrow can only mark bytes above it).
inline std::uint64_t special_bytes(std::uint64_t v) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  return (((v - kOnes * 0x21) & ~v) | v) & (kOnes * 0x80);
}

// The first byte at or after p that is no part of the word p points into.
inline const unsigned char* word_end(const unsigned char* p) {
  for (;;) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    std::uint64_t v;
    std::memcpy(&v, p, sizeof v);
    const std::uint64_t special = special_bytes(v);
    if (special == 0) {
      p += sizeof v;
      continue;
    }
    p += __builtin_ctzll(special) / 8;
#endif
    const ByteKind kind = kByteKinds.kind[*p];
    if (kind == ByteKind::kBlank || kind == ByteKind::kLineFeed) return p;
    if (kind == ByteKind::kBlankLead && wide_blank_length(p) > 0) return p;
    ++p;
  }
}

// Calls on_word(const char* begin, std::size_t n_bytes) and on_line_feed() in the order of the
// text.
template <class OnWord, class OnLineFeed>
void tokenize(const char* text, std::size_t n, OnWord&& on_word, OnLineFeed&& on_line_feed) {
  const auto* p = reinterpret_cast<const unsigned char*>(text);
  const unsigned char* const end = p + n;
  while (p < end) {
    switch (kByteKinds.kind[*p]) {
      case ByteKind::kLineFeed:
        on_line_feed();
        ++p;
        continue;
      case ByteKind::kBlank: ++p; continue;
      case ByteKind::kBlankLead:
        if (const std::size_t length = wide_blank_length(p)) {
          p += length;
          continue;
        }
        break;
      case ByteKind::kWord: break;
    }
    const unsigned char* const begin = p;
    p = word_end(p);
    on_word(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(p - begin));
  }
}

}  // namespace pyw2v
