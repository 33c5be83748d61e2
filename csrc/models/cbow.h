// CBOW: the context, as one mean (or sum) of its rows, predicts the centre.
#pragma once

#include "kernels/region.h"
#include "models/windows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class SomeOutputs>
struct Cbow {
  using Outputs = SomeOutputs;
  static constexpr int kMostCentres = 1;

  template <class V, bool kLoss>
  static int run(const Model<typename V::Real>& model, const Context<typename V::Real>& context,
                 Workspace<typename V::Real>& work, LossSum<V>& loss) {
    typename Outputs::template TargetSet<typename V::Real> targets;
    typename Outputs::template TargetSets<typename V::Real> sets(model, context, work);
    while (sets.next(model, context, work, targets))
      step<V, kLoss>(model, context, targets, work, loss);
    return 1;
  }

 private:
  // The mean (or sum) of the context against one target set.
  template <class V, bool kLoss, class Targets>
  static void step(const Model<typename V::Real>& model, const Context<typename V::Real>& context,
                   const Targets& targets, Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (targets.m == 0) return;  // the only word of a vocabulary has an empty Huffman path
    using Real = typename V::Real;
    const int dim = whole_vectors<V>(model.input.dim());
    const bool composed = context.n_parts != nullptr;
    int n_rows = composed ? 0 : context.n;
    for (int i = 0; composed && i < context.n; ++i) n_rows += context.parts(i);
    const Real share = Real(1) / static_cast<Real>(n_rows);
    Real* hidden = work.hidden.data();
    Real* hidden_grad = work.delta.data();
    gather_sum<V>(context.inputs, context.n, model.average_context ? share : Real(1), dim, hidden);
    const Block<Real> block{&hidden, 1, targets.rows, targets.m, dim, targets.differ, hidden_grad};
    const Scores<Real> scores{work.scores.data(), work.columns};
    score<V>(block, scores);
    look_up_next<Cbow>(model, work);
    Outputs::template errors<V, kLoss, false>(model, scores, 1, targets, context.lr, work, loss);
    prefetch_part(0, 2, dim, work);
    update_targets<V>(block, scores);
    prefetch_part(1, 2, dim, work);
    const Real scale = model.average_gradient ? share : Real(1);
    if (!composed && model.input_lock == nullptr)
      return add_to_rows<V>(context.inputs, context.n, scale, hidden_grad, dim);
    for (int i = 0; i < context.n; ++i) {
      const Real factor = composed ? static_cast<Real>(context.parts(i))
                                   : static_cast<Real>(model.input_lock[raw(context.word(i))]);
      add_to_rows<V>(context.inputs + i, 1, scale * factor, hidden_grad, dim);
    }
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
