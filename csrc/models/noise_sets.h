// Centres on their way to training, and the target sets with noise words that they use in turn.
#pragma once

#include <vector>

#include "base/aligned_buffer.h"
#include "models/model.h"

namespace pyw2v {

// How many groups of centres ahead of use targets are drawn (which fetches the sampler's entries)
// and looked up (which fetches the rows: few groups ahead, since they wait in L1).
constexpr int kDrawAhead = 4;
constexpr int kLookUpAhead = 2;

// Scores, labels and masks are padded to this many columns: a whole number of vectors on every
// set. Score rows have as much again behind them, for stores that overshoot.
constexpr int kColumnStep = 16;
constexpr int padded_columns(int m) { return (m + kColumnStep - 1) / kColumnStep * kColumnStep; }
constexpr int score_columns(int m) { return padded_columns(m) + kColumnStep; }

// A noise word serves this many groups, so its row, mostly far away in memory, is fetched once for
// all of them. They stand further apart than windows reach (if that is not more than kMaxNoiseGap),
// so that the word meets other inputs each time. The expected gradient is that of independent
// draws. Measured on 23.5M words (3 epochs, d = 100, two seeds): analogies 40.0 % against 39.4 %
// without sharing, word similarity the same, 20 % faster.
constexpr int kNoiseUses = 5;
constexpr int kMaxNoiseGap = 64;
constexpr int noise_gap(int window, int max_centres) {
  const int centres = window < kMaxNoiseGap / 2 ? 2 * window + 1 : kMaxNoiseGap;
  const int gap = (centres + max_centres - 1) / max_centres;
  return gap > kLookUpAhead ? gap : kLookUpAhead + 1;  // one at work, others looked up
}

// Target sets of a group and k noise words. Groups use the sets in turn, and again after a gap,
// when the oldest words of the set have been drawn anew. Columns: the centres, of which one alone
// takes the last place, then the words.
template <class Real>
struct NoiseSets {
  NoiseSets(int negative, int n_sets)
      : negative(negative),
        fresh((negative + kNoiseUses - 1) / kNoiseUses),
        n_sets(n_sets),
        columns(score_columns(negative + kMaxCentres)),
        bits(static_cast<std::size_t>(fresh) * kDrawAhead),
        repeats(static_cast<std::size_t>(n_sets)),
        hit(static_cast<std::size_t>(n_sets)),
        rows(static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_sets)),
        labels(static_cast<std::size_t>(columns)),
        masks(static_cast<std::size_t>(columns) * kOwners),
        hit_masks(rows.size() * kOwners) {
    for (int j = 0; j < kMaxCentres; ++j) labels.data()[j] = 1;
    for (int j = 0; j < negative + kMaxCentres; ++j) {
      masks.data()[kFirst * columns + j] = j != 1;
      masks.data()[kSecond * columns + j] = j != 0;
      masks.data()[kBoth * columns + j] = j < kMaxCentres ? 1 : 2;
    }
  }

  int negative;
  int fresh;  // words drawn for each group
  int n_sets;
  int columns;
  int next = 0;                       // the set that the next group uses,
  int use = 0;                        // how often it was used,
  int oldest = 0;                     // and which of its words is drawn anew
  int set_of[kDrawAhead] = {};        // of the groups on their way
  std::vector<std::uint64_t> bits;    // random, for what is drawn for them
  std::vector<std::uint8_t> repeats;  // a word twice
  std::vector<std::uint8_t> hit;      // a word that is a centre, or two centres of one word
  std::vector<Real*> rows;            // of each set
  AlignedBuffer<Real> labels;         // of every set: 1 for the centres, then zeros
  AlignedBuffer<Real> masks;          // for each owner, how often a column counts,
  AlignedBuffer<Real> hit_masks;      // and of each set, where a word that is the centre does not
};

// Those of SampledOutput. Sets of pairs are drawn for one use: of the centres to come the first,
// and two more for the centre at work.
template <class Real>
struct SampledSets : NoiseSets<Real> {
  SampledSets(const SampledOutput<Real>& sampled, int gap)
      : NoiseSets<Real>(sampled.negative, sampled.per_pair ? kDrawAhead + 2 : gap),
        seen(sampled.unique != nullptr ? sampled.output.n_rows() : 0),
        words(this->rows.size()),
        shift(this->rows.size()),
        shift_at_work(static_cast<std::size_t>(this->columns)),
        sums(static_cast<std::size_t>(this->columns)),
        exponentials(static_cast<std::size_t>(this->columns) * kMaxCentres) {}

  SeenWords seen;
  std::vector<WordId> words;
  AlignedBuffer<Real> shift;          // of the words
  AlignedBuffer<Real> shift_at_work;  // the same with what is learnt
  AlignedBuffer<Real> sums;           // of the errors of the set at work
  AlignedBuffer<Real> exponentials;   // of its scores, for each centre
};

}  // namespace pyw2v
