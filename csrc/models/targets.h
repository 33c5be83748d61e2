// The targets of hierarchical softmax and of negative sampling: which rows a centre is compared
// with, their labels, and a mask of those that count.
#pragma once

#include "kernels/region.h"
#include "models/noise.h"
#include "models/reconcile.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Nodes at the start of a Huffman path that need no prefetch: they are few, and always in the
// cache. With several workers that is only true of the nodes that have private copies (see
// hot_rows.h): the others would be evicted by other workers' writes.
constexpr int kHotNodes = 9;
template <class Real>
inline int n_cached(const HotRows<Real>& hot) {
  return hot.n_levels > 0 && hot.n_levels < kHotNodes ? hot.n_levels : kHotNodes;
}

// The path in `slot`. All of its nodes count: the ring's mask is read from where m ones are left.
template <class Real>
inline Targets<Real> path_at(const PathRing<Real>& ring, int slot) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  const int m = ring.sizes[slot];
  return {ring.rows.data() + at, ring.labels.data() + at, ring.mask.data() + ring.columns - m, m,
          true};
}

// Most paths have this many nodes, and so reach into the next cache line of 16.
constexpr int kMostlyReached = 12;

template <class Real>
inline void prefetch_path(const HierarchicalSoftmax<Real>& hs, WordId centre) {
  const std::int64_t begin = hs.tree.offsets[raw(centre)];
  PYW2V_PREFETCH_READ(hs.tree.codes + begin);
  PYW2V_PREFETCH_READ(hs.tree.points + begin);
  PYW2V_PREFETCH_READ(hs.tree.points + begin + kMostlyReached);
}

// Hierarchical softmax: the inner nodes on the centre's path; the label of a node is 1 - branch,
// as in word2vec.c.
template <class Real>
inline void look_up_path(const HierarchicalSoftmax<Real>& hs, WordId centre, int slot,
                         Workspace<Real>& work) {
  PathRing<Real>& ring = work.hs;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * ring.columns;
  const std::int64_t begin = hs.tree.offsets[raw(centre)];
  const int m = static_cast<int>(hs.tree.offsets[raw(centre) + 1] - begin);
  const std::int32_t* points = hs.tree.points + begin;
  const std::uint8_t* codes = hs.tree.codes + begin;
  Real** rows = ring.rows.data() + at;
  Real* labels = ring.labels.data() + at;
  // Eight at a time, which compilers turn into vectors. Entries past m are those of the next path,
  // and masked.
  constexpr int kStep = 8;
  int j = 0;
  for (; j < m && begin + j + kStep <= hs.tree.n_entries; j += kStep) {
    hs.output.template rows_at<kStep>(points + j, rows + j);
    Real values[kStep];
    for (int u = 0; u < kStep; ++u) values[u] = static_cast<Real>(1 - codes[j + u]);
    for (int u = 0; u < kStep; ++u) labels[j + u] = values[u];
  }
  for (; j < m; ++j) {
    rows[j] = hs.output.row(row_number(points[j]));
    labels[j] = static_cast<Real>(1 - codes[j]);
  }
  for (j = 0; j < m && work.hot_nodes.has(points[j]); ++j) rows[j] = work.hot_nodes.row(points[j]);
  ring.sizes[slot] = m;
  for (j = n_cached(work.hot_nodes); j < m; ++j) list_prefetch(rows[j], work);
}

// Hierarchical softmax (hs=), negative sampling (negative=), or both. See models/policies.h.
struct ClassicOutputs {
  template <class Real>
  using TargetSet = Targets<Real>;

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
    work.ns.set_in_slot[slot] = work.ns.next;
    renew_words<ClassicOutputs>(model.ns, slot, work.ns, work);
    set_centres<ClassicOutputs>(model.ns, centres, n, work.ns.next, work.ns, work);
    end_turn(work.ns);
  }

  // Puts a noise word, or a centre, into a column of a target set.
  template <class Real>
  static void set_word(const NegativeSampling<Real>& ns, WordId word, int set, int column,
                       Workspace<Real>& work) {
    Real** row = work.ns.rows.data() + set * work.ns.columns + column;
    *row = ns.output.row(row_of(word));
    list_prefetch(*row, work);
  }

  template <class Real>
  static void prefetch_ahead(const Model<Real>& model, const WordId* words, int i, int n) {
    if (!model.hs.on()) return;
    if (i + kPathOffsetAhead < n)
      PYW2V_PREFETCH_READ(model.hs.tree.offsets + raw(words[i + kPathOffsetAhead]));
    if (i + kPathAhead < n) prefetch_path(model.hs, words[i + kPathAhead]);
  }

  // First the Huffman path. Then negative sampling's set: the centres and `negative` noise words,
  // where a draw of the centre itself is masked, as word2vec.c skips it. Of a set of more than
  // kMaxBlockTargets, pieces: one block of a million targets would not see `stop` for seconds.
  template <class Real>
  class TargetSets {
   public:
    template <class Context>
    PYW2V_ALWAYS_INLINE TargetSets(const Model<Real>& model, const Context& context,
                                   Workspace<Real>&)
        : n_inputs(context.n), path_(model.hs.on()), noise_(model.ns.on()) {}

    template <class Context>
    PYW2V_ALWAYS_INLINE bool next(const Model<Real>&, const Context& context, Workspace<Real>& work,
                                  Targets<Real>& targets) {
      if (path_) {
        targets = path_at(work.hs, context.slot);
        path_ = false;
        return true;
      }
      if (!noise_) return false;
      if (n_left_ > 0) return next_piece(context, work, targets);
      const int set = work.ns.set_in_slot[context.slot];
      targets = targets_in_set(work.ns, set, context.n_centres, true, context.owners);
      noise_ = targets.m > kMaxBlockTargets;
      if (noise_) {
        n_left_ = targets.m - kMaxBlockTargets;
        targets.m = kMaxBlockTargets;
      }
      return true;
    }

    const int first_input = 0, n_inputs;  // every set is for all inputs

   private:
    template <class Context>
    bool next_piece(const Context& context, Workspace<Real>& work, Targets<Real>& targets) {
      if (work.stopped()) return false;
      work.n_prefetches = 0;  // each row once
      targets.rows += kMaxBlockTargets;
      targets.labels += kMaxBlockTargets;
      targets.mask += kMaxBlockTargets;
      targets.m = n_left_ < kMaxBlockTargets ? n_left_ : kMaxBlockTargets;
      targets.owners = context.owners;
      n_left_ -= targets.m;
      noise_ = n_left_ > 0;
      return true;
    }

    bool path_, noise_;  // not yielded yet
    int n_left_ = 0;     // noise targets after this piece
  };

  template <class V, bool kLoss, bool kMayBeOwned>
  static void errors(const Model<typename V::Real>&, Scores<typename V::Real> scores, int n,
                     const Targets<typename V::Real>& targets, typename V::Real lr,
                     Workspace<typename V::Real>&, LossSum<V>& loss) {
    logistic_errors<V, kLoss, kMayBeOwned>(scores, n, targets, lr, loss);
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
