// What a centre word is compared with, under each objective: the rows, their labels, which count.
#pragma once

#include "kernels/logistic.h"
#include "kernels/rows.h"
#include "models/reconcile.h"
#include "models/workspace.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Nodes at the head of a Huffman path that are in the cache anyway: there are few of them.
constexpr int kHotNodes = 9;

// Asking for all rows of a centre at once would fill the processor's few slots for lines under way
// and stall it. So they are listed, and asked for part by part while other rows are computed with.
template <class Real>
inline void list_fetches(Real* const* rows, int n, Workspace<Real>& work) {
  const int room = static_cast<int>(work.fetches.size()) - work.n_fetches;
  for (int j = 0; j < n && j < room; ++j)
    work.fetches[static_cast<std::size_t>(work.n_fetches++)] = rows[j];
}

// Part i of n.
template <class Real>
inline void fetch_part(int i, int n, int dim, const Workspace<Real>& work) {
  const int end = work.n_fetches * (i + 1) / n;
  for (int j = work.n_fetches * i / n; j < end; ++j)
    prefetch_row(work.fetches[static_cast<std::size_t>(j)], dim * static_cast<int>(sizeof(Real)));
}

// Where the target set of `slot` begins in each array of the ring.
template <class Real>
inline std::ptrdiff_t slot_begin(const TargetRing<Real>& ring, int slot) {
  return static_cast<std::ptrdiff_t>(slot) * ring.columns;
}

template <class Real>
inline Targets<Real> targets_at(const TargetRing<Real>& ring, int slot) {
  const std::ptrdiff_t at = slot_begin(ring, slot);
  return {ring.rows.data() + at, ring.labels.data() + at, ring.mask.data() + at, ring.sizes[slot],
          ring.differ[slot]};
}

// The same for a path, all of whose nodes count: the mask is ones up to its end.
template <class Real>
inline Targets<Real> path_at(const TargetRing<Real>& ring, int slot) {
  const std::ptrdiff_t at = slot_begin(ring, slot);
  const int m = ring.sizes[slot];
  return {ring.rows.data() + at, ring.labels.data() + at, ring.mask.data() + ring.columns - m, m,
          ring.differ[slot]};
}

// Random bits for the words drawn for the centre in `slot`.
template <class Real>
inline void draw_noise(const NegativeSampling<Real>& ns, int slot, Rng& rng,
                       NoiseRing<Real>& noise) {
  std::uint64_t* bits = noise.bits.data() + slot * noise.fresh;
  for (int j = 0; j < noise.fresh; ++j) {
    bits[j] = rng.next();
    PYW2V_PREFETCH(ns.sampler->entry(bits[j]));
  }
}

// Where the rows of the words drawn for a centre are kept.
template <class Real>
inline Real** noise_rows(NoiseRing<Real>& noise, int centre) {
  return noise.rows.data() + (centre & (noise.length - 1)) * noise.fresh;
}

// The first centres of a chunk use words again that nobody drew before them.
template <class Real>
inline void fill_noise(const NegativeSampling<Real>& ns, Rng& rng, NoiseRing<Real>& noise) {
  for (int i = -noise.lag; i < 0; ++i)
    for (int j = 0; j < noise.fresh; ++j)
      noise_rows(noise, i)[j] = ns.output.row(row_of(ns.sampler->draw(rng)));
}

// Negative sampling: the centre, then `negative` noise words. A draw of the centre itself is
// masked, as word2vec.c skips it.
template <class Real>
inline void look_up_targets(const NegativeSampling<Real>& ns, int i, WordId centre, int slot,
                            Workspace<Real>& work) {
  NoiseRing<Real>& noise = work.noise;
  TargetRing<Real>& ring = work.ns;
  const std::ptrdiff_t at = slot_begin(ring, slot);
  const std::uint64_t* bits = noise.bits.data() + slot * noise.fresh;
  Real** fresh = noise_rows(noise, i);
  for (int j = 0; j < noise.fresh; ++j)
    fresh[j] = ns.output.row(row_of(ns.sampler->word_at(bits[j])));
  Real** rows = ring.rows.data() + at;
  Real* mask = ring.mask.data() + at;
  rows[0] = ns.output.row(row_of(centre));
  mask[0] = 1;
  ring.labels.data()[at] = 1;
  int drawn_for = i;
  for (int j = 0; j < ns.negative; drawn_for -= noise.gap) {
    Real* const* drawn = noise_rows(noise, drawn_for);
    for (int a = 0; a < noise.fresh && j < ns.negative; ++a, ++j) {
      rows[j + 1] = drawn[a];
      mask[j + 1] = static_cast<Real>(drawn[a] != rows[0]);
    }
  }
  list_fetches(rows, 1 + noise.fresh, work);  // the others were, for another centre
  ring.sizes[slot] = ns.negative + 1;
  ring.differ[slot] = all_differ(rows, ns.negative + 1);
}

