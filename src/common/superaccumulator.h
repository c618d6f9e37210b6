/*
 * Whole numbers of any fixed width, in which sums of doubles are exact: `words` 64-bit words, the
 * lowest first, two's complement. A double is a whole number of 2^-1074 units, so 34 words hold any
 * sum of 127 doubles.
 */
#ifndef GG_SUPERACCUMULATOR_H
#define GG_SUPERACCUMULATOR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define GG_FIXED_INLINE static inline __host__ __device__
#else
#define GG_FIXED_INLINE static inline
#endif

enum { GG_FIXED_WORDS = 34 };

/* Computes a += b, or a -= b. */
GG_FIXED_INLINE void gg_superaccumulator_add(uint64_t *a, const uint64_t *b, int words,
                                             bool subtract) {
  uint64_t carry = subtract;
  for (int w = 0; w < words; ++w) {
    const uint64_t term = subtract ? ~b[w] : b[w];
    const uint64_t sum = a[w] + term, all = sum + carry;
    carry = (uint64_t)(sum < term) | (uint64_t)(all < sum);
    a[w] = all;
  }
}

GG_FIXED_INLINE bool gg_superaccumulator_negative(const uint64_t *a, int words) {
  return a[words - 1] >> 63;
}

/* Computes a = -a. */
GG_FIXED_INLINE void gg_superaccumulator_negate(uint64_t *a, int words) {
  uint64_t carry = 1;
  for (int w = 0; w < words; ++w) {
    a[w] = ~a[w] + carry;
    carry = carry && a[w] == 0;
  }
}

/* Returns -1, 0 or 1 if a is less than, equal to or more than b. */
GG_FIXED_INLINE int gg_superaccumulator_compare(const uint64_t *a, const uint64_t *b, int words) {
  const int64_t a_high = (int64_t)a[words - 1], b_high = (int64_t)b[words - 1];
  if (a_high != b_high) return a_high < b_high ? -1 : 1;
  for (int w = words - 2; w >= 0; --w)
    if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
  return 0;
}

/* Computes sum += s_j d_j over all j < n, +1 where bit j of row is set; d is n by words. */
GG_FIXED_INLINE void gg_superaccumulator_add_row(uint64_t *sum, const uint64_t *d, int n, int words,
                                                 uint64_t row_low, uint64_t row_high) {
  for (int j = 0; j < n; ++j) {
    const bool plus = (j < 64 ? row_low >> j : row_high >> (j - 64)) & 1;
    gg_superaccumulator_add(sum, d + (int64_t)j * words, words, !plus);
  }
}

/* Returns a 2^exponent as the nearest double, ties to even. Replaces a by its absolute value.
   exponent is at least -1074, so a result below the normal doubles needs no rounding. */
GG_FIXED_INLINE double gg_superaccumulator_double(uint64_t *a, int words, int exponent) {
  const bool negative = gg_superaccumulator_negative(a, words);
  if (negative) gg_superaccumulator_negate(a, words);
  int top = words - 1;
  while (top > 0 && a[top] == 0)
    --top;
  uint64_t lead = a[top];
  int shift = 64 * top;
  if (top > 0) {
    /* The highest 64 bits, the last of them 1 if anything is below. */
    int zeros = 0;
    while (!(lead >> (63 - zeros)))
      ++zeros;
    uint64_t below = a[top - 1];
    if (zeros) {
      lead = lead << zeros | below >> (64 - zeros);
      below <<= zeros;
    }
    shift -= zeros;
    for (int w = top - 2; w >= 0; --w)
      below |= a[w];
    lead |= below != 0;
  }
  const double value = ldexp((double)lead, shift + exponent);
  return negative ? -value : value;
}

#endif
