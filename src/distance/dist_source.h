/*
 * A source of distances within n points: the one interface of all that consumes them. It is served
 * by points with a metric and by a family's own objects, whose distances are computed when they are
 * asked for, by a condensed matrix in memory, by a file, and by distances on a device. A missing
 * distance is NaN.
 */
#ifndef GG_DIST_SOURCE_H
#define GG_DIST_SOURCE_H

#include "common/c_linkage.h"
#include "common/call.h"
#include "common/matrix.h"
#include "distance/dist.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef enum gg_dist_source_kind {
  GG_DIST_SOURCE_POINTS,
  GG_DIST_SOURCE_CONDENSED,
  GG_DIST_SOURCE_FILE,
  GG_DIST_SOURCE_DEVICE,
  GG_DIST_SOURCE_LAZY
} gg_dist_source_kind;

typedef struct gg_dist_source {
  gg_dist_source_kind kind;
  int64_t n;
  gpugeo_matrix x;              /* points, and what their distances need; the metric's parameters */
  gpugeo_dist_options options;  /* are computed by gg_dist_source_start() */
  double *shared;               /* (metric_params.h) */
  const double *condensed;      /* n (n - 1) / 2 distances, where they are in memory; else NULL */
  const gpugeo_dist_file *file; /* or NULL */
  const gpugeo_dist_device *on_device; /* or NULL */
  const gpugeo_dist_lazy *lazy;        /* or NULL */
} gg_dist_source;

/*
 * Checks what a caller gave, and the run. Nothing is computed. The source must be closed by
 * gg_dist_source_close(), also after a failure.
 *
 * name     of the argument in messages
 * spheres  great circles are a metric
 * source   all 0 but its options, whose metric and `points` only points need
 */
gpugeo_status gg_dist_source_open(const char *name, const gpugeo_distances *from, bool spheres,
                                  gg_dist_source *source, gpugeo_error *error);
void gg_dist_source_close(gg_dist_source *source);

/* True if the source is points without coordinates: all of their distances are missing. */
static inline bool gg_dist_source_is_empty(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS &&
         gg_point_size(&source->x, source->options.points) == 0;
}

/* True if only the host computes or knows the distances. */
static inline bool gg_dist_source_needs_host(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_LAZY || gg_dist_source_is_empty(source);
}

/* True if the source is sparse points. */
static inline bool gg_dist_source_is_sparse(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS && source->x.sparse;
}

/* Computes what all distances share, on a backend and its device, or on the host if the backend is
   NULL. To be called once before distances are asked for. */
gpugeo_status gg_dist_source_start(gg_dist_source *source, const gg_backend *backend,
                                   int32_t device, gg_call *call);

/* Plans all distances of points, for a backend that computes them itself, on one device; a missing
   one is NaN. The source has been started. memory must be freed by gg_dist_memory_free(), also
   after a failure. */
gpugeo_status gg_dist_source_plan(const gg_dist_source *source, const gg_backend *backend,
                                  int32_t device, gg_dist_plan *plan, gg_dist_memory *memory,
                                  gg_call *call);

/* Returns the plan of distances of a source, which it borrows, that are read in tiles. */
gg_dist_plan gg_dist_source_plan_read(const gg_dist_source *source, int32_t threads);

/* Returns the bytes that cross the link to a device that needs all distances. */
double gg_dist_source_link_bytes(const gg_dist_source *source);

/*
 * Computes or reads the distances between points [row, row + rows) and [column, column + columns),
 * on both sides of the diagonal; that of a point to itself is 0, or NaN where the metric has none.
 * The calling thread only; all threads of the run compute. The bits do not depend on the tile.
 *
 * out          rows by columns, column-major without gaps
 * done, share  the call's progress: this tile is [done, done + share] of it
 * report       gets what computed the distances; its other fields stay
 */
gpugeo_status gg_dist_source_tile(const gg_dist_source *source, const gpugeo_tile *tile,
                                  double *out, double done, double share, gg_call *call);

/* Does the same for all distances in condensed order. Where they are in memory already,
   source->condensed has them. */
gpugeo_status gg_dist_source_condensed(const gg_dist_source *source, double *out, double done,
                                       double share, gg_call *call);

/* Returns the position of the distance between points i > j in condensed order. */
static inline int64_t gg_condensed_at(int64_t n, int64_t i, int64_t j) {
  return gg_condensed_column(n, j) + i - j - 1;
}

/* Does the same for the symmetric matrix of n by n distances. */
gpugeo_status gg_dist_source_square(const gg_dist_source *source, double *out, double done,
                                    double share, gg_call *call);

/* Copies or reads columns [first, last) of the condensed order, of a source whose distances are
   stored. The calling thread only. */
gpugeo_status gg_dist_source_columns(const gg_dist_source *source, int64_t first, int64_t last,
                                     double *out, gpugeo_error *error);

/* Distances that are missing or infinite: how many, and the first in condensed order, which is
   between points i > j. */
typedef struct gg_bad_distances {
  int64_t count, i, j;
  double value;
} gg_bad_distances;

/* Adds one of them. Pairs come in any order. */
void gg_bad_distances_add(gg_bad_distances *bad, int64_t i, int64_t j, double value);

/* Adds those that were counted separately. */
void gg_bad_distances_join(gg_bad_distances *bad, const gg_bad_distances *more);

/* Fails with their number and the first pair, counted from 1. */
gpugeo_status gg_fail_distances(const char *name, const gg_bad_distances *bad, gpugeo_error *error);

/* Returns the bytes of working memory that a tile of so many rows and columns takes, or all
   distances take with rows = n, without `out` and without each thread's own. */
double gg_dist_source_working(const gg_dist_source *source, int64_t rows, int64_t columns);

GG_C_END

#endif
