// One row of a large sparse matrix while it is being summed: any column may be added to, and the
// columns come out in order without being sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/bits.h"
#include "base/types.h"

namespace pyw2v {

// A number for every column, a bit that tells whether it is in use, and a flag for each line of 512
// columns of which some are: finding them again costs about as much as there are, not as many as
// there could be. Bits and flags are set, and columns found again, without branches: one
// that waits for memory and is then mispredicted costs more than all the rest.
class RowSums {
 public:
  explicit RowSums(std::size_t n_columns)
      : sums_(n_columns),
        used_((n_columns / kBlock + 1) * kBlock / kBits),
        lines_((n_columns / kBlock + 1) * kLinesPerBlock),
        columns_(n_columns + kBits) {}

  // Adds to a row; a copy of it in a loop keeps the addresses in registers, which writing to memory
  // through `this` does not.
  struct Adder {
    double* sums;
    std::uint64_t* used;
    std::uint8_t* lines;
    // The sum counts as used even if it is zero.
    void operator()(WordId column, double value) const {
      const auto at = static_cast<std::size_t>(column);
      sums[at] += value;
      used[at / kBits] |= std::uint64_t{1} << (at % kBits);
      lines[at / kLine] = 1;
    }
  };
  Adder adder() { return {sums_.data(), used_.data(), lines_.data()}; }

  // Appends the columns in use, in ascending order, and their sums divided by `divisor`; forgets
  // them.
  void drain(double divisor, std::vector<WordId>& columns, std::vector<double>& values) {
    const std::size_t n = list_columns(), first = values.size();
    columns.insert(columns.end(), columns_.data(), columns_.data() + n);
    values.resize(first + n);
    for (std::size_t i = 0; i < n; ++i) {
      double& sum = sums_[static_cast<std::size_t>(columns_[i])];
      values[first + i] = sum / divisor;
      sum = 0;
    }
  }

 private:
  static constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;  // there is always a lowest bit
  static constexpr std::size_t kBits = 64, kLine = 512, kLinesPerBlock = 8;
  static constexpr std::size_t kBlock = kLine * kLinesPerBlock;  // whose flags are one word

  // Writes the columns in use to columns_, clears their bits, and returns how many there are.
  std::size_t list_columns() {
    WordId* out = columns_.data();
    for (std::size_t line = 0; line < lines_.size(); line += kLinesPerBlock) {
      std::uint64_t flags;
      std::memcpy(&flags, lines_.data() + line, sizeof(flags));
      if (flags == 0) continue;
      for (; flags != 0; flags &= flags - 1)
        out = list_line(line + static_cast<std::size_t>(lowest_bit(flags)) / 8, out);
      std::memset(lines_.data() + line, 0, kLinesPerBlock);
    }
    return static_cast<std::size_t>(out - columns_.data());
  }

  WordId* list_line(std::size_t line, WordId* out) {
    std::uint64_t* const words = used_.data() + line * (kLine / kBits);
    for (std::size_t i = 0; i < kLine / kBits; ++i) {
      out = list_word(words[i], static_cast<WordId>(line * kLine + i * kBits), out);
      words[i] = 0;
    }
    return out;
  }

  // Columns are written four at a time, and the next ones over those that were too many.
  static WordId* list_word(std::uint64_t bits, WordId first, WordId* out) {
    WordId* const end = out + count_bits(bits);
    while (bits != 0) {
      for (int i = 0; i < 4; ++i) {
        out[i] = first + lowest_bit(bits | kHighest);
        bits &= bits - 1;
      }
      out += 4;
    }
    return end;
  }

  std::vector<double> sums_;
  std::vector<std::uint64_t> used_;  // a bit a column
  std::vector<std::uint8_t> lines_;  // whether any of kLine columns is used
  std::vector<WordId> columns_;      // in use, with room for those that were too many
};

}  // namespace pyw2v
