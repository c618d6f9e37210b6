#include "common/fma.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* A positive number: whole * 2^exponent. */
typedef struct scaled {
  wide whole;
  int exponent;
} scaled;

/* Returns a finite number other than 0 without its sign; `whole` has 53 bits. */
static scaled scale(double value) {
  int exponent;
  const double fraction = frexp(fabs(value), &exponent);
  return (scaled){(wide)(uint64_t)(fraction * 0x1p53), exponent - 53};
}

/* Multiplies `whole` by 2^bits, without changing the number. */
static scaled lengthen(scaled a, int bits) { return (scaled){a.whole << bits, a.exponent - bits}; }

/* Changes a number to a larger exponent. The last bit becomes 1 if bits are lost. */
static wide shorten(scaled a, int exponent) {
  const int bits = exponent - a.exponent;
  if (bits == 0) return a.whole;
  if (bits > 127) return 1;
  const wide left = a.whole >> bits;
  return left | (left << bits != a.whole);
}

/* Returns the number of bits of a whole number above 0, without leading zeros. */
static int length_of(wide whole) {
  const uint64_t high = (uint64_t)(whole >> 64), low = (uint64_t)whole;
  return high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
}

/* Returns the double nearest to a positive number, of two the even one. */
static double nearest(scaled a) {
  const int least = -1074, last = a.exponent + length_of(a.whole) - 53;
  const int exponent = last > least ? last : least, bits = exponent - a.exponent;
  if (bits <= 0) return ldexp((double)(uint64_t)a.whole, a.exponent);
  if (bits > 127) return 0;
  const wide half = (wide)1 << (bits - 1), rest = a.whole & (2 * half - 1);
  uint64_t whole = (uint64_t)(a.whole >> bits);
  if (rest > half || (rest == half && (whole & 1))) ++whole;
  return ldexp((double)whole, exponent);
}

/* Returns a b + c, rounded once. The product and c are extended to 126 bits. The bits that the
   smaller of them loses are so far below the sum's 53rd bit that only whether they are all 0
   matters. */
double gg_fma_by_integers(double a, double b, double c) {
  if (!isfinite(a) || !isfinite(b) || !isfinite(c) || a == 0 || b == 0) return a * b + c;
  if (c == 0) return a * b;
  const scaled x = scale(a), y = scale(b);
  const scaled product = lengthen((scaled){x.whole * y.whole, x.exponent + y.exponent}, 20);
  const scaled added = lengthen(scale(c), 73);
  const int exponent = product.exponent > added.exponent ? product.exponent : added.exponent;
  const wide p = shorten(product, exponent), q = shorten(added, exponent);
  const bool minus = signbit(a) != signbit(b), other = signbit(c) != 0;
  if (minus == other) {
    const double sum = nearest((scaled){p + q, exponent});
    return minus ? -sum : sum;
  }
  if (p == q) return 0;
  const double difference = nearest((scaled){p > q ? p - q : q - p, exponent});
  return (p > q ? minus : other) ? -difference : difference;
}

/* Returns a b + c, rounded once. The product is exact in double. The last bit of an inexact sum is
   set to 1, which makes the second rounding go where a single rounding would have gone. */
float gg_fma_by_doubles(float a, float b, float c) {
  const double product = (double)a * (double)b, added = (double)c, sum = product + added;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (added - back);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (!isfinite(sum) || error == 0 || (bits & 1)) return (float)sum;
  bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
  double odd;
  memcpy(&odd, &bits, sizeof odd);
  return (float)odd;
}
