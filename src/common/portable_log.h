/*
 * Logarithms and exponentials by additions, multiplications and divisions only, which all machines
 * round alike: C libraries and CUDA round their own functions differently. For C, and for CUDA's
 * host and devices. Errors are below 2 units in the last place.
 */
#ifndef GG_PORTABLE_LOG_H
#define GG_PORTABLE_LOG_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define GG_PORTABLE static __host__ __device__ inline
#else
#define GG_PORTABLE static inline
#endif

/* ln 2 = GG_LN2_HIGH + GG_LN2_LOW; the first has 32 bits, so that its product with an exponent is
   exact. */
#define GG_LN2_HIGH 0x1.62e42feep-1
#define GG_LN2_LOW  0x1.a39ef35793c76p-33

/* Returns the bits of a number. */
GG_PORTABLE uint64_t gg_bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Returns the number of these bits. */
GG_PORTABLE double gg_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Returns log(u + low), u normal and positive, |low| at most half a unit in its last place:
   u = m 2^k, m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1), and log(m) = 2 atanh(s) by its
   series up to s^21. */
GG_PORTABLE double gg_log_of_sum(double u, double low) {
  const uint64_t one = 0x3ff0000000000000u, root = 0x3fe6a09e667f3bcdu;
  const uint64_t shifted = gg_bits_of(u) + (one - root);
  const double k = (double)((int64_t)(shifted >> 52) - 1023);
  const double f = gg_of_bits((shifted & 0xfffffffffffffu) + root) - 1;
  const double s = f / (2 + f), z = s * s, w = z * z;
  const double even = 2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19))));
  const double odd = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21))));
  const double rest = z * (even + z * odd);
  return k * GG_LN2_HIGH - ((s * (f - rest) - (k * GG_LN2_LOW + low / u)) - f);
}

/* Returns log(x). */
GG_PORTABLE double gg_log(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (x == INFINITY) return x;
  if (x < 0x1p-1022) return gg_log_of_sum(x * 0x1p54, 0) - 54 * (GG_LN2_HIGH + GG_LN2_LOW);
  return gg_log_of_sum(x, 0);
}

/* Returns log(1 + x). */
GG_PORTABLE double gg_log1p(double x) {
  if (!(x > -1)) return x == -1 ? -INFINITY : NAN;
  if (fabs(x) < 0x1p-54 || x == INFINITY) return x;
  const double u = 1 + x;
  return gg_log_of_sum(u, x < 1 ? x - (u - 1) : 1 - (u - x));
}

/* Returns the whole number k nearest to x / ln 2, |x| < 1100, and *part = exp(x - k ln 2) - 1 by
   the series of Taylor. */
GG_PORTABLE int32_t gg_exp_split(double x, double *part) {
  const double k = floor(x * 0x1.71547652b82fep+0 + 0.5);
  const double r = (x - k * GG_LN2_HIGH) - k * GG_LN2_LOW;
  double sum = 1.0 / 87178291200;
  sum = sum * r + 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  *part = r + (r * r * 0.5 + r * r * r * sum);
  return (int32_t)k;
}

/* Returns 2^k, k in [-1022, 1023]. */
GG_PORTABLE double gg_power_of_two(int32_t k) { return gg_of_bits((uint64_t)(k + 1023) << 52); }

/* Returns exp(x); 0 below -708. */
GG_PORTABLE double gg_exp(double x) {
  if (!(x < 710)) return x > 0 ? INFINITY : NAN;
  if (x < -708) return 0;
  double part;
  const int32_t k = gg_exp_split(x, &part);
  return (1 + part) * gg_power_of_two(k - 1) * 2;
}

/* Returns exp(x) - 1. */
GG_PORTABLE double gg_expm1(double x) {
  if (!(x < 40)) return gg_exp(x);
  if (x < -40) return -1;
  double part;
  const double power = gg_power_of_two(gg_exp_split(x, &part));
  return power * part + (power - 1);
}

#endif
