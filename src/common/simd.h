/* The vector instructions that kernels are compiled for, and the choice among a kernel's forms. */
#ifndef GG_SIMD_H
#define GG_SIMD_H

/* Vector instructions, the narrowest first: plain C, SSE2 or NEON, AVX2 with FMA, AVX-512. */
typedef enum gg_simd { GG_SIMD_GENERIC, GG_SIMD_128, GG_SIMD_AVX2, GG_SIMD_AVX512 } gg_simd;

/*
 * A kernel, which is a function or a table of functions, has one form for each level of gg_simd:
 * name_generic, name_128 and so on. GG_SIMD_FORMS(name) declares them, and
 * GG_SIMD_CHOOSE(type, name) is a pointer to the form for the instructions in use. GG_SIMD_LEVELS
 * is the number of levels that this machine may have. GG_SIMD_CHOOSE() takes common/context.h.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#define GG_SIMD_X86
#define GG_SIMD_HAS_128
#define GG_SIMD_LEVELS      4
#define GG_SIMD_NAMES       "generic", "sse2", "avx2", "avx512"
#define GG_SIMD_FORMS(name) name##_generic, name##_128, name##_avx2, name##_avx512
#define GG_SIMD_CHOOSE(type, name)                                                                 \
  ((type *const[]){&name##_generic, &name##_128, &name##_avx2,                                     \
                   &name##_avx512}[gg_context_get()->simd])
#elif defined(__aarch64__) && defined(__GNUC__)
#define GG_SIMD_HAS_128
#define GG_SIMD_LEVELS      2
#define GG_SIMD_NAMES       "generic", "neon"
#define GG_SIMD_FORMS(name) name##_generic, name##_128
#define GG_SIMD_CHOOSE(type, name)                                                                 \
  ((type *const[]){&name##_generic, &name##_128}[gg_context_get()->simd])
#else
#define GG_SIMD_LEVELS             1
#define GG_SIMD_NAMES              "generic"
#define GG_SIMD_FORMS(name)        name##_generic
#define GG_SIMD_CHOOSE(type, name) (&name##_generic)
#endif

#endif
