// NEON, part of every 64-bit ARM: no target region and no detection needed.
#if defined(__aarch64__) || defined(_M_ARM64)

#define PYW2V_ISA_NS isa_neon
#define PYW2V_SIMD_NEON
#include "isa/entry_points.h"
#include "isa/isa_headers.h"

namespace pyw2v {

const KernelTable kNeonKernels = {
    "neon",
    {isa_neon::train_chunk<isa_neon::Vec>, isa_neon::block_step<isa_neon::Vec>},
    isa_neon::fma_work<isa_neon::Vec>,
    isa_neon::Vec::kWidth,
    isa_neon::topk_scan<isa_neon::Vec>,
    nullptr,
    isa_neon::nearest_centroids<isa_neon::Vec>,
    {isa_neon::train_lines<isa_neon::Vec>},
    {isa_neon::add_rows<isa_neon::Vec>, isa_neon::predict<isa_neon::Vec>},
    {isa_neon::train_records<isa_neon::Vec>}};

}  // namespace pyw2v

#endif
