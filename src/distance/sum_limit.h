/*
 * Bounds for searches that leave out boxes of points.
 *
 * The steps that trees serve take only the difference of two coordinates, are never smaller for a
 * larger difference, and finish by a function of their one sum that is never smaller for a larger
 * sum. Rounding keeps that order. So the step, applied to the gaps between a point (or a box) and a
 * box of points, gives a sum that no point of the box is below, in the same arithmetic and without
 * an error bound. Powers by v_pow() are the exception: they and the roots after them keep the
 * order but for errors of 2^-50, for which gg_sum_limit() makes room.
 */
#ifndef GG_SUM_LIMIT_H
#define GG_SUM_LIMIT_H

#include <math.h>
#include <stdbool.h>

#include "distance/dist.h"

/* Kernels of CUDA call them, too. */
#if defined(__CUDACC__)
#define GG_SUM_LIMIT_FUNCTION static inline __host__ __device__
#else
#define GG_SUM_LIMIT_FUNCTION static inline
#endif

/* The largest p of steps with powers for which the bounds hold. */
enum { GG_SUM_LIMIT_POWER = 1000 };

/* How a distance follows from a sum. */
typedef enum gg_sum_finish {
  GG_SUM_ITSELF,
  GG_SUM_SQUARE_ROOT,
  GG_SUM_POWER_ROOT,
  GG_SUM_GREAT_CIRCLE /* not at all, but the limit is that of gg_sphere_chord_limit() */
} gg_sum_finish;

/* True if a distance is never smaller for a larger sum. */
static inline bool gg_sum_keeps_order(gg_sum_finish finish) {
  return finish == GG_SUM_ITSELF || finish == GG_SUM_SQUARE_ROOT;
}

/* Returns the step of finite points that gives the bits of the plan's step, or GG_STEP_COUNT for a
   metric that is no function of the differences of coordinates. */
static inline gg_step gg_sum_step(gg_step step) {
  switch (step) {
  case GG_STEP_euclidean:
  case GG_STEP_euclidean_missing:
    return GG_STEP_euclidean;
  case GG_STEP_seuclidean:
  case GG_STEP_seuclidean_missing:
    return GG_STEP_seuclidean;
  case GG_STEP_manhattan:
  case GG_STEP_manhattan_missing:
    return GG_STEP_manhattan;
  case GG_STEP_maximum:
  case GG_STEP_maximum_missing:
    return GG_STEP_maximum;
  case GG_STEP_halves:
  case GG_STEP_halves_missing:
    return GG_STEP_halves;
  case GG_STEP_power:
  case GG_STEP_power_missing:
    return GG_STEP_power;
  default:
    return GG_STEP_COUNT;
  }
}

/* True if the bounds hold for the plan. */
static inline bool gg_has_sum_limits(const gg_dist_plan *plan) {
  const gg_step step = gg_sum_step(plan->step);
  if (step == GG_STEP_COUNT || plan->single) return false;
  if ((step == GG_STEP_halves || step == GG_STEP_power) && plan->p > GG_SUM_LIMIT_POWER)
    return false;
  for (int64_t k = 0; plan->weight && k < plan->m; ++k)
    if (!(plan->weight[k] > 0 && isfinite(plan->weight[k]))) return false;
  return true;
}

GG_SUM_LIMIT_FUNCTION gg_sum_finish gg_sum_finish_of(gg_step step, int finish) {
  if (step == GG_STEP_halves || step == GG_STEP_power) return GG_SUM_POWER_ROOT;
  const bool euclidean = step == GG_STEP_euclidean || step == GG_STEP_seuclidean;
  return euclidean && !(finish & GG_FINISH_SQUARED) ? GG_SUM_SQUARE_ROOT : GG_SUM_ITSELF;
}

/*
 * Returns a sum that no point with a distance of at most `distance` exceeds, by little: a box whose
 * sum is larger holds no such point.
 *
 * A square root rounds the sums of a range of relative size 2^-51 to one number. A root by v_pow()
 * and the inverse of p have relative errors below 2^-50 each, which the power of p makes
 * p (2^-50 + 745 2^-53) at most; the powers of the coordinates and their sum are allowed 2^-39.
 * Results below 2^-960 may have lost bits to underflow.
 */
GG_SUM_LIMIT_FUNCTION double gg_sum_limit(gg_sum_finish finish, double p, double distance) {
  if (finish == GG_SUM_ITSELF || isinf(distance)) return distance;
  if (finish == GG_SUM_SQUARE_ROOT) return distance * distance * (1 + 0x1p-50);
  const double lost = exp2(-960 * (p < 1 ? p : 1));
  return (pow(distance, p) * (1 + p * 0x1p-40) + lost) * (1 + 0x1p-38);
}

#endif
