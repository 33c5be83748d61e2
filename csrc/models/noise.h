// How groups take turns with target sets; shared by all outputs that have noise words.
#pragma once

#include "kernel_data/workspace.h"
#include "kernels/logistic.h"
#include "kernels/region.h"
#include "kernels/rows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Prefetching all rows of a centre at once would fill the processor's few slots for cache misses in
// flight and stall it. So the rows are listed, and prefetched in parts between other work.
template <class Real>
inline void list_prefetch(Real* row, Workspace<Real>& work) {
  if (work.n_prefetches < work.max_prefetches)
    work.prefetches[static_cast<std::size_t>(work.n_prefetches++)] = row;
}

// Part i of n.
template <class Real>
inline void prefetch_part(int i, int n, int dim, const Workspace<Real>& work) {
  Real* const* end = work.prefetches.data() + work.n_prefetches * (i + 1) / n;
  for (Real* const* row = work.prefetches.data() + work.n_prefetches * i / n; row != end; ++row)
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

// Notes whether a word is twice in the set whose turn it is. If none was, only a new one can be.
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
// then the oldest `fresh` ones. Outputs::set_word puts a word into its column.
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

// Makes the masks of a set in which noise words that are the centre do not count for its inputs.
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

// Puts the centres of a group into a set, beside its noise words.
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

// The targets of a group of n centres. remove_hits: noise words that are the centre do not count.
template <class Real>
inline Targets<Real> targets_in_set(const NoiseSets<Real>& sets, int set, int n, bool remove_hits,
                                    const std::uint8_t* owners) {
  const int at = set * sets.columns, first = kMaxCentres - n;
  const auto s = static_cast<std::size_t>(set);
  const Real* masks =
      sets.hit[s] && remove_hits ? sets.hit_masks.data() + at * kOwners : sets.masks.data();
  if (n == 1) masks += kSecond * sets.columns + first;
  return {sets.rows.data() + at + first,
          sets.labels.data() + first,
          masks,
          sets.negative + n,
          !(sets.repeats[s] | sets.hit[s]),
          sets.columns,
          owners};
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
