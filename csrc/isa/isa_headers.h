// Everything ordinary that the kernel headers use, included before a target region opens: what is
// compiled inside a region must be ours alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/inline.h"
#include "base/rng.h"
#include "isa/kernel_table.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#elif defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#if defined(_M_X64)
#define PYW2V_PREFETCH(address) _m_prefetchw(address)
#define PYW2V_PREFETCH_READ(address) \
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T0)
#else
#define PYW2V_PREFETCH(address) __prefetch(address)
#define PYW2V_PREFETCH_READ(address) PYW2V_PREFETCH(address)
#endif
#else
#define PYW2V_PREFETCH(address) __builtin_prefetch(address, 1, 3)
#define PYW2V_PREFETCH_READ(address) __builtin_prefetch(address, 0, 3)
#endif

// Before a loop over an array that must live in registers.
#if defined(__clang__)
#define PYW2V_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define PYW2V_UNROLL _Pragma("GCC unroll 8")
#else
#define PYW2V_UNROLL
#endif

// Makes the compiler forget how it came by a pointer: GCC would keep the sums of row and column of
// every vector in registers of their own, which it lacks, in place of one address and constants.
#if defined(__GNUC__)
#define PYW2V_OPAQUE(pointer) __asm__("" : "+r"(pointer))
#else
#define PYW2V_OPAQUE(pointer)
#endif
