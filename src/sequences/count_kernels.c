/*
 * Counts sites of two sequences: logical operations on 64 sites at a time, and population counts.
 * Compiled once for each instruction set, see lanes.h.
 *
 * Limited by a population count a cycle: 1 to 16 for 64 sites. Below AVX2 the compiler calls a
 * function for it.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "sequences/count_kernels.h"

/* Returns the number of bits that are 1. */
#define BITS(word) __builtin_popcountll(word)

GG_TARGET static void count_differences(const uint64_t *a, const uint64_t *b, int64_t words,
                                        int64_t stride, int64_t *counts) {
  int64_t differ = 0;
  for (int64_t w = 0; w < words; ++w)
    differ += BITS((a[w] ^ b[w]) | (a[w + stride] ^ b[w + stride]));
  counts[0] += differ;
}

GG_TARGET static void count_common(const uint64_t *a, const uint64_t *b, int64_t words,
                                   int64_t stride, int64_t *counts) {
  int64_t sites = 0, differ = 0;
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t known = a[w + 2 * stride] & b[w + 2 * stride];
    sites += BITS(known);
    differ += BITS(known & ((a[w] ^ b[w]) | (a[w + stride] ^ b[w + stride])));
  }
  counts[0] += sites;
  counts[1] += differ;
}

GG_TARGET static void count_changes(const uint64_t *a, const uint64_t *b, int64_t words,
                                    int64_t stride, int64_t *counts) {
  int64_t sites = 0, purines = 0, pyrimidines = 0, first = 0, second = 0;
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

GG_TARGET static void count_table(const uint64_t *a, const uint64_t *b, int64_t words,
                                  int64_t stride, int64_t *counts) {
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t known = a[w + 2 * stride] & b[w + 2 * stride];
    const uint64_t i = a[w], j = a[w + stride], k = b[w], l = b[w + stride];
    const uint64_t rows[] = {known & ~i & ~j, known & ~i & j, known & i & ~j, known & i & j};
    const uint64_t columns[] = {~k & ~l, ~k & l, k & ~l, k & l};
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        counts[4 * r + c] += BITS(rows[r] & columns[c]);
  }
}

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
