// One worker's scratch memory, sized once for a model, so that training allocates nothing.
#pragma once

#include <vector>

#include "base/aligned_buffer.h"
#include "kernel_data/hot_rows.h"
#include "kernel_data/kept_tokens.h"
#include "kernel_data/model.h"
#include "kernel_data/noise_sets.h"

namespace pyw2v {

// How many centres before its use the offset of a Huffman path is prefetched, and the path itself.
constexpr int kPathOffsetAhead = 10;
constexpr int kPathAhead = 7;

// Rows of one word's n-grams that are prefetched; the few words that have more wait for the others.
constexpr int kMaxInputPrefetches = 64;

// A ring of Huffman paths, one per centre in flight.
template <class Real>
struct PathRing {
  explicit PathRing(int max_targets)
      : columns(padded_columns(max_targets)),
        rows(static_cast<std::size_t>(columns) * kDrawAhead),
        labels(static_cast<std::size_t>(columns) * kDrawAhead),
        mask(static_cast<std::size_t>(columns) * kDrawAhead) {}
  int columns;
  int sizes[kDrawAhead] = {};
  std::vector<Real*> rows;
  AlignedBuffer<Real> labels;
  AlignedBuffer<Real> mask;  // ones for the longest path, then zeros; see path_at
};

// One centre, or two neighbours in a sentence that are trained together, with their windows.
struct Group {
  int first;
  int n;
  Window windows[kMaxCentres];

  int lo() const { return windows[0].lo; }
  int hi() const { return windows[n - 1].hi; }
};

// Owners are written this many at a time.
constexpr int kOwnersStep = 16;

// The length of a ring that holds at least n items: a power of two, so that item i is at place
// i & (length - 1).
constexpr int ring_length(int n) {
  int length = 1;
  while (length < n) length *= 2;
  return length;
}

template <class Real>
struct Workspace {
  // For one of n_workers that train the model at the same time.
  explicit Workspace(const Model<Real>& model, int worker = 0, int n_workers = 1)
      : max_inputs(2 * max_reach(model) + kMaxCentres),
        max_targets(most_targets(model)),
        columns(score_columns(max_targets)),
        hs(model.hs.max_targets()),
        hot_nodes(model.hs.output, n_nodes(model.hs), worker, n_workers),
        ns(model.ns.negative, noise_gap(model.window, model.max_centres())),
        sampled(model.sampled, noise_gap(model.window, model.max_centres())),
        owners(static_cast<std::size_t>(max_inputs) + kOwnersStep),
        rows(kMaxChunkTokens),
        max_prefetches(model.ns.max_targets() + model.hs.max_targets() +
                       model.sampled.max_targets() + kMaxCentres + kMaxInputPrefetches),
        prefetches(static_cast<std::size_t>(max_prefetches)),
        scores(static_cast<std::size_t>(max_inputs) * static_cast<std::size_t>(columns)),
        delta(static_cast<std::size_t>(max_inputs > max_targets ? max_inputs : max_targets) *
              model.input.stride()),
        before(model.input_lock != nullptr
                   ? static_cast<std::size_t>(max_inputs) * model.input.stride()
                   : 1),
        hidden(model.input.stride()),
        local_rows(model.subwords.on() ? ring_length(max_inputs + kLookUpAhead) : 1),
        local(static_cast<std::size_t>(local_rows) * 2 * model.input.stride()),
        parts(static_cast<std::size_t>(model.subwords.max_ids) + 1),
        n_parts(model.subwords.on() ? kMaxChunkTokens : 0),
        batch(model.full.on() ? model.full.n_all() : 0,
              static_cast<std::size_t>(model.full.bands.n), model.full.tree,
              model.full.on() ? model.input.stride() : 0) {
    for (int j = 0; j < hs.columns; ++j) hs.mask.data()[j] = 1;
  }

  bool stopped() const { return stop->load(std::memory_order_relaxed); }

  static int max_reach(const Model<Real>& model) {
    constexpr int kMost = static_cast<int>(kMaxChunkTokens / 2);
    return model.window < kMost ? model.window : kMost;
  }

  // A row for each word, and one node less.
  static std::size_t n_nodes(const HierarchicalSoftmax<Real>& hs) {
    return hs.on() ? hs.output.n_rows() - 1 : 0;
  }

  static int most_targets(const Model<Real>& model) {
    int most = model.sampled.max_targets();
    const int ns =
        model.ns.max_targets() < kMaxBlockTargets ? model.ns.max_targets() : kMaxBlockTargets;
    if (ns > most) most = ns;
    most += model.max_centres() - 1;
    return model.hs.max_targets() > most ? model.hs.max_targets() : most;
  }

  int max_inputs;   // context words of one group
  int max_targets;  // rows of one block
  int columns;      // of the score block
  KeptTokens kept;
  PathRing<Real> hs;
  HotRows<Real> hot_nodes;
  NoiseSets<Real> ns;
  SampledSets<Real> sampled;
  const std::atomic<bool>* stop = nullptr;  // of the chunk; steps with many rows check it, too
  Group groups[kDrawAhead] = {};            // in flight
  std::vector<std::uint8_t> owners;         // of the current group's inputs, if it has two centres
  std::vector<Real*> rows;                  // input rows of the kept tokens
  int max_prefetches;
  std::vector<Real*> prefetches;  // rows of later groups that are not in the cache yet
  int n_prefetches = 0;
  int to_look_up = -1;  // the slot of the group whose targets are looked up next, or none
  AlignedBuffer<Real> scores;
  AlignedBuffer<Real> delta;
  AlignedBuffer<Real> before;  // locked rows as they were before the step
  AlignedBuffer<Real> hidden;

  // For composed inputs only, except `parts`:
  int local_rows;
  AlignedBuffer<Real> local;  // ring of composed rows, each followed by a copy as it was composed
  std::vector<Real*> parts;   // the rows of one word
  std::vector<std::int32_t> n_parts;  // their number, for each kept token

  BatchWork<Real> batch;  // for outputs that compare with all words
};

}  // namespace pyw2v
