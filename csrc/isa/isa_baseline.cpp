// The floor of each architecture: SSE2 on x86-64, plain C++ elsewhere; and the double twin.
#define PYW2V_ISA_NS isa_baseline
#if defined(__x86_64__) || defined(_M_X64)
#define PYW2V_SIMD_SSE2
#endif
#include "isa/entry_points.h"
#include "isa/isa_headers.h"

namespace pyw2v {

const KernelTable kBaselineKernels = {
    "baseline",
    {isa_baseline::train_chunk<isa_baseline::Vec>, isa_baseline::block_step<isa_baseline::Vec>},
    isa_baseline::fma_work<isa_baseline::Vec>,
    isa_baseline::Vec::kWidth,
    isa_baseline::topk_scan<isa_baseline::Vec>,
    nullptr,
    isa_baseline::nearest_centroids<isa_baseline::Vec>,
    {isa_baseline::train_lines<isa_baseline::Vec>},
    {isa_baseline::add_rows<isa_baseline::Vec>, isa_baseline::predict<isa_baseline::Vec>},
    {isa_baseline::train_records<isa_baseline::Vec>}};

const DoubleKernels kDoubleKernels = {
    {isa_baseline::train_chunk<isa_baseline::ScalarVec<double>>,
     isa_baseline::block_step<isa_baseline::ScalarVec<double>>},
    {isa_baseline::train_lines<isa_baseline::ScalarVec<double>>},
    {isa_baseline::train_records<isa_baseline::ScalarVec<double>>}};

}  // namespace pyw2v
