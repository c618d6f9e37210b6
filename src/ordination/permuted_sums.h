/* Sums over pairs of points for many permutations of them: the plan, from the core to a backend. */
#ifndef GG_PERMUTED_SUMS_H
#define GG_PERMUTED_SUMS_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/clock.h"
#include "distance/distance_call.h"
#include "gpugeo.h"
#include "ordination/tested.h"

GG_C_BEGIN

/* Points whose pairs make a tile, of which the sums are added to the others: their bits depend on
   it. */
enum { GG_SUMS_SIDE = 512 };

/* Distances above it may be due to rounding; vegan's adonis2() has the same bound. */
#define GG_LEAST_DISTANCE (-1e-7)

/* What becomes of a distance before it is added up. */
typedef enum gg_pair_value { GG_PAIR_DISTANCE, GG_PAIR_SQUARE } gg_pair_value;

/*
 * A job with all arguments checked. With a(i, j) the value of a pair and s a permutation, sums has
 * for each permutation, after that of the points as they are, and each column
 *   basis   the sum over pairs i < j of a(s(i), s(j)) basis(i) basis(j),
 *   groups  the sum over the pairs with group(i) = group(j) of a(s(i), s(j)) weight(group(i)).
 * The order, which all backends share, is that of tiles of GG_SUMS_SIDE columns i and as many rows
 * j > i, down the columns of tiles. Within a tile, the values of a column are added up over its
 * rows, times basis(j) by fma, or if the groups are equal; then this sum times basis(i) or the
 * weight is added by fma.
 */
typedef struct gg_permuted_sums_plan {
  const gg_dist_source *source; /* of n distances, at least 2, started */
  const char *name;             /* of the source in messages */
  int64_t n;
  gg_pair_value value;
  bool may_be_negative;
  bool ranked;         /* distances are replaced by their ranks from 1, equal ones by the mean of */
  double *ranks;       /* theirs. ranks gets them, condensed; NULL: not wanted */
  const double *basis; /* n by columns; or NULL, and */
  const int32_t *group; /* n, from 0, with columns 1 */
  const double *weight; /* of each group, */
  int64_t groups;       /* of which there are so many */
  int64_t columns;
  const int32_t *order; /* n by permutations: s(0), s(1), ... of each */
  int64_t permutations;
  double *sums;               /* 1 + permutations by columns */
  double *total;              /* of a(i, j) over all pairs */
  double *within;             /* of a(i, j) over the pairs of each group; NULL: not wanted */
  const gg_dist_plan *points; /* for a backend with devices: the distances of points; else NULL */
  int32_t device;
  int32_t threads;
  int64_t work_bytes; /* 0: the backend's default */
  double done;        /* of the call's progress: the sums are the rest */
} gg_permuted_sums_plan;

/* Sums that are computed together: each is a column of the basis, or the groups, of a permutation.
 */
static inline int64_t gg_permuted_sums_count(const gg_permuted_sums_plan *plan) {
  return (1 + plan->permutations) * plan->columns;
}

/* Opens a call on at least two points, whose test needs so many bytes for each pair. */
gpugeo_status gg_permuted_sums_open(gg_distance_call *call, gg_family family, double bytes);

/* Returns room for a number for each group of a design that is not checked yet, which the caller
   frees; NULL if the call has failed. */
double *gg_group_weights(const gpugeo_design *design, gg_call *call);

/* Has a backend compute the sums of a plan for a design that is checked. The caller sets value,
   ranked, ranks, basis, weight, columns, sums, total and within. */
gpugeo_status gg_permuted_sums_run(gg_permuted_sums_plan *plan, const gpugeo_design *design,
                                   gg_distance_call *call);

GG_C_END

#endif
