/* Unsigned numbers of 128 bits, the API's type for row numbers and counts. */
#ifndef GG_WIDE_H
#define GG_WIDE_H

#include <stdbool.h>

#include "gpugeo.h"

#if defined(__CUDACC__)
#define GG_WIDE_INLINE static inline __host__ __device__
#else
#define GG_WIDE_INLINE static inline
#endif

GG_WIDE_INLINE gpugeo_wide gg_wide_make(uint64_t low, uint64_t high) {
  gpugeo_wide made;
  made.low = low;
  made.high = high;
  return made;
}

/* Returns a + b, modulo 2^128. */
GG_WIDE_INLINE gpugeo_wide gg_wide_add(gpugeo_wide a, gpugeo_wide b) {
  const uint64_t low = a.low + b.low;
  return gg_wide_make(low, a.high + b.high + (low < a.low));
}

/* Returns a - b, modulo 2^128. */
GG_WIDE_INLINE gpugeo_wide gg_wide_subtract(gpugeo_wide a, gpugeo_wide b) {
  return gg_wide_make(a.low - b.low, a.high - b.high - (a.low < b.low));
}

/* Returns a * b, modulo 2^128. */
GG_WIDE_INLINE gpugeo_wide gg_wide_multiply(gpugeo_wide a, gpugeo_wide b) {
  const uint64_t low_part = 0xffffffffu;
  const uint64_t a0 = a.low & low_part, a1 = a.low >> 32, b0 = b.low & low_part, b1 = b.low >> 32;
  const uint64_t middle = (a0 * b0 >> 32) + (a0 * b1 & low_part) + (a1 * b0 & low_part);
  const uint64_t carried = a1 * b1 + (a0 * b1 >> 32) + (a1 * b0 >> 32) + (middle >> 32);
  return gg_wide_make(a.low * b.low, carried + a.low * b.high + a.high * b.low);
}

GG_WIDE_INLINE bool gg_wide_less(gpugeo_wide a, gpugeo_wide b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

GG_WIDE_INLINE bool gg_wide_equal(gpugeo_wide a, gpugeo_wide b) {
  return a.high == b.high && a.low == b.low;
}

/* Returns 2^bits, bits in [0, 128). */
GG_WIDE_INLINE gpugeo_wide gg_wide_power(int bits) {
  return bits < 64 ? gg_wide_make((uint64_t)1 << bits, 0)
                   : gg_wide_make(0, (uint64_t)1 << (bits - 64));
}

/* Returns a * 2^bits, bits in [0, 128). */
GG_WIDE_INLINE gpugeo_wide gg_wide_shift(gpugeo_wide a, int bits) {
  return bits == 0   ? a
         : bits < 64 ? gg_wide_make(a.low << bits, a.high << bits | a.low >> (64 - bits))
                     : gg_wide_make(0, a.low << (bits - 64));
}

/* Returns bit j of a, j in [0, 128). */
GG_WIDE_INLINE int gg_wide_bit(gpugeo_wide a, int j) {
  return (int)((j < 64 ? a.low >> j : a.high >> (j - 64)) & 1);
}

/* Returns the row with all n signs inverted. */
GG_WIDE_INLINE gpugeo_wide gg_wide_mirror(gpugeo_wide row, int n) {
  return gg_wide_subtract(gg_wide_subtract(gg_wide_power(n), gg_wide_make(1, 0)), row);
}

GG_WIDE_INLINE double gg_wide_double(gpugeo_wide a) {
  return (double)a.high * 18446744073709551616.0 + (double)a.low;
}

#endif
