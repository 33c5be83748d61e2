// One row of a large sparse matrix while it is being summed: any column may be added to, and the
// columns come out in order without being sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "base/types.h"

namespace pyw2v {

// A number for every column, and two levels of bits that tell which ones are in use: finding them
// again costs about as much as there are, not as many as there could be.
class RowSums {
 public:
  explicit RowSums(std::size_t n_columns)
      : sums_(n_columns), used_(n_columns / kBits + 1), blocks_(n_columns / kBits / kBits + 1) {}

  // The sum must not be zero: that means unused.
  void add(WordId column, double value) {
    double& sum = sums_[static_cast<std::size_t>(column)];
    if (sum == 0) mark(static_cast<std::size_t>(column));
    sum += value;
  }

  // Calls emit(column, sum) in ascending order and forgets all sums.
  template <class Emit>
  void drain(const Emit& emit) {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (; blocks_[block] != 0; blocks_[block] &= blocks_[block] - 1) {
        const std::size_t word = block * kBits + lowest(blocks_[block]);
        for (; used_[word] != 0; used_[word] &= used_[word] - 1) {
          const std::size_t column = word * kBits + lowest(used_[word]);
          emit(static_cast<WordId>(column), sums_[column]);
          sums_[column] = 0;
        }
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;

  void mark(std::size_t column) {
    used_[column / kBits] |= std::uint64_t{1} << (column % kBits);
    blocks_[column / kBits / kBits] |= std::uint64_t{1} << (column / kBits % kBits);
  }

  static std::size_t lowest(std::uint64_t bits) {
    return static_cast<std::size_t>(lowest_bit(bits));
  }

  std::vector<double> sums_;
  std::vector<std::uint64_t> used_;    // a bit a column
  std::vector<std::uint64_t> blocks_;  // a bit for each number in used_
};

}  // namespace pyw2v
