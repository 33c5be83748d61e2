#include "train/glove_records.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/rng.h"

namespace pyw2v {
namespace {

void check_count(double count) {
  if (!(count > 0) || !std::isfinite(count))
    throw std::invalid_argument("counts must be positive and finite, got " + std::to_string(count));
}

GloveRecord<float> record_of(std::size_t word, WordId context, double count,
                             const CountWeighting& weighting) {
  check_count(count);
  const auto x = static_cast<float>(count);
  const auto share = static_cast<float>(count / weighting.x_max);
  const float weight = share > 1 ? 1 : std::pow(share, static_cast<float>(weighting.exponent));
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(context), std::log(x),
          weight};
}

// Fisher-Yates.
void shuffle(GloveRecord<float>* records, std::size_t n, Rng rng, CheckedSteps& steps) {
  for (; n > 1; --n) {
    steps.step();
    const auto bits = static_cast<std::uint32_t>(rng.next());
    std::swap(records[n - 1], records[Rng::below(bits, static_cast<std::uint32_t>(n))]);
  }
}

class TileMaker {
 public:
  TileMaker(const CountMatrix& matrix, const CountWeighting& weighting, std::size_t tile_rows,
            std::uint64_t seed, GloveRecord<float>* records, const Interrupt& interrupt)
      : matrix_(matrix),
        weighting_(weighting),
        tile_rows_(tile_rows),
        n_bands_((matrix.n_words + tile_rows - 1) / tile_rows),
        seed_(seed),
        records_(records),
        interrupt_(interrupt),
        ends_(n_bands_ * n_bands_) {}

  std::size_t n_bands() const { return n_bands_; }
  std::vector<std::int64_t> take_ends() { return std::move(ends_); }

  // The tiles of one band of words: their entries are neighbours in the matrix, too.
  void make_band(std::size_t band) {
    const std::size_t first = band * tile_rows_;
    const std::size_t last = std::min(first + tile_rows_, matrix_.n_words);
    std::vector<std::int64_t> next(n_bands_ + 1);  // how many, then where the next one goes
    CheckedSteps steps(interrupt_);
    for (std::size_t word = first; word < last; ++word) {
      for (std::int64_t i = begin_of(word); i < begin_of(word + 1); ++i) ++next[band_of(i) + 1];
      steps.step(static_cast<std::size_t>(begin_of(word + 1) - begin_of(word)));
    }
    next[0] = begin_of(first);
    for (std::size_t tile = 0; tile < n_bands_; ++tile) next[tile + 1] += next[tile];
    for (std::size_t word = first; word < last; ++word) {
      for (std::int64_t i = begin_of(word); i < begin_of(word + 1); ++i)
        records_[next[band_of(i)]++] =
            record_of(word, matrix_.columns[i], matrix_.values[i], weighting_);
      steps.step(static_cast<std::size_t>(begin_of(word + 1) - begin_of(word)));
    }
    std::int64_t begin = begin_of(first);
    for (std::size_t tile = 0; tile < n_bands_; ++tile) {
      shuffle(records_ + begin, static_cast<std::size_t>(next[tile] - begin),
              Rng(seed_, band, tile), steps);
      begin = ends_[band * n_bands_ + tile] = next[tile];
    }
  }

 private:
  std::int64_t begin_of(std::size_t row) const { return row == 0 ? 0 : matrix_.row_ends[row - 1]; }
  std::size_t band_of(std::int64_t entry) const {
    const auto column = static_cast<std::uint32_t>(matrix_.columns[entry]);
    if (column >= matrix_.n_words) throw std::invalid_argument("a context is not a word id");
    return column / tile_rows_;
  }

  const CountMatrix matrix_;
  const CountWeighting weighting_;
  const std::size_t tile_rows_, n_bands_;
  const std::uint64_t seed_;
  GloveRecord<float>* const records_;
  const Interrupt& interrupt_;
  std::vector<std::int64_t> ends_;
};

}  // namespace

std::size_t glove_tile_rows(std::size_t n_words, std::size_t dim) {
  constexpr std::size_t kTileBytes = std::size_t{1} << 20;  // of words; as many of contexts
  constexpr std::size_t kMaxBands = 2048;
  const std::size_t row_bytes = 2 * padded_stride<float>(dim + 1) * sizeof(float);
  return std::max({kTileBytes / row_bytes, n_words / kMaxBands + 1, std::size_t{16}});
}

std::vector<std::int64_t> make_tiles(const CountMatrix& matrix, const CountWeighting& weighting,
                                     std::size_t tile_rows, std::uint64_t seed,
                                     std::size_t n_threads, GloveRecord<float>* records,
                                     const Interrupt& interrupt) {
  TileMaker maker(matrix, weighting, tile_rows, seed, records, interrupt);
  parallel_for(maker.n_bands(), n_threads, interrupt,
               [&](std::size_t band) { maker.make_band(band); });
  return maker.take_ends();
}

void make_records(Borrowed<const WordId> words, Borrowed<const WordId> contexts,
                  const double* values, std::size_t n, const CountWeighting& weighting,
                  GloveRecord<double>* records, const Interrupt& interrupt) {
  CheckedSteps steps(interrupt);
  for (std::size_t i = 0; i < n; ++i) {
    steps.step();
    check_count(values[i]);
    const double weight =
        values[i] > weighting.x_max ? 1 : std::pow(values[i] / weighting.x_max, weighting.exponent);
    records[i] = {static_cast<std::uint32_t>(words[i]), static_cast<std::uint32_t>(contexts[i]),
                  std::log(values[i]), weight};
  }
}

}  // namespace pyw2v
