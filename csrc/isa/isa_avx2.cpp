// AVX2 with FMA (x86-64-v3: Intel since 2013, AMD since 2015). prfchw: rows are prefetched for
// writing, which saves workers that share them a second message per cache line; the few processors
// with AVX2 that do not know the instruction (Haswell) execute it as a no-op. MSVC has no target
// regions: there setup.py compiles this file, and no other, with /arch:AVX2.
#if defined(__x86_64__) || defined(_M_X64)

#define PYW2V_ISA_NS isa_avx2
#define PYW2V_SIMD_AVX2
#include "isa/isa_headers.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,prfchw"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,prfchw")
#endif

#include "isa/entry_points.h"

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif

namespace pyw2v {

const KernelTable kAvx2Kernels = {
    "avx2",
    {isa_avx2::train_chunk<isa_avx2::Vec>, isa_avx2::block_step<isa_avx2::Vec>},
    isa_avx2::fma_work<isa_avx2::Vec>,
    isa_avx2::Vec::kWidth,
    isa_avx2::topk_scan<isa_avx2::Vec>,
    &isa_avx2::kByteFilter,
    isa_avx2::nearest_centroids<isa_avx2::Vec>,
    {isa_avx2::train_lines<isa_avx2::Vec>},
    {isa_avx2::add_rows<isa_avx2::Vec>, isa_avx2::predict<isa_avx2::Vec>},
    {isa_avx2::train_records<isa_avx2::Vec>}};

}  // namespace pyw2v

#endif
