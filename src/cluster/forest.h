/*
 * Minimum spanning forests of complete graphs whose edges come in any order, a few at a time.
 *
 * Edges are ordered by weight, then by their smaller vertex, then by the larger one. No two are
 * equal, so that there is one minimum spanning tree. An edge that is in no minimum spanning forest
 * of some of the edges is not in that of all of them either: forests are reduced again and again.
 */
#ifndef GG_FOREST_H
#define GG_FOREST_H

#include <stdbool.h>

#include "gpugeo.h"

typedef struct gg_edge {
  double weight; /* not NaN */
  int32_t i, j;  /* i < j */
} gg_edge;

/* True if a comes before b. */
static inline bool gg_edge_before(gg_edge a, gg_edge b) {
  if (a.weight < b.weight) return true;
  if (b.weight < a.weight) return false;
  return a.i < b.i || (a.i == b.i && a.j < b.j);
}

/* Returns the edge between two vertices. */
static inline gg_edge gg_edge_between(double weight, int32_t a, int32_t b) {
  return a < b ? (gg_edge){weight, a, b} : (gg_edge){weight, b, a};
}

typedef struct gg_forest {
  int64_t n; /* vertices */
  int32_t threads;
  gg_edge *edge, *other; /* with room for `room` edges each */
  int64_t count, room;
  int32_t *parent, *link; /* of the vertices while a forest is reduced */
  double *link_weight;
  /* An edge between p and q is in no minimum spanning tree if its weight is larger than the limits
     of both. Infinity where nothing is known. */
  double *limit;
} gg_forest;

/* Makes a forest without edges that has room for n vertices and `room` edges. To be freed also
   after a failure. */
gpugeo_status gg_forest_make(int64_t n, int64_t room, int32_t threads, gg_forest *forest,
                             gpugeo_error *error);
void gg_forest_free(gg_forest *forest);

/* Adds an edge, with more room if there is none. Returns false without memory. */
bool gg_forest_add(gg_forest *forest, gg_edge edge);

/* Sorts the edges. */
gpugeo_status gg_forest_sort(gg_forest *forest, gpugeo_error *error);

/* Sorts the edges, removes all that are not in the minimum spanning forest, and sets the limits. */
gpugeo_status gg_forest_reduce(gg_forest *forest, gpugeo_error *error);

#endif
