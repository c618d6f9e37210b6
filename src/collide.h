/* What the core tells a backend about collisions, and what the backend gives back. */
#ifndef GG_COLLIDE_H
#define GG_COLLIDE_H

#include <stdbool.h>

#include "clock.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A job with all arguments checked and all defaults filled in. Backends only compute.
 *
 * Points i and j collide when their squared distance is at most the limit of their radius sum (see
 * collide_step.h), and within x when also j - i > exclude.
 */
typedef struct gg_collide_plan {
  gpugeo_matrix x, y; /* points in rows, all finite; y is x within x */
  int64_t nx, ny;     /* at least 1, and 2 within x; together below 2^31 */
  int32_t columns;    /* 1 to 3 */
  bool within;        /* within x: pairs i < j */
  bool whole;         /* integer storage and whole box lengths: squared distances are exact */
  bool wide;          /* of these, some that matter pass 2^53 and take integer arithmetic */
  double radius;      /* of every pair; with radii the largest sum */
  const double *radii_x, *radii_y;  /* nx and ny, or NULL; radii_y is radii_x within x */
  int64_t exclude;                  /* 0: none; below nx - 1 */
  const int32_t *group_x, *group_y; /* nx and ny, for TABLE; group_y is group_x within x */
  int32_t groups;
  bool periodic;             /* is any length of box not 0? */
  double box[3];             /* periodic lengths, 0: not periodic */
  double lower[3], upper[3]; /* of all coordinates, as they are given */
  gpugeo_collide_what what;
  gpugeo_collide_method method; /* not AUTO */
  double memory;                /* bytes that results may take: this machine's memory */
  int32_t threads;              /* at least 1 */
  int32_t device;               /* CUDA device, from 0 */
  int64_t work_bytes;           /* 0: the backend's default */
} gg_collide_plan;

/*
 * What a backend fills in. Count, per_point and table are made by the core, all 0; for PAIRS the
 * backend counts first and then asks for room. Pairs are in compressed rows: the partners of row i
 * of x stand, in ascending order, at partner[first[i]] up to partner[first[i + 1]], within x only
 * those above i.
 */
typedef struct gg_collide_result {
  int64_t count;
  int64_t *per_point; /* nx, for PER_POINT */
  int64_t *table;   /* groups by groups, column-major, for TABLE. Within x a pair of groups a and b
                       may be counted at (a, b) or (b, a), or some here and some there. */
  int64_t *first;   /* nx + 1, for PAIRS */
  int32_t *partner; /* result->count, for PAIRS: from gg_collide_room() */
} gg_collide_result;

/* Takes the memory for result->count pairs, or says how much that would be. */
gpugeo_status gg_collide_room(const gg_collide_plan *plan, gg_collide_result *result,
                              gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
