// One worker's scratch memory, sized once for a model, so that training allocates nothing.
#pragma once

#include <vector>

#include "base/aligned_buffer.h"
#include "models/hot_rows.h"
#include "models/model.h"

namespace pyw2v {

constexpr TokenPos kChunkTokens = 8192;  // a chunk is cut at the first sentence end past this ...
constexpr TokenPos kMaxChunkTokens = 2 * kChunkTokens;  // ... or here, inside a longer sentence

// How many centres ahead of use it is fetched where paths begin, paths are fetched, targets are
// drawn (which fetches the sampler's entries), and targets are looked up (which fetches the rows:
// few centres ahead, since they wait in L1).
constexpr int kPathOffsetAhead = 10;
constexpr int kPathAhead = 7;
constexpr int kDrawAhead = 4;
constexpr int kLookUpAhead = 2;

// Scores, labels and masks are padded to this many columns: a whole number of vectors on every
// set. Score rows have as much again behind them, for stores that overshoot.
constexpr int kColumnStep = 16;
constexpr int padded_columns(int m) { return (m + kColumnStep - 1) / kColumnStep * kColumnStep; }
constexpr int score_columns(int m) { return padded_columns(m) + kColumnStep; }

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

// A noise word serves this many centres, so its row, mostly far away in memory, is fetched once for
// all of them. They stand further apart than windows reach (if that is not more than kMaxNoiseGap),
// so that the word meets other inputs each time: to share it among neighbours would repeat nearly
// the same pairs. The expected gradient is that of independent draws. Measured on 23.5M words
// (3 epochs, d = 100, two seeds): analogies 40.0 % against 39.4 % without sharing, word similarity
// the same, 20 % faster; shared by only two neighbours, analogies 38.6 %.
constexpr int kNoiseUses = 5;
constexpr int kMaxNoiseGap = 64;
constexpr int noise_gap(int window) {
  return window < kMaxNoiseGap / 2 ? 2 * window + 1 : kMaxNoiseGap;
}

// Target sets of a centre and k noise words. Centres use the sets in turn, and again after
// noise_gap(window) centres, when the oldest words of the set have been drawn anew.
template <class Real>
struct NoiseSets {
  NoiseSets(int negative, int n_sets)
      : fresh((negative + kNoiseUses - 1) / kNoiseUses),
        n_sets(n_sets),
        columns(padded_columns(negative + 1)),
        bits(static_cast<std::size_t>(fresh) * kDrawAhead),
        repeats(static_cast<std::size_t>(n_sets)),
        hit(static_cast<std::size_t>(n_sets)),
        rows(static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_sets)),
        labels(static_cast<std::size_t>(columns)) {
    labels.data()[0] = 1;
  }

  int fresh;  // words drawn for each centre
  int n_sets;
  int columns;
  int next = 0;                       // the set that the next centre uses,
  int use = 0;                        // how often it was used,
  int oldest = 0;                     // and which of its words is drawn anew
  int set_of[kDrawAhead] = {};        // of the centres on their way
  std::vector<std::uint64_t> bits;    // random, for what is drawn for them
  std::vector<std::uint8_t> repeats;  // a word twice
  std::vector<std::uint8_t> hit;      // a word that is the centre
  std::vector<Real*> rows;            // of each set: the centre's, then those of the words
  AlignedBuffer<Real> labels;         // 1, then zeros, of every set
};

// Those of NegativeSampling.
template <class Real>
struct NegativeSets : NoiseSets<Real> {
  NegativeSets(int negative, int window)
      : NoiseSets<Real>(negative, noise_gap(window)), mask(this->rows.size()) {}
  AlignedBuffer<Real> mask;  // 0 for noise that is the centre, and past the end
};

// Those of SampledOutput. Sets of pairs are drawn for one use: of the centres to come the first,
// and two more for the centre at work.
template <class Real>
struct SampledSets : NoiseSets<Real> {
  SampledSets(const SampledOutput<Real>& sampled, int window)
      : NoiseSets<Real>(sampled.negative, sampled.per_pair ? kDrawAhead + 2 : noise_gap(window)),
        seen(sampled.unique != nullptr ? sampled.output.n_rows() : 0),
        words(this->rows.size()),
        shift(this->rows.size()),
        shift_at_work(static_cast<std::size_t>(this->columns)),
        sums(static_cast<std::size_t>(this->columns)) {
    for (int j = sampled.max_targets(); j < this->columns; ++j) {
      shift_at_work.data()[j] = Real(kNoTarget);
      for (int set = 0; set < this->n_sets; ++set)
        shift.data()[set * this->columns + j] = Real(kNoTarget);
    }
  }

  // What is taken off the score of a column that counts for nothing: far above any score, so that
  // its probability is zero.
  static constexpr float kNoTarget = 1e30f;

  SeenWords seen;
  std::vector<WordId> words;
  AlignedBuffer<Real> shift;          // of the words
  AlignedBuffer<Real> shift_at_work;  // the same with what is learnt, or without hits
  AlignedBuffer<Real> sums;           // of the errors of the set at work
};

// The kept tokens of a chunk, and for each the sentence it stands in, as positions in `words`.
struct KeptTokens {
  KeptTokens() : words(kMaxChunkTokens), first(kMaxChunkTokens), last(kMaxChunkTokens) {}
  std::vector<WordId> words;
  std::vector<std::int32_t> first;  // position of the sentence's first kept token
  std::vector<std::int32_t> last;   // one past its last
};

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
      : max_inputs(2 * max_reach(model)),
        max_targets(most_targets(model)),
        columns(score_columns(max_targets)),
        hs(model.hs.max_targets()),
        hot_nodes(model.hs.output, n_nodes(model.hs), worker, n_workers),
        ns(model.ns.negative, model.window),
        sampled(model.sampled, model.window),
        rows(kMaxChunkTokens),
        max_fetches(model.ns.max_targets() + model.hs.max_targets() + model.sampled.max_targets() +
                    kMaxInputFetches),
        fetches(static_cast<std::size_t>(max_fetches)),
        scores(static_cast<std::size_t>(max_inputs) * static_cast<std::size_t>(columns)),
        delta(static_cast<std::size_t>(max_inputs > max_targets ? max_inputs : max_targets) *
              model.input.stride()),
        before(model.input_lock != nullptr
                   ? static_cast<std::size_t>(max_inputs) * model.input.stride()
                   : 1),
        hidden(model.input.stride()),
        local_rows(model.subwords.on() ? ring_length(2 * max_reach(model) + 1 + kLookUpAhead) : 1),
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
    return model.hs.max_targets() > most ? model.hs.max_targets() : most;
  }

  int max_inputs;   // context words of one centre
  int max_targets;  // rows of one target set
  int columns;      // of the score block
  KeptTokens kept;
  PathRing<Real> hs;
  HotRows<Real> hot_nodes;
  NegativeSets<Real> ns;
  SampledSets<Real> sampled;
  std::int32_t lo[kDrawAhead] = {};  // the windows of the centres on their way
  std::int32_t hi[kDrawAhead] = {};
  std::vector<Real*> rows;  // input rows of the kept tokens
  int max_fetches;
  std::vector<Real*> fetches;  // rows of centres to come that are not in the cache
  int n_fetches = 0;
  int to_look_up = -1;  // the centre whose targets are looked up next, or none
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
