/* The working matrix of a clustering: the distances between the clusters that there are. */
#ifndef GG_CLUSTER_WORKING_H
#define GG_CLUSTER_WORKING_H

#include "cluster/cpu/linkage_kernels.h"
#include "cluster/hclust.h"

/*
 * Clusters are numbered by their lowest members, and cluster c is column c of each row. The rows
 * are symmetric, with infinity on the diagonal; they stay where they are when clusters are merged,
 * while columns move up.
 */
typedef struct gg_working {
  const gg_hclust_plan *plan;
  gg_clock *clock;
  double *values;   /* n by n */
  double scale;     /* a power of two: values are distances times it, squared if the plan says so */
  int64_t active;   /* clusters and columns */
  int32_t *label;   /* of each cluster its lowest member */
  int32_t *row;     /* where its row is */
  double *size;     /* observations in it */
  int32_t *nearest; /* the cluster nearest to it, the first of several */
  double *distance; /* from that one */
  int32_t *from;    /* of the next matrix: the column of each in this one */
  int32_t *low, *high; /* pairs that are merged next, in the order of low */
  int32_t *pair_of;    /* of each column that is `low`, its pair; else -1 */
  int32_t *spare_label, *spare_row;
  double *spare_size;
  int32_t *at;       /* of each pair its column in the next matrix, */
  double *pair_size; /* and its size */
  double *joined;    /* memory of gg_column_pairs */
  const gg_linkage_kernels *kernels;
  double *scratch; /* three rows for each thread */
  int32_t *whole;  /* the memory of these lists */
  double *real;
  gg_merge *merges;
  int64_t merged;
} gg_working;

static inline double *gg_working_row(const gg_working *w, int64_t cluster) {
  return w->values + w->row[cluster] * w->plan->n;
}

/* Returns the bytes that a working matrix of n points takes. */
double gg_working_bytes(int64_t n, int32_t threads);

/* Fills the matrix from the plan's source, and finds the nearest clusters. To be freed also after a
   failure. Progress is [0, share]. */
gpugeo_status gg_working_make(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                              double share, gg_working *w, gpugeo_report *report,
                              gpugeo_error *error);
void gg_working_free(gg_working *w);

/* Writes a merge of clusters low < high at a distance as it is in the matrix. */
void gg_working_record(gg_working *w, int64_t low, int64_t high, double distance);

/* Merges `pairs` pairs of clusters at the same time, removes their columns, those whose size is 0,
   and finds the nearest clusters. Progress is [done, done + share]. False if the clock stopped it.
 */
bool gg_working_merge(gg_working *w, int64_t pairs, double done, double share);

/* Merges clusters low < high, without removing a column; row `low` has the new distances. The size
   of `high` is 0 then. */
void gg_working_merge_one(gg_working *w, int64_t low, int64_t high);

/* Returns the smallest element of a row, and the first column that has it. dead: unless NULL,
   infinity for columns that are left out, else minus infinity. */
double gg_least(const gg_working *w, const double *row, const double *dead, int64_t count,
                int64_t *column);

/* Merges until one cluster is left: rounds of pairs that are nearest to each other, and then a
   chain of nearest neighbours. */
gpugeo_status gg_merge_reducible(gg_working *w, gpugeo_error *error);

/* Does so for linkages with inversions: always the nearest pair. */
gpugeo_status gg_merge_generic(gg_working *w, gpugeo_error *error);

/* Finds the minimum spanning tree, of which ties are broken by the numbers of the points. */
gpugeo_status gg_merge_single(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                              gpugeo_report *report, gpugeo_error *error);

#endif
