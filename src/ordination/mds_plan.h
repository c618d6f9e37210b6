/* Multidimensional scaling: the plan, from the core to a backend, and the products that the backend
   computes. */
#ifndef GG_MDS_PLAN_H
#define GG_MDS_PLAN_H

#include "common/c_linkage.h"
#include "common/clock.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Points of a configuration are padded with zeros to a multiple of GG_MDS_LANES. A column of pairs
   has as many sums, each over every GG_MDS_LANES-th point. Pairs are added up by tiles of
   GG_MDS_STRIP columns, from a multiple of it on, and GG_MDS_ROWS rows, from the first column on.
 */
enum { GG_MDS_LANES = 8, GG_MDS_STRIP = 128, GG_MDS_ROWS = 256 };

typedef struct gg_mds_fit gg_mds_fit; /* mds_fit.h */

/* A job with all arguments checked. */
typedef struct gg_mds_plan {
  int64_t n, k;
  int64_t padded;       /* n, rounded up to GG_MDS_LANES */
  const double *delta;  /* condensed distances, finite and at least 0 */
  double scale;         /* a power of two that makes the largest distance 1/2 to 1 */
  const double *weight; /* condensed, finite and at least 0; NULL: all are 1 */
  double weight_scale;  /* a power of two that makes the largest weight 1/2 to 1 */
  gg_mds_fit *fit;      /* NULL: distances are compared with delta itself; else delta is its
                           disparities, for the host only */
  double squares;       /* the sum of weight times squared distance, both scaled; positive */
  double tolerance;
  int64_t most; /* iterations */
  bool relax;
  double *x; /* padded by k, column-major: the start, then the result, in scaled distances */
  int32_t device, threads; /* these are set when a backend is chosen: */
  double done;             /* of the call's progress: the backend's is the rest */
  gpugeo_mds_result *result;
} gg_mds_plan;

/* Sums over all pairs with distance delta, distance d in a configuration, and weight w. */
typedef struct gg_mds_sums {
  double residual; /* w (delta - d)^2 */
  double excess;   /* w d (d - delta) */
  double squares;  /* w d^2 */
} gg_mds_sums;

/* What a backend computes: matrices of n points times a configuration, both padded by k. */
typedef struct gg_mds_products {
  void *own;
  /* Computes B(x) x, whose row i is the sum over j of w delta / d (x_i - x_j), 0 where d is 0. */
  gpugeo_status (*transform)(void *own, const double *x, double *out, gg_mds_sums *sums,
                             double progress, gpugeo_error *error);
  /* Computes V x, whose row i is the sum over j of w (x_i - x_j). */
  gpugeo_status (*weigh)(void *own, const double *x, double *out, double progress,
                         gpugeo_error *error);
} gg_mds_products;

GG_C_END

#endif
