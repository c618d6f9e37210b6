/*
 * The vector instructions that a kernel's file is compiled for. make compiles it once for each of
 * its KERNEL_OBJECTS (see sources.mk), with a definition of GG_FORM: generic, 128, avx2 or avx512,
 * the levels of gg_simd. Without it the form is generic.
 *
 * GG_FORM_OF(name) is the name of the form, as declared by GG_SIMD_FORMS(name). GG_FORM_EXISTS is
 * defined if this machine has the instructions: all that follows in the file is in an #if of it.
 * GG_TARGET is the attribute of the kernel's functions, GG_LOOP_TARGET that of functions whose
 * vectors the compiler makes, GG_VECTOR_BYTES the size of a vector (not defined for generic). The
 * form defines GG_LANES_AVX512, GG_LANES_AVX2, GG_LANES_128 or none of them, see vector.h; a file
 * that is compiled once may define GG_LANES_128 itself.
 */
#ifndef GG_LANES_H
#define GG_LANES_H

#include "common/simd.h"

#if !defined(GG_FORM)
#define GG_FORM generic
#endif
#define GG_JOIN_TOKENS(a, b) a##b
#define GG_JOIN(a, b)        GG_JOIN_TOKENS(a, b)
#define GG_FORM_OF(name)     GG_JOIN(name##_, GG_FORM)

#define GG_LEVEL_generic     1
#define GG_LEVEL_128         2
#define GG_LEVEL_avx2        3
#define GG_LEVEL_avx512      4
#define GG_LEVEL             GG_JOIN(GG_LEVEL_, GG_FORM)

#if GG_LEVEL == 0
#error "GG_FORM must be generic, 128, avx2 or avx512"
#elif GG_LEVEL <= GG_SIMD_LEVELS
#define GG_FORM_EXISTS
#else
typedef int gg_not_on_this_machine; /* a file may not be empty */
#endif

#if GG_LEVEL == GG_LEVEL_avx512
#define GG_LANES_AVX512
#elif GG_LEVEL == GG_LEVEL_avx2
#define GG_LANES_AVX2
#elif GG_LEVEL == GG_LEVEL_128
#define GG_LANES_128
#endif

#if defined(GG_LANES_AVX512)
#define GG_TARGET       __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")))
#define GG_VECTOR_BYTES 64
#elif defined(GG_LANES_AVX2)
#define GG_TARGET       __attribute__((target("avx2,fma")))
#define GG_VECTOR_BYTES 32
#elif defined(GG_LANES_128)
#define GG_TARGET
#define GG_VECTOR_BYTES 16
#else
#define GG_TARGET
#endif

/* gcc may otherwise take vectors of 256 bits; clang would ignore the whole attribute. */
#if defined(GG_LANES_AVX512) && !defined(__clang__)
#define GG_LOOP_TARGET                                                                             \
  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#else
#define GG_LOOP_TARGET GG_TARGET
#endif

#endif
