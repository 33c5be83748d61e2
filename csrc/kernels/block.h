// The block step: n input rows X meet m target rows Y, all of width dim.
//
//     S = X Y^T            score()
//     X += G Y             update(), both from the old values
//     Y += G^T X
//
// Pairwise code (one input, one target at a time) waits for memory at every step; the block keeps
// its n + m rows in L1 and is bound by arithmetic. Rows are given as pointers. They may repeat:
// no change is lost, and that a later one then sees an earlier one is of second order in lr.
#pragma once

#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Rows of one side that stay in registers. 16 vector registers hold 6 rows and their 6 sums, one
// streamed row with its sum, one broadcast factor.
constexpr int kTile = 6;

// Splits `count` into pieces of at most kTile, as even as possible: 7 becomes 4 + 3, not 6 + 1.
inline int n_tiles(int count) { return (count + kTile - 1) / kTile; }
inline int tile_size(int count) { return (count + n_tiles(count) - 1) / n_tiles(count); }

// S and G: n rows of m numbers, row i at data + i * stride.
template <class Real>
struct Scores {
  Real* data;
  int stride;
  Real* at(int i, int j) const { return data + static_cast<std::ptrdiff_t>(i) * stride + j; }
};

template <class Real>
struct Block {
  Real* const* x;
  int n;
  Real* const* y;
  int m;
  int dim;              // rounded up to the vector width; the padding is zero
  bool targets_differ;  // no row twice in y
  Real* delta;          // scratch for max(n, m) rows of `dim`
};

template <class V, int N, int M>
inline void score_tile(typename V::Real* const* x, typename V::Real* const* y, int dim,
                       typename V::Real* out, int stride) {
  V acc[N][M];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) acc[i][j] = V::zero();
  for (int c = 0; c < dim; c += V::kWidth) {
    V xs[N];
    for (int i = 0; i < N; ++i) xs[i] = V::load(x[i] + c);
    for (int j = 0; j < M; ++j) {
      const V ys = V::load(y[j] + c);
      for (int i = 0; i < N; ++i) acc[i][j] = V::fma(xs[i], ys, acc[i][j]);
    }
  }
  for (int i = 0; i < N; ++i) V::template store_sums<M>(acc[i], out + i * stride);
}

template <class V, int M>
inline void score_rows(const Block<typename V::Real>& b, int first_target,
                       Scores<typename V::Real> s) {
  int i = 0;
  for (; i + 2 <= b.n; i += 2)
    score_tile<V, 2, M>(b.x + i, b.y + first_target, b.dim, s.at(i, first_target), s.stride);
  if (i < b.n)
    score_tile<V, 1, M>(b.x + i, b.y + first_target, b.dim, s.at(i, first_target), s.stride);
}

template <class V>
inline void score(const Block<typename V::Real>& b, Scores<typename V::Real> s) {
  const int step = tile_size(b.m);
  for (int j = 0; j < b.m; j += step) {
    switch (b.m - j < step ? b.m - j : step) {
      case 1: score_rows<V, 1>(b, j, s); break;
      case 2: score_rows<V, 2>(b, j, s); break;
      case 3: score_rows<V, 3>(b, j, s); break;
      case 4: score_rows<V, 4>(b, j, s); break;
      case 5: score_rows<V, 5>(b, j, s); break;
      case 6: score_rows<V, 6>(b, j, s); break;
    }
  }
}

// Which part of the streamed side's change a tile makes: with one tile it goes straight into the
// rows; with several it is gathered in `delta`, so that every tile reads the old rows.
enum class Pass { kOnly, kFirst, kMiddle, kLast };

// K held rows against all streamed rows. The factor of streamed row s and held row h is at
// g[s * g_streamed + h * g_held], so either side of the block can be the held one.
template <class V, int K, Pass kPass>
inline void update_tile(typename V::Real* const* held, typename V::Real* const* streamed,
                        int n_streamed, const typename V::Real* g, std::ptrdiff_t g_streamed,
                        std::ptrdiff_t g_held, int dim, typename V::Real* delta) {
  typename V::Real*
      held_rows[K];  // a copy of our own, which no store below can be thought to change
  for (int h = 0; h < K; ++h) held_rows[h] = held[h];
  for (int c = 0; c < dim; c += V::kWidth) {
    V rows[K], sums[K];
    for (int h = 0; h < K; ++h) sums[h] = rows[h] = V::load(held_rows[h] + c);
    const typename V::Real* factors = g;
    for (int s = 0; s < n_streamed; ++s, factors += g_streamed) {
      const V row = V::load(streamed[s] + c);
      typename V::Real* gathered = delta + static_cast<std::ptrdiff_t>(s) * dim + c;
      V sum = kPass == Pass::kOnly ? row : kPass == Pass::kFirst ? V::zero() : V::load(gathered);
      for (int h = 0; h < K; ++h) {
        const V factor = V::set1(factors[h * g_held]);
        sum = V::fma(factor, rows[h], sum);
        sums[h] = V::fma(factor, row, sums[h]);
      }
      if constexpr (kPass == Pass::kOnly)
        sum.store(streamed[s] + c);
      else if constexpr (kPass == Pass::kLast)
        (row + sum).store(streamed[s] + c);
      else
        sum.store(gathered);
    }
    for (int h = 0; h < K; ++h) sums[h].store(held_rows[h] + c);
  }
}

