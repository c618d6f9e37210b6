/*
 * Counts sites of two sequences: logical operations on words of 64 sites, and population counts.
 * Compiled once for each instruction set, see lanes.h.
 *
 * Pairs are counted in blocks, whose sums stay in registers: a block of 4 by 4 pairs reads 8
 * sequences, not 32. Limited by logical operations and population counts, 6 to 52 of a vector and
 * pair. The form for AVX-512 takes VPOPCNTDQ, which not all processors with AVX-512 have:
 * gg_count_kernels_get() in pair_counts.c.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <string.h>

#include "sequences/count_kernels.h"

#if defined(GG_LANES_AVX512) || defined(GG_LANES_AVX2)
#include <immintrin.h>
#endif

#if defined(GG_LANES_AVX512)
#define COUNT_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq")))
#else
#define COUNT_TARGET GG_TARGET
#endif
#define INLINE COUNT_TARGET __attribute__((always_inline)) static inline
#define UNROLL _Pragma("GCC unroll 16")

#if defined(GG_LANES_AVX512) || defined(GG_LANES_AVX2)
typedef uint64_t vector __attribute__((vector_size(GG_VECTOR_BYTES), aligned(8), may_alias));
#else
typedef uint64_t vector;
#endif
enum { LANES = sizeof(vector) / 8 };

/* Returns the number of bits that are 1 in each lane. AVX2: by tables of half bytes (Mula, Kurz and
   Lemire 2018, Faster population counts using AVX2 instructions). */
INLINE vector count_bits(vector v) {
#if defined(GG_LANES_AVX512)
  return (vector)_mm512_popcnt_epi64((__m512i)v);
#elif defined(GG_LANES_AVX2)
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2,
                                         1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i half = _mm256_set1_epi8(15), all = (__m256i)v;
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(all, half));
  const __m256i high =
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(all, 4), half));
  return (vector)_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
#else
  return (vector)__builtin_popcountll(v);
#endif
}

/* A word of each plane in each lane. */
typedef struct sites {
  vector high, low, known;
} sites;

/* Reads words of three planes. */
INLINE sites read_sites(const uint64_t *from, int64_t stride) {
  return (sites){*(const vector *)from, *(const vector *)(from + stride),
                 *(const vector *)(from + 2 * stride)};
}

/* Returns a word in all lanes. */
INLINE vector repeat(uint64_t word) {
  const vector zero = {0};
  return zero + word;
}

/* Adds the table of the bases of a, which are known at `known`, and of b. */
INLINE void add_table(sites a, sites b, vector known, vector *sums) {
  const vector rows[] = {known & ~a.high & ~a.low, known & ~a.high & a.low, known & a.high & ~a.low,
                         known & a.high & a.low};
  const vector columns[] = {~b.high & ~b.low, ~b.high & b.low, b.high & ~b.low, b.high & b.low};
  UNROLL
  for (int k = 0; k < 16; ++k)
    sums[k] += count_bits(rows[k / 4] & columns[k % 4]);
}

/* Adds the counts of a and b to `sums`. */
INLINE void add_counts(gg_count_kind kind, sites a, sites b, vector *sums) {
  const vector high = a.high ^ b.high, low = a.low ^ b.low, known = a.known & b.known;
  const vector transversions = high & known, transitions = low & known & ~high;
  switch (kind) {
  case GG_COUNT_DIFFERENCES:
    sums[0] += count_bits(high | low);
    return;
  case GG_COUNT_KNOWN:
    sums[0] += count_bits((high | low) & known);
    return;
  case GG_COUNT_COMMON:
    sums[0] += count_bits(known);
    sums[1] += count_bits((high | low) & known);
    return;
  case GG_COUNT_CHANGES:
    sums[0] += count_bits(known);
    sums[1] += count_bits(transitions & ~a.high);
    sums[2] += count_bits(transitions & a.high);
    sums[3] += count_bits(transversions & ~low);
    sums[4] += count_bits(transversions & low);
    return;
  default:
    add_table(a, b, known, sums);
  }
}

/* Returns the number of counts of a kind. */
INLINE int counts_of(gg_count_kind kind) {
  return kind == GG_COUNT_TABLE     ? 16
         : kind == GG_COUNT_CHANGES ? 5
         : kind == GG_COUNT_COMMON  ? 2
                                    : 1;
}

/* Adds the lanes of sums to counts. */
INLINE void add_lanes(const vector *sums, int count, int64_t *counts) {
  UNROLL
  for (int k = 0; k < count; ++k) {
    int64_t lanes[LANES];
    memcpy(lanes, &sums[k], sizeof lanes);
    for (int t = 0; t < LANES; ++t)
      counts[k] += lanes[t];
  }
}

