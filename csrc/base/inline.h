// A function that must become part of its caller.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define PYW2V_ALWAYS_INLINE __forceinline
#else
#define PYW2V_ALWAYS_INLINE __attribute__((always_inline)) inline
#endif
