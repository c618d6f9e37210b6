/* Distances in the memory of a device: what the core and a backend know of them. */
#ifndef GG_DIST_DEVICE_H
#define GG_DIST_DEVICE_H

#include <stdbool.h>

#include "common/backend.h"
#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/plan.h"
#include "gpugeo.h"

GG_C_BEGIN

struct gpugeo_dist_device {
  const gg_backend *backend;
  const char *metric; /* its name */
  int64_t n;          /* points, at least 2 */
  bool single;        /* they are floats, else doubles */
  double missing;     /* what a missing distance is read as */
  int32_t device;     /* where they are, or the first of the devices, which reads them all */
  int32_t devices;    /* that have equal parts of them */
  int32_t threads;    /* that copy them */
  long process;       /* that they belong to */
  void *values;       /* n (n - 1) / 2 in condensed order; NULL when they were released */
};

/* Checks that there are two points and a column. */
gpugeo_status gg_dist_device_check_size(int64_t n, int64_t m, gpugeo_error *error);

/* Chooses the devices of a plan for distances that are about to be computed: one, or all where one
   has no room. Fills in what describes them, but the metric and the missing value, and the report.
   request: without the memory of the distances. */
gpugeo_status gg_dist_device_start(gg_dist_plan *plan, const gg_request *request,
                                   gpugeo_dist_device *made, gg_call *call);

/* Points whose distances are read: those of `rows` from those of `columns`, indices from 0 to
   n - 1. */
struct gg_point_lists {
  const int64_t *rows, *columns;
  int64_t row_count, column_count;
};

/* Checks that distances, which messages call `name`, are still there and belong to this process;
   NULL stands for those that a wrapper does not find. */
gpugeo_status gg_dist_device_check(const char *name, const gpugeo_dist_device *from,
                                   gpugeo_error *error);

/* Copies columns [first, last) of the condensed order; [done, done + share] of the call's progress.
 */
gpugeo_status gg_dist_device_columns(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                     double *out, double done, double share, gg_call *call);

/* Does the same without a clock. */
gpugeo_status gg_dist_device_copy(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                  double *out, gpugeo_error *error);

/* Lists the points of the rows of a tile, then those of its columns. *points is to be freed. */
gpugeo_status gg_tile_points(const gpugeo_tile *tile, int64_t **points, gpugeo_error *error);

/* Copies a tile, column-major. */
gpugeo_status gg_dist_device_tile(const gpugeo_dist_device *from, const gpugeo_tile *tile,
                                  double *out, gpugeo_error *error);

GG_C_END

#endif
