// Skip-gram: each context word predicts the centre (context in, centre out, as word2vec.c and
// gensim do). All context rows of a centre meet its target set in one block.
#pragma once

#include "models/windows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Inputs of one block. All of them push its targets from the same old scores, so the step is n
// times as long as a pair's: past some 40 at the usual rates it overshoots, and training blows up.
// Wider windows are cut into even pieces, each of which sees the changes of those before it.
constexpr int kMaxBlockInputs = 16;
inline int piece_size(int n) {
  if (n <= kMaxBlockInputs) return n;
  const int n_pieces = (n + kMaxBlockInputs - 1) / kMaxBlockInputs;
  return (n + n_pieces - 1) / n_pieces;
}

template <class OutputsOf>
struct Skipgram {
  using Outputs = OutputsOf;

  template <class V, bool kLoss>
  static int run(const Model<typename V::Real>& model, const Centre<typename V::Real>& centre,
                 Workspace<typename V::Real>& work, LossSum<V>& loss) {
    const bool locked = model.input_lock != nullptr && centre.n_parts == nullptr;
    if (locked) remember<V>(centre, model, work);
    Outputs::template run<V, kLoss, Skipgram>(model, centre, work, loss);
    if (locked) apply_locks<V>(model, centre, work);
    return centre.n;
  }

  template <class V, bool kLoss, class Targets>
  static void step(const Model<typename V::Real>& model, const Centre<typename V::Real>& centre,
                   const Targets& targets, Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (targets.m == 0) return;  // the only word of a vocabulary has an empty Huffman path
    using Real = typename V::Real;
    const int dim = whole_vectors<V>(model.input.dim());
    const Scores<Real> scores{work.scores.data(), work.columns};
    look_up_next<Outputs>(model, work);
    const int step = piece_size(centre.n);
    for (int first = 0; first < centre.n; first += step) {
      const int size = centre.n - first < step ? centre.n - first : step;
      const Block<Real> block{
          centre.inputs + first, size, targets.rows, targets.m, dim, targets.differ,
          work.delta.data()};
      score<V>(block, scores);
      if (first == 0) fetch_part(0, 2, dim, work);
      Outputs::template errors<V, kLoss>(model, scores, size, targets, centre.lr, work, loss);
      if (first == 0) fetch_part(1, 2, dim, work);
      update<V>(block, scores);
    }
  }

 private:
  // Lock factors scale a row's change: row = before + lock * (after - before), once for a row that
  // stands in the window twice.
  template <class V>
  static void remember(const Centre<typename V::Real>& centre, const Model<typename V::Real>& model,
                       Workspace<typename V::Real>& work) {
    const std::size_t stride = model.input.stride();
    for (int i = 0; i < centre.n; ++i)
      std::memcpy(work.before.data() + static_cast<std::size_t>(i) * stride, centre.inputs[i],
                  stride * sizeof(typename V::Real));
  }

  template <class V>
  static void apply_locks(const Model<typename V::Real>& model,
                          const Centre<typename V::Real>& centre,
                          Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const std::size_t stride = model.input.stride();
    for (int i = 0; i < centre.n; ++i) {
      const Real lock = static_cast<Real>(model.input_lock[centre.word(i)]);
      Real* row = centre.inputs[i];
      if (lock == Real(1) || is_among(row, centre.inputs, i)) continue;
      const Real* before = work.before.data() + static_cast<std::size_t>(i) * stride;
      for (std::size_t c = 0; c < stride; ++c) row[c] = before[c] + lock * (row[c] - before[c]);
    }
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