/* Counts a block of a kind and of so many rows and columns. */
INLINE void count_block(gg_count_kind kind, int rows, int columns, const gg_pair_block *block) {
  const int each = counts_of(kind);
  const int64_t words = block->words, stride = block->stride;
  vector sums[16];
  UNROLL
  for (int k = 0; k < rows * columns * each; ++k)
    sums[k] = repeat(0);
  for (int64_t w = 0; w < words; w += LANES) {
    sites a[GG_BLOCK_SIDE];
    UNROLL
    for (int r = 0; r < rows; ++r)
      a[r] = read_sites(block->rows[r] + w, stride);
    UNROLL
    for (int c = 0; c < columns; ++c) {
      const sites b = read_sites(block->columns[c] + w, stride);
      UNROLL
      for (int r = 0; r < rows; ++r)
        add_counts(kind, a[r], b, sums + (r * columns + c) * each);
    }
  }
  UNROLL
  for (int r = 0; r < rows; ++r)
    add_lanes(sums + r * columns * each, columns * each, block->counts + r * block->next);
}

/* Computes by how much the counts of (x, y) and (common, common) exceed those of (x, common) and
   (common, y), whole numbers modulo 2^64. */
INLINE void find_excess(gg_count_kind kind, sites x, sites y, sites common, vector *excess) {
  vector less[16];
  UNROLL
  for (int k = 0; k < counts_of(kind); ++k)
    excess[k] = less[k] = repeat(0);
  add_counts(kind, x, y, excess);
  add_counts(kind, common, common, excess);
  add_counts(kind, x, common, less);
  add_counts(kind, common, y, less);
  UNROLL
  for (int k = 0; k < counts_of(kind); ++k)
    excess[k] -= less[k];
}

/* Counts a list of words for a kind. */
INLINE void count_list(gg_count_kind kind, const uint64_t x[3], const uint64_t common[3],
                       const gg_word_list *list, int64_t *counts) {
  const sites all_x = {repeat(x[0]), repeat(x[1]), repeat(x[2])};
  const sites all_common = {repeat(common[0]), repeat(common[1]), repeat(common[2])};
  const int each = counts_of(kind);
  for (int64_t e = 0; e < list->count; e += LANES) {
    vector excess[16];
    int64_t lanes[16][LANES];
    find_excess(kind, all_x, read_sites(list->bits + e, list->stride), all_common, excess);
    memcpy(lanes, excess, (size_t)each * sizeof *excess);
    for (int t = 0; t < LANES && e + t < list->count; ++t) {
      UNROLL
      for (int k = 0; k < each; ++k)
        counts[list->at[e + t] * each + k] += lanes[k][t];
    }
  }
}

/* Defines the functions for a kind, with blocks of so many rows and columns. */
#define DEFINE_COUNTS(name, kind, height, width)                                                   \
  COUNT_TARGET static void name##_block(const gg_pair_block *block) {                              \
    count_block(kind, height, width, block);                                                       \
  }                                                                                                \
  COUNT_TARGET static void name##_list(const uint64_t x[3], const uint64_t common[3],              \
                                       const gg_word_list *list, int64_t *counts) {                \
    count_list(kind, x, common, list, counts);                                                     \
  }                                                                                                \
  enum { name##_height = height, name##_width = width, name##_kind = kind };

/* AVX-512 has 32 registers, the others 16. */
#if defined(GG_LANES_AVX512)
DEFINE_COUNTS(differences, GG_COUNT_DIFFERENCES, 4, 4)
DEFINE_COUNTS(known, GG_COUNT_KNOWN, 4, 4)
DEFINE_COUNTS(common, GG_COUNT_COMMON, 2, 4)
DEFINE_COUNTS(changes, GG_COUNT_CHANGES, 2, 1)
#else
DEFINE_COUNTS(differences, GG_COUNT_DIFFERENCES, 2, 2)
DEFINE_COUNTS(known, GG_COUNT_KNOWN, 2, 2)
DEFINE_COUNTS(common, GG_COUNT_COMMON, 2, 1)
DEFINE_COUNTS(changes, GG_COUNT_CHANGES, 1, 1)
#endif
DEFINE_COUNTS(table, GG_COUNT_TABLE, 1, 1)

#define COUNTS(name, each)                                                                         \
  [name##_kind] = {each, name##_height, name##_width, name##_block, name##_list}

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

const gg_count_kernels GG_FORM_OF(gg_count_kernels) = {{COUNTS(differences, 1), COUNTS(common, 2),
                                                        COUNTS(changes, 5), COUNTS(table, 16),
                                                        COUNTS(known, 1)},
                                                       count_alleles};

#endif
