// What a centre word is compared with, under each objective: the rows, their labels, which count.
#pragma once

#include "kernels/logistic.h"
#include "kernels/rows.h"
#include "models/workspace.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class Real>
inline Targets<Real> targets_at(const TargetRing<Real>& ring, int slot) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  return {ring.rows.data() + at, ring.labels.data() + at, ring.mask.data() + at, ring.sizes[slot]};
}

// The centre, then `negative` draws from the noise distribution. A draw of the centre itself is
// masked, as word2vec.c skips it.
template <class Real>
inline void draw_targets(const NegativeSampling<Real>& ns, WordId centre, Rng& rng, int slot,
                         TargetRing<Real>& ring) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  Real** rows = ring.rows.data() + at;
  Real* mask = ring.mask.data() + at;
  const int row_bytes = static_cast<int>(ns.output.dim() * sizeof(Real));
  rows[0] = ns.output.row(row_of(centre));
  mask[0] = 1;
  ring.labels.data()[at] = 1;
  for (int j = 1; j <= ns.negative; ++j) {
    const WordId noise = ns.sampler->draw(rng);
    rows[j] = ns.output.row(row_of(noise));
    mask[j] = static_cast<Real>(noise != centre);
  }
  for (int j = 0; j <= ns.negative; ++j) prefetch_row(rows[j], row_bytes);
  ring.sizes[slot] = ns.negative + 1;
}

// The inner nodes on the centre's path; the label of a node is 1 - branch, as in word2vec.c.
template <class Real>
inline void draw_targets(const HierarchicalSoftmax<Real>& hs, WordId centre, Rng&, int slot,
                         TargetRing<Real>& ring) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  const std::int64_t begin = hs.offsets[centre];
  const int m = static_cast<int>(hs.offsets[centre + 1] - begin);
  const int row_bytes = static_cast<int>(hs.output.dim() * sizeof(Real));
  Real** rows = ring.rows.data() + at;
  Real* labels = ring.labels.data() + at;
  Real* mask = ring.mask.data() + at;
  for (int j = 0; j < m; ++j) {
    rows[j] = hs.output.row(row_of(hs.points[begin + j]));
    prefetch_row(rows[j], row_bytes);
    labels[j] = static_cast<Real>(1 - hs.codes[begin + j]);
    mask[j] = 1;
  }
  for (int j = m; j < padded_columns(m); ++j) labels[j] = mask[j] = 0;
  ring.sizes[slot] = m;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
