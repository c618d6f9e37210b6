/*
 * A sum of logarithms is computed as the logarithm of a product: a logarithm takes ten times as
 * long as a multiplication. Each number is multiplied into one of several independent products as a
 * fraction in [1, 2) and an exponent of 2.
 *
 * Compiled for vectors of 128 bits, which every x86-64 and aarch64 processor has.
 */
#include "layout/log_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/simd.h"

#if defined(GG_SIMD_HAS_128)
#define GG_LANES_128
#endif
typedef double real;

#include "common/vector.h"

/* A product of up to GG_LOG_SUM_NUMBERS fractions is less than 2^GG_LOG_SUM_NUMBERS. */
enum { PRODUCTS = 8, VECTORS = PRODUCTS / GG_LANES, MOST_EXPONENT = 2047, ONE_EXPONENT = 1023 };

#define UNROLL _Pragma("GCC unroll 8")

typedef struct logs {
  double product[PRODUCTS];
  int64_t exponents[PRODUCTS];
} logs;

/* Multiplies product k by a number, or adds its logarithm to the sum if it is 0, subnormal or
   infinite. */
static void multiply_one(double number, int k, logs *l, double *sum) {
  int64_t bits;
  memcpy(&bits, &number, sizeof bits);
  const int64_t exponent = bits >> 52, of_one = (int64_t)ONE_EXPONENT << 52;
  if (exponent < 1 || exponent >= MOST_EXPONENT) {
    *sum += log(number);
    return;
  }
  bits = (bits & (((int64_t)1 << 52) - 1)) | of_one;
  double fraction;
  memcpy(&fraction, &bits, sizeof fraction);
  l->product[k] *= fraction;
  l->exponents[k] += exponent - ONE_EXPONENT;
}

/* Multiplies the products by `count` numbers, a multiple of PRODUCTS, as multiply_one() does.
   Returns false and changes nothing if one of them is 0, subnormal or infinite. */
static bool multiply_all(const double *number, int64_t count, logs *l) {
  const I of_fraction = i_set(((uint64_t)1 << 52) - 1),
          of_one = i_set((uint64_t)ONE_EXPONENT << 52);
  const I one = i_set(1), minus_one = i_set(~(uint64_t)0);
  V product[VECTORS];
  I exponents[VECTORS], others = i_set(0);
  UNROLL for (int v = 0; v < VECTORS; ++v) {
    product[v] = v_set(1);
    exponents[v] = i_set(0);
  }
  for (int64_t k = 0; k < count; k += PRODUCTS)
    UNROLL for (int v = 0; v < VECTORS; ++v) {
      const I bits = i_bits(v_load(number + k + v * GG_LANES)), exponent = i_shr(bits, 52);
      /* Above the lowest 11 bits, exponent - 1 is 0 except of 0, and exponent + 1 except of 2047.
       */
      others = i_or(others, i_or(i_add(exponent, minus_one), i_add(exponent, one)));
      exponents[v] = i_add(exponents[v], exponent);
      product[v] = v_mul(product[v], v_bits(i_or(i_and(bits, of_fraction), of_one)));
    }
  int64_t other[GG_LANES], all = 0;
  memcpy(other, &others, sizeof others);
  for (int k = 0; k < GG_LANES; ++k)
    all |= other[k];
  if (all & ~(int64_t)MOST_EXPONENT) return false;
  memcpy(l->product, product, sizeof product);
  memcpy(l->exponents, exponents, sizeof exponents);
  for (int k = 0; k < PRODUCTS; ++k)
    l->exponents[k] -= count / PRODUCTS * ONE_EXPONENT;
  return true;
}

void gg_layout_add_logs(const double *number, int64_t count, double *sum) {
  logs l = {.product = {1, 1, 1, 1, 1, 1, 1, 1}};
  const int64_t whole = count / PRODUCTS * PRODUCTS;
  for (int64_t k = multiply_all(number, whole, &l) ? whole : 0; k < count; ++k)
    multiply_one(number[k], (int)(k % PRODUCTS), &l, sum);
  for (int k = 0; k < PRODUCTS; ++k)
    *sum += log(l.product[k]) + (double)l.exponents[k] * M_LN2;
}
