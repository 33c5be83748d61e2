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

#include "base/matrix.h"
#include "kernels/pieces.h"
#include "kernels/region.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Rows of one side that stay in registers. 16 vector registers hold 6 rows and their 6 sums, one
// streamed row with its sum, one broadcast factor.
constexpr int kTile = 6;

// Targets that n inputs are compared with at a time: sums enough to keep two FMA units busy, which
// 16 registers hold beside the rows. Three by four loads least.
constexpr int most_scored(int n) { return n == 1 ? 8 : n == 2 ? 6 : n == 3 ? 4 : 3; }

// Splits `count` into pieces of at most kTile, as even as possible: 7 becomes 4 + 3, not 6 + 1.
inline int n_tiles(int count) { return (count + kTile - 1) / kTile; }
inline int tile_size(int count) {
  if (count <= kTile) return count;
  return (count + n_tiles(count) - 1) / n_tiles(count);
}

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

// Forced into the loop of its caller: there GCC keeps `acc` in registers, else it goes through
// memory before and after the loop.
template <class V, int N, int M>
PYW2V_ALWAYS_INLINE void score_tile(typename V::Real* const* x, typename V::Real* const* y, int dim,
                                    typename V::Real* out, int stride) {
  V acc[N][M];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) acc[i][j] = V::zero();
  for (int c = 0; c < dim; c += V::kWidth) {
    if constexpr (N <= M) {
      V xs[N];
      for (int i = 0; i < N; ++i) xs[i] = V::load(x[i] + c);
      for (int j = 0; j < M; ++j) {
        const V ys = N == 1 ? V::load(y[j] + c) : V::load_once(y[j] + c);
        for (int i = 0; i < N; ++i) acc[i][j] = V::fma(xs[i], ys, acc[i][j]);
      }
    } else {
      V ys[M];
      for (int j = 0; j < M; ++j) ys[j] = V::load(y[j] + c);
      for (int i = 0; i < N; ++i) {
        const V xs = V::load_once(x[i] + c);
        for (int j = 0; j < M; ++j) acc[i][j] = V::fma(xs, ys[j], acc[i][j]);
      }
    }
  }
  for (int i = 0; i < N; ++i) V::template store_sums<M>(acc[i], out + i * stride);
}

// The tile of m targets, where m is at most M.
template <class V, int N, int M>
PYW2V_ALWAYS_INLINE void score_tile_sized(int m, typename V::Real* const* x,
                                          typename V::Real* const* y, int dim,
                                          typename V::Real* out, int stride) {
  if (m == M) return score_tile<V, N, M>(x, y, dim, out, stride);
  if constexpr (M > 1) score_tile_sized<V, N, M - 1>(m, x, y, dim, out, stride);
}

// N inputs from `first` on, against all targets, in pieces as even as possible.
template <class V, int N>
inline void score_inputs(const Block<typename V::Real>& b, int first, Scores<typename V::Real> s) {
  constexpr int kMost = most_scored(N);
  const int n_pieces = (b.m + kMost - 1) / kMost, size = b.m / n_pieces;
  int n_longer = b.m - size * n_pieces;
  for (int j = 0; j < b.m;) {
    const int m = n_longer-- > 0 ? size + 1 : size;
    score_tile_sized<V, N, kMost>(m, b.x + first, b.y + j, b.dim, s.at(first, j), s.stride);
    j += m;
  }
}

// Inputs by threes, the last four together.
template <class V>
inline void score(const Block<typename V::Real>& b, Scores<typename V::Real> s) {
  if (b.m == 0) return;  // the path of an only label
  int i = 0;
  for (; b.n - i == 3 || b.n - i > 4; i += 3) score_inputs<V, 3>(b, i, s);
  switch (b.n - i) {
    case 1: return score_inputs<V, 1>(b, i, s);
    case 2: return score_inputs<V, 2>(b, i, s);
    case 4: return score_inputs<V, 4>(b, i, s);
  }
}

// Which part of the streamed side's change a tile makes: with one tile it goes straight into the
// rows; with several it is gathered in `delta`, so that every tile reads the old rows.
enum class Pass { kOnly, kFirst, kMiddle, kLast };

// One side of a block as held, the other as streamed. The factor of streamed row s and held row h
// is at factors[s * streamed_step + h * held_step].
template <class Real>
struct Sides {
  Real* const* held;
  int n_held;
  Real* const* streamed;
  int n_streamed;
  const Real* factors;
  std::ptrdiff_t streamed_step;
  std::ptrdiff_t held_step;
};

