// The doors into one instruction set's code: plain functions, entered once per chunk of work.
#pragma once

#include <cstddef>

#include "kernels/topk_tile.h"
#include "models/model.h"
#include "models/workspace.h"

namespace pyw2v {

template <class Real>
struct TrainingKernels {
  ChunkResult (*train_chunk)(const Model<Real>&, const Chunk&, Workspace<Real>&);
  // One block step on copied rows, for tests: x n x stride, y m x stride, both updated in place.
  // Returns the loss; g (n x padded_columns(m)) receives the errors.
  double (*block_step)(Real* x, int n, Real* y, int m, int dim, int stride, const Real* labels,
                       const Real* mask, Real lr, Real* g);
};

struct KernelTable {
  const char* name;
  TrainingKernels<float> training;
  // Runs n_steps rounds of independent FMAs; returns the floating-point operations done.
  double (*fma_work)(long n_steps, float* sink);
  std::size_t topk_width;  // floats in a vector, the unit of TopkTile::lanes
  void (*topk_scan)(const TopkTile& tile);
};

extern const KernelTable kBaselineKernels;
#if defined(__x86_64__) || defined(_M_X64)
extern const KernelTable kAvx2Kernels;
#elif defined(__aarch64__) || defined(_M_ARM64)
extern const KernelTable kNeonKernels;
#endif

// In double and plain C++: the twin on which gradients are checked by finite differences.
extern const TrainingKernels<double> kDoubleKernels;

}  // namespace pyw2v
