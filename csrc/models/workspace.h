// One worker's scratch memory, sized once for a model, so that training allocates nothing.
#pragma once

#include <vector>

#include "base/aligned_buffer.h"
#include "models/hot_rows.h"
#include "models/model.h"
#include "models/noise_sets.h"

namespace pyw2v {

constexpr TokenPos kChunkTokens = 8192;  // a chunk is cut at the first sentence end past this ...
constexpr TokenPos kMaxChunkTokens = 2 * kChunkTokens;  // ... or here, inside a longer sentence

// How many centres ahead of use it is fetched where paths begin, and paths are fetched.
constexpr int kPathOffsetAhead = 10;
constexpr int kPathAhead = 7;

// Rows of one word's n-grams that are asked for ahead; of the few longer words the rest waits.
constexpr int kMaxInputFetches = 64;

// A ring of Huffman paths, one per centre on its way.
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

// The kept tokens of a chunk, and for each the sentence it stands in, as positions in `words`.
struct KeptTokens {
  KeptTokens() : words(kMaxChunkTokens), first(kMaxChunkTokens), last(kMaxChunkTokens) {}
  std::vector<WordId> words;
  std::vector<std::int32_t> first;  // position of the sentence's first kept token
  std::vector<std::int32_t> last;   // one past its last
};

// The window of a kept token is [lo, hi), itself included.
struct Reach {
  int lo, hi;
};

// A centre, or two neighbours in a sentence, that are trained together, and their windows.
struct Group {
  int first;
  int n;
  Reach windows[kMaxCentres];

  int lo() const { return windows[0].lo; }
  int hi() const { return windows[n - 1].hi; }
};

// Owners are written so many at a time.
constexpr int kOwnersStep = 16;

// Rings that hold the last n of a long row of things have this length, a power of two, so that the
// place of thing i is i & (length - 1).
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
        max_fetches(model.ns.max_targets() + model.hs.max_targets() + model.sampled.max_targets() +
                    kMaxCentres + kMaxInputFetches),
        fetches(static_cast<std::size_t>(max_fetches)),
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
    if (model.ns.max_targets() > most) most = model.ns.max_targets();
    most += model.max_centres() - 1;
    return model.hs.max_targets() > most ? model.hs.max_targets() : most;
  }

  int max_inputs;   // context words of one group
  int max_targets;  // rows of one target set
  int columns;      // of the score block
  KeptTokens kept;
  PathRing<Real> hs;
  HotRows<Real> hot_nodes;
  NoiseSets<Real> ns;
  SampledSets<Real> sampled;
  Group groups[kDrawAhead] = {};     // on their way
  std::vector<std::uint8_t> owners;  // of the inputs of the group at work, if it has two centres
  std::vector<Real*> rows;           // input rows of the kept tokens
  int max_fetches;
  std::vector<Real*> fetches;  // rows of groups to come that are not in the cache
  int n_fetches = 0;
  int to_look_up = -1;  // the slot of the group whose targets are looked up next, or none
  AlignedBuffer<Real> scores;
  AlignedBuffer<Real> delta;
  AlignedBuffer<Real> before;  // locked rows as they were
  AlignedBuffer<Real> hidden;

  // Of composed inputs only, but for `parts`:
  int local_rows;
  AlignedBuffer<Real> local;          // ring of composed rows, each followed by its first state
  std::vector<Real*> parts;           // the rows of one word
  std::vector<std::int32_t> n_parts;  // their number, for each kept token

  BatchWork<Real> batch;  // of outputs that compare with all words
};

}  // namespace pyw2v
