// Vector operations, one section per instruction set, one spelling for all kernels.
//
// See kernels/region.h for how it is compiled. A new instruction set (AVX-512: 16 lanes, masks,
// broadcasting FMA) is one more section here and one more isa_*.cpp.
//
// Operators are free functions: GCC forgets the region's target for friends defined in a class.
//
// A vector type V has: Real, kWidth, load, load_once (for several uses: not to be folded into
// each), store, zero, set1, + - *, fma(a, b, c) = a * b + c, max, min, abs, recip (full precision),
// div_sqrt(a, b) = a / sqrt(b), select_negative(s, a, b) = s < 0 ? a : b per lane, any_greater(a,
// b) = a > b in any lane (false for NaN), exp (for arguments <= 0), store_sums<M>(acc, out): out[j]
// = sum of the lanes of acc[j], first() = the first lane, max_lane(a) and sum_lanes(a) = the
// largest lane and the sum, in all, load_columns(p, stride, out): lane i of out[j] = p[i * stride +
// j], for kWidth columns.
#pragma once

#include "kernels/exp.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// One lane in plain C++: the only code path for double, in which gradients are checked.
template <class R>
struct ScalarVec {
  using Real = R;
  static constexpr int kWidth = 1;
  R v;

  static ScalarVec load(const R* p) { return {*p}; }
  static ScalarVec load_once(const R* p) { return load(p); }
  void store(R* p) const { *p = v; }
  static ScalarVec zero() { return {R(0)}; }
  static ScalarVec set1(R x) { return {x}; }
  static ScalarVec fma(ScalarVec a, ScalarVec b, ScalarVec c) { return {a.v * b.v + c.v}; }
  static ScalarVec max(ScalarVec a, ScalarVec b) { return {a.v > b.v ? a.v : b.v}; }
  static ScalarVec min(ScalarVec a, ScalarVec b) { return {a.v < b.v ? a.v : b.v}; }
  static ScalarVec abs(ScalarVec a) { return {a.v < 0 ? -a.v : a.v}; }
  static ScalarVec recip(ScalarVec a) { return {R(1) / a.v}; }
  static ScalarVec div_sqrt(ScalarVec a, ScalarVec b) { return {a.v / std::sqrt(b.v)}; }
  static ScalarVec select_negative(ScalarVec s, ScalarVec a, ScalarVec b) {
    return s.v < 0 ? a : b;
  }
  static bool any_greater(ScalarVec a, ScalarVec b) { return a.v > b.v; }
  static ScalarVec exp(ScalarVec a) { return {std::exp(a.v)}; }
  template <int M>
  static void store_sums(const ScalarVec* acc, R* out) {
    for (int j = 0; j < M; ++j) out[j] = acc[j].v;
  }
  R first() const { return v; }
  static ScalarVec max_lane(ScalarVec a) { return a; }
  static ScalarVec sum_lanes(ScalarVec a) { return a; }
  static void load_columns(const R* p, std::ptrdiff_t, ScalarVec* out) { out[0] = load(p); }
};

template <class R>
inline ScalarVec<R> operator+(ScalarVec<R> a, ScalarVec<R> b) {
  return {a.v + b.v};
}
template <class R>
inline ScalarVec<R> operator-(ScalarVec<R> a, ScalarVec<R> b) {
  return {a.v - b.v};
}
template <class R>
inline ScalarVec<R> operator*(ScalarVec<R> a, ScalarVec<R> b) {
  return {a.v * b.v};
}

#if defined(PYW2V_SIMD_AVX2)

struct Vec {
  using Real = float;
  static constexpr int kWidth = 8;
  __m256 v;

