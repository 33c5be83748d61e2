// One row of a large sparse matrix while it is being summed: any column may be added to, and the
// columns come out in order without being sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "base/types.h"

namespace pyw2v {

// A number for every column, a bit that tells whether it is in use, and a flag for 64 * 64 columns
// of which some are: finding them again costs about as much as there are, not as many as there
// could be. Bits and flags are set without looking: a branch that waits for a number from far away
// and then turns out wrong costs more than all the rest.
class RowSums {
 public:
  explicit RowSums(std::size_t n_columns)
      : sums_(n_columns),
        used_((n_columns / kBlock + 1) * kBits),
        blocks_(n_columns / kBlock + 1) {}

  // The sum counts as used even if it is zero.
  void add(WordId column, double value) {
    const auto at = static_cast<std::size_t>(column);
    sums_[at] += value;
    used_[at / kBits] |= std::uint64_t{1} << (at % kBits);
    blocks_[at / kBlock] = 1;
  }

  // Calls emit(column, sum) in ascending order and forgets all sums.
  template <class Emit>
  void drain(const Emit& emit) {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      if (blocks_[block] == 0) continue;
      blocks_[block] = 0;
      for (std::size_t word = block * kBits; word < (block + 1) * kBits; ++word) {
        for (; used_[word] != 0; used_[word] &= used_[word] - 1) {
          const std::size_t column =
              word * kBits + static_cast<std::size_t>(lowest_bit(used_[word]));
          emit(static_cast<WordId>(column), sums_[column]);
          sums_[column] = 0;
        }
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64, kBlock = kBits * kBits;

  std::vector<double> sums_;
  std::vector<std::uint64_t> used_;   // a bit a column
  std::vector<std::uint8_t> blocks_;  // whether any of kBlock columns is used
};

}  // namespace pyw2v
