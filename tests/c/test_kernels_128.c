/*
 * Tiles by the kernels with 128 bits, which take most coordinates by cheaper operations where fma
 * is emulated (src/dist/cpu/certain.h), have the bits of those in plain C, for points that lean
 * towards what these operations may not take: sums of 0, tiny, huge, equal and missing coordinates,
 * scales that change, few digits.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "dist/cpu/tile.h"

#if defined(GG_SIMD_HAS_128)
enum { POINTS = 16, MOST = 700, KINDS = 10 };

/* Returns coordinate k of a point. */
static double coordinate(dice *d, int kind, int64_t k) {
  const double u = dice_real(d);
  switch (kind) {
  case 0:
    return u;
  case 1: /* equal until late */
    return k < 300 ? 1 : u;
  case 2: /* few digits: squares and sums are exact, or ties */
    return (double)dice_whole(d, 8) / 4;
  case 3: /* mostly 0 */
    return dice_whole(d, 20) ? 0 : u;
  case 4: /* squares underflow, beside others */
    return ldexp(u, k % 3 ? -500 - (int)dice_whole(d, 60) : -410);
  case 5: /* squares overflow */
    return ldexp(u, k > 200 ? 505 + (int)dice_whole(d, 10) : 400);
  case 6: /* scales that grow and shrink */
    return ldexp(u, (int)(k % 80) * 12 - 480);
  case 7: /* ends of the range, infinities, NaN */
    return dice_whole(d, 60)
               ? u
               : (double[]){INFINITY, -INFINITY, NAN, 5e-324, 1e308}[dice_whole(d, 4)];
  case 8: /* sums of squares that lose bits to underflow */
    return ldexp(u, -530 - (int)dice_whole(d, 10));
  default: /* digits that make ties in sums of squares */
    return ldexp((double)((1 << 26) + dice_whole(d, 255)), k < 64 ? -26 : -27);
  }
}

/* Compares a tile of m coordinates. */
static void compare(gg_step step, int kind, int64_t m, double p, bool same_points) {
  static double a[POINTS * MOST], b[POINTS * MOST], weight[MOST], sums[4 * POINTS * POINTS];
  double out[2][POINTS * POINTS];
  dice d = {77 + (uint64_t)(kind * 1000 + m)};
  for (int64_t k = 0; k < m; ++k) {
    weight[k] = 1;
    for (int i = 0; i < POINTS; ++i) {
      a[k * POINTS + i] = coordinate(&d, kind, k);
      b[k * POINTS + i] = same_points ? a[k * POINTS + i] : coordinate(&d, kind, k);
    }
  }
  const gg_cpu_kernels *const kernels[] = {&gg_cpu_f64_generic, &gg_cpu_f64_128};
  for (int f = 0; f < 2; ++f) {
    const gg_cpu_tile tile = {.a = a,
                              .b = b,
                              .weight = weight,
                              .m = m,
                              .rows = POINTS,
                              .columns = POINTS,
                              .p = p,
                              .sums = sums,
                              .out = out[f]};
    kernels[f]->tile[step](&tile);
  }
  int wrong = 0;
  for (int e = 0; e < POINTS * POINTS; ++e) {
    const double x = out[0][e], y = out[1][e];
    if (memcmp(&x, &y, sizeof x) != 0 && (x == x || y == y)) ++wrong;
  }
  CHECK(wrong == 0, "step %d, kind %d, %lld coordinates, p = %g: %d of %d values have other bits",
        (int)step, kind, (long long)m, p, wrong, POINTS * POINTS);
}
#endif

int main(void) {
#if defined(GG_SIMD_HAS_128)
  static const int64_t sizes[] = {1, 5, 63, 64, 65, 256, 257, 300, MOST};
  for (int kind = 0; kind < KINDS; ++kind)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      for (int same = 0; same < 2; ++same) {
        compare(GG_STEP_euclidean, kind, sizes[s], 2, same);
        compare(GG_STEP_canberra, kind, sizes[s], 2, same);
        compare(GG_STEP_power, kind, sizes[s], same ? 0.3 : 2.7, same);
      }
#endif
  return check_end();
}
