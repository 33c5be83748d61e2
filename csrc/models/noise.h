// The turns of target sets among centres, which all outputs with noise words have in common.
#pragma once

#include "kernels/logistic.h"
#include "kernels/rows.h"
#include "models/workspace.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Asking for all rows of a centre at once would fill the processor's few slots for lines under way
// and stall it. So they are listed, and asked for part by part while other rows are computed with.
template <class Real>
inline void list_fetch(Real* row, Workspace<Real>& work) {
  if (work.n_fetches < work.max_fetches)
    work.fetches[static_cast<std::size_t>(work.n_fetches++)] = row;
}

// Part i of n.
template <class Real>
inline void fetch_part(int i, int n, int dim, const Workspace<Real>& work) {
  Real* const* end = work.fetches.data() + work.n_fetches * (i + 1) / n;
  for (Real* const* row = work.fetches.data() + work.n_fetches * i / n; row != end; ++row)
    prefetch_row(*row, dim * static_cast<int>(sizeof(Real)));
}

template <class Real>
inline void begin_sets(NoiseSets<Real>& sets) {
  sets.next = sets.use = sets.oldest = 0;
}

// Random bits for the words drawn for the group in `slot`.
template <class Real>
inline void draw_bits(const AliasSampler& sampler, int slot, Rng& rng, NoiseSets<Real>& sets) {
  std::uint64_t* bits = sets.bits.data() + slot * sets.fresh;
  for (int j = 0; j < sets.fresh; ++j) {
    bits[j] = rng.next();
    PYW2V_PREFETCH_READ(sampler.entry(bits[j]));
  }
}

// Whether a word stands twice in the set whose turn it is. If none did, only what is new can.
template <class Real>
inline void note_repeats(NoiseSets<Real>& sets) {
  Real* const* words = sets.rows.data() + sets.next * sets.columns + kMaxCentres;
  std::uint8_t& repeats = sets.repeats[static_cast<std::size_t>(sets.next)];
  if (sets.use > 0 && sets.fresh == 1 && !repeats)
    repeats =
        is_among(words[sets.oldest], words, sets.oldest) ||
        is_among(words[sets.oldest], words + sets.oldest + 1, sets.negative - sets.oldest - 1);
  else
    repeats = !all_differ(words, sets.negative);
}

// Draws words for the group in `slot` into the set whose turn it is: all of them at its first use,
// then the oldest `fresh` ones. Outputs::set_word takes a word into its column.
template <class Outputs, class Output, class Real>
inline void renew_words(const Output& output, int slot, NoiseSets<Real>& sets,
                        Workspace<Real>& work) {
  const std::uint64_t* bits = sets.bits.data() + slot * sets.fresh;
  if (sets.use == 0) {
    Rng rng(bits[0], 0, 0);
    for (int j = 0; j < sets.negative; ++j)
      Outputs::set_word(output, output.sampler->draw(rng), sets.next, kMaxCentres + j, work);
  } else {
    int at = sets.oldest;
    for (int j = 0; j < sets.fresh; ++j) {
      Outputs::set_word(output, output.sampler->word_at(bits[j]), sets.next, kMaxCentres + at,
                        work);
      if (++at == sets.negative) at = 0;
    }
  }
  note_repeats(sets);
}

// How often a column counts for an input of each owner, when words that are the centre do not.
template <class Real>
inline void mask_hits(int set, NoiseSets<Real>& sets) {
  Real* const* rows = sets.rows.data() + set * sets.columns;
  Real* masks = sets.hit_masks.data() + set * sets.columns * kOwners;
  std::memcpy(masks, sets.masks.data(),
              static_cast<std::size_t>(sets.columns * kOwners) * sizeof(Real));
  for (int j = kMaxCentres; j < kMaxCentres + sets.negative; ++j) {
    for (int k = 0; k < kMaxCentres; ++k)
      if (rows[j] == rows[k]) masks[k * sets.columns + j] = 0;
    masks[kBoth * sets.columns + j] =
        masks[kFirst * sets.columns + j] + masks[kSecond * sets.columns + j];
  }
}

// The centres of a group, beside the words of a set.
template <class Outputs, class Output, class Real>
inline void set_centres(const Output& output, const WordId* centres, int n, int set,
                        NoiseSets<Real>& sets, Workspace<Real>& work) {
  const int first = kMaxCentres - n;
  for (int k = 0; k < n; ++k) Outputs::set_word(output, centres[k], set, first + k, work);
  Real* const* rows = sets.rows.data() + set * sets.columns;
  bool hit = is_among(rows[1], rows + kMaxCentres, sets.negative);
  if (n > 1) hit = hit || is_among(rows[0], rows + 1, sets.negative + 1);
  sets.hit[static_cast<std::size_t>(set)] = hit;
  if (hit) mask_hits(set, sets);
}

template <class Real>
inline void end_turn(NoiseSets<Real>& sets) {
  if (++sets.next < sets.n_sets) return;
  sets.next = 0;
  if (sets.use++ > 0) sets.oldest = (sets.oldest + sets.fresh) % sets.negative;
}

// A set for a group of n centres; of words that are the centre, the masks say whether they count.
template <class Real>
inline Targets<Real> targets_of(const NoiseSets<Real>& sets, int set, int n, bool remove_hits,
                                const std::uint8_t* owners) {
  const int at = set * sets.columns, first = kMaxCentres - n;
  const auto of = static_cast<std::size_t>(set);
  const Real* masks =
      sets.hit[of] && remove_hits ? sets.hit_masks.data() + at * kOwners : sets.masks.data();
  if (n == 1) masks += kSecond * sets.columns + first;
  return {sets.rows.data() + at + first,
          sets.labels.data() + first,
          masks,
          sets.negative + n,
          !(sets.repeats[of] | sets.hit[of]),
          sets.columns,
          owners};
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
