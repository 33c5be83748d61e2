// A chunk of the corpus to centres with their windows, drawn a few centres ahead of their use so
// that every row is in the cache when its turn comes.
#pragma once

#include "models/targets.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Sub-samples the chunk's sentences into `kept`; returns the number of tokens kept. Dropped tokens
// leave no gap: windows reach further (as in word2vec.c).
template <class Real>
inline int keep_tokens(const Model<Real>& model, const Chunk& chunk, Rng& rng, KeptTokens& kept) {
  int n = 0;
  const TokenPos* sentence_end = chunk.ends;
  for (TokenPos at = chunk.begin; at < chunk.end; ++sentence_end) {
    const TokenPos end = *sentence_end < chunk.end ? *sentence_end : chunk.end;
    const int first = n;
    if (model.keep == nullptr) {
      for (; at < end; ++at) kept.words[static_cast<std::size_t>(n++)] = chunk.tokens[at];
    } else {
      for (; at < end; ++at) {
        const WordId word = chunk.tokens[at];
        kept.words[static_cast<std::size_t>(n)] = word;  // overwritten if not kept
        n += model.keep[word] >= static_cast<std::uint32_t>(rng.next() >> 32);
      }
    }
    for (int i = first; i < n; ++i) {
      kept.first[static_cast<std::size_t>(i)] = first;
      kept.last[static_cast<std::size_t>(i)] = n;
    }
  }
  return n;
}

// Everything random about centre i: its window and its noise words.
template <class Real>
inline void draw_centre(const Model<Real>& model, int i, Rng& rng, Workspace<Real>& work) {
  const int slot = i % kDrawAhead;
  const auto at = static_cast<std::size_t>(i);
  int reach = model.window;
  if (model.shrink_windows)
    reach = 1 + static_cast<int>(Rng::below(static_cast<std::uint32_t>(rng.next() >> 32),
                                            static_cast<std::uint32_t>(model.window)));
  const int first = work.kept.first[at], last = work.kept.last[at];
  work.lo[slot] = reach < i - first ? i - reach : first;
  work.hi[slot] = reach < last - 1 - i ? i + reach + 1 : last;
  if (model.ns.on()) draw_targets(model.ns, i, rng, slot, work.ns);
  if (model.hs.on()) PYW2V_PREFETCH(model.hs.offsets + work.kept.words[at]);
}

template <class Real>
inline void look_up_centre(const Model<Real>& model, int i, Workspace<Real>& work) {
  const int slot = i % kDrawAhead;
  const WordId centre = work.kept.words[static_cast<std::size_t>(i)];
  if (model.hs.on()) look_up_targets(model.hs, centre, slot, work.hs);
  if (model.ns.on()) look_up_targets(model.ns, i, centre, slot, work.ns);
}

// Word i of a context: of the words of a window without its centre.
inline WordId context_word(const WordId* window, int centre_at, int i) {
  return window[i < centre_at ? i : i + 1];
}

// Calls Step::run for every centre that has a context, with work.inputs[0 .. n_inputs) set to the
// context's input rows and the targets in slot `slot` of the rings; it returns its examples.
template <class V, bool kLoss, class Step>
inline ChunkResult for_each_centre(const Model<typename V::Real>& model, const Chunk& chunk,
                                   Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  Rng rng = chunk.rng;
  ChunkResult result;
  LossSum<V> loss;
  const int n = keep_tokens(model, chunk, rng, work.kept);
  const WordId* words = work.kept.words.data();
  const int row_bytes = static_cast<int>(model.input.dim() * sizeof(Real));
  const double lr_step = n > 0 ? (chunk.lr_end - chunk.lr_begin) / n : 0;
  for (int i = 0; i < n && i < kDrawAhead; ++i) draw_centre(model, i, rng, work);
  for (int i = 0; i < n && i < kLookUpAhead; ++i) look_up_centre(model, i, work);
  for (int i = 0; i < n; ++i) {
    if (chunk.stop->load(std::memory_order_relaxed)) break;
    if (model.window < n - kLookUpAhead - i)  // so written, no sum overflows under a huge window
      prefetch_row(model.input.row(row_of(words[i + model.window + kLookUpAhead])), row_bytes);
    const int slot = i % kDrawAhead;
    int n_inputs = 0;
    for (int at = work.lo[slot]; at < work.hi[slot]; ++at) {
      work.inputs[static_cast<std::size_t>(n_inputs)] = model.input.row(row_of(words[at]));
      n_inputs += at != i;
    }
    if (n_inputs > 0)
      result.n_examples += Step::template run<V, kLoss>(
          model, words + work.lo[slot], i - work.lo[slot], n_inputs, slot,
          static_cast<Real>(chunk.lr_begin + lr_step * i), work, loss);
    if (i + kLookUpAhead < n) look_up_centre(model, i + kLookUpAhead, work);
    if (i + kDrawAhead < n) draw_centre(model, i + kDrawAhead, rng, work);
  }
  result.n_words = n;
  result.loss = loss.total();  // without a loss 0, or NaN: divergence must stay visible
  return result;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
