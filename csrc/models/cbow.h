// CBOW: the context, as one mean (or sum) of its rows, predicts the centre.
#pragma once

#include "models/windows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

struct Cbow {
  template <class V, bool kLoss>
  static int run(const Model<typename V::Real>& model, const WordId* window, int centre_at, int n,
                 int slot, typename V::Real lr, Workspace<typename V::Real>& work,
                 LossSum<V>& loss) {
    if (model.hs.on())
      step<V, kLoss>(model, window, centre_at, n, targets_at(work.hs, slot), lr, work, loss);
    if (model.ns.on())
      step<V, kLoss>(model, window, centre_at, n, targets_at(work.ns, slot), lr, work, loss);
    return 1;
  }

 private:
  template <class V, bool kLoss>
  static void step(const Model<typename V::Real>& model, const WordId* window, int centre_at, int n,
                   const Targets<typename V::Real>& targets, typename V::Real lr,
                   Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (targets.m == 0) return;  // the only word of a vocabulary has an empty Huffman path
    using Real = typename V::Real;
    const int dim = whole_vectors<V>(model.input.dim());
    const Real share = Real(1) / static_cast<Real>(n);
    Real* const* inputs = work.inputs.data();
    Real* hidden = work.hidden.data();
    Real* hidden_grad = work.delta.data();
    gather_sum<V>(inputs, n, model.average_context ? share : Real(1), dim, hidden);
    const Block<Real> block{&hidden, 1, targets.rows, targets.m, dim, targets.differ, hidden_grad};
    const Scores<Real> scores{work.scores.data(), work.columns};
    score<V>(block, scores);
    logistic_errors<V, kLoss>(scores, 1, targets, lr, loss);
    update_targets<V>(block, scores);
    const Real scale = model.average_gradient ? share : Real(1);
    for (int i = 0; i < n; ++i) {
      Real factor = scale;
      if (model.input_lock != nullptr)
        factor *= static_cast<Real>(model.input_lock[context_word(window, centre_at, i)]);
      add_scaled<V>(inputs[i], factor, hidden_grad, dim);
    }
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
