/*
 * The test whether two points collide, for both backends.
 *
 * Doubles: gg_point_square_double() is at most s * s in double, s = r_i + r_j rounded once, of
 * radii times the rule's scale. Integers: the exact squared distance is at most the real s^2, that
 * is floor(s^2). If that is below 2^53, gg_point_square_double() decides this exactly, too: the
 * double sum of a square above 2^53 is at least 2^53.
 */
#ifndef GG_COLLIDE_STEP_H
#define GG_COLLIDE_STEP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GG_COLLIDE_FN static inline __host__ __device__
#else
#define GG_COLLIDE_FN static inline
#endif

__extension__ typedef unsigned __int128 gg_collide_wide_number;

/* Returns the largest squared distance at which points collide whose radii add up to s. */
GG_COLLIDE_FN double gg_collide_limit(double s, bool whole) {
  const double square = s * s;
  if (!whole) return square;
  const double below = floor(square);
  return below == square && fma(s, s, -square) < 0 ? below - 1 : below;
}

/* True if points with these differences, each below 2^33, collide; for plans that are `wide`.
   From 2^34 on s is more than any distance between int32 points. */
GG_COLLIDE_FN bool gg_collide_wide(double s, double a, double b, double c) {
  if (s >= 17179869184.0) return true;
  const double square = s * s, below = floor(square);
  const double rest = below == square ? floor(fma(s, s, -square)) : 0; /* floor(s^2) - below */
  const uint64_t x = (uint64_t)fabs(a), y = (uint64_t)fabs(b), z = (uint64_t)fabs(c);
  const gg_collide_wide_number sum =
      (gg_collide_wide_number)x * x + (gg_collide_wide_number)y * y + (gg_collide_wide_number)z * z;
  const gg_collide_wide_number limit = (gg_collide_wide_number)below;
  return rest < 0 ? sum + (uint64_t)-rest <= limit : sum <= limit + (uint64_t)rest;
}

#endif
