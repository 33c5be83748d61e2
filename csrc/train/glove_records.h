// A co-occurrence matrix as records in an order that suits the cache.
//
// Records are grouped into tiles: some words by as many contexts, whose rows stay in the cache
// while a tile is trained. In a tile the order is random, as is the order of tiles in each epoch,
// so that training sees no other pattern than which rows meet at about the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.h"
#include "base/types.h"
#include "kernel_data/glove_model.h"

namespace pyw2v {

// Compressed rows: see SparseRows.
struct CountMatrix {
  const std::int64_t* row_ends = nullptr;
  Borrowed<const WordId> columns;
  const double* values = nullptr;
  std::size_t n_words = 0;  // rows and columns
};

// f(x) = (x / x_max)^exponent, at most 1.
struct CountWeighting {
  double x_max = 100;
  double exponent = 0.75;
};

// Rows and columns of one tile. `dim` is that of the vectors.
std::size_t glove_tile_rows(std::size_t n_words, std::size_t dim);

// Fills `records` (as many as the matrix has entries) and returns where each tile ends: those of
// the first tile_rows words by the first, second ... tile_rows contexts, then of the next words.
// Throws std::invalid_argument if a count is not positive and finite or a column not a word.
std::vector<std::int64_t> make_tiles(const CountMatrix& matrix, const CountWeighting& weighting,
                                     std::size_t tile_rows, std::uint64_t seed,
                                     std::size_t n_threads, GloveRecord<float>* records,
                                     const Interrupt& interrupt);

// The same records, n of them, in the order given, in double precision.
void make_records(Borrowed<const WordId> words, Borrowed<const WordId> contexts,
                  const double* values, std::size_t n, const CountWeighting& weighting,
                  GloveRecord<double>* records, const Interrupt& interrupt);

}  // namespace pyw2v
