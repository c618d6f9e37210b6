/* The plan and the result of collisions, between the core and a backend. */
#ifndef GG_COLLIDE_PLAN_H
#define GG_COLLIDE_PLAN_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/clock.h"
#include "common/memory.h"
#include "gpugeo.h"
#include "points/points.h"

GG_C_BEGIN

/*
 * A job with all arguments checked and all defaults filled in. Backends only compute.
 *
 * Points i and j collide when their rounded distance is at most the sum of their radii (see
 * collide_step.h), and within x when also j - i > exclude.
 */
typedef struct gg_collide_plan {
  gpugeo_matrix x, y;   /* points in rows, all finite; y is x within x */
  int64_t nx, ny;       /* at least 1, and 2 within x; at most INT32_MAX */
  bool within;          /* within x: pairs i < j */
  gg_point_rule rule;   /* of distances */
  double sphere_radius; /* kind SPHERE: they collide if gg_sphere_distance() is at most the sum */
  double radius;        /* of every pair, times rule.scale; with radii the largest sum */
  /* nx and ny radii as they are given, to be taken times rule.scale, or NULL; the same within x */
  const double *radii_x, *radii_y;
  int64_t exclude;                  /* 0: none; below nx - 1 */
  const int32_t *group_x, *group_y; /* nx and ny, for TABLE; the same within x */
  int32_t groups;
  gg_point_range range_x, range_y; /* of the coordinates, as they are given */
  gpugeo_collisions_what what;
  gpugeo_collisions_algorithm algorithm; /* not AUTO */
  gg_memory_limit memory;                /* of results and working memory */
  int32_t threads;                       /* at least 1 */
  int32_t device;                        /* CUDA device, from 0 */
  int64_t work_bytes;                    /* 0: the backend's default */
} gg_collide_plan;

/*
 * The result that a backend fills in. The core allocates per_point and table and sets them and
 * count to 0; for PAIRS the backend counts first and then calls gg_collide_room(). Pairs are in
 * compressed rows: the partners of row i of x are, in ascending order, at partner[first[i]] up to
 * partner[first[i + 1]], within x only those above i.
 */
typedef struct gg_collide_result {
  int64_t count;
  int64_t *per_point; /* nx, for PER_POINT */
  int64_t *table;   /* groups by groups, column-major, for TABLE. Within x a pair of groups a and b
                       may be counted at (a, b) or (b, a), or some here and some there. */
  int64_t *first;   /* nx + 1, for PAIRS */
  int32_t *partner; /* result->count, for PAIRS: from gg_collide_room() */
} gg_collide_result;

GG_C_END

#endif
