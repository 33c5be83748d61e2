// Trains GloVe: a piece of an epoch is a share of a tile of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/kernel_table.h"
#include "train/trainer.h"

namespace pyw2v {

template <class Real>
struct GloveCorpus {
  const GloveRecord<Real>* records = nullptr;
  const std::int64_t* ends = nullptr;  // of every tile, rising, the last one the number of records
  std::size_t n_tiles = 0;
  // Tiles are a square of so many bands, trained in a random order; 0: in the order given.
  std::size_t n_bands = 0;
};

// In how many parts an epoch trains a square of tiles, an equal share of each tile a time. Whole
// tiles are faster, but their rows adapt to each other and forget the rest. On 10M records at
// d = 100, one thread: 8M records/s and a cost of 0.0095 after 6 epochs in whole tiles, 7M and
// 0.0091 in 8 passes, 5M and 0.0091 with all records in random order.
constexpr std::size_t kGlovePasses = 8;

template <class Real>
class GloveTrainer final : public Trainer {
 public:
  // The memory behind model and corpus must outlive the trainer.
  GloveTrainer(const GloveKernels<Real>& kernels, const GloveModel<Real>& model,
               const GloveCorpus<Real>& corpus, std::uint64_t seed, int n_workers);

  std::size_t n_workers() const override { return n_workers_; }
  std::size_t open(int epoch) override;
  std::int64_t done_before(std::size_t, const ChunkResult& before) const override {
    return before.n_examples;
  }
  ChunkResult train(std::size_t worker, const Piece& piece) override;

 private:
  // Bands of one pass in random order, and the diagonals of their square.
  struct Pass {
    std::vector<std::size_t> words, contexts, shifts;
  };
  struct Range {
    std::size_t begin, end;
  };
  Range range(std::size_t piece) const;

  const GloveKernels<Real> kernels_;
  const GloveModel<Real> model_;
  const GloveCorpus<Real> corpus_;
  const std::uint64_t seed_;
  const std::size_t n_workers_;
  std::vector<Pass> passes_;
};

extern template class GloveTrainer<float>;
extern template class GloveTrainer<double>;

}  // namespace pyw2v
