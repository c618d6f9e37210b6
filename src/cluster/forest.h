/*
 * Minimum spanning forests of complete graphs whose edges come in any order, a few at a time.
 *
 * Edges are ordered by weight, then by distance, by their smaller vertex, and by the larger one. No
 * two are equal, so there is one minimum spanning tree. An edge that is in no minimum spanning
 * forest of some of the edges is not in that of all of them either: forests are reduced again and
 * again.
 *
 * The weight of an edge is its distance; or, if vertices have core distances, the mutual
 * reachability, which is the largest of the distance and the core distances of both vertices.
 */
#ifndef GG_FOREST_H
#define GG_FOREST_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef struct gg_edge {
  double distance; /* not NaN */
  int32_t i, j;    /* i < j */
} gg_edge;

/* Returns the edge between two vertices. */
static inline gg_edge gg_edge_between(double distance, int32_t a, int32_t b) {
  const gg_edge edge = {distance, a < b ? a : b, a < b ? b : a};
  return edge;
}

/* Returns the mutual reachability of two points. */
static inline double gg_mutual_reachability(double distance, double core_a, double core_b) {
  const double core = core_a > core_b ? core_a : core_b;
  return distance > core ? distance : core;
}

/* Returns the weight of an edge. core: of each vertex, or NULL. */
static inline double gg_edge_weight(gg_edge edge, const double *core) {
  return core ? gg_mutual_reachability(edge.distance, core[edge.i], core[edge.j]) : edge.distance;
}

/* True if a comes before b, which has the same weight. */
static inline bool gg_tied_edge_before(gg_edge a, gg_edge b) {
  if (a.distance != b.distance) return a.distance < b.distance;
  return a.i < b.i || (a.i == b.i && a.j < b.j);
}

/* True if a comes before b. core: of each vertex, or NULL. */
static inline bool gg_edge_before(gg_edge a, gg_edge b, const double *core) {
  const double left = gg_edge_weight(a, core), right = gg_edge_weight(b, core);
  return left < right || (left == right && gg_tied_edge_before(a, b));
}

typedef struct gg_forest {
  int64_t n;          /* vertices */
  const double *core; /* of each vertex its core distance; NULL: there are none */
  int32_t threads;
  gg_edge *edge, *other; /* with room for `room` edges each */
  int64_t count, room;
  int32_t *parent, *link; /* of the vertices while a forest is reduced */
  double *link_weight;
  /* An edge between p and q is in no minimum spanning tree if its weight is larger than the limits
     of both. Infinity where nothing is known. */
  double *limit;
} gg_forest;

/* Makes a forest without edges that has room for n vertices and `room` edges. core: NULL, or the
   caller's. To be freed also after a failure. */
gpugeo_status gg_forest_make(int64_t n, const double *core, int64_t room, int32_t threads,
                             gg_forest *forest, gpugeo_error *error);
void gg_forest_free(gg_forest *forest);

/* Adds an edge, with more room if there is none. Returns false without memory. */
bool gg_forest_add(gg_forest *forest, gg_edge edge);

/* Sorts the edges. Any thread of a call may call it. Fails if the clock says stop: then the edges
   are in no order, and some may be missing. */
gpugeo_status gg_forest_sort(gg_forest *forest, gg_call *call);

/* Sorts the edges, removes all that are not in the minimum spanning forest, and sets the limits.
   Fails like gg_forest_sort(). */
gpugeo_status gg_forest_reduce(gg_forest *forest, gg_call *call);

GG_C_END

#endif
