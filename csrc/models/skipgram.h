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

struct Skipgram {
  template <class V, bool kLoss>
  static int run(const Model<typename V::Real>& model, const WordId* window, int centre_at, int n,
                 int slot, typename V::Real lr, Workspace<typename V::Real>& work,
                 LossSum<V>& loss) {
    if (model.input_lock != nullptr) remember<V>(n, model, work);
    if (model.hs.on()) step<V, kLoss>(model, n, targets_at(work.hs, slot), lr, work, loss);
    if (model.ns.on()) step<V, kLoss>(model, n, targets_at(work.ns, slot), lr, work, loss);
    if (model.input_lock != nullptr) apply_locks<V>(model, window, centre_at, n, work);
    return n;
  }

 private:
  template <class V, bool kLoss>
  static void step(const Model<typename V::Real>& model, int n,
                   const Targets<typename V::Real>& targets, typename V::Real lr,
                   Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (targets.m == 0) return;  // the only word of a vocabulary has an empty Huffman path
    using Real = typename V::Real;
    const int dim = whole_vectors<V>(model.input.dim());
    const Scores<Real> scores{work.scores.data(), work.columns};
    const int n_pieces = (n + kMaxBlockInputs - 1) / kMaxBlockInputs;
    const int step = (n + n_pieces - 1) / n_pieces;
    for (int first = 0; first < n; first += step) {
      const int size = n - first < step ? n - first : step;
      const Block<Real> block{
          work.inputs.data() + first, size, targets.rows, targets.m, dim, targets.differ,
          work.delta.data()};
      score<V>(block, scores);
      logistic_errors<V, kLoss>(scores, size, targets, lr, loss);
      update<V>(block, scores);
    }
  }

  // Lock factors scale a row's change: row = before + lock * (after - before), once for a row that
  // stands in the window twice.
  template <class V>
  static void remember(int n, const Model<typename V::Real>& model,
                       Workspace<typename V::Real>& work) {
    const std::size_t stride = model.input.stride();
    for (int i = 0; i < n; ++i)
      std::memcpy(work.before.data() + static_cast<std::size_t>(i) * stride,
                  work.inputs[static_cast<std::size_t>(i)], stride * sizeof(typename V::Real));
  }

  template <class Real>
  static bool is_among(const Real* row, Real* const* rows, int n) {
    for (int i = 0; i < n; ++i)
      if (rows[i] == row) return true;
    return false;
  }

  template <class V>
  static void apply_locks(const Model<typename V::Real>& model, const WordId* window, int centre_at,
                          int n, Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const std::size_t stride = model.input.stride();
    for (int i = 0; i < n; ++i) {
      const Real lock = static_cast<Real>(model.input_lock[context_word(window, centre_at, i)]);
      Real* row = work.inputs[static_cast<std::size_t>(i)];
      if (lock == Real(1) || is_among(row, work.inputs.data(), i)) continue;
      const Real* before = work.before.data() + static_cast<std::size_t>(i) * stride;
      for (std::size_t c = 0; c < stride; ++c) row[c] = before[c] + lock * (row[c] - before[c]);
    }
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
