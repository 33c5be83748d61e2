// Asking for memory that will be read soon. Kernels have macros of their own (isa_headers.h).
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace pyw2v {

inline void prefetch(const void* address) {
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#elif defined(_MSC_VER) && !defined(__clang__)
  __prefetch(address);
#else
  __builtin_prefetch(address);
#endif
}

}  // namespace pyw2v
