/* Neighbour joining of a matrix on a device, for a backend. */
#ifndef GG_NJ_PLAN_H
#define GG_NJ_PLAN_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "distance/dist_source.h"

GG_C_BEGIN

enum { GG_NJ_LAST = 4 /* nodes that are left to the core */ };

/* Two nodes that are joined: the numbers of both, the first one first, and their lengths. */
typedef struct gg_nj_join {
  int32_t node[2];
  double length[2];
} gg_nj_join;

/* A job with all arguments checked, of at least GG_NJ_LAST points. */
struct gg_nj_plan {
  const gg_dist_source *source;
  const char *name;           /* of the source in messages */
  const gg_dist_plan *points; /* or NULL */
  int64_t n;
  int32_t device, threads;
  gg_nj_join *joins; /* n - GG_NJ_LAST of them */
};

/* What is left: nodes in the order of their slots, their matrix, sums, and positions. */
struct gg_nj_rest {
  double d[GG_NJ_LAST][GG_NJ_LAST], sum[GG_NJ_LAST], key[GG_NJ_LAST];
  int32_t node[GG_NJ_LAST];
  double scale, most; /* as in gg_joining */
};

GG_C_END

#endif