  static Vec load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Vec load_once(const float* p) {
    Vec a = load(p);
#if defined(__GNUC__)
    __asm__("" : "+x"(a.v));
#endif
    return a;
  }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  static Vec zero() { return {_mm256_setzero_ps()}; }
  static Vec set1(float x) { return {_mm256_set1_ps(x)}; }
  static Vec fma(Vec a, Vec b, Vec c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  static Vec max(Vec a, Vec b) { return {_mm256_max_ps(a.v, b.v)}; }
  static Vec min(Vec a, Vec b) { return {_mm256_min_ps(a.v, b.v)}; }
  static Vec abs(Vec a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
  static Vec recip(Vec a) { return {_mm256_div_ps(_mm256_set1_ps(1.0f), a.v)}; }
  static Vec div_sqrt(Vec a, Vec b) { return {_mm256_div_ps(a.v, _mm256_sqrt_ps(b.v))}; }
  static Vec select_negative(Vec s, Vec a, Vec b) { return {_mm256_blendv_ps(b.v, a.v, s.v)}; }
  static bool any_greater(Vec a, Vec b) {
    return _mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)) != 0;
  }
  static Vec low_bits_to_exponent(Vec a) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a.v), 23))};
  }
  static Vec exp(Vec a) { return exp_nonpositive(a); }
  float first() const { return _mm256_cvtss_f32(v); }
  static Vec max_lane(Vec a) {
    __m256 m = _mm256_max_ps(a.v, _mm256_permute2f128_ps(a.v, a.v, 1));
    m = _mm256_max_ps(m, _mm256_shuffle_ps(m, m, _MM_SHUFFLE(1, 0, 3, 2)));
    return {_mm256_max_ps(m, _mm256_shuffle_ps(m, m, _MM_SHUFFLE(2, 3, 0, 1)))};
  }
  static Vec sum_lanes(Vec a) {
    __m256 s = _mm256_add_ps(a.v, _mm256_permute2f128_ps(a.v, a.v, 1));
    s = _mm256_add_ps(s, _mm256_shuffle_ps(s, s, _MM_SHUFFLE(1, 0, 3, 2)));
    return {_mm256_add_ps(s, _mm256_shuffle_ps(s, s, _MM_SHUFFLE(2, 3, 0, 1)))};
  }

  // One whole store, which the loads of the error kernel can be served from at once. Blends, which
  // any unit can do, in place of every second shuffle.
  template <int M>
  static void store_sums(const Vec* acc, float* out) {
    static_assert(M >= 1 && M <= 8);
    const __m256 low = quad_sums<M>(acc, 0);
    const __m256 high = M > 4 ? quad_sums<M>(acc, 4) : low;
    _mm256_storeu_ps(out, _mm256_add_ps(_mm256_blend_ps(low, high, 0xf0),
                                        _mm256_permute2f128_ps(low, high, 0x21)));
  }

  static void load_columns(const float* p, std::ptrdiff_t stride, Vec* out) {
    for (int half = 0; half < 2; ++half, p += 4) {
      __m256 rows[4];  // row i in the low lanes, row i + 4 in the high ones
      for (int i = 0; i < 4; ++i) {
        rows[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + i * stride)),
                                       _mm_loadu_ps(p + (i + 4) * stride), 1);
      }
      const __m256 a = _mm256_unpacklo_ps(rows[0], rows[1]);
      const __m256 b = _mm256_unpackhi_ps(rows[0], rows[1]);
      const __m256 c = _mm256_unpacklo_ps(rows[2], rows[3]);
      const __m256 d = _mm256_unpackhi_ps(rows[2], rows[3]);
      out[4 * half].v = _mm256_shuffle_ps(a, c, _MM_SHUFFLE(1, 0, 1, 0));
      out[4 * half + 1].v = _mm256_shuffle_ps(a, c, _MM_SHUFFLE(3, 2, 3, 2));
      out[4 * half + 2].v = _mm256_shuffle_ps(b, d, _MM_SHUFFLE(1, 0, 1, 0));
      out[4 * half + 3].v = _mm256_shuffle_ps(b, d, _MM_SHUFFLE(3, 2, 3, 2));
    }
  }

 private:
  // In each half: two partial sums of acc[j], then two of acc[j + 1].
  template <int M>
  static __m256 pair_sums(const Vec* acc, int j) {
    const __m256 a = acc[j < M ? j : M - 1].v, b = acc[j + 1 < M ? j + 1 : M - 1].v;
    return _mm256_add_ps(_mm256_blend_ps(a, b, 0xcc),
                         _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 3, 2)));
  }
  // In each half: the sums of that half of acc[j] to acc[j + 3].
  template <int M>
  static __m256 quad_sums(const Vec* acc, int j) {
    const __m256 a = pair_sums<M>(acc, j), b = j + 2 < M ? pair_sums<M>(acc, j + 2) : a;
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)),
                         _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
  }
};

