// The nearest centroid of every point. Lanes are points, so that nothing is summed across lanes and
// of equally near centroids the first wins with every vector width.
#pragma once

#include "kernel_data/centroid_tile.h"
#include "kernels/region.h"
#include "kernels/simd.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class V>
void nearest_centroids(const CentroidTile& tile) {
  constexpr int kVectors = 4;  // share each broadcast; distances, bests and places fit registers
  constexpr std::size_t kStep = kVectors * V::kWidth;
  static_assert(kCentroidLanes % kStep == 0);
  for (std::size_t i = 0; i < tile.n_points; i += kStep) {
    V best[kVectors], place[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      best[v] = V::set1(3.0e38f);
      place[v] = V::zero();
    }
    const float* centroid = tile.centroids;
    for (std::size_t c = 0; c < kCentroids; ++c) {
      V distance[kVectors];
      for (int v = 0; v < kVectors; ++v) distance[v] = V::zero();
      const float* column = tile.columns + i;
      for (std::size_t j = 0; j < tile.dim; ++j, column += tile.column_stride) {
        const V number = V::set1(*centroid++);
        PYW2V_UNROLL
        for (int v = 0; v < kVectors; ++v) {
          const V difference = V::load(column + v * V::kWidth) - number;
          distance[v] = V::fma(difference, difference, distance[v]);
        }
      }
      const V here = V::set1(static_cast<float>(c));
      PYW2V_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const V nearer = distance[v] - best[v];
        best[v] = V::select_negative(nearer, distance[v], best[v]);
        place[v] = V::select_negative(nearer, here, place[v]);
      }
    }
    float places[kStep];
    for (int v = 0; v < kVectors; ++v) place[v].store(places + v * V::kWidth);
    for (std::size_t k = 0; k < kStep; ++k) {
      tile.codes[i + k] = static_cast<std::uint8_t>(places[k]);
    }
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
