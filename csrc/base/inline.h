// A function that must become part of its caller, and one that must not.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define PYW2V_ALWAYS_INLINE __forceinline
#define PYW2V_NEVER_INLINE __declspec(noinline)
#else
#define PYW2V_ALWAYS_INLINE __attribute__((always_inline)) inline
#define PYW2V_NEVER_INLINE __attribute__((noinline))
#endif
