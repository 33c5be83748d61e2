// Which instruction sets this machine can run, best first.
#pragma once

#include <string>
#include <vector>

#include "isa/kernel_table.h"

namespace pyw2v {

std::vector<const KernelTable*> runnable_kernels();

// Throws std::invalid_argument, listing the valid names, if `name` is unknown or cannot run here.
const KernelTable& kernels_named(const std::string& name);

// Floating-point operations per second with `n_threads` threads doing nothing but FMAs.
double fma_peak(const KernelTable& kernels, int n_threads, double seconds);

}  // namespace pyw2v
