/* Unsigned numbers of 128 bits, the API's type for row numbers and counts. */
#ifndef GG_UINT128_H
#define GG_UINT128_H

#include <stdbool.h>

#include "gpugeo.h"

#if defined(__CUDACC__)
#define GG_UINT128_INLINE static inline __host__ __device__
#else
#define GG_UINT128_INLINE static inline
#endif

GG_UINT128_INLINE gpugeo_uint128 gg_uint128_make(uint64_t low, uint64_t high) {
  gpugeo_uint128 made;
  made.low = low;
  made.high = high;
  return made;
}

/* Returns a + b, modulo 2^128. */
GG_UINT128_INLINE gpugeo_uint128 gg_uint128_add(gpugeo_uint128 a, gpugeo_uint128 b) {
  const uint64_t low = a.low + b.low;
  return gg_uint128_make(low, a.high + b.high + (low < a.low));
}

/* Returns a - b, modulo 2^128. */
GG_UINT128_INLINE gpugeo_uint128 gg_uint128_subtract(gpugeo_uint128 a, gpugeo_uint128 b) {
  return gg_uint128_make(a.low - b.low, a.high - b.high - (a.low < b.low));
}

/* Returns a * b, modulo 2^128. */
GG_UINT128_INLINE gpugeo_uint128 gg_uint128_multiply(gpugeo_uint128 a, gpugeo_uint128 b) {
  const uint64_t low_part = 0xffffffffu;
  const uint64_t a0 = a.low & low_part, a1 = a.low >> 32, b0 = b.low & low_part, b1 = b.low >> 32;
  const uint64_t middle = (a0 * b0 >> 32) + (a0 * b1 & low_part) + (a1 * b0 & low_part);
  const uint64_t carried = a1 * b1 + (a0 * b1 >> 32) + (a1 * b0 >> 32) + (middle >> 32);
  return gg_uint128_make(a.low * b.low, carried + a.low * b.high + a.high * b.low);
}

GG_UINT128_INLINE bool gg_uint128_less(gpugeo_uint128 a, gpugeo_uint128 b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

GG_UINT128_INLINE bool gg_uint128_equal(gpugeo_uint128 a, gpugeo_uint128 b) {
  return a.high == b.high && a.low == b.low;
}

/* Returns 2^bits, bits in [0, 128). */
GG_UINT128_INLINE gpugeo_uint128 gg_uint128_power(int bits) {
  return bits < 64 ? gg_uint128_make((uint64_t)1 << bits, 0)
                   : gg_uint128_make(0, (uint64_t)1 << (bits - 64));
}

/* Returns a * 2^bits, bits in [0, 128). */
GG_UINT128_INLINE gpugeo_uint128 gg_uint128_shift(gpugeo_uint128 a, int bits) {
  return bits == 0   ? a
         : bits < 64 ? gg_uint128_make(a.low << bits, a.high << bits | a.low >> (64 - bits))
                     : gg_uint128_make(0, a.low << (bits - 64));
}

/* Returns bit j of a, j in [0, 128). */
GG_UINT128_INLINE int gg_uint128_bit(gpugeo_uint128 a, int j) {
  return (int)((j < 64 ? a.low >> j : a.high >> (j - 64)) & 1);
}

/* Returns the row with all n signs inverted. */
GG_UINT128_INLINE gpugeo_uint128 gg_uint128_mirror(gpugeo_uint128 row, int n) {
  return gg_uint128_subtract(gg_uint128_subtract(gg_uint128_power(n), gg_uint128_make(1, 0)), row);
}

GG_UINT128_INLINE double gg_uint128_double(gpugeo_uint128 a) {
  return (double)a.high * 18446744073709551616.0 + (double)a.low;
}

#endif
