/*
 * The test whether two points collide, for both backends: their distance, the rounded root of
 * gg_point_square_double(), is at most s = r_i + r_j, rounded once, of radii times the rule's
 * scale. So it is for whole numbers, too: their squares are exact below 2^53.
 */
#ifndef GG_COLLIDE_STEP_H
#define GG_COLLIDE_STEP_H

#include <math.h>
#include <stdbool.h>

#ifdef __CUDACC__
#define GG_COLLIDE_FN static inline __host__ __device__
#else
#define GG_COLLIDE_FN static inline
#endif

/* The root of a square above s * s times this is above s: half a unit in the last place of s is at
   most 2^-53 of it. */
#define GG_COLLIDE_MARGIN (1 + 0x1p-50)

/* True if sqrt(square) <= s. The rounded root of s * s is s, so few squares need a root. */
GG_COLLIDE_FN bool gg_collide_near(double square, double s) {
  const double product = s * s;
  return square <= product || (square <= product * GG_COLLIDE_MARGIN && sqrt(square) <= s);
}

/* Returns the largest squared distance at which points collide whose radii add up to s: at most 2
   doubles above s * s. For the host only. */
static inline double gg_collide_limit(double s) {
  double limit = s * s;
  for (int step = 0; step < 2; ++step) {
    const double next = nextafter(limit, INFINITY);
    if (sqrt(next) <= s) limit = next;
  }
  return limit;
}

#endif
