/* Converts distances to whole numbers. A double is an odd mantissa times a power of two: the exact
   numbers are multiples of the smallest power, and the narrow ones are rounded to one word. */
#include "dgp/problem.h"

#include <string.h>

enum { MANTISSA = 53, NARROW_BITS = 60, EXACT_BITS = 61 };

/* Splits x = mantissa * 2^exponent and returns the mantissa, which is odd, or 0 for 0. */
static int64_t take_apart(double x, int *exponent) {
  if (x == 0) {
    *exponent = 0;
    return 0;
  }
  int power;
  int64_t mantissa = (int64_t)ldexp(frexp(x, &power), MANTISSA);
  *exponent = power - MANTISSA;
  while (!(mantissa & 1)) {
    mantissa >>= 1;
    ++*exponent;
  }
  return mantissa;
}

/* Returns the number of bits of a nonnegative number, 0 for 0. */
static int bit_length(const uint64_t *a, int words) {
  for (int w = words - 1; w >= 0; --w)
    for (int bit = 63; bit >= 0; --bit)
      if (a[w] >> bit & 1) return 64 * w + bit + 1;
  return 0;
}

/* Computes out = mantissa * 2^shift, 0 <= shift; bits beyond the last word are lost. */
static void shift_left(uint64_t *out, int words, int64_t mantissa, int shift) {
  memset(out, 0, (size_t)words * sizeof *out);
  const int word = shift / 64, bits = shift % 64;
  if (word < words) out[word] = (uint64_t)mantissa << bits;
  if (bits && word + 1 < words) out[word + 1] = (uint64_t)mantissa >> (64 - bits);
}

/* Returns 63 bits of a, which is not negative, from bit `shift` on. */
static int64_t shift_right(const uint64_t *a, int words, int shift) {
  const int word = shift / 64, bits = shift % 64;
  uint64_t out = word < words ? a[word] >> bits : 0;
  if (bits && word + 1 < words) out |= a[word + 1] << (64 - bits);
  return (int64_t)(out & INT64_MAX);
}

/* True if a is a multiple of 2^shift. */
static bool is_multiple(const uint64_t *a, int shift) {
  for (int w = 0; w < shift / 64; ++w)
    if (a[w]) return false;
  return shift % 64 == 0 || (a[shift / 64] & (((uint64_t)1 << shift % 64) - 1)) == 0;
}

/* Returns the greatest common divisor. */
static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Computes tol in units of 2^exponent, rounded down and at most the sum of all distances. */
static void set_limit(gg_dgp_problem *p, double tol) {
  int exponent;
  const int64_t mantissa = take_apart(tol, &exponent);
  const int shift = exponent - p->exponent;
  uint64_t *limit = p->limit;
  memset(limit, 0, sizeof p->limit);
  if (mantissa == 0 || shift <= -MANTISSA) return;
  if (shift < 0) {
    limit[0] = (uint64_t)(mantissa >> -shift);
  } else if (shift + bit_length((const uint64_t *)&mantissa, 1) < 64 * p->words) {
    shift_left(limit, p->words, mantissa, shift);
  } else { /* it does not fit, but the total does */
    memcpy(limit, p->total, sizeof p->limit);
  }
  if (gg_superaccumulator_compare(limit, p->total, p->words) > 0)
    memcpy(limit, p->total, sizeof p->limit);
}

/* Makes the narrow numbers exactly, divided by a common divisor. */
static void narrow_exactly(gg_dgp_problem *p) {
  p->divisor = 0;
  for (int j = 0; j < p->n; ++j)
    p->divisor = common_divisor((int64_t)p->d[(int64_t)j * p->words], p->divisor);
  if (p->divisor == 0) p->divisor = 1;
  for (int j = 0; j < p->n; ++j)
    p->narrow[j] = (int64_t)p->d[(int64_t)j * p->words] / p->divisor;
  p->narrow_total = (int64_t)p->total[0] / p->divisor;
  p->narrow_limit = (int64_t)p->limit[0] / p->divisor;
}

