// Prefetches: memory that is needed soon is loaded into the cache while other work goes on. A
// prefetch never faults, so an address past the end of an array does no harm.
//
// The macros are for code that is compiled once per instruction set: a function that is defined
// outside of such code is compiled for the oldest processor, and AVX2's prefetch for writing
// (prfchw) would be lost.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

// One cache line that will be written to (and read), and one that will only be read.
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
#define PYW2V_PREFETCH(address) _m_prefetchw(address)
#define PYW2V_PREFETCH_READ(address) \
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T0)
#elif defined(_MSC_VER) && !defined(__clang__)
#define PYW2V_PREFETCH(address) __prefetch(address)
#define PYW2V_PREFETCH_READ(address) __prefetch(address)
#else
#define PYW2V_PREFETCH(address) __builtin_prefetch(address, 1, 3)
#define PYW2V_PREFETCH_READ(address) __builtin_prefetch(address, 0, 3)
#endif

namespace pyw2v {

// For reading, in plain code.
inline void prefetch(const void* address) { PYW2V_PREFETCH_READ(address); }

}  // namespace pyw2v
