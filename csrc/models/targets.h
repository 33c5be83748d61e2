// What a centre word is compared with, under each objective: the rows, their labels, which count.
#pragma once

#include "models/noise.h"
#include "models/reconcile.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Nodes at the head of a Huffman path that are in the cache anyway: there are few of them. Other
// workers would take them from it again and again, but for copies.
constexpr int kHotNodes = 9;
template <class Real>
inline int n_cached(const HotRows<Real>& hot) {
  return hot.n_levels > 0 && hot.n_levels < kHotNodes ? hot.n_levels : kHotNodes;
}

// The path in `slot`, all of whose nodes count: the mask is ones up to its end.
template <class Real>
inline Targets<Real> path_at(const PathRing<Real>& ring, int slot) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  const int m = ring.sizes[slot];
  return {ring.rows.data() + at, ring.labels.data() + at, ring.mask.data() + ring.columns - m, m,
          true};
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
inline void look_up_path(const HierarchicalSoftmax<Real>& hs, WordId centre, int slot,
                         Workspace<Real>& work) {
  PathRing<Real>& ring = work.hs;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  const std::int64_t begin = hs.offsets[centre];
  const int m = static_cast<int>(hs.offsets[centre + 1] - begin);
  const std::int32_t* points = hs.points + begin;
  const std::uint8_t* codes = hs.codes + begin;
  Real** rows = ring.rows.data() + at;
  Real* labels = ring.labels.data() + at;
  // By eights, which become vectors; past m those of the next path, masked.
  constexpr int kStep = 8;
  int j = 0;
  for (; j < m && begin + j + kStep <= hs.n_nodes; j += kStep) {
    hs.output.template rows_at<kStep>(points + j, rows + j);
    Real values[kStep];
    for (int u = 0; u < kStep; ++u) values[u] = static_cast<Real>(1 - codes[j + u]);
    for (int u = 0; u < kStep; ++u) labels[j + u] = values[u];
  }
  for (; j < m; ++j) {
    rows[j] = hs.output.row(row_of(points[j]));
    labels[j] = static_cast<Real>(1 - codes[j]);
  }
  for (j = 0; j < m && work.hot_nodes.has(points[j]); ++j) rows[j] = work.hot_nodes.row(points[j]);
  ring.sizes[slot] = m;
  for (j = n_cached(work.hot_nodes); j < m; ++j) list_fetch(rows[j], work);
}

// The outputs that hs= and negative= ask for, one or both: where their targets come from, and how
// their scores become errors. Step is the model's own: Step::step for each target set of a centre.
struct FamiliarOutputs {
  template <class Real>
  static void begin(const Model<Real>& model, Workspace<Real>& work) {
    if (model.hs.on()) take_copies(work.hot_nodes);
    begin_sets(work.ns);
  }

  // After a step, and after the last one of a chunk.
  template <class V>
  static void end_group(Workspace<typename V::Real>& work) {
    reconcile_next<V>(work.hot_nodes);
  }
  template <class V>
  static void end(const Workspace<typename V::Real>& work) {
    reconcile_all<V>(work.hot_nodes);
  }

  // Everything random about the targets of the group in `slot`.
  template <class Real>
  static void draw(const Model<Real>& model, int slot, Rng& rng, Workspace<Real>& work) {
    if (model.ns.on()) draw_bits(*model.ns.sampler, slot, rng, work.ns);
  }

  template <class Real>
  static void look_up(const Model<Real>& model, const WordId* centres, int n, int slot,
                      Workspace<Real>& work) {
    if (model.hs.on()) look_up_path(model.hs, centres[0], slot, work);
    if (!model.ns.on()) return;
    work.ns.set_of[slot] = work.ns.next;
    renew_words<FamiliarOutputs>(model.ns, slot, work.ns, work);
    set_centres<FamiliarOutputs>(model.ns, centres, n, work.ns.next, work.ns, work);
    end_turn(work.ns);
  }

  // A word, or the centre, into a column of a target set.
  template <class Real>
  static void set_word(const NegativeSampling<Real>& ns, WordId word, int set, int column,
                       Workspace<Real>& work) {
    Real** row = work.ns.rows.data() + set * work.ns.columns + column;
    *row = ns.output.row(row_of(word));
    list_fetch(*row, work);
  }

  template <class Real>
  static void fetch_ahead(const Model<Real>& model, const WordId* words, int i, int n) {
    if (!model.hs.on()) return;
    if (i + kPathOffsetAhead < n)
      PYW2V_PREFETCH_READ(model.hs.offsets + words[i + kPathOffsetAhead]);
    if (i + kPathAhead < n) fetch_path(model.hs, words[i + kPathAhead]);
  }

  // Negative sampling: the centres, then `negative` noise words. A draw of the centre itself is
  // masked, as word2vec.c skips it.
  template <class V, bool kLoss, class Step, class Context>
  static void run(const Model<typename V::Real>& model, const Context& context,
                  Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (model.hs.on())
      Step::template step<V, kLoss>(model, context, path_at(work.hs, context.slot), work, loss);
    if (!model.ns.on()) return;
    const int set = work.ns.set_of[context.slot];
    Step::template step<V, kLoss>(model, context,
                                  targets_of(work.ns, set, context.n_centres, true, context.owners),
                                  work, loss);
  }

  template <class V, bool kLoss, class Step>
  static void errors(const Model<typename V::Real>&, Scores<typename V::Real> scores, int n,
                     const Targets<typename V::Real>& targets, typename V::Real lr,
                     Workspace<typename V::Real>&, LossSum<V>& loss) {
    logistic_errors<V, kLoss, (Step::kMostCentres > 1)>(scores, n, targets, lr, loss);
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
