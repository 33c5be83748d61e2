// Skip-gram: each context word predicts the centre (context in, centre out, as word2vec.c and
// gensim do). All context rows of a group of centres meet its target set in one block.
#pragma once

#include "kernels/region.h"
#include "models/windows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// The most inputs of one block. All of them change its targets by errors from the same old scores,
// so the step is n times as long as that of a pair: beyond some 40 inputs, at the usual learning
// rates, it overshoots and training diverges. Wider windows are cut into even pieces, each of which
// sees the changes of those before it.
constexpr int kMaxBlockInputs = 16;
inline int piece_size(int n) {
  if (n <= kMaxBlockInputs) return n;
  const int n_pieces = (n + kMaxBlockInputs - 1) / kMaxBlockInputs;
  return (n + n_pieces - 1) / n_pieces;
}

constexpr int kMostShared = 8 * kMaxBlockTargets;  // targets of a block with several inputs

template <class SomeOutputs>
struct Skipgram {
  using Outputs = SomeOutputs;
  static constexpr int kMostCentres = kMaxCentres;  // Model::max_centres() may say fewer

  template <class V, bool kLoss>
  static int run(const Model<typename V::Real>& model, const Context<typename V::Real>& context,
                 Workspace<typename V::Real>& work, LossSum<V>& loss) {
    const bool locked = model.input_lock != nullptr && context.n_parts == nullptr;
    if (locked) remember<V>(context, model, work);
    typename Outputs::template TargetSet<typename V::Real> targets;
    typename Outputs::template TargetSets<typename V::Real> sets(model, context, work);
    while (sets.next(model, context, work, targets))
      step<V, kLoss>(model, context, context.inputs + sets.first_input, sets.n_inputs, targets,
                     work, loss);
    if (locked) apply_locks<V>(model, context, work);
    return context.n_examples;
  }

 private:
  // n inputs of the context against one target set, in blocks.
  template <class V, bool kLoss, class TargetSet>
  static void step(const Model<typename V::Real>& model, const Context<typename V::Real>& context,
                   typename V::Real* const* inputs, int n, TargetSet& targets,
                   Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (targets.m == 0) return;  // the only word of a vocabulary has an empty Huffman path
    using Real = typename V::Real;
    const int dim = whole_vectors<V>(model.input.dim());
    const Scores<Real> scores{work.scores.data(), work.columns};
    look_up_next<Skipgram>(model, work);
    // A block of very many targets has one input, so that `stop` does not wait for all of them.
    const int step = targets.m > kMostShared ? 1 : piece_size(n);
    for (int first = 0; first < n; first += step) {
      if (step == 1 && first > 0 && work.stopped()) return;
      const int size = n - first < step ? n - first : step;
      const Block<Real> block{inputs + first,   size, targets.rows, targets.m, dim, targets.differ,
                              work.delta.data()};
      score<V>(block, scores);
      if (first == 0) prefetch_part(0, 2, dim, work);
      Outputs::template errors<V, kLoss, (kMostCentres > 1)>(model, scores, size, targets,
                                                             context.lr, work, loss);
      if (first == 0) prefetch_part(1, 2, dim, work);
      update<V>(block, scores);
      if (targets.owners != nullptr) targets.owners += size;
    }
  }

  // Lock factors scale a row's change: row = before + lock * (after - before). Once for a row that
  // is in the window twice.
  template <class V>
  static void remember(const Context<typename V::Real>& context,
                       const Model<typename V::Real>& model, Workspace<typename V::Real>& work) {
    const std::size_t stride = model.input.stride();
    for (int i = 0; i < context.n; ++i)
      std::memcpy(work.before.data() + static_cast<std::size_t>(i) * stride, context.inputs[i],
                  stride * sizeof(typename V::Real));
  }

  template <class V>
  static void apply_locks(const Model<typename V::Real>& model,
                          const Context<typename V::Real>& context,
                          Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const std::size_t stride = model.input.stride();
    for (int i = 0; i < context.n; ++i) {
      const Real lock = static_cast<Real>(model.input_lock[raw(context.word(i))]);
      Real* row = context.inputs[i];
      if (lock == Real(1) || is_among(row, context.inputs, i)) continue;
      const Real* before = work.before.data() + static_cast<std::size_t>(i) * stride;
      for (std::size_t c = 0; c < stride; ++c) row[c] = before[c] + lock * (row[c] - before[c]);
    }
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
