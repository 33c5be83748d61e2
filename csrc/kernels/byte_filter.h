// Rows that may beat a threshold, found with bytes in a quarter of the time that floats take.
//
// Lanes are queries, as in kernels/topk.h: four bytes of a row are broadcast and meet the same four
// of a whole vector of queries. Only the instruction sets below multiply bytes; the others leave
// KernelTable::byte_filter null and score every row.
#pragma once

#include "kernel_data/byte_filter_tile.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

#if defined(PYW2V_SIMD_AVX2)

inline float horizontal_sum(__m128 v) {
  v = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}

inline __m128 halves_added(__m256 v) {
  return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}

// Squared lengths of the two halves: elements 0 and 1 of each four, and 2 and 3.
struct HalfSquares {
  float first, second;
  explicit HalfSquares(__m256 squares) {
    const __m128 four = halves_added(squares);
    first = _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
    second =
        _mm_cvtss_f32(_mm_add_ss(_mm_shuffle_ps(four, four, 2), _mm_shuffle_ps(four, four, 3)));
  }
  float larger() const { return first > second ? first : second; }
  float sum() const { return first + second; }
};

inline __m256 load_elements(const float* x, std::size_t dim, std::size_t c) {
  if (c + 8 <= dim) return _mm256_loadu_ps(x + c);
  const __m256i left = _mm256_set1_epi32(static_cast<int>(dim - c));
  return _mm256_maskload_ps(x + c,
                            _mm256_cmpgt_epi32(left, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

inline ByteVector quantize(const float* x, std::size_t dim, int max_byte, int offset,
                           std::uint8_t* bytes) {
  __m256 squares = _mm256_setzero_ps(), largest = _mm256_setzero_ps();
  for (std::size_t c = 0; c < dim; c += 8) {
    const __m256 v = load_elements(x, dim, c);
    squares = _mm256_fmadd_ps(v, v, squares);
    largest = _mm256_max_ps(largest, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v));
  }
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(largest), _mm256_extractf128_ps(largest, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  const float peak = _mm_cvtss_f32(_mm_max_ss(four, _mm_shuffle_ps(four, four, 1)));
  const HalfSquares before(squares);

  // Between these lengths neither the squares above nor a score overflow or vanish; what is not a
  // number fails both comparisons.
  constexpr float kShortest = 1e-12f, kLongest = 1e12f;
  const bool zero = peak == 0.0f && before.sum() == 0.0f;
  bool representable =
      zero || (before.sum() > kShortest * kShortest && before.sum() < kLongest * kLongest);
  float unit = 1.0f;
  if (!zero && representable) {
    // One less than allowed, since rounding may lengthen a vector; that is checked below.
    const float by_norm = (kMaxHalfNorm - 1) / std::sqrt(before.larger());
    const float by_peak = static_cast<float>(max_byte) / peak;
    unit = by_norm < by_peak ? by_norm : by_peak;
  }

  const __m256 factor = _mm256_set1_ps(representable ? unit : 0.0f);
  const __m128i offsets = _mm_set1_epi16(static_cast<short>(offset));
  __m256 residual = _mm256_setzero_ps();
  squares = _mm256_setzero_ps();
  for (std::size_t c = 0; c < dim; c += 8) {
    const __m256 v = load_elements(x, dim, c);
    const __m256i rounded = _mm256_cvtps_epi32(_mm256_mul_ps(v, factor));
    const __m256 b = _mm256_cvtepi32_ps(rounded);
    const __m256 rest = _mm256_fmsub_ps(v, factor, b);
    residual = _mm256_fmadd_ps(rest, rest, residual);
    squares = _mm256_fmadd_ps(b, b, squares);
    const __m128i words = _mm_add_epi16(
        _mm_packs_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1)),
        offsets);
    const __m128i packed =
        offset > 0 ? _mm_packus_epi16(words, words) : _mm_packs_epi16(words, words);
    const std::size_t left = (dim - c + kByteGroup - 1) / kByteGroup * kByteGroup;
    if (left >= 8) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(bytes + c), packed);
    } else {
      const int last = _mm_cvtsi128_si32(packed);
      std::memcpy(bytes + c, &last, sizeof(last));
    }
  }
  const HalfSquares after(squares);
  representable = representable && after.larger() <= kMaxHalfNorm * kMaxHalfNorm;

  constexpr float kUp = 1.001f;  // more than the rounding of a sum of up to kMaxByteDim squares
  return {unit, kUp * unit * std::sqrt(before.sum()), kUp * std::sqrt(after.sum()),
          kUp * std::sqrt(horizontal_sum(halves_added(residual))), representable};
}

