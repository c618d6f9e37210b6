/*
 * Counts sites of two sequences: logical operations on 64 sites at a time, and population counts.
 * Compiled once for each instruction set, see lanes.h.
 *
 * Limited by a population count a cycle: 1 to 16 for 64 sites, or by the loads where a processor
 * counts in vectors (AVX-512 VPOPCNTDQ). Below AVX2 the compiler calls a function for it.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "sequences/count_kernels.h"

#if defined(GG_LANES_AVX512)
/* True if this processor counts in vectors, which not all with AVX-512 do. */
#define COUNTS_VECTORS __builtin_cpu_supports("avx512vpopcntdq")
#define VECTOR_TARGET  __attribute__((target(VECTOR_FEATURES)))
#define VECTOR_LANES   "avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq"
#if defined(__clang__)
#define VECTOR_FEATURES VECTOR_LANES
#else
#define VECTOR_FEATURES VECTOR_LANES ",prefer-vector-width=512"
#endif
#endif

#define ARGUMENTS                                                                                  \
  const uint64_t *a, const uint64_t *b, int64_t words, int64_t stride, int64_t *counts

/* The code of a kernel, compiled for the instructions of each function that it is inlined into. */
#define CODE(name) static inline __attribute__((always_inline)) void name##_code(ARGUMENTS)

/* Defines a kernel by its code: one function, or two of which the processor has the second. */
#if defined(COUNTS_VECTORS)
#define DEFINE_KERNEL(name)                                                                        \
  VECTOR_TARGET static void name##_in_vectors(ARGUMENTS) {                                         \
    name##_code(a, b, words, stride, counts);                                                      \
  }                                                                                                \
  GG_TARGET static void name(ARGUMENTS) {                                                          \
    if (COUNTS_VECTORS)                                                                            \
      name##_in_vectors(a, b, words, stride, counts);                                              \
    else                                                                                           \
      name##_code(a, b, words, stride, counts);                                                    \
  }
#else
#define DEFINE_KERNEL(name)                                                                        \
  GG_TARGET static void name(ARGUMENTS) { name##_code(a, b, words, stride, counts); }
#endif

/* Returns the number of bits that are 1. */
#define BITS(word) __builtin_popcountll(word)

CODE(count_differences) {
  int64_t differ = 0;
#pragma omp simd reduction(+ : differ)
  for (int64_t w = 0; w < words; ++w)
    differ += BITS((a[w] ^ b[w]) | (a[w + stride] ^ b[w + stride]));
  counts[0] += differ;
}

CODE(count_common) {
  int64_t sites = 0, differ = 0;
#pragma omp simd reduction(+ : sites, differ)
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t known = a[w + 2 * stride] & b[w + 2 * stride];
    sites += BITS(known);
    differ += BITS(known & ((a[w] ^ b[w]) | (a[w + stride] ^ b[w + stride])));
  }
  counts[0] += sites;
  counts[1] += differ;
}

CODE(count_changes) {
  int64_t sites = 0, purines = 0, pyrimidines = 0, first = 0, second = 0;
#pragma omp simd reduction(+ : sites, purines, pyrimidines, first, second)
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t known = a[w + 2 * stride] & b[w + 2 * stride];
    const uint64_t high = (a[w] ^ b[w]) & known, low = a[w + stride] ^ b[w + stride];
    const uint64_t transitions = ~high & low & known;
    sites += BITS(known);
    purines += BITS(transitions & ~a[w]);
    pyrimidines += BITS(transitions & a[w]);
    first += BITS(high & ~low);
    second += BITS(high & low);
  }
  counts[0] += sites;
  counts[1] += purines;
  counts[2] += pyrimidines;
  counts[3] += first;
  counts[4] += second;
}

/* Counts the bases of b at sites where a has base r: bits of r are those of both planes. */
static inline __attribute__((always_inline)) void count_row(ARGUMENTS, int r) {
  const uint64_t flip_high = r & 2 ? 0 : ~(uint64_t)0, flip_low = r & 1 ? 0 : ~(uint64_t)0;
  int64_t first = 0, second = 0, third = 0, fourth = 0;
#pragma omp simd reduction(+ : first, second, third, fourth)
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t row =
        a[w + 2 * stride] & b[w + 2 * stride] & (a[w] ^ flip_high) & (a[w + stride] ^ flip_low);
    const uint64_t high = b[w], low = b[w + stride];
    first += BITS(row & ~high & ~low);
    second += BITS(row & ~high & low);
    third += BITS(row & high & ~low);
    fourth += BITS(row & high & low);
  }
  counts[4 * r] += first;
  counts[4 * r + 1] += second;
  counts[4 * r + 2] += third;
  counts[4 * r + 3] += fourth;
}

CODE(count_table) {
  for (int r = 0; r < 4; ++r)
    count_row(a, b, words, stride, counts, r);
}

DEFINE_KERNEL(count_differences)
DEFINE_KERNEL(count_common)
DEFINE_KERNEL(count_changes)
DEFINE_KERNEL(count_table)

/* Returns the same as gg_count_alleles for at most 2^30 loci, so that lanes of 32 bits suffice. */
GG_LOOP_TARGET static int64_t count_some_alleles(const uint32_t *a, const uint32_t *b,
                                                 int32_t loci) {
  uint32_t differ = 0;
#pragma omp simd reduction(+ : differ)
  for (int32_t k = 0; k < loci; ++k)
    differ += (uint32_t)(a[k] != b[k]) & (uint32_t)(a[k] != 0) & (uint32_t)(b[k] != 0);
  return (int64_t)differ;
}

/* Counts loci that differ, some of them at a time. */
static int64_t count_alleles(const uint32_t *a, const uint32_t *b, int64_t loci) {
  const int64_t most = (int64_t)1 << 30;
  int64_t differ = 0;
  for (int64_t first = 0; first < loci; first += most) {
    const int64_t left = loci - first;
    differ += count_some_alleles(a + first, b + first, (int32_t)(left < most ? left : most));
  }
  return differ;
}

const gg_count_kernels GG_FORM_OF(gg_count_kernels) = {
    {count_differences, count_common, count_changes, count_table}, count_alleles};

#endif
