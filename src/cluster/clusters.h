/* The state of a clustering in progress, in memory of the host: what rounds need in addition to the
   matrix of distances, which is the backend's. */
#ifndef GG_CLUSTERS_H
#define GG_CLUSTERS_H

#include "cluster/hclust.h"
#include "cluster/linkage_step.h"
#include "cluster/round_step.h"
#include "common/c_linkage.h"

GG_C_BEGIN

/* Clusters are numbered by their lowest members, and cluster c is column c of each row. Rows stay
   where they are when clusters are merged, while columns move up. */
typedef struct gg_clusters {
  int64_t n;        /* points */
  int64_t active;   /* clusters and columns, also those of size 0, which are left out */
  int32_t *label;   /* of each cluster its lowest member, */
  int32_t *row;     /* where its row is, */
  double *size;     /* the observations in it, */
  double *dead;     /* infinity if it was merged into another one, else minus infinity, */
  int32_t *nearest; /* the cluster nearest to it, the first of several, or GG_UNKNOWN, */
  double *distance; /* and the distance from that one */
  int64_t credit;   /* searches that are allowed: see gg_round_searches_all() */

  /* The next round: */
  int64_t pairs;  /* that are merged, in the order of `low` */
  int32_t wanted; /* the cluster to be searched if not all are, or GG_UNKNOWN */
  gg_column_pairs pair;
  double *pair_size; /* observations in both of a pair */
  int32_t *at;       /* of each pair its column in the next matrix */
  int32_t *pair_of;  /* of each cluster the pair of which it is `low`; -1: none; -2: it is `high` */
  int64_t columns;   /* of the next matrix, */
  int32_t *from;     /* and the column of each in this one */
  int64_t searches;
  int32_t *search; /* rows to be searched after it */

  double scale; /* a power of two: the matrix has the distances times it, squared if `squared` */
  bool squared;
  gg_merge *merges;
  int64_t merged;
  void *memory;
} gg_clusters;

/* Makes a cluster of each point; merges has room for n - 1 of them. To be freed also after a
   failure. */
gpugeo_status gg_clusters_make(const gg_hclust_plan *plan, gg_merge *merges, gg_clusters *clusters,
                               gpugeo_error *error);
void gg_clusters_free(gg_clusters *clusters);

/* Returns the bytes that the lists take. */
double gg_clusters_bytes(int64_t n);

/* Sets the scale by which sums and squares of distances neither overflow nor vanish: 1 for all but
   extreme ones. most: the largest absolute distance. */
void gg_clusters_set_scale(gg_clusters *clusters, gpugeo_linkage linkage, double most);

/* Returns the number of clusters that are left. */
static inline int64_t gg_clusters_alive(const gg_clusters *clusters) {
  return clusters->n - clusters->merged;
}

/* Lists the pairs of clusters that are nearest to each other, and sets `wanted`. True if the round
   that merges them rewrites the matrix. */
bool gg_clusters_list_pairs(gg_clusters *clusters);

/* Lists what a round that rewrites the matrix needs: the pairs and the columns. Writes the merges
   of the pairs. */
void gg_clusters_begin_rewrite(gg_clusters *clusters);

/* Lists what a round in place needs of the pairs. */
void gg_clusters_begin_round(gg_clusters *clusters);

/* Ends a round in place: merges the pairs, and lists the rows to be searched. */
void gg_clusters_end_round(gg_clusters *clusters);

/* Lists the columns of the matrix without those of size 0, to be removed by a round of no pairs. */
void gg_clusters_next_removal(gg_clusters *clusters);

/* Lists all clusters as those to be searched. */
void gg_clusters_search_all(gg_clusters *clusters);

/* For rounds without a matrix, before gg_clusters_end_round(): forgets the nearest clusters that
   are merged. The distances from them stay as bounds. */
void gg_clusters_lose_merged(gg_clusters *clusters);

/* True if so many clusters were merged into others that they are to be removed. */
bool gg_clusters_removes(const gg_clusters *clusters);

/* Removes them after gg_clusters_next_removal(), and keeps `nearest` and `distance`. */
void gg_clusters_remove(gg_clusters *clusters);

/* Divides heights by the scale once more, which are squares of scaled distances unless `squared`.
 */
void gg_clusters_scale_squares(gg_clusters *clusters);

/* Makes the listed columns those of the matrix. `nearest` and `distance` are not set. */
void gg_clusters_take_columns(gg_clusters *clusters);

/* Merges cluster high into low < high, at a distance as it is in the matrix: writes the merge and
   the new sizes, and forgets the nearest clusters of both. */
void gg_clusters_merge(gg_clusters *clusters, int64_t low, int64_t high, double distance);

/* Returns the fraction of a call that is done with so many clusters left: what is left grows with
   the square of their number. Filling the matrix was the first third. */
static inline double gg_clusters_fraction(const gg_clusters *clusters, int64_t left) {
  const double part = (double)left / (double)clusters->n;
  return 1.0 / 3 + 2.0 / 3 * (1 - part * part);
}

GG_C_END

#endif
