/* Logarithms and exponentials of portable_log.h, against those of the C library in long double. */
#include "common/portable_log.h"

#include <float.h>

#include "check.h"
#include "data.h"

/* The error of a value in units in the last place of the true one. */
static double error_of(double value, long double wanted) {
  const double size = fabs((double)wanted), unit = nextafter(size, INFINITY) - size;
  return (double)fabsl((long double)value - wanted) / unit;
}

/* The largest errors over random numbers of all sizes between those of two exponents. */
static void test_errors(int least, int most) {
  dice d = {(uint64_t)(least + 2000)};
  double worst[4] = {0};
  for (int k = 0; k < 200000; ++k) {
    const double x = ldexp(1 + dice_real(&d) / 2, least + (int)dice_whole(&d, most - least));
    const double y = x > 700 ? 700 - 1 / x : x, left = x < 1 ? x : 1 / (1 + x);
    const double e[] = {error_of(gg_log(x), logl(x)), error_of(gg_log1p(-left), log1pl(-left)),
                        error_of(gg_expm1(-y), expm1l(-y)), error_of(gg_expm1(y), expm1l(y))};
    for (int f = 0; f < 4; ++f)
      worst[f] = e[f] > worst[f] ? e[f] : worst[f];
  }
  for (int f = 0; f < 4; ++f)
    CHECK(worst[f] < 2, "function %d, exponents %d to %d: %.2f units", f, least, most, worst[f]);
}

/* exp() to 2 units, and 0 where its results are not normal. */
static void test_exp(void) {
  double worst = 0;
  for (double x = -707; x < 709; x += 0.37) {
    const double e = error_of(gg_exp(x), expl(x));
    worst = e > worst ? e : worst;
  }
  CHECK(worst < 2, "%.2f units", worst);
  CHECK(gg_exp(-709) == 0 && gg_exp(-INFINITY) == 0 && gg_exp(0) == 1, "ends of exp");
}

static void test_special(void) {
  CHECK(gg_log(0) == -INFINITY && gg_log(INFINITY) == INFINITY && gg_log(1) == 0, "log");
  CHECK(isnan(gg_log(-1)) && isnan(gg_log(NAN)), "log");
  CHECK(error_of(gg_log(0x1p-1074), -1074 * logl(2)) < 2, "log of the smallest number");
  CHECK(gg_log1p(-1) == -INFINITY && gg_log1p(INFINITY) == INFINITY && gg_log1p(0) == 0, "log1p");
  CHECK(signbit(gg_log1p(-0.0)) && isnan(gg_log1p(-2)) && isnan(gg_log1p(NAN)), "log1p");
  CHECK(gg_exp(INFINITY) == INFINITY && gg_exp(711) == INFINITY && isnan(gg_exp(NAN)), "exp");
  CHECK(gg_expm1(INFINITY) == INFINITY && gg_expm1(-INFINITY) == -1, "expm1");
  CHECK(gg_expm1(0) == 0 && isnan(gg_expm1(NAN)), "expm1");
}

int main(void) {
  test_errors(-60, -20);
  test_errors(-20, 0);
  test_errors(-2, 9);
  test_exp();
  test_special();
  return check_end();
}