template <class Real>
inline void fetch_path(const HierarchicalSoftmax<Real>& hs, WordId centre) {
  const std::int64_t begin = hs.offsets[centre];
  PYW2V_PREFETCH_READ(hs.codes + begin);
  PYW2V_PREFETCH_READ(hs.points + begin);
  PYW2V_PREFETCH_READ(hs.points + begin + 12);  // paths are mostly longer
}

// Hierarchical softmax: the inner nodes on the centre's path; the label of a node is 1 - branch,
// as in word2vec.c.
template <class Real>
inline void look_up_targets(const HierarchicalSoftmax<Real>& hs, WordId centre, int slot,
                            Workspace<Real>& work) {
  TargetRing<Real>& ring = work.hs;
  const std::ptrdiff_t at = slot_begin(ring, slot);
  const std::int64_t begin = hs.offsets[centre];
  const int m = static_cast<int>(hs.offsets[centre + 1] - begin);
  Real** rows = ring.rows.data() + at;
  Real* labels = ring.labels.data() + at;  // past m those of an earlier path, masked
  for (int j = 0; j < m; ++j) {
    rows[j] = work.hot_nodes.row(hs.points[begin + j]);
    labels[j] = static_cast<Real>(1 - hs.codes[begin + j]);
  }
  ring.sizes[slot] = m;
  ring.differ[slot] = true;
  if (m > kHotNodes) list_fetches(rows + kHotNodes, m - kHotNodes, work);
}

// The outputs that hs= and negative= ask for, one or both: where their targets come from, and how
// their scores become errors. Step is the model's own: Step::step for each target set of a centre.
struct FamiliarOutputs {
  template <class Real>
  static void begin(const Model<Real>& model, Rng& rng, Workspace<Real>& work) {
    if (model.hs.on()) take_copies(work.hot_nodes);
    if (model.ns.on()) fill_noise(model.ns, rng, work.noise);
  }

  // After a step, and after the last one of a chunk.
  template <class V>
  static void end_centre(Workspace<typename V::Real>& work) {
    reconcile_next<V>(work.hot_nodes);
  }
  template <class V>
  static void end(const Workspace<typename V::Real>& work) {
    reconcile_all<V>(work.hot_nodes);
  }

  // Everything random about the targets of the centre in `slot`.
  template <class Real>
  static void draw(const Model<Real>& model, int slot, Rng& rng, Workspace<Real>& work) {
    if (model.ns.on()) draw_noise(model.ns, slot, rng, work.noise);
  }

  template <class Real>
  static void look_up(const Model<Real>& model, int i, WordId centre, int slot,
                      Workspace<Real>& work) {
    if (model.hs.on()) look_up_targets(model.hs, centre, slot, work);
    if (model.ns.on()) look_up_targets(model.ns, i, centre, slot, work);
  }

  template <class Real>
  static void fetch_ahead(const Model<Real>& model, const WordId* words, int i, int n) {
    if (!model.hs.on()) return;
    if (i + kPathOffsetAhead < n)
      PYW2V_PREFETCH_READ(model.hs.offsets + words[i + kPathOffsetAhead]);
    if (i + kPathAhead < n) fetch_path(model.hs, words[i + kPathAhead]);
  }

  template <class V, bool kLoss, class Step, class Centre>
  static void run(const Model<typename V::Real>& model, const Centre& centre,
                  Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (model.hs.on())
      Step::template step<V, kLoss>(model, centre, path_at(work.hs, centre.slot), work, loss);
    if (model.ns.on())
      Step::template step<V, kLoss>(model, centre, targets_at(work.ns, centre.slot), work, loss);
  }

  template <class V, bool kLoss>
  static void errors(const Model<typename V::Real>&, Scores<typename V::Real> scores, int n,
                     const Targets<typename V::Real>& targets, typename V::Real lr,
                     Workspace<typename V::Real>&, LossSum<V>& loss) {
    logistic_errors<V, kLoss>(scores, n, targets, lr, loss);
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
