/*
 * The distance of two points: the arithmetic of closest pairs and collisions, written once for C
 * and CUDA, so both give the same bits. Compile without contraction.
 *
 * A point is carried as three doubles: its coordinates times rule->scale, columns that are not
 * there as 0; on the sphere as common/sphere.h has them.
 * 32-bit integers are exact as doubles.
 */
#ifndef GG_POINT_STEP_H
#define GG_POINT_STEP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/sphere.h"

#define GG_POINT GG_SPHERE

enum { GG_POINT_COLUMNS = 3 }; /* at most */

typedef enum gg_point_kind {
  GG_POINT_DOUBLE = 0,  /* squares as doubles, by fma in the order of the columns */
  GG_POINT_INTEGER = 1, /* squares are compared as whole numbers, exactly */
  GG_POINT_SPHERE = 2   /* degrees; the square of half the chord of the unit sphere, haversine */
} gg_point_kind;

/* What gg_point_rule_make() (points.h) decides for all points of a call. */
typedef struct gg_point_rule {
  gg_point_kind kind;
  int32_t columns; /* of the matrix, 1 to 3 */
  /* A power of two: the largest coordinate is about 2^508 then, so no sum of squares
     overflows and differences down to 2^-990 of it do not underflow. 1 for integers and on the
     sphere. */
  double scale;
  double box[GG_POINT_COLUMNS]; /* periodic lengths times scale, whole for integers; 0: none */
} gg_point_rule;

/* A squared distance that can be compared: a whole number, or the bits of a double that is not
   negative (high is 0 then), which have the order of the doubles. */
typedef struct gg_square {
  uint64_t high, low;
} gg_square;

GG_POINT bool gg_square_less(gg_square a, gg_square b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}
GG_POINT bool gg_square_equal(gg_square a, gg_square b) {
  return a.high == b.high && a.low == b.low;
}
GG_POINT bool gg_square_zero(gg_square a) { return (a.high | a.low) == 0; }

GG_POINT gg_square gg_square_from(double value) {
  gg_square square;
  square.high = 0;
  memcpy(&square.low, &value, sizeof value);
  return square;
}
/* Returns the double of kinds DOUBLE and SPHERE; for INTEGER the nearest one, up to two
   roundings. */
GG_POINT double gg_square_value(gg_point_kind kind, gg_square square) {
  double value;
  if (kind == GG_POINT_INTEGER) return (double)square.high * 0x1p64 + (double)square.low;
  memcpy(&value, &square.low, sizeof value);
  return value;
}

/* Returns |a - b| to an image of one of them that is at most a box away. Remainders are exact;
   differences of points further apart than a box are rounded by more. Not inlined on a device,
   because it is long, rarely executed, and called dozens of times in one kernel. */
#if defined(__CUDACC__)
static __host__ __device__ __noinline__ double gg_point_fold(double a, double b, double box) {
  return fabs(remainder(a, box) - remainder(b, box));
}
#else
GG_POINT double gg_point_fold(double a, double b, double box) {
  return fabs(remainder(a, box) - remainder(b, box));
}
#endif

/*
 * Returns |a - b| to the nearest image in a periodic column of length box (0: not periodic). The
 * same for (b, a). Coordinates may lie outside [0, box).
 *
 * The exact difference to one image, at most a box long, is rounded once to d; the result is the
 * smaller of d and box - d, rounded. Therefore it is exact for whole numbers below 2^53, and its
 * error is at most 2^-53 of the box, however far from the box the points are.
 */
GG_POINT double gg_point_difference(double a, double b, double box) {
  double d = fabs(a - b);
  if (box > 0) {
    if (d > box) d = gg_point_fold(a, b, box);
    const double other = box - d;
    if (other < d) d = other;
  }
  return d;
}

/* Returns the squared distance of kind DOUBLE, in units of 1 / scale^2. */
GG_POINT double gg_point_square_double(const gg_point_rule *rule, const double *a,
                                       const double *b) {
  double sum = 0;
  for (int c = 0; c < rule->columns; ++c) {
    const double d = gg_point_difference(a[c], b[c], rule->box[c]);
    sum = fma(d, d, sum);
  }
  return sum;
}

/* Returns the squared distance of kind INTEGER: each difference is below 2^32, the sum of three
   squares needs 66 bits. */
GG_POINT gg_square gg_point_square_integer(const gg_point_rule *rule, const double *a,
                                           const double *b) {
  gg_square sum = {0, 0};
  for (int c = 0; c < rule->columns; ++c) {
    const uint64_t d = (uint64_t)gg_point_difference(a[c], b[c], rule->box[c]);
    sum.low += d * d;
    sum.high += sum.low < d * d;
  }
  return sum;
}

/* --- any kind --------------------------------------------------------------------------------- */

/* Returns the squared distance of two points by the given rule. */
GG_POINT gg_square gg_point_square(const gg_point_rule *rule, const double *a, const double *b) {
  if (rule->kind == GG_POINT_INTEGER) return gg_point_square_integer(rule, a, b);
  if (rule->kind == GG_POINT_SPHERE) return gg_square_from(gg_sphere_haversine(a, b));
  return gg_square_from(gg_point_square_double(rule, a, b));
}

#endif
