/* The working matrix of a clustering: the distances between the clusters that there are. */
#ifndef GG_CLUSTER_WORKING_H
#define GG_CLUSTER_WORKING_H

#include "cluster/clusters.h"
#include "cluster/cpu/linkage_kernels.h"
#include "common/call.h"

/* The rows of the matrix are symmetric, with infinity on the diagonal. */
typedef struct gg_working {
  const gg_hclust_plan *plan;
  gg_call *call;
  double *values; /* n by n */
  gg_clusters clusters;
  const gg_linkage_kernels *kernels;
  double *scratch; /* two rows for each thread */
} gg_working;

/* Returns the row of a cluster, n values, borrowed until gg_working_free(). */
static inline double *gg_working_row(const gg_working *w, int64_t cluster) {
  return w->values + w->clusters.row[cluster] * w->plan->n;
}

/* Allocates the matrix. To be freed also after a failure. */
gpugeo_status gg_working_make(const gg_hclust_plan *plan, gg_merge *merges, gg_working *w,
                              gg_call *call);
void gg_working_free(gg_working *w);

/* Fills the matrix from the plan's source, a second time if a scale is needed, and finds the
   nearest clusters. Fails with distances that are not finite. Progress is [0, share]. */
gpugeo_status gg_working_fill(gg_working *w, double share);

/* Merges the listed pairs, takes the listed columns, and finds the nearest clusters. Progress is
   [done, done + share]. */
gpugeo_status gg_working_rewrite(gg_working *w, double done, double share);

/* Merges the listed pairs in place, and searches the rows that gg_clusters_end_round() lists. */
gpugeo_status gg_working_merge(gg_working *w);

/* Merges clusters low < high in place; row `low` has the new distances. */
void gg_working_merge_one(gg_working *w, int64_t low, int64_t high);

/* Returns the smallest element of a row, and the first column that has it. dead: unless NULL,
   infinity for columns that are left out, else minus infinity. */
double gg_least(const gg_working *w, const double *row, const double *dead, int64_t count,
                int64_t *column);

/* Finds the nearest cluster of one. */
void gg_working_search(gg_working *w, int64_t cluster);

/* Merges until one cluster is left, for linkages with inversions: always the nearest pair. */
gpugeo_status gg_merge_generic(gg_working *w);

/* Merges points by Ward's linkages from centroids, without a working matrix. */
gpugeo_status gg_merge_centroids(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call);

/* Finds the minimum spanning tree, of which ties are broken by the numbers of the points. */
gpugeo_status gg_merge_single(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call);

#endif
