/*
 * The power function of power.h, in its scalar form: all others hold the same operations, which
 * test_same_bits checks. Errors are told in units in the last place (ulp) of the true value.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "data.h"
#include "table.h"

typedef double real;
#include "common/vector.h"

#include "distance/power.h"

/* The bound that power.h states. */
static double bound(double x, double p) { return fabs(p * log2(x)) <= 512 ? 1.4 : 2.1; }

/* Against 200-bit arithmetic: the result as a double and what is left beyond it. */
static void test_golden(const char *path) {
  char *text = text_read(path), *at = text, *field[4];
  int rows = 0;
  double largest = 0;
  csv_row(&at, field, 4);
  for (; csv_row(&at, field, 4) == 4; ++rows) {
    double v[4];
    for (int i = 0; i < 4; ++i)
      v[i] = strtod(field[i], NULL);
    const double ulp = nextafter(v[2], INFINITY) - v[2];
    const double error = fabs((v_pow(v[0], v[1]) - v[2] - v[3]) / ulp);
    CHECK(error <= bound(v[0], v[1]), "%.17g ^ %.17g is %.17g, off by %.3f ulp", v[0], v[1],
          v_pow(v[0], v[1]), error);
    largest = fmax(largest, error);
  }
  CHECK(rows > 300, "only %d values in %s", rows, path);
  printf("%d golden powers: largest error %.3f ulp\n", rows, largest);
  free(text);
}

/* Points that lean towards one difficulty each. */
static void random_point(dice *d, int which, double *x, double *p) {
  const double u = (dice_real(d) + 1) / 2, v = (dice_real(d) + 1) / 2;
  switch (which) {
  case 0: /* any x */
    *x = ldexp(1 + u, (int)dice_whole(d, 2097) - 1074);
    *p = exp2(12 * v - 8);
    break;
  case 1: /* what distances are made of */
    *x = 10 * u;
    *p = 10 * v;
    break;
  case 2: /* near 1, to large powers */
    *x = 1 + ldexp(u - 0.5, -(int)dice_whole(d, 39));
    *p = exp2(60 * v - 10);
    break;
  default: /* results near the ends of the range */
    *x = 1 + u;
    *p = 1022 / log2(*x) * (1 - 0.05 * v);
    if (dice_whole(d, 1)) *x = 1 / *x;
    break;
  }
}

/* Against the C library's long double, where that is longer. */
static void test_random(void) {
#if LDBL_MANT_DIG >= 64
  dice d = {1};
  double largest = 0;
  int wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    double x, p;
    random_point(&d, i % 4, &x, &p);
    const long double want = powl(x, p);
    if (want < 0x1p-1022L || want >= 0x1p1023L) continue;
    const double ulp = nextafter((double)want, INFINITY) - (double)want;
    const double error = (double)(fabsl(v_pow(x, p) - want) / ulp);
    wrong += !(error <= bound(x, p));
    largest = fmax(largest, error);
  }
  CHECK(wrong == 0, "%d random powers are off by more than their bound, the worst by %.3f ulp",
        wrong, largest);
  printf("random powers: largest error %.3f ulp\n", largest);
#else
  check_skip(1, "long double is no longer than double here: random powers not compared");
#endif
}

static void test_special(void) {
  static const double powers[] = {1e-300, 0.1, 0.5, 1, 1.5, 2.5, 3, 7.3, 100, 1e10, 1e300};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; ++i) {
    const double p = powers[i];
    CHECK(v_pow(0, p) == 0, "0 ^ %g is %g", p, v_pow(0, p));
    CHECK(v_pow(1, p) == 1, "1 ^ %g is %.17g", p, v_pow(1, p));
    CHECK(v_pow(INFINITY, p) == INFINITY, "Inf ^ %g is %g", p, v_pow(INFINITY, p));
    CHECK(isnan(v_pow(NAN, p)), "NaN ^ %g is %g", p, v_pow(NAN, p));
  }
  CHECK(v_pow(1e200, 2.5) == INFINITY, "1e200 ^ 2.5 is %g", v_pow(1e200, 2.5));
  CHECK(v_pow(DBL_MAX, 1e300) == INFINITY, "the largest double ^ 1e300 is %g",
        v_pow(DBL_MAX, 1e300));
  CHECK(v_pow(1e-200, 2.5) == 0, "1e-200 ^ 2.5 is %g", v_pow(1e-200, 2.5));
  CHECK(v_pow(0x1p-1074, 1e300) == 0, "the smallest double ^ 1e300 is %g", v_pow(0x1p-1074, 1e300));
  for (int e = -1074; e <= 1023; ++e) {
    const double x = ldexp(1, e);
    CHECK(v_pow(x, 1) == x, "2^%d ^ 1 is %g", e, v_pow(x, 1));
  }
}

/* Below the normal numbers the error is one of their last places, at most 1. */
static void test_denormal(void) {
  dice d = {7};
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = 0.5 + dice_real(&d) / 4, p = -(1023 + 50 * fabs(dice_real(&d))) / log2(x);
    const double want = (double)powl(x, p);
    wrong += !(fabs(v_pow(x, p) - want) <= 0x1p-1074);
  }
  CHECK(wrong == 0, "%d denormal powers are off by more than one place", wrong);
}

int main(int argc, char **argv) {
  test_golden(argc > 1 ? argv[1] : "tests/golden/power.csv");
  test_random();
  test_special();
  test_denormal();
  return check_end();
}
