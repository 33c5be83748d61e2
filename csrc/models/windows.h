// A chunk of the corpus to centres with their windows, drawn a few centres ahead of their use so
// that every row is in the cache when its turn comes.
#pragma once

#include "models/inputs.h"
#include "models/kept_tokens.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Everything random about centre i: its window and its noise words.
template <class Outputs, class Real>
inline void draw_centre(const Model<Real>& model, int i, Rng& rng, Workspace<Real>& work) {
  const int slot = i % kDrawAhead;
  const Reach reach = draw_reach(model.window, model.shrink_windows, i, rng, work.kept);
  work.lo[slot] = reach.lo;
  work.hi[slot] = reach.hi;
  Outputs::draw(model, slot, rng, work);
}

template <class Outputs, class Real>
inline void look_up_centre(const Model<Real>& model, int i, Workspace<Real>& work) {
  const int slot = i % kDrawAhead;
  const WordId centre = work.kept.words[static_cast<std::size_t>(i)];
  Outputs::look_up(model, centre, slot, work);
}

// Once a centre: a step calls this where it would wait anyway.
template <class Outputs, class Real>
inline void look_up_next(const Model<Real>& model, Workspace<Real>& work) {
  if (work.to_look_up < 0) return;
  look_up_centre<Outputs>(model, work.to_look_up, work);
  work.to_look_up = -1;
}

// A centre with its context, ready for a step.
template <class Real>
struct Centre {
  Real* const* inputs;  // rows of the context: those of the window from its second word on,
  int n;                // where the row of the first word has taken the centre's place
  const WordId* window;
  int at;    // of the centre in the window
  int slot;  // of its targets in the rings
  Real lr;
  const std::int32_t* n_parts;  // rows that each word of the window is composed of; null: one

  WordId centre() const { return window[at]; }
  WordId word(int i) const { return window[place(i)]; }
  int parts(int i) const { return n_parts[place(i)]; }

 private:
  int place(int i) const { return i + 1 == at ? 0 : i + 1; }
};

// Calls Step::run for every centre that has a context; it returns its examples.
template <class V, bool kLoss, class Step, class Inputs>
inline ChunkResult for_each_centre(const Model<typename V::Real>& model, const Chunk& chunk,
                                   Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  using Outputs = typename Step::Outputs;
  Rng rng = chunk.rng;
  ChunkResult result;
  LossSum<V> loss;
  const int n = keep_tokens(model.keep, chunk, rng, work.kept);
  const WordId* words = work.kept.words.data();
  Real** rows = work.rows.data();
  const int inputs_ahead = model.window < n - kLookUpAhead ? model.window + kLookUpAhead : n;
  const double lr_step = n > 0 ? (chunk.lr_end - chunk.lr_begin) / n : 0;
  Outputs::begin(model, work);
  for (int i = 0; i < n && i < kDrawAhead; ++i) draw_centre<Outputs>(model, i, rng, work);
  for (int i = 0; i < n && i < kLookUpAhead; ++i) look_up_centre<Outputs>(model, i, work);
  for (int i = 0; i < n && i < inputs_ahead; ++i) Inputs::template open<V>(model, i, n, work);
  int n_open = inputs_ahead, n_closed = 0;
  for (int i = 0; i < n; ++i) {
    if (chunk.stop->load(std::memory_order_relaxed)) break;
    work.to_look_up = i + kLookUpAhead < n ? i + kLookUpAhead : -1;
    work.n_fetches = 0;
    Outputs::fetch_ahead(model, words, i, n);
    if (n_open < n) Inputs::template open<V>(model, n_open++, n, work);
    const int slot = i % kDrawAhead, lo = work.lo[slot], n_inputs = work.hi[slot] - lo - 1;
    if (n_inputs > 0) {
      Real* const own_row = rows[i];
      rows[i] = rows[lo];
      const Centre<Real> centre{rows + lo + 1,
                                n_inputs,
                                words + lo,
                                i - lo,
                                slot,
                                static_cast<Real>(chunk.lr_begin + lr_step * i),
                                Inputs::kComposed ? work.n_parts.data() + lo : nullptr};
      result.n_examples += Step::template run<V, kLoss>(model, centre, work, loss);
      rows[i] = own_row;
      Outputs::template end_centre<V>(work);
    }
    look_up_next<Outputs>(model, work);  // if there was no step
    if (i >= model.window) Inputs::template close<V>(model, n_closed++, work);
    if (i + kDrawAhead < n) draw_centre<Outputs>(model, i + kDrawAhead, rng, work);
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
