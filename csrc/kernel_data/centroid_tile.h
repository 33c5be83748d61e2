// What the product quantiser asks of an instruction set: the nearest of 256 centroids.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pyw2v {

constexpr std::size_t kCentroids = 256;     // as many as a byte can name
constexpr std::size_t kCentroidLanes = 64;  // n_points is a multiple, whatever the vector width

struct CentroidTile {
  const float* columns;  // number j of point i at columns[j * column_stride + i]
  std::size_t column_stride;
  std::size_t n_points;
  std::size_t dim;
  const float* centroids;  // kCentroids x dim
  std::uint8_t* codes;     // n_points, out
};

}  // namespace pyw2v
