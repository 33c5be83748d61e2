#include "train/line_settings.h"

#include <stdexcept>
#include <string>

#include "train/word_settings.h"

namespace pyw2v {

template <class Real>
void check_model(const ClassifierModel<Real>& model) {
  const auto n_labels = static_cast<std::size_t>(model.n_labels);
  if (model.n_labels < 1 || model.ns.negative < 1)
    throw std::invalid_argument("labels and negative must be at least 1, got " +
                                std::to_string(model.n_labels) + " and " +
                                std::to_string(model.ns.negative));
  if (model.input.dim() != model.output.dim())
    throw std::invalid_argument("input and output must be of one width");
  if (model.loss == ClassifierLoss::kNegative && n_labels < 2)
    throw std::invalid_argument("loss 'ns' needs at least two labels to tell apart, got 1");
  if (model.learns_from_unlabelled && model.loss != ClassifierLoss::kOneVsAll)
    throw std::invalid_argument("lines without labels teach nothing but with the loss 'ova'");
  if (model.loss == ClassifierLoss::kHierarchical)
    check_tree(model.hs.tree, n_labels, model.output.n_rows());
}

template void check_model(const ClassifierModel<float>& model);
template void check_model(const ClassifierModel<double>& model);

}  // namespace pyw2v
