/* Points on the device as src/points/point_step.h carries them, and what closest pairs do with
 * them. */
#ifndef GG_CUDA_POINT_SET_CUH
#define GG_CUDA_POINT_SET_CUH

#include "cuda/points/grid.cuh"
#include "points/point_step.h"

namespace gpugeo {

/* Loads a point from columns in device memory, with 0 for missing columns. */
__device__ __forceinline__ void load_point(const double *const (&at)[MOST_COLUMNS], int64_t i,
                                           double *point) {
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    point[k] = at[k] ? at[k][i] : 0;
}

/* Computes the location of a point for boxes and cells: on the unit sphere; in periodic columns
   within [0, box). */
__device__ __forceinline__ void point_location(const gg_point_rule &rule, const double *point,
                                               double *location) {
  if (rule.kind == GG_POINT_SPHERE) {
    gg_sphere_unit(point, location);
    return;
  }
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k) {
    location[k] = point[k];
    if (rule.box[k] > 0) {
      location[k] = fmod(point[k], rule.box[k]);
      if (location[k] < 0) location[k] += rule.box[k];
    }
  }
}

/* Returns the number of columns of a location: on the sphere always three. */
inline int location_columns(const gg_point_rule &rule) {
  return rule.kind == GG_POINT_SPHERE ? 3 : rule.columns;
}

/* Points of a job: those of x, and those of y, which have the rows from nx on. */
struct point_set {
  gg_point_rule rule;
  const double *at[MOST_COLUMNS]; /* coordinate k of point i: at[k][i * stride]; NULL where there is
                                     no such column */
  int64_t stride;
  const int32_t *row; /* of each, NULL: the points are in the order of their rows */
  int64_t n, nx;
  bool within; /* within x, else each pair has one point of x and one of y */
};

} // namespace gpugeo

#endif
