// Cuts a chunk of the corpus into groups of centres with their windows and drives their training.
// Groups are drawn a few groups before their use, so that every row is in the cache by then.
#pragma once

#include "kernel_data/kept_tokens.h"
#include "kernels/region.h"
#include "models/inputs.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// The group that begins with token i. Two neighbours have windows of one radius.
PYW2V_ALWAYS_INLINE Group draw_group(int window, bool shrink, int max_centres, int i, Rng& rng,
                                     const KeptTokens& kept) {
  const int radius = draw_radius(window, shrink, rng);
  Group group{i, 1, {window_around(i, radius, kept)}};
  if (max_centres > 1 && i + 1 < kept.last[static_cast<std::size_t>(i)])
    group.windows[group.n++] = window_around(i + 1, radius, kept);
  return group;
}

template <class Step, class Real>
inline void look_up_group(const Model<Real>& model, int slot, Workspace<Real>& work) {
  const Group& group = work.groups[slot];
  Step::Outputs::look_up(model, work.kept.words.data() + group.first,
                         Step::kMostCentres == 1 ? 1 : group.n, slot, work);
}

// Called once per group, by the step, at a point where it would wait for memory anyway.
template <class Step, class Real>
inline void look_up_next(const Model<Real>& model, Workspace<Real>& work) {
  if (work.to_look_up < 0) return;
  look_up_group<Step>(model, work.to_look_up, work);
  work.to_look_up = -1;
}

// Notes for each word of two neighbours' windows whose context it is. The centres are each other's
// context, and at either end the windows differ by at most one word.
inline void note_owners(const Group& group, std::uint8_t* owners) {
  const int lo = group.lo(), n = group.hi() - lo, at = group.first - lo;
  for (int i = 0; i < n; i += kOwnersStep) std::memset(owners + i, kBoth, kOwnersStep);
  if (lo < group.windows[1].lo) owners[0] = kFirst;
  if (group.windows[0].hi < group.hi()) owners[n - 1] = kSecond;
  owners[at] = kSecond;
  owners[at + 1] = kFirst;
}

// A group and the input rows of its context. The inputs are consecutive entries of Workspace::rows.
// For two neighbours they are all words of their windows. For one centre, which is no input of its
// own, they are the window's words from the second on: meanwhile the centre's entry holds the row
// of the first word.
template <class Real>
struct Context {
  Real* const* inputs;
  int n;
  const WordId* window;
  int at;  // index of the first centre in the window
  int n_centres;
  const std::uint8_t* owners;  // of the inputs; null if there is one centre
  int n_examples;
  int slot;  // of the group in the rings of targets
  Real lr;
  const std::int32_t* n_parts;  // rows that each word of the window is composed of; null: one

  WordId centre() const { return window[at]; }
  WordId word(int i) const { return window[place(i)]; }
  int parts(int i) const { return n_parts[place(i)]; }

 private:
  // Of input i in the window.
  int place(int i) const { return n_centres > 1 ? i : i + 1 == at ? 0 : i + 1; }
};

// Trains a chunk: Step::run for every group that has a context. See models/policies.h.
template <class V, bool kLoss, class Step, class Inputs>
inline ChunkResult for_each_group(const Model<typename V::Real>& model, const Chunk& chunk,
                                  Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  using Outputs = typename Step::Outputs;
  Rng rng = chunk.rng;
  ChunkResult result;
  LossSum<V> loss;
  const int n = keep_tokens(model.keep, chunk, rng, work.kept);
  const int max_centres = Step::kMostCentres == 1 ? 1 : model.max_centres();
  const WordId* words = work.kept.words.data();
  Real** rows = work.rows.data();
  const int inputs_ahead = model.window < n - kLookUpAhead ? model.window + kLookUpAhead : n;
  const double lr_step = n > 0 ? (chunk.lr_end - chunk.lr_begin) / n : 0;
  int n_drawn = 0, next = 0;  // groups, and the token where the next one begins
  const auto draw_next = [&] {
    const int slot = n_drawn++ % kDrawAhead;
    const Group& group = work.groups[slot] =
        draw_group(model.window, model.shrink_windows, max_centres, next, rng, work.kept);
    next += group.n;
    Outputs::draw(model, slot, rng, work);
  };
  work.stop = chunk.stop;
  Outputs::begin(model, work);
  while (n_drawn < kDrawAhead && next < n) draw_next();
  for (int g = 0; g < n_drawn && g < kLookUpAhead; ++g) look_up_group<Step>(model, g, work);
  int n_open = 0, n_closed = 0;
  while (n_open < inputs_ahead && !work.stopped())
    Inputs::template open<V>(model, n_open++, n, work);
  for (int g = 0; g < n_drawn; ++g) {
    if (chunk.stop->load(std::memory_order_relaxed)) break;
    const int slot = g % kDrawAhead;
    const Group& group = work.groups[slot];
    const int n_centres = Step::kMostCentres == 1 ? 1 : group.n;
    const int i = group.first, lo = group.lo();
    const bool alone = n_centres == 1;
    work.to_look_up = g + kLookUpAhead < n_drawn ? (g + kLookUpAhead) % kDrawAhead : -1;
    work.n_prefetches = 0;
    Outputs::prefetch_ahead(model, words, i, n);
    for (int k = 0; k < n_centres && n_open < n; ++k)
      Inputs::template open<V>(model, n_open++, n, work);
    const Window window = group.windows[0], last = group.windows[n_centres - 1];
    const int n_inputs = last.hi - lo - (alone ? 1 : 0);
    if (n_inputs > 0) {
      Real* const own_row = rows[i];
      if (alone)
        rows[i] = rows[lo];
      else
        note_owners(group, work.owners.data());
      const Context<Real> context{alone ? rows + lo + 1 : rows + lo,
                                  n_inputs,
                                  words + lo,
                                  i - lo,
                                  n_centres,
                                  alone ? nullptr : work.owners.data(),
                                  alone ? n_inputs : window.hi - window.lo + last.hi - last.lo - 2,
                                  slot,
                                  static_cast<Real>(chunk.lr_begin + lr_step * i),
                                  Inputs::kComposed ? work.n_parts.data() + lo : nullptr};
      result.n_examples += Step::template run<V, kLoss>(model, context, work, loss);
      rows[i] = own_row;
      Outputs::template end_group<V>(work);
    }
    look_up_next<Step>(model, work);  // if there was no step
    for (int k = 0; k < n_centres; ++k)
      if (i + k >= model.window) Inputs::template close<V>(model, n_closed++, work);
    if (next < n) draw_next();
  }
  while (n_closed < n_open) Inputs::template close<V>(model, n_closed++, work);
  Outputs::template end<V>(work);
  result.n_words = n;
  result.loss = loss.total();  // without a loss 0, or NaN: divergence must stay visible
  return result;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
