// Checks the model of a text classifier, for training and for the probes of the tests alike.
#pragma once

#include "kernel_data/classifier_model.h"

namespace pyw2v {

// Throws std::invalid_argument where something that Python lends does not fit: kernels index
// without further checks.
template <class Real>
void check_model(const ClassifierModel<Real>& model);

}  // namespace pyw2v