inline Vec operator+(Vec a, Vec b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Vec operator-(Vec a, Vec b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Vec operator*(Vec a, Vec b) { return {_mm256_mul_ps(a.v, b.v)}; }

#elif defined(PYW2V_SIMD_SSE2)

struct Vec {
  using Real = float;
  static constexpr int kWidth = 4;
  __m128 v;

  static Vec load(const float* p) { return {_mm_loadu_ps(p)}; }
  static Vec load_once(const float* p) { return load(p); }
  void store(float* p) const { _mm_storeu_ps(p, v); }
  static Vec zero() { return {_mm_setzero_ps()}; }
  static Vec set1(float x) { return {_mm_set1_ps(x)}; }
  static Vec fma(Vec a, Vec b, Vec c) { return {_mm_add_ps(_mm_mul_ps(a.v, b.v), c.v)}; }
  static Vec max(Vec a, Vec b) { return {_mm_max_ps(a.v, b.v)}; }
  static Vec min(Vec a, Vec b) { return {_mm_min_ps(a.v, b.v)}; }
  static Vec abs(Vec a) { return {_mm_andnot_ps(_mm_set1_ps(-0.0f), a.v)}; }
  static Vec recip(Vec a) { return {_mm_div_ps(_mm_set1_ps(1.0f), a.v)}; }
  static Vec div_sqrt(Vec a, Vec b) { return {_mm_div_ps(a.v, _mm_sqrt_ps(b.v))}; }
  static Vec select_negative(Vec s, Vec a, Vec b) {
    const __m128 mask = _mm_cmplt_ps(s.v, _mm_setzero_ps());
    return {_mm_or_ps(_mm_and_ps(mask, a.v), _mm_andnot_ps(mask, b.v))};
  }
  static bool any_greater(Vec a, Vec b) { return _mm_movemask_ps(_mm_cmpgt_ps(a.v, b.v)) != 0; }
  static Vec low_bits_to_exponent(Vec a) {
    return {_mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(a.v), 23))};
  }
  static Vec exp(Vec a) { return exp_nonpositive(a); }
  float first() const { return _mm_cvtss_f32(v); }
  static Vec max_lane(Vec a) {
    const __m128 m = _mm_max_ps(a.v, _mm_shuffle_ps(a.v, a.v, _MM_SHUFFLE(1, 0, 3, 2)));
    return {_mm_max_ps(m, _mm_shuffle_ps(m, m, _MM_SHUFFLE(2, 3, 0, 1)))};
  }
  static Vec sum_lanes(Vec a) {
    const __m128 s = _mm_add_ps(a.v, _mm_shuffle_ps(a.v, a.v, _MM_SHUFFLE(1, 0, 3, 2)));
    return {_mm_add_ps(s, _mm_shuffle_ps(s, s, _MM_SHUFFLE(2, 3, 0, 1)))};
  }

  template <int M>
  static void store_sums(const Vec* acc, float* out) {
    for (int first = 0; first < M; first += 4) {
      const int count = M - first < 4 ? M - first : 4;
      __m128 a = acc[first].v;
      __m128 b = count > 1 ? acc[first + 1].v : _mm_setzero_ps();
      __m128 c = count > 2 ? acc[first + 2].v : _mm_setzero_ps();
      __m128 d = count > 3 ? acc[first + 3].v : _mm_setzero_ps();
      _MM_TRANSPOSE4_PS(a, b, c, d);
      alignas(16) float sums[4];
      _mm_store_ps(sums, _mm_add_ps(_mm_add_ps(a, b), _mm_add_ps(c, d)));
      for (int j = 0; j < count; ++j) out[first + j] = sums[j];
    }
  }

  static void load_columns(const float* p, std::ptrdiff_t stride, Vec* out) {
    for (int i = 0; i < 4; ++i) out[i] = load(p + i * stride);
    _MM_TRANSPOSE4_PS(out[0].v, out[1].v, out[2].v, out[3].v);
  }
};

inline Vec operator+(Vec a, Vec b) { return {_mm_add_ps(a.v, b.v)}; }
inline Vec operator-(Vec a, Vec b) { return {_mm_sub_ps(a.v, b.v)}; }
inline Vec operator*(Vec a, Vec b) { return {_mm_mul_ps(a.v, b.v)}; }