// K held rows, from the first on, against all streamed rows. kAdjacent: held_step is 1, which
// spares the registers of K addresses.
template <class V, int K, Pass kPass, bool kAdjacent>
inline void update_tile(const Sides<typename V::Real>& sides, int first, int dim,
                        typename V::Real* delta) {
  typename V::Real* held[K];  // copies of our own, which no store below can be thought to change
  for (int h = 0; h < K; ++h) held[h] = sides.held[first + h];
  typename V::Real* const* streamed = sides.streamed;
  const int n_streamed = sides.n_streamed;
  const std::ptrdiff_t held_step = kAdjacent ? 1 : sides.held_step;
  const std::ptrdiff_t streamed_step = sides.streamed_step;
  const typename V::Real* first_factors = sides.factors + first * held_step;
  for (std::ptrdiff_t c = 0; c < dim; c += V::kWidth) {
    V rows[K], sums[K];
    for (int h = 0; h < K; ++h) sums[h] = rows[h] = V::load(held[h] + c);
    const typename V::Real* factors = first_factors;
    for (int s = 0; s < n_streamed; ++s, factors += streamed_step) {
      typename V::Real* at = streamed[s] + c;
      typename V::Real* gathered = delta + static_cast<std::ptrdiff_t>(s) * dim + c;
      const V row = V::load(at);
      V sum = kPass == Pass::kOnly ? row : kPass == Pass::kFirst ? V::zero() : V::load(gathered);
      V odd = V::zero();  // every other term, so that no chain of additions is long
      for (int h = 0; h < K; ++h) {
        const V factor = V::set1(factors[h * held_step]);
        V& half = h % 2 == 0 ? sum : odd;
        half = h == 1 ? factor * rows[h] : V::fma(factor, rows[h], half);
        sums[h] = V::fma(factor, row, sums[h]);
      }
      if constexpr (K > 1) sum = sum + odd;
      if constexpr (kPass == Pass::kOnly)
        sum.store(at);
      else if constexpr (kPass == Pass::kLast)
        (row + sum).store(at);
      else
        sum.store(gathered);
    }
    for (int h = 0; h < K; ++h) sums[h].store(held[h] + c);
  }
}

template <class V, Pass kPass, bool kAdjacent>
inline void update_tile_sized(int k, const Sides<typename V::Real>& sides, int first, int dim,
                              typename V::Real* delta) {
  switch (k) {
    case 1: return update_tile<V, 1, kPass, kAdjacent>(sides, first, dim, delta);
    case 2: return update_tile<V, 2, kPass, kAdjacent>(sides, first, dim, delta);
    case 3: return update_tile<V, 3, kPass, kAdjacent>(sides, first, dim, delta);
    case 4: return update_tile<V, 4, kPass, kAdjacent>(sides, first, dim, delta);
    case 5: return update_tile<V, 5, kPass, kAdjacent>(sides, first, dim, delta);
    case 6: return update_tile<V, 6, kPass, kAdjacent>(sides, first, dim, delta);
  }
}

template <class V, bool kAdjacent>
inline void update_tiles(const Sides<typename V::Real>& sides, int step, int dim,
                         typename V::Real* delta) {
  const int n = sides.n_held;
  if (step == n) return update_tile_sized<V, Pass::kOnly, kAdjacent>(n, sides, 0, dim, delta);
  update_tile_sized<V, Pass::kFirst, kAdjacent>(step, sides, 0, dim, delta);
  int first = step;
  for (; first + step < n; first += step)
    update_tile_sized<V, Pass::kMiddle, kAdjacent>(step, sides, first, dim, delta);
  update_tile_sized<V, Pass::kLast, kAdjacent>(n - first, sides, first, dim, delta);
}

template <class Real>
inline bool is_among(const Real* row, Real* const* rows, int n) {
  for (int i = 0; i < n; ++i)
    if (rows[i] == row) return true;
  return false;
}

template <class Real>
inline bool all_differ(Real* const* rows, int n) {
  // A bit for every address modulo 64 rows tells most sets of few rows apart at once.
  std::uint64_t seen = 0, again = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t bit = std::uint64_t{1}
                              << (reinterpret_cast<std::uintptr_t>(rows[i]) / kRowAlignment % 64);
    again |= seen & bit;
    seen |= bit;
  }
  if (again == 0) return true;
  for (int i = 1; i < n; ++i)
    if (is_among(rows[i], rows, i)) return false;
  return true;
}

template <class V>
inline void update(const Block<typename V::Real>& b, Scores<typename V::Real> g) {
  // Hold the side that takes fewer tiles. Rows held together must differ, else one's change would
  // be lost; if both sides repeat rows, the targets are held one at a time.
  bool hold_inputs = !b.targets_differ || n_tiles(b.n) < n_tiles(b.m);
  if (hold_inputs) hold_inputs = all_differ(b.x, b.n);
  if (hold_inputs)
    update_tiles<V, false>({b.x, b.n, b.y, b.m, g.data, 1, g.stride}, tile_size(b.n), b.dim,
                           b.delta);
  else
    update_tiles<V, true>({b.y, b.m, b.x, b.n, g.data, g.stride, 1},
                          b.targets_differ ? tile_size(b.m) : 1, b.dim, b.delta);
}

// One broadcast serves all vectors of a piece, and their sums do not wait for each other.
template <class V>
struct UpdateTargets {
  const Block<typename V::Real>& b;
  const typename V::Real* g;

  template <int U>
  void at(int c) const {
    typename V::Real* const* targets = b.y;
    const typename V::Real* factors = g;
    typename V::Real* change = b.delta + c;
    const int m = b.m;
    V input[U], sum[U];
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) {
      input[u] = V::load(b.x[0] + c + u * V::kWidth);
      sum[u] = V::zero();
    }
    for (int j = 0; j < m; ++j) {
      const V factor = V::set1(factors[j]);
      typename V::Real* target = targets[j] + c;
      PYW2V_OPAQUE(target);
      PYW2V_UNROLL
      for (int u = 0; u < U; ++u) {
        const V row = V::load_once(target + u * V::kWidth);
        sum[u] = V::fma(factor, row, sum[u]);
        V::fma(factor, input[u], row).store(target + u * V::kWidth);
      }
    }
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) sum[u].store(change + u * V::kWidth);
  }
};

// The update of a block with one input, which stays as it is: its change goes to b.delta.
template <class V>
inline void update_targets(const Block<typename V::Real>& b, Scores<typename V::Real> g) {
  for_each_piece<V>(b.dim, UpdateTargets<V>{b, g.data});
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
