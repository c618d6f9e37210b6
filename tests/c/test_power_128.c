/*
 * The power function of power.h in 128 bits where these have no fma: bits against pow_exactly(),
 * whose operations are those of the scalar form that test_power.c tests. Elsewhere v_pow() is
 * pow_exactly().
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "data.h"

typedef double real;
#if defined(__x86_64__) || defined(__aarch64__)
#define GG_LANES_128
#endif
#include "common/vector.h"

#include "dist/power.h"

enum { KINDS = 8 };

/* Chooses a base that leans towards one difficulty. */
static double base(dice *d, int kind, double p) {
  static const double special[] = {
      0, 1, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 1e300, (double)INFINITY, (double)NAN};
  const double u = (dice_real(d) + 1) / 2;
  switch (kind) {
  case 0: /* any */
    return ldexp(1 + u, (int)dice_whole(d, 2097) - 1074);
  case 1:
    return 10 * u;
  case 2: /* near 1 */
    return 1 + ldexp(u - 0.5, -(int)dice_whole(d, 50));
  case 3: /* few digits */
    return (double)dice_whole(d, 1024) / 16;
  case 4: /* p log2(x) near a half: where 2^n changes */
    return exp2((floor(40 * u) - 19.5) / p) * (1 + 0x1p-52 * (double)dice_whole(d, 64));
  case 5: /* results near the ends of the range */
    return exp2(1022 / p * (1 - 0.05 * u));
  case 6: /* powers of 2 */
    return ldexp(1, (int)dice_whole(d, 40) - 20);
  default:
    return special[dice_whole(d, 7)];
  }
}

static double exponent(dice *d, int kind) {
  const double u = (dice_real(d) + 1) / 2;
  return kind == 0   ? 2.7
         : kind == 1 ? 10 * u
         : kind == 2 ? 1 / (1 + 10 * u)
                     : exp2(2000 * u - 1000);
}

static void test_kind(int kind, int64_t rounds) {
  dice d = {40 + (uint64_t)kind};
  int64_t wrong = 0;
  for (int64_t i = 0; i < rounds; ++i) {
    double x[GG_LANES] = {0}, y[GG_LANES], right[GG_LANES];
    const double p = exponent(&d, (int)(i % 4));
    for (int l = 0; l < GG_LANES; ++l)
      x[l] = base(&d, kind, p);
    v_store(y, v_pow(v_load(x), v_set(p)));
    v_store(right, pow_exactly(v_load(x), v_set(p)));
    for (int l = 0; l < GG_LANES; ++l) {
      const bool same =
          memcmp(&y[l], &right[l], sizeof *y) == 0 || (y[l] != y[l] && right[l] != right[l]);
      if (!same && !wrong++) printf("%a ^ %a is %a, not %a\n", x[l], p, y[l], right[l]);
    }
  }
  CHECK(wrong == 0, "kind %d: %lld of %lld powers are not those of pow_exactly()", kind,
        (long long)wrong, (long long)rounds * GG_LANES);
}

int main(void) {
  for (int kind = 0; kind < KINDS; ++kind)
    test_kind(kind, 200000);
  return check_end();
}