#elif defined(PYW2V_SIMD_NEON)

struct Vec {
  using Real = float;
  static constexpr int kWidth = 4;
  float32x4_t v;

  static Vec load(const float* p) { return {vld1q_f32(p)}; }
  static Vec load_once(const float* p) { return load(p); }
  void store(float* p) const { vst1q_f32(p, v); }
  static Vec zero() { return {vdupq_n_f32(0.0f)}; }
  static Vec set1(float x) { return {vdupq_n_f32(x)}; }
  static Vec fma(Vec a, Vec b, Vec c) { return {vfmaq_f32(c.v, a.v, b.v)}; }
  static Vec max(Vec a, Vec b) { return {vmaxq_f32(a.v, b.v)}; }
  static Vec min(Vec a, Vec b) { return {vminq_f32(a.v, b.v)}; }
  static Vec abs(Vec a) { return {vabsq_f32(a.v)}; }
  static Vec recip(Vec a) { return {vdivq_f32(vdupq_n_f32(1.0f), a.v)}; }
  static Vec div_sqrt(Vec a, Vec b) { return {vdivq_f32(a.v, vsqrtq_f32(b.v))}; }
  static Vec select_negative(Vec s, Vec a, Vec b) { return {vbslq_f32(vcltzq_f32(s.v), a.v, b.v)}; }
  static bool any_greater(Vec a, Vec b) { return vmaxvq_u32(vcgtq_f32(a.v, b.v)) != 0; }
  static Vec low_bits_to_exponent(Vec a) {
    return {vreinterpretq_f32_s32(vshlq_n_s32(vreinterpretq_s32_f32(a.v), 23))};
  }
  static Vec exp(Vec a) { return exp_nonpositive(a); }
  float first() const { return vgetq_lane_f32(v, 0); }
  static Vec max_lane(Vec a) { return set1(vmaxvq_f32(a.v)); }
  static Vec sum_lanes(Vec a) { return set1(vaddvq_f32(a.v)); }

  template <int M>
  static void store_sums(const Vec* acc, float* out) {
    for (int j = 0; j < M; ++j) out[j] = vaddvq_f32(acc[j].v);
  }

  static void load_columns(const float* p, std::ptrdiff_t stride, Vec* out) {
    float64x2_t even[2], odd[2];  // columns 0 and 2, 1 and 3 of two rows
    for (int i = 0; i < 2; ++i) {
      const float32x4_t a = vld1q_f32(p + 2 * i * stride);
      const float32x4_t b = vld1q_f32(p + (2 * i + 1) * stride);
      even[i] = vreinterpretq_f64_f32(vtrn1q_f32(a, b));
      odd[i] = vreinterpretq_f64_f32(vtrn2q_f32(a, b));
    }
    out[0].v = vreinterpretq_f32_f64(vtrn1q_f64(even[0], even[1]));
    out[1].v = vreinterpretq_f32_f64(vtrn1q_f64(odd[0], odd[1]));
    out[2].v = vreinterpretq_f32_f64(vtrn2q_f64(even[0], even[1]));
    out[3].v = vreinterpretq_f32_f64(vtrn2q_f64(odd[0], odd[1]));
  }
};

inline Vec operator+(Vec a, Vec b) { return {vaddq_f32(a.v, b.v)}; }
inline Vec operator-(Vec a, Vec b) { return {vsubq_f32(a.v, b.v)}; }
inline Vec operator*(Vec a, Vec b) { return {vmulq_f32(a.v, b.v)}; }

#else

using Vec = ScalarVec<float>;

#endif

// The sum of the lanes from the first to the last, where its bits must be those of a loop;
// sum_lanes is faster and adds in another order.
template <class V>
inline typename V::Real sum_in_order(V a) {
  typename V::Real lanes[V::kWidth], sum = 0;
  a.store(lanes);
  for (int lane = 0; lane < V::kWidth; ++lane) sum += lanes[lane];
  return sum;
}

// The columns a kernel works on: `dim` of them, rounded up to whole vectors into the zero padding.
template <class V>
inline int whole_vectors(std::size_t dim) {
  return static_cast<int>(dim + V::kWidth - 1) / V::kWidth * V::kWidth;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
