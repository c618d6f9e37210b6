/* The distances of a connected graph that a layout by stress compares with: those of all vertices
   from some, its pivots. */
#ifndef GG_LAYOUT_PIVOTS_H
#define GG_LAYOUT_PIVOTS_H

#include "common/call.h"
#include "layout/paths.h"

/* Most pivots from which the first positions are found. */
enum { GG_PIVOTS_START = 50 };

/* The least distance as a fraction of the largest: nearer pairs count as if they were this far
   apart, so that weights are finite. */
#define GG_PIVOTS_LEAST 1e-12f

typedef struct gg_pivots {
  int64_t vertices, count;
  bool all;        /* each vertex is a pivot, with its own number */
  int32_t *vertex; /* of each pivot */
  int64_t starts;  /* number of pivots for the first positions */
  int64_t start[GG_PIVOTS_START];
  /* vertices by count, the pivots of a vertex next to each other. Distances are times 2^-exponent,
     by which the largest is at most 1. */
  float *distance;
  float *weight; /* of the pair's term, see gg_pivots_weigh() */
  int exponent;
} gg_pivots;

/* Chooses `count` pivots, each the vertex that is farthest from those before it, or takes all
   vertices if count is at least their number, and finds distances and weights. The graph must be
   connected. Progress goes from 0 to 1. To be freed by gg_pivots_free(), also after a failure. */
gpugeo_status gg_pivots_make(const gg_path_graph *graph, int64_t count, int32_t threads,
                             gg_call *call, gg_pivots *pivots);
void gg_pivots_free(gg_pivots *pivots);

/* Returns the bytes of working memory of gg_pivots_make() and of its result. */
double gg_pivots_bytes(int64_t vertices, int64_t count, int32_t threads);

/* Fills start positions, vertices by dim, a vertex's coordinates next to each other: the principal
   axes of the doubly centred squared distances of some pivots (Brandes and Pich 2007). */
gpugeo_status gg_pivots_place(const gg_pivots *pivots, int dim, int32_t threads, gg_call *call,
                              double *positions);

#endif