template <class V, Pass kPass>
inline void update_tile_of(int k, typename V::Real* const* held, typename V::Real* const* streamed,
                           int n_streamed, const typename V::Real* g, std::ptrdiff_t g_streamed,
                           std::ptrdiff_t g_held, int dim, typename V::Real* delta) {
  switch (k) {
#define PYW2V_CASE(K) \
  case K:             \
    return update_tile<V, K, kPass>(held, streamed, n_streamed, g, g_streamed, g_held, dim, delta)
    PYW2V_CASE(1);
    PYW2V_CASE(2);
    PYW2V_CASE(3);
    PYW2V_CASE(4);
    PYW2V_CASE(5);
    PYW2V_CASE(6);
#undef PYW2V_CASE
  }
}

template <class Real>
inline bool all_differ(Real* const* rows, int n) {
  bool same = false;
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) same |= rows[i] == rows[j];
  return !same;
}

template <class V>
inline void update(const Block<typename V::Real>& b, Scores<typename V::Real> g) {
  // Hold the side that takes fewer tiles. Rows held together must differ, else one's change would
  // be lost; if both sides repeat rows, the targets are held one at a time.
  bool hold_inputs = !b.targets_differ || n_tiles(b.n) < n_tiles(b.m);
  if (hold_inputs) hold_inputs = all_differ(b.x, b.n);
  typename V::Real* const* held = hold_inputs ? b.x : b.y;
  typename V::Real* const* streamed = hold_inputs ? b.y : b.x;
  const int n_held = hold_inputs ? b.n : b.m;
  const int n_streamed = hold_inputs ? b.m : b.n;
  const std::ptrdiff_t g_streamed = hold_inputs ? 1 : g.stride;
  const std::ptrdiff_t g_held = hold_inputs ? g.stride : 1;
  const int step = hold_inputs || b.targets_differ ? tile_size(n_held) : 1;
  if (step == n_held) {
    update_tile_of<V, Pass::kOnly>(n_held, held, streamed, n_streamed, g.data, g_streamed, g_held,
                                   b.dim, b.delta);
    return;
  }
  update_tile_of<V, Pass::kFirst>(step, held, streamed, n_streamed, g.data, g_streamed, g_held,
                                  b.dim, b.delta);
  int h = step;
  for (; h + step < n_held; h += step)
    update_tile_of<V, Pass::kMiddle>(step, held + h, streamed, n_streamed, g.data + h * g_held,
                                     g_streamed, g_held, b.dim, b.delta);
  update_tile_of<V, Pass::kLast>(n_held - h, held + h, streamed, n_streamed, g.data + h * g_held,
                                 g_streamed, g_held, b.dim, b.delta);
}

// U vectors of every row at once: one broadcast serves them all, and their sums do not wait for
// each other.
template <class V, int U>
inline void update_targets_at(const Block<typename V::Real>& b, const typename V::Real* g, int c) {
  V input[U], sum[U];
  for (int u = 0; u < U; ++u) {
    input[u] = V::load(b.x[0] + c + u * V::kWidth);
    sum[u] = V::zero();
  }
  for (int j = 0; j < b.m; ++j) {
    const V factor = V::set1(g[j]);
    typename V::Real* target = b.y[j] + c;
    for (int u = 0; u < U; ++u) {
      const V row = V::load(target + u * V::kWidth);
      sum[u] = V::fma(factor, row, sum[u]);
      V::fma(factor, input[u], row).store(target + u * V::kWidth);
    }
  }
  for (int u = 0; u < U; ++u) sum[u].store(b.delta + c + u * V::kWidth);
}

// The update of a block with one input, which stays as it is: its change goes to b.delta.
template <class V>
inline void update_targets(const Block<typename V::Real>& b, Scores<typename V::Real> g) {
  int c = 0;
  for (; c + 4 * V::kWidth <= b.dim; c += 4 * V::kWidth) update_targets_at<V, 4>(b, g.data, c);
  for (; c < b.dim; c += V::kWidth) update_targets_at<V, 1>(b, g.data, c);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
