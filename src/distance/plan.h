/* The plans of distance and correlation matrices and of nearest neighbours, from the core to a
   backend. */
#ifndef GG_DIST_PLAN_H
#define GG_DIST_PLAN_H

#include <stdbool.h>

#include "common/backend.h"
#include "common/c_linkage.h"
#include "common/call.h"
#include "common/matrix.h"
#include "common/test_hooks.h" /* gg_tree_use */
#include "distance/metric_names.h"
#include "distance/point_facts.h"
#include "gpugeo.h"

GG_C_BEGIN

/* --- Distances -------------------------------------------------------------------------------- */

enum { GG_READ_SIDE = 1024 }; /* points on a side of a tile that is read, at most: 8 MiB */

/* Reads a tile of distances that come from elsewhere, on both sides of the diagonal: column-major
   without gaps. For the calling thread only. Missing ones are NaN. done, share: the call's
   progress. */
typedef struct gg_tile_reader {
  gpugeo_status (*read)(void *own, const gpugeo_tile *tile, double *out, double done, double share,
                        gg_call *call);
  void *own;
} gg_tile_reader;

/* A job with all arguments checked and all defaults filled in. Backends only compute. */
typedef struct gg_dist_plan {
  gpugeo_matrix x, y;                      /* y is x when symmetric */
  const gg_point_facts *x_facts, *y_facts; /* NULL where there are none */
  gpugeo_points points;
  int64_t nx, ny, m; /* points and coordinates, all at least 1 */
  bool symmetric;    /* within x */
  gg_step step;
  gg_prepare prepare;
  int finish;           /* GG_FINISH_... */
  bool single;          /* arithmetic in float */
  bool finite;          /* no coordinate is missing or infinite */
  bool ranked;          /* points are still to be replaced by their ranks, by the backend */
  double p;             /* steps power and halves */
  double sphere_radius; /* neighbours by great circles, see gg_sphere_of(); else 0 */
  const double *weight; /* m, steps seuclidean: one over the standard deviation; step gower: of a
                           column, negative if it is asymmetric; else NULL */
  const double *centre; /* m, GG_PREPARE_WHITENED and GG_PREPARE_SCALED */
  const double *factor; /* m by m row-major lower triangular, GG_PREPARE_WHITENED; m,
                           GG_PREPARE_SCALED */
  gpugeo_shape shape;
  gpugeo_type type; /* of out: double or float */
  void *out;
  double missing;            /* replaces every NaN */
  int32_t threads;           /* at least 1 */
  const gg_backend *backend; /* that computes the plan; NULL: the host's */
  int32_t device;            /* CUDA device, from 0, or GPUGEO_DEVICE_ALL, */
  int32_t workers;           /* on which so many threads compute */
  int64_t work_bytes;        /* 0: the backend's default */
  gg_tile_reader reader;     /* read NULL: distances are computed. Else there are no points, and
                                only nx, ny, symmetric, threads and missing mean something; on the
                                host only */
} gg_dist_plan;

/* Returns the plan of distances within n points that are read. */
gg_dist_plan gg_dist_plan_read(int64_t n, int32_t threads, gg_tile_reader reader);

/* Returns the number of elements of `factor`; with 0 there is no `centre` either. */
static inline int64_t gg_factor_size(const gg_dist_plan *plan) {
  return plan->prepare == GG_PREPARE_WHITENED ? plan->m * plan->m
         : plan->prepare == GG_PREPARE_SCALED ? plan->m
                                              : 0;
}

/* Returns the note of a plan that made values missing because a point is constant, as
   GG_STEP_correlation_missing marks it: distances have none. */
static inline int32_t gg_note_of_flat(const gg_dist_plan *plan) {
  return plan->finish & GG_FINISH_SIMILARITY ? GPUGEO_NOTE_ZERO_DEVIATION : 0;
}

/* Returns the plan of checked arguments that have at least one pair and one coordinate, without
   `out` and without the fields that gg_dist_prepare() sets. finish is GG_FINISH_... */
gg_dist_plan gg_dist_plan_make(const gpugeo_matrix *x, const gpugeo_matrix *y,
                               const gpugeo_dist_options *options, int finish);

/* True if x or y is sparse. */
bool gg_dist_is_sparse(const gg_dist_plan *plan);

/* True if the CPU leaves out coordinates where points are 0: some points are sparse when they are
   prepared, and the metric's steps change no sum there, as numbers are finite. */
bool gg_dist_skips_zeros(const gg_dist_plan *plan);

enum { GG_SPHERE_UNIT = 3, GG_SPHERE_ROOM = 6 }; /* values of a unit, and with the point */

/* Returns point i of x or y, in a plan of neighbours by great circles, as common/sphere.h has it.
   The plan's metric is the squared Euclidean distance of their units, which are the columns of x
   and y. */
static inline const double *gg_sphere_of(const gpugeo_matrix *x, int64_t i) {
  return (const double *)x->data + i * GG_SPHERE_ROOM + GG_SPHERE_UNIT;
}

/* Returns the number of coordinates of all pairs. */
double gg_dist_work(const gg_dist_plan *plan);

/* --- Neighbours ------------------------------------------------------------------------------- */

/* A point of x at some distance from a point of y. */
typedef struct gg_neighbor {
  double distance; /* any NaN: missing */
  int32_t index;
} gg_neighbor;

/* True if a comes before b: by distance, a missing one last, then by index. */
#if defined(__CUDACC__)
__host__ __device__
#endif
    static inline bool
    gg_neighbor_before(gg_neighbor a, gg_neighbor b) {
  if (a.distance < b.distance) return true;
  if (b.distance < a.distance) return false;
  const bool a_missing = a.distance != a.distance, b_missing = b.distance != b.distance;
  return a_missing == b_missing ? a.index < b.index : b_missing;
}

/*
 * The k nearest points of x for each point of y, or, when dist.symmetric, of x, itself left out.
 *
 * dist is a plan of a distance matrix of x.nx rows and y.ny columns, in double; its shape, type and
 * out mean nothing here. Within x a distance is the one below the diagonal: of the point with the
 * larger index as row and the other as column. Where step is GG_STEP_correlation_missing an
 * infinite value is a missing distance.
 */
typedef struct gg_knn_plan {
  gg_dist_plan dist;
  gg_tree_use trees;
  int64_t k;        /* at least 1, at most the number of neighbours there are */
  int32_t *index;   /* ny by k, column-major, in order */
  double *distance; /* likewise, missing ones as dist.missing */
} gg_knn_plan;

/* All points of x at a distance of at most radius. A backend counts them, calls
   gg_radius_allocate(), and fills each point's part of found->index and found->distance, in any
   order: the core sorts. */
typedef struct gg_radius_plan {
  gg_dist_plan dist;
  gg_tree_use trees;
  double radius;
} gg_radius_plan;

/* Replaces the numbers of neighbours in found->start[i + 1] (start[0] is 0) by offsets and
   allocates the rest of `found`. On failure the core frees what was allocated. */
gpugeo_status gg_radius_allocate(gpugeo_neighbors *found, gpugeo_error *error);

GG_C_END

#endif