// One bit for each query of the vector whose threshold the row may beat.
inline int may_beat(__m256i sums, __m256 unit, __m256 slack, const float* limits) {
  const __m256i sum = _mm256_madd_epi16(sums, _mm256_set1_epi16(1));  // of the two in a lane
  const __m256 limit = _mm256_fmsub_ps(_mm256_load_ps(limits), unit, slack);
  return _mm256_movemask_ps(_mm256_cmp_ps(_mm256_cvtepi32_ps(sum), limit, _CMP_GT_OQ));
}

// GCC would unroll the short loops too late to keep the sums in registers.
template <int kVectors, int kRows>
inline void filter_rows(ByteTile& tile, std::size_t row) {
  constexpr std::size_t kBytes = 32;
  const std::uint8_t* const rows = tile.rows + row * tile.row_stride;
  const std::int8_t* query = tile.queries;
  __m256i sums[kRows][kVectors];
  PYW2V_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const __m256i start = _mm256_load_si256(reinterpret_cast<const __m256i*>(tile.starts) + v);
    PYW2V_UNROLL
    for (int i = 0; i < kRows; ++i) sums[i][v] = start;
  }
  for (std::size_t g = 0; g < tile.n_groups; ++g, query += kVectors * kBytes) {
    __m256i queries[kVectors];
    PYW2V_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      queries[v] = _mm256_load_si256(reinterpret_cast<const __m256i*>(query) + v);
    }
    PYW2V_UNROLL
    for (int i = 0; i < kRows; ++i) {
      int four;
      std::memcpy(&four, rows + i * tile.row_stride + kByteGroup * g, sizeof(four));
      const __m256i element = _mm256_set1_epi32(four);
      PYW2V_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        sums[i][v] = _mm256_add_epi16(sums[i][v], _mm256_maddubs_epi16(element, queries[v]));
      }
    }
  }
  int above[kRows][kVectors];
  PYW2V_UNROLL
  for (int i = 0; i < kRows; ++i) {
    const std::size_t r = row + static_cast<std::size_t>(i);
    const __m256 unit = _mm256_set1_ps(tile.units[r]), slack = _mm256_set1_ps(tile.slacks[r]);
    PYW2V_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      above[i][v] = may_beat(sums[i][v], unit, slack, tile.limits + 8 * v);
    }
  }
  PYW2V_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PYW2V_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (above[i][v] == 0) continue;
      tile.candidates[v][tile.n_candidates[v]++] =
          static_cast<std::uint32_t>(row + static_cast<std::size_t>(i));
    }
  }
}

template <int kVectors>
inline void filter_columns(ByteTile& tile) {
  // Nine sums, three queries and two temporaries stay in the sixteen registers.
  constexpr int kRows = 3;
  for (int v = 0; v < kVectors; ++v) tile.n_candidates[v] = 0;
  std::size_t row = 0;
  for (; row + kRows <= tile.n_rows; row += kRows) filter_rows<kVectors, kRows>(tile, row);
  for (; row < tile.n_rows; ++row) filter_rows<kVectors, 1>(tile, row);
}

inline void filter(ByteTile& tile) {
  static_assert(kTopkVectors == 3, "one case for each number of vectors");
  switch (tile.lanes / 8) {
    case 1: return filter_columns<1>(tile);
    case 2: return filter_columns<2>(tile);
    default: return filter_columns<3>(tile);
  }
}

constexpr ByteFilterKernels kByteFilter = {quantize, filter};

#endif

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
