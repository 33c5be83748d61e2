// What a run trains: an epoch in pieces, which workers take in turn. See run.h for who calls it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernel_data/model.h"

namespace pyw2v {

// A piece of an epoch, as its worker gets it.
struct Piece {
  int epoch;
  std::size_t number;
  const std::atomic<bool>& stop;      // when true, leave the piece as it is and return
  std::atomic<std::int64_t>& n_done;  // tokens, lines or records of the epoch, for progress meters
};

// Trainers for word vectors, classifiers, GloVe and the exact engine derive from this.
//
// What is random in a piece must follow from the seed, the epoch and the piece's number, so that
// it does not matter who trains it, nor when.
//
// Lock-free by design (Hogwild, Niu et al. 2011): workers read and write rows of the shared
// matrices without synchronisation. Rows are large and collisions rare; a lost update is noise.
class Trainer {
 public:
  Trainer() = default;
  virtual ~Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // At most so many workers are of use.
  virtual std::size_t n_workers() const = 0;
  // Puts the pieces of an epoch in order; returns how many there are. No worker runs meanwhile.
  virtual std::size_t open(int epoch) = 0;
  // What n_done counts, in the pieces before this one; `before` are their sums.
  virtual std::int64_t done_before(std::size_t piece, const ChunkResult& before) const = 0;
  // Trains a piece; may throw. `worker` is below n_workers() and differs among those who work.
  virtual ChunkResult train(std::size_t worker, const Piece& piece) = 0;
};

// Throws DivergenceError if the loss of a piece is not a finite number; epochs count from 0.
void require_finite(const ChunkResult& result, int epoch);

}  // namespace pyw2v
