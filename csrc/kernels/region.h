// Included by every header in kernels/ and models/ and by isa/entry_points.h: code that is compiled
// once per instruction set, inside the target region of an isa_*.cpp. It is in the unnamed
// namespace of PYW2V_ISA_NS, so that no copy compiled for one instruction set can be linked into
// code for another. Plain data and plain functions, compiled once, are in kernel_data/.
//
// An isa_*.cpp defines PYW2V_ISA_NS and one of PYW2V_SIMD_{AVX2,SSE2,NEON}, or none for plain C++.
// It includes isa/isa_headers.h, which has every ordinary header, before it opens the region: what
// the standard library defines must not be compiled for one instruction set.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/inline.h"
#include "base/prefetch.h"
#include "base/registers.h"

#if defined(PYW2V_SIMD_AVX2) || defined(PYW2V_SIMD_SSE2)
#include <immintrin.h>
#elif defined(PYW2V_SIMD_NEON)
#include <arm_neon.h>
#endif

// A header that an editor or a test compiles alone is plain C++.
#if !defined(PYW2V_ISA_NS)
#define PYW2V_ISA_NS isa_none
#endif
