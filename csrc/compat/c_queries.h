// Cosines as distance.c, word-analogy.c and compute-accuracy.c compute them, to the last bit.
#pragma once

#include <cstddef>
#include <vector>

namespace pyw2v {

// Divides a vector by its length.
void c_normalize(float* vector, std::size_t dim);

// Normalised rows, to be compared with one vector after the other.
class CRows {
 public:
  CRows(const float* rows, std::size_t n_rows, std::size_t dim);  // copies

  void row(std::size_t i, float* values) const;
  void dots(const float* vector, float* products) const;  // one product a row

 private:
  // Rows in tiles, each by columns: the sum of a row must be made term by term, but those of
  // kTile rows can be made side by side.
  static constexpr std::size_t kTile = 16;

  std::size_t n_rows_, dim_;
  std::vector<float> tiles_;
};

}  // namespace pyw2v
