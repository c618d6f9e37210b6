/* Graphs of nearest neighbours whose weights have a name: shared neighbours, and fuzzy sets. */
#ifndef GG_NEIGHBOR_WEIGHTS_H
#define GG_NEIGHBOR_WEIGHTS_H

#include <stdbool.h>

#include "gpugeo.h"

/*
 * The members of a point are itself, at rank 0, and its neighbours, at ranks from 1. RANK, NUMBER
 * and JACCARD join all pairs of points that share a member; with r the smallest sum of the ranks of
 * a shared one and s their number, the weight is k - r / 2, at least 1e-6; s; or s / (2 (k + 1) -
 * s).
 *
 * FUZZY joins points with their neighbours. The weight of a neighbour at distance d is exp(-max(0,
 * d
 * - nearest) / scale), with the smallest positive distance of the point's neighbours and the scale
 * for which its weights have the sum log2(k + 1), at least 1e-3 times their mean distance, or that
 * of all points if none of its neighbours is at a positive distance. The weights a and b of both
 * directions become a + b - a b.
 */
typedef enum gg_neighbor_weights {
  GG_WEIGHTS_RANK,
  GG_WEIGHTS_NUMBER,
  GG_WEIGHTS_JACCARD,
  GG_WEIGHTS_FUZZY,
  GG_WEIGHTS_COUNT
} gg_neighbor_weights;

/* Returns the weights of a name, or GG_WEIGHTS_COUNT. */
gg_neighbor_weights gg_neighbor_weights_find(const char *name);

/* Nearest neighbours: points by k, column-major, the nearest first, as gpugeo_knn() returns them. A
   neighbour whose distance is NaN is none. */
typedef struct gg_nearest_lists {
  const int32_t *index;
  const double *distance;
  int64_t points, k;
} gg_nearest_lists;

/* Edges from < to, in ascending order of from, then to. */
typedef struct gg_neighbor_edges {
  int64_t count, room;
  int32_t *from, *to;
  double *weight;
  double *distance; /* NaN if the weights are not FUZZY */
} gg_neighbor_edges;

/* Computes the edges; mutual: FUZZY joins only points each of which is a neighbour of the other. To
   be freed also after a failure. */
gpugeo_status gg_neighbor_edges_make(const gg_nearest_lists *nearest, gg_neighbor_weights weights,
                                     bool mutual, const gpugeo_run *run, gg_neighbor_edges *edges,
                                     gpugeo_error *error);
void gg_neighbor_edges_free(gg_neighbor_edges *edges);

#endif
