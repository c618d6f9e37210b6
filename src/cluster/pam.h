/* k-medoids: distances by columns, and the search for medoids. */
#ifndef GG_PAM_H
#define GG_PAM_H

#include <stdbool.h>

#include "common/call.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

/* The distances of n points by columns: all of them in memory, or a panel of columns that follow
   each other and one more. */
typedef struct gg_columns {
  const gg_dist_source *source; /* started */
  const char *name;             /* of the source in messages */
  int64_t n;
  gg_call *call;
  double *values; /* of the panel: all columns if `whole` */
  bool whole;
  int64_t first, count, width; /* columns of the panel; at most `width` */
  double *extra;               /* one column */
  int64_t extra_at;            /* which, or -1 */
  int64_t checked;             /* columns before this one have been inspected */
  gg_bad_distances bad;
} gg_columns;

/* Makes the columns of which source, name, call and whole are set. Allocates the memory, for all
   columns if `whole`, else for a panel of at most so many bytes, and computes or reads all columns
   if they are in memory. To be freed also after a failure. done, share: the call's progress.
   These functions do nothing after an error of the call. */
gpugeo_status gg_columns_make(gg_columns *columns, double bytes, double done, double share);
void gg_columns_free(gg_columns *columns);

/* Puts the panel where it begins with column `first`. */
gpugeo_status gg_columns_load(gg_columns *columns, int64_t first);

/* Fails if there were missing or infinite distances in the columns so far. */
gpugeo_status gg_columns_check(const gg_columns *columns);

/* Returns a column of the panel. */
static inline const double *gg_columns_at(const gg_columns *columns, int64_t column) {
  return columns->values + (column - columns->first) * columns->n;
}

/* Finds any column; valid until the next call. */
gpugeo_status gg_columns_get(gg_columns *columns, int64_t column, const double **values);

/* The medoids of a partition. */
typedef struct gg_pam {
  gg_columns columns;
  int64_t n, k;
  int32_t threads;
  bool eager;
  int32_t *medoid;               /* k */
  bool *is_medoid;               /* n */
  double *own;                   /* k columns: the distances from each medoid */
  double *first;                 /* n: the distance from the nearest medoid, */
  double *second;                /* and from the second nearest, infinity with k = 1 */
  int32_t *first_at, *second_at; /* n: the numbers of both, from 0 to k - 1 */
  double *loss;                  /* k: by how much the sum of distances grows without a medoid */
  double *gain;                  /* n: by how much it falls with one more medoid, at most */
  double *spare;                 /* k for each thread */
  int64_t *rated_at;             /* n: when the gain was computed; then the medoid to replace */
  int64_t swaps, max_swaps;
  bool converged;
} gg_pam;

/* Chooses k medoids one after the other, each that which makes the sum of distances the smallest
   (BUILD of Kaufman and Rousseeuw 1990), of several the last. */
gpugeo_status gg_pam_build(gg_pam *pam);

/* Begins with the medoids in pam->medoid. */
gpugeo_status gg_pam_begin(gg_pam *pam);

/* Swaps medoids with other points while this makes the sum of distances smaller (Schubert and
   Rousseeuw 2021): FasterPAM if eager, else FastPAM1. Ends at max_swaps; sets `converged` if it
   ends before. done, share: the call's progress. */
gpugeo_status gg_pam_swap(gg_pam *pam, double done, double share);

/* Returns the sum of the distances of all points from their nearest medoids. */
double gg_pam_sum(const gg_pam *pam);

#endif
