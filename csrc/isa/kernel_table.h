// The entry points of one instruction set's code: plain functions, called once per chunk of work.
#pragma once

#include <cstddef>

#include "kernel_data/byte_filter_tile.h"
#include "kernel_data/centroid_tile.h"
#include "kernel_data/classifier_model.h"
#include "kernel_data/glove_model.h"
#include "kernel_data/model.h"
#include "kernel_data/topk_tile.h"
#include "kernel_data/workspace.h"

namespace pyw2v {

template <class Real>
struct TrainingKernels {
  ChunkResult (*train_chunk)(const Model<Real>&, const Chunk&, Workspace<Real>&);
  // One block step, for tests: n rows x and m rows y, updated in place; labels and mask have
  // padded_columns(m) entries. Returns the loss; g (n x score_columns(m)) receives the errors;
  // scratch holds max(n, m) padded rows.
  double (*block_step)(Real* const* x, int n, Real* const* y, int m, int dim, const Real* labels,
                       const Real* mask, Real lr, Real* g, Real* scratch);
};

template <class Real>
struct ClassifierKernels {
  ChunkResult (*train_lines)(const ClassifierModel<Real>&, const LabelledLines&,
                             ClassifierWork<Real>&);
};

template <class Real>
struct GloveKernels {
  // Trains on n records in their order and returns the sum of their costs.
  double (*train_records)(const GloveModel<Real>&, const GloveRecord<Real>* records, std::size_t n);
};

// For prediction, in single precision only; see models/classifier.h.
struct PredictionKernels {
  void (*add_rows)(const PackedRows& input, const std::uint32_t* rows, const std::int64_t* row_ends,
                   int n_lines, float* out, std::size_t stride);
  void (*predict)(float* const* hidden, int n, float* const* targets, int m, int dim,
                  Activation activation, float* scores);
};

struct KernelTable {
  const char* name;
  TrainingKernels<float> training;
  // Runs n_steps rounds of independent FMAs; returns the floating-point operations done.
  double (*fma_work)(long n_steps, float* sink);
  std::size_t topk_width;  // floats in a vector, the unit of TopkTile::lanes
  void (*topk_scan)(const TopkTile& tile);
  const ByteFilterKernels* byte_filter;  // null where there is none
  void (*nearest_centroids)(const CentroidTile& tile);
  ClassifierKernels<float> classifier;
  PredictionKernels prediction;
  GloveKernels<float> glove;
};

extern const KernelTable kBaselineKernels;
#if defined(__x86_64__) || defined(_M_X64)
extern const KernelTable kAvx2Kernels;
#elif defined(__aarch64__) || defined(_M_ARM64)
extern const KernelTable kNeonKernels;
#endif

// In double and plain C++: the twin on which gradients are checked by finite differences.
struct DoubleKernels {
  TrainingKernels<double> training;
  ClassifierKernels<double> classifier;
  GloveKernels<double> glove;  // in the C program's order of sums
};

extern const DoubleKernels kDoubleKernels;

}  // namespace pyw2v
