// Classifies 64 bytes of UTF-8 text, one bit per byte. Many bytes at a time, since a loop over
// bytes would branch at blanks, which no branch predictor can foresee.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#endif

namespace pyw2v {

// ASCII white space: what str.split() knows, the separators 0x1C to 0x1F too.
constexpr bool is_ascii_blank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == ' ' || (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x1F);
}

// First bytes of the characters among which the other blanks are: C2, E1, E2, E3.
constexpr bool is_blank_lead(unsigned char c) { return c == 0xC2 || (c >= 0xE1 && c <= 0xE3); }

struct ByteMasks {
  std::uint64_t blanks = 0;      // ASCII white space, line feeds too
  std::uint64_t line_feeds = 0;  // '\n'
  std::uint64_t leads = 0;       // bytes with which a longer blank may begin
};

constexpr std::size_t kMaskBytes = 64;

#if defined(__SSE2__) || defined(_M_X64)

inline ByteMasks byte_masks(const unsigned char* p) {
  ByteMasks masks;
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    // Unsigned x <= n is min(x, n) == x.
    const auto within = [bytes](char first, char more) {
      const __m128i from = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(_mm_min_epu8(from, _mm_set1_epi8(more)), from);
    };
    const auto bits = [i](__m128i lanes) {
      return static_cast<std::uint64_t>(_mm_movemask_epi8(lanes)) << i;
    };
    masks.blanks |= bits(_mm_or_si128(within(0x09, 4), within(0x1C, 4)));
    masks.line_feeds |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    masks.leads |=
        bits(_mm_or_si128(within(static_cast<char>(0xE1), 2),
                          _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(0xC2)))));
  }
  return masks;
}

#elif defined(__aarch64__) || defined(_M_ARM64)

inline ByteMasks byte_masks(const unsigned char* p) {
  const std::uint8_t powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t weights = vld1q_u8(powers);
  const uint8x16_t bytes[4] = {vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)};
  const auto within = [](uint8x16_t b, std::uint8_t first, std::uint8_t more) {
    return vcleq_u8(vsubq_u8(b, vdupq_n_u8(first)), vdupq_n_u8(more));
  };
  // Lanes of all or no ones to one bit each: weighted, then added in pairs three times.
  const auto bits = [weights](uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    const uint8x16_t low = vpaddq_u8(vandq_u8(a, weights), vandq_u8(b, weights));
    const uint8x16_t high = vpaddq_u8(vandq_u8(c, weights), vandq_u8(d, weights));
    const uint8x16_t sums = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
  };
  const auto of_all = [&bytes, &bits](auto&& test) {
    return bits(test(bytes[0]), test(bytes[1]), test(bytes[2]), test(bytes[3]));
  };
  return {of_all([&](uint8x16_t b) { return vorrq_u8(within(b, 0x09, 4), within(b, 0x1C, 4)); }),
          of_all([](uint8x16_t b) { return vceqq_u8(b, vdupq_n_u8('\n')); }),
          of_all([&](uint8x16_t b) {
            return vorrq_u8(within(b, 0xE1, 2), vceqq_u8(b, vdupq_n_u8(0xC2)));
          })};
}

#else

inline ByteMasks byte_masks(const unsigned char* p) {
  ByteMasks masks;
  for (std::size_t i = 0; i < kMaskBytes; ++i) {
    masks.blanks |= std::uint64_t{is_ascii_blank(static_cast<char>(p[i]))} << i;
    masks.line_feeds |= std::uint64_t{p[i] == '\n'} << i;
    masks.leads |= std::uint64_t{is_blank_lead(p[i])} << i;
  }
  return masks;
}

#endif

}  // namespace pyw2v
