/* k-medoids: the search for medoids. */
#ifndef GG_MEDOIDS_H
#define GG_MEDOIDS_H

#include <stdbool.h>

#include "cluster/columns.h"

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