/* Makes the narrow numbers from the highest bits, each distance rounded to nearest: an error of
   half a unit for each that was rounded. */
static void narrow_rounded(gg_dgp_problem *p, int shift) {
  int rounded = 0;
  p->shift = shift;
  p->narrow_total = 0;
  for (int j = 0; j < p->n; ++j) {
    const uint64_t *d = p->d + (int64_t)j * p->words;
    const int64_t twice = shift_right(d, p->words, shift - 1);
    p->narrow[j] = (twice + 1) >> 1;
    p->narrow_total += p->narrow[j];
    rounded += !is_multiple(d, shift);
  }
  p->narrow_limit = shift_right(p->limit, p->words, shift);
  p->error = (rounded + 1) / 2;
}

int64_t gg_dgp_whole_units(const gg_dgp_problem *problem, const uint64_t *exact) {
  return shift_right(exact, problem->words, problem->shift);
}

void gg_dgp_problem_narrow(const gg_dgp_problem *problem, gg_dgp_problem *narrow) {
  memset(narrow, 0, sizeof *narrow);
  narrow->n = problem->n;
  narrow->words = 1;
  narrow->divisor = 1;
  narrow->exponent = problem->exponent + problem->shift;
  for (int j = 0; j < problem->n; ++j) {
    narrow->narrow[j] = problem->narrow[j];
    narrow->d[j] = (uint64_t)problem->narrow[j];
  }
  narrow->narrow_total = problem->narrow_total;
  narrow->narrow_limit = problem->narrow_limit;
  narrow->total[0] = (uint64_t)problem->narrow_total;
  narrow->limit[0] = (uint64_t)problem->narrow_limit;
}

void gg_dgp_problem_make(gg_dgp_problem *p, const double *d, int64_t n, double tol, bool exact) {
  memset(p, 0, sizeof *p);
  p->n = (int32_t)n;
  p->divisor = 1;
  int exponents[GPUGEO_DGP_DISTANCES_MAX], highest = -2000;
  int64_t mantissas[GPUGEO_DGP_DISTANCES_MAX];
  for (int j = 0; j < n; ++j) {
    mantissas[j] = take_apart(d[j], &exponents[j]);
    if (j == 0 || exponents[j] < p->exponent) p->exponent = exponents[j];
    if (exponents[j] > highest) highest = exponents[j];
  }
  /* A distance is below 2^(highest + 53); 7 bits for the sum of 127, two spare bits, and a sign. */
  p->words = (highest + MANTISSA - p->exponent + 10 + 63) / 64;
  for (int j = 0; j < n; ++j) {
    uint64_t *word = p->d + (int64_t)j * p->words;
    shift_left(word, p->words, mantissas[j], exponents[j] - p->exponent);
    gg_superaccumulator_add(p->total, word, p->words, false);
  }
  set_limit(p, tol);
  const int bits = bit_length(p->total, p->words);
  if (bits <= EXACT_BITS) {
    if (p->words > 1) { /* the mantissas are shorter than they might have been */
      for (int j = 0; j < n; ++j)
        p->d[j] = p->d[(int64_t)j * p->words];
      p->words = 1;
    }
    narrow_exactly(p);
  } else {
    narrow_rounded(p, bits - NARROW_BITS);
    if (!exact) {
      const gg_dgp_problem whole = *p;
      gg_dgp_problem_narrow(&whole, p);
    }
  }
}

void gg_dgp_halves(int n, int64_t bytes, int *first, int *second) {
  int both = n;
  for (; both > 2; --both) {
    *second = both / 2;
    *first = both - *second;
    /* The larger half, what it is made from, and the other one, each list of absolute values. */
    const double elements = ldexp(1, *first - 1) + ldexp(1, *first - 2) + ldexp(1, *second - 1);
    if (elements * 8 <= (double)bytes) return;
  }
  *second = both / 2;
  *first = both - *second;
}
