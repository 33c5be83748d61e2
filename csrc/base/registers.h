// Hints that keep a loop's numbers in registers.
#pragma once

// Before a loop over an array that must live in registers.
#if defined(__clang__)
#define PYW2V_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define PYW2V_UNROLL _Pragma("GCC unroll 8")
#else
#define PYW2V_UNROLL
#endif

// Makes the compiler forget how a pointer was computed. Otherwise GCC keeps the sum of row and
// column of every vector in a register of its own, of which there are too few, instead of one
// address and constant offsets.
#if defined(__GNUC__)
#define PYW2V_OPAQUE(pointer) __asm__("" : "+r"(pointer))
#else
#define PYW2V_OPAQUE(pointer)
#endif
