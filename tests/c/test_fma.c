/*
 * The vector fma of vector.h, for SSE2 or NEON, and that of fma.h against the C library's in
 * double; test_fma_single.c includes this for float. On Windows, where the C library's is wrong,
 * the core replaces it by the processor's. Wider instructions have an fma of their own. Operands
 * lean towards what an emulation may round wrongly: ties, cancellation, underflow, overflow, and
 * few digits.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "common/fma.h"
#include "data.h"

#if defined(GG_SINGLE)
typedef float real;
typedef uint32_t word;
#define FMA         fmaf
#define OWN_FMA     gg_fma_by_doubles
#define SIGNIFICAND 24
#define LEAST       -149
#define MOST        128
#else
typedef double real;
typedef uint64_t word;
#define FMA         fma
#define OWN_FMA     gg_fma_by_integers
#define SIGNIFICAND 53
#define LEAST       -1074
#define MOST        1024
#endif
#if defined(__x86_64__) || defined(__aarch64__)
#define GG_LANES_128
#endif
#include "common/vector.h"

/* Returns a number with at most `digits` significant bits and an exponent in [low, high). */
static real number(dice *d, int digits, int low, int high) {
  const int64_t whole = (int64_t)1 << (digits - 1);
  const real fraction = (real)(whole + dice_whole(d, whole - 1)) / (real)whole;
  const real value = (real)ldexp(fraction, low + (int)dice_whole(d, high - low - 1));
  return dice_whole(d, 1) ? value : -value;
}

enum { KINDS = 7 };

/* Chooses the operands of one lane. */
static void operands(dice *d, int kind, real *a, real *b, real *c) {
  const int digits = 1 + (int)dice_whole(d, SIGNIFICAND - 1);
  *a = number(d, SIGNIFICAND, -8, 8);
  *b = number(d, SIGNIFICAND, -8, 8);
  *c = number(d, SIGNIFICAND, -16, 16);
  if (kind == 1) { /* few digits: ties */
    *a = number(d, digits, -4, 4);
    *b = number(d, 1 + SIGNIFICAND - digits, -4, 4);
    *c = number(d, SIGNIFICAND, SIGNIFICAND - 10, SIGNIFICAND + 10);
  } else if (kind == 2) { /* squares, as in sums of squares */
    *b = *a;
    *c = (real)fabs(*c);
  } else if (kind == 3) { /* cancellation */
    *c = -*a * *b * (1 + (real)(dice_whole(d, 6) - 3) * (real)ldexp(1, 1 - SIGNIFICAND));
  } else if (kind == 4) { /* anything, mostly out of range */
    *a = number(d, digits, LEAST, MOST);
    *b = number(d, SIGNIFICAND, LEAST, MOST);
    *c = number(d, SIGNIFICAND, LEAST, MOST);
  } else if (kind == 5) { /* near underflow */
    *a = number(d, digits, LEAST / 2 - 30, LEAST / 2 + 60);
    *b = number(d, SIGNIFICAND, LEAST / 2 - 30, LEAST / 2 + 60);
    *c = number(d, SIGNIFICAND, LEAST, LEAST + 2 * SIGNIFICAND);
  } else if (kind == 6) { /* zeros, infinities, NaN */
    static const real special[] = {
        0, -(real)0, 1, -1, (real)INFINITY, -(real)INFINITY, (real)NAN, (real)(0x1p-149)};
    real *const all[] = {a, b, c};
    for (int k = 0; k < 3; ++k)
      if (dice_whole(d, 1)) *all[k] = special[dice_whole(d, 7)];
  }
}

static bool same(real x, real y) {
  word v, w;
  memcpy(&v, &x, sizeof v);
  memcpy(&w, &y, sizeof w);
  return v == w || (x != x && y != y);
}

static void test_kind(int kind, int64_t rounds) {
  dice d = {20 + (uint64_t)kind};
  int64_t wrong = 0;
  for (int64_t i = 0; i < rounds; ++i) {
    real a[GG_LANES] = {0}, b[GG_LANES] = {0}, c[GG_LANES] = {0};
    real r[GG_LANES], p[GG_LANES];
    for (int l = 0; l < GG_LANES; ++l)
      operands(&d, kind, &a[l], &b[l], &c[l]);
    v_store(r, v_fma(v_load(a), v_load(b), v_load(c)));
    v_store(p, v_fma_positive(v_load(a), v_load(b), v_abs(v_load(c))));
    for (int l = 0; l < GG_LANES; ++l) {
      const real right = FMA(a[l], b[l], c[l]);
      const bool positive = a[l] * b[l] >= 0;
      const real own = OWN_FMA(a[l], b[l], c[l]);
      const bool good = same(r[l], right) && same(own, right) &&
                        (!positive || same(p[l], FMA(a[l], b[l], (real)fabs(c[l]))));
      if (!good && !wrong++)
        printf("kind %d: %a * %a + %a is %a, %a positive, %a of fma.h, not %a\n", kind,
               (double)a[l], (double)b[l], (double)c[l], (double)r[l], (double)p[l], (double)own,
               (double)right);
    }
  }
  CHECK(wrong == 0, "kind %d: %lld of %lld lanes are wrong", kind, (long long)wrong,
        (long long)rounds * GG_LANES);
}

int main(void) {
  for (int kind = 0; kind < KINDS; ++kind)
    test_kind(kind, 300000);
  return check_end();
}
