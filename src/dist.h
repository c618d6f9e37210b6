/* What the core tells a backend about a distance or correlation matrix. */
#ifndef GG_DIST_H
#define GG_DIST_H

#include <stdbool.h>

#include "clock.h"
#include "dist_names.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A job with all arguments checked and all defaults filled in. Backends only compute. */
typedef struct gg_dist_plan {
  gpugeo_matrix x, y; /* y is x when symmetric */
  gpugeo_points points;
  int64_t nx, ny, m; /* points and coordinates, all at least 1 */
  bool symmetric;    /* within x */
  gg_step step;
  gg_prepare prepare;
  int finish;           /* GG_FINISH_... */
  bool single;          /* arithmetic in float */
  double p;             /* steps power and halves */
  const double *weight; /* m, steps seuclidean: one over the standard deviation; else NULL */
  const double *centre; /* m, GG_PREPARE_WHITENED */
  const double *factor; /* m by m row-major lower triangular, GG_PREPARE_WHITENED */
  gpugeo_shape shape;
  gpugeo_type type; /* of out: double or float */
  void *out;
  double missing;     /* put in place of every NaN */
  int32_t threads;    /* at least 1 */
  int32_t device;     /* CUDA device, from 0 */
  int64_t work_bytes; /* 0: the backend's default */
} gg_dist_plan;

/* Number of points and coordinates of a view. */
static inline int64_t gg_point_count(const gpugeo_matrix *x, gpugeo_points points) {
  return points == GPUGEO_ROWS ? x->nrow : x->ncol;
}
static inline int64_t gg_point_size(const gpugeo_matrix *x, gpugeo_points points) {
  return points == GPUGEO_ROWS ? x->ncol : x->nrow;
}

/* Runs a job whose arguments have been checked and that has at least one pair and one coordinate;
   finish is GG_FINISH_..., found is GG_HAS_... of x and y. Correlations are one too (see cor.c). */
gpugeo_status gg_dist_run(const gpugeo_matrix *x, const gpugeo_matrix *y,
                          const gpugeo_dist_options *options, int finish, int found,
                          gpugeo_type type, void *out, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error);

/* GPUGEO_ERROR_MEMORY, with the size, for a result that this machine can't hold. */
gpugeo_status gg_check_result(double elements, gpugeo_type type, gpugeo_error *error);

/* Sets all elements of a result. */
void gg_fill(gpugeo_type type, void *out, int64_t size, double value);

/* Offset of pair (j + 1, j) in a condensed matrix of n points. */
static inline int64_t gg_condensed_column(int64_t n, int64_t j) {
  return j * (n - 1) - j * (j - 1) / 2;
}

#ifdef __cplusplus
}
#endif

#endif
