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

#include <immintrin.h>

/* True if this processor counts in vectors, which not all with AVX-512 do. */
#define COUNTS_VECTORS __builtin_cpu_supports("avx512vpopcntdq")
#define VECTOR_TARGET  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq")))

/* Truth tables of _mm512_ternarylogic_epi64(x, y, z). */
enum { XOR_OR = 0xF6 /* x | (y ^ z) */, XOR_AND = 0x60 /* x & (y ^ z) */, AND_ANDNOT = 0x40 };

/* Returns the words of a plane from w on, 0 behind the last. */
VECTOR_TARGET static inline __m512i load(const uint64_t *plane, int64_t w, int64_t words) {
  const __mmask8 mask = words - w < 8 ? (__mmask8)((1 << (words - w)) - 1) : (__mmask8)0xff;
  return _mm512_maskz_loadu_epi64(mask, plane + w);
}

/* Adds the numbers of bits to a sum. */
VECTOR_TARGET static inline __m512i add_bits(__m512i sum, __m512i bits) {
  return _mm512_add_epi64(sum, _mm512_popcnt_epi64(bits));
}

/* Counts differences as count_differences() does. */
VECTOR_TARGET static void vector_differences(const uint64_t *a, const uint64_t *b, int64_t words,
                                             int64_t stride, int64_t *counts) {
  __m512i differ = _mm512_setzero_si512();
  for (int64_t w = 0; w < words; w += 8) {
    const __m512i high = _mm512_xor_si512(load(a, w, words), load(b, w, words));
    differ = add_bits(differ, _mm512_ternarylogic_epi64(high, load(a + stride, w, words),
                                                        load(b + stride, w, words), XOR_OR));
  }
  counts[0] += _mm512_reduce_add_epi64(differ);
}

/* Counts common sites and differences as count_common() does. */
VECTOR_TARGET static void vector_common(const uint64_t *a, const uint64_t *b, int64_t words,
                                        int64_t stride, int64_t *counts) {
  __m512i sites = _mm512_setzero_si512(), differ = sites;
  for (int64_t w = 0; w < words; w += 8) {
    const __m512i known =
        _mm512_and_si512(load(a + 2 * stride, w, words), load(b + 2 * stride, w, words));
    const __m512i high = _mm512_xor_si512(load(a, w, words), load(b, w, words));
    const __m512i either = _mm512_ternarylogic_epi64(high, load(a + stride, w, words),
                                                     load(b + stride, w, words), XOR_OR);
    sites = add_bits(sites, known);
    differ = add_bits(differ, _mm512_and_si512(known, either));
  }
  counts[0] += _mm512_reduce_add_epi64(sites);
  counts[1] += _mm512_reduce_add_epi64(differ);
}

/* Counts changes as count_changes() does. */
VECTOR_TARGET static void vector_changes(const uint64_t *a, const uint64_t *b, int64_t words,
                                         int64_t stride, int64_t *counts) {
  __m512i sum[5];
  for (int k = 0; k < 5; ++k)
    sum[k] = _mm512_setzero_si512();
  for (int64_t w = 0; w < words; w += 8) {
    const __m512i known =
        _mm512_and_si512(load(a + 2 * stride, w, words), load(b + 2 * stride, w, words));
    const __m512i pyrimidine = load(a, w, words);
    const __m512i high = _mm512_ternarylogic_epi64(known, pyrimidine, load(b, w, words), XOR_AND);
    const __m512i low = _mm512_xor_si512(load(a + stride, w, words), load(b + stride, w, words));
    const __m512i transitions = _mm512_ternarylogic_epi64(known, low, high, AND_ANDNOT);
    sum[0] = add_bits(sum[0], known);
    sum[1] = add_bits(sum[1], _mm512_andnot_si512(pyrimidine, transitions));
    sum[2] = add_bits(sum[2], _mm512_and_si512(pyrimidine, transitions));
    sum[3] = add_bits(sum[3], _mm512_andnot_si512(low, high));
    sum[4] = add_bits(sum[4], _mm512_and_si512(low, high));
  }
  for (int k = 0; k < 5; ++k)
    counts[k] += _mm512_reduce_add_epi64(sum[k]);
}

/* Counts pairs of bases as count_table() does. */
VECTOR_TARGET static void vector_table(const uint64_t *a, const uint64_t *b, int64_t words,
                                       int64_t stride, int64_t *counts) {
  __m512i sum[16];
  for (int k = 0; k < 16; ++k)
    sum[k] = _mm512_setzero_si512();
  for (int64_t w = 0; w < words; w += 8) {
    const __m512i known =
        _mm512_and_si512(load(a + 2 * stride, w, words), load(b + 2 * stride, w, words));
    const __m512i i = load(a, w, words), j = load(a + stride, w, words);
    const __m512i k = load(b, w, words), l = load(b + stride, w, words);
    const __m512i purine = _mm512_andnot_si512(i, known), other = _mm512_and_si512(i, known);
    const __m512i rows[] = {_mm512_andnot_si512(j, purine), _mm512_and_si512(j, purine),
                            _mm512_andnot_si512(j, other), _mm512_and_si512(j, other)};
    for (int r = 0; r < 4; ++r) {
      const __m512i first = _mm512_andnot_si512(k, rows[r]), second = _mm512_and_si512(k, rows[r]);
      sum[4 * r] = add_bits(sum[4 * r], _mm512_andnot_si512(l, first));
      sum[4 * r + 1] = add_bits(sum[4 * r + 1], _mm512_and_si512(l, first));
      sum[4 * r + 2] = add_bits(sum[4 * r + 2], _mm512_andnot_si512(l, second));
      sum[4 * r + 3] = add_bits(sum[4 * r + 3], _mm512_and_si512(l, second));
    }
  }
  for (int k = 0; k < 16; ++k)
    counts[k] += _mm512_reduce_add_epi64(sum[k]);
}

/* Runs the function of vectors instead, where there is one. */
#define RUN_VECTORS(function)                                                                      \
  if (COUNTS_VECTORS) {                                                                            \
    function(a, b, words, stride, counts);                                                         \
    return;                                                                                        \
  }
#else
#define RUN_VECTORS(function)
#endif

/* Returns the number of bits that are 1. */
#define BITS(word) __builtin_popcountll(word)

GG_TARGET static void count_differences(const uint64_t *a, const uint64_t *b, int64_t words,
                                        int64_t stride, int64_t *counts) {
  RUN_VECTORS(vector_differences)
  int64_t differ = 0;
  for (int64_t w = 0; w < words; ++w)
    differ += BITS((a[w] ^ b[w]) | (a[w + stride] ^ b[w + stride]));
  counts[0] += differ;
}

GG_TARGET static void count_common(const uint64_t *a, const uint64_t *b, int64_t words,
                                   int64_t stride, int64_t *counts) {
  RUN_VECTORS(vector_common)
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
  RUN_VECTORS(vector_changes)
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
  RUN_VECTORS(vector_table)
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
