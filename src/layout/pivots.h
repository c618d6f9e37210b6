/* The distances of a connected graph that a layout by stress compares with: those of all vertices
   from some, its pivots. */
#ifndef GG_LAYOUT_PIVOTS_H
#define GG_LAYOUT_PIVOTS_H

#include "common/call.h"
#include "layout/paths.h"
#include "layout/pivot_axes.h"
#include "layout/stress_plan.h"
#include "layout/term_kernels.h"

enum {
  GG_PIVOTS_GROUPS = GG_STRESS_GROUPS,
  GG_PIVOTS_LANES = GG_TERM_LANES /* vertices of a block */
};

/* The least distance as a fraction of the largest: nearer pairs count as if they were this far
   apart, so that weights are finite. */
#define GG_PIVOTS_LEAST 1e-12f

typedef struct gg_pivots {
  int64_t vertices, count;
  bool all;        /* each vertex is a pivot, with its own number */
  int32_t *vertex; /* of each pivot */
  int64_t starts;  /* number of pivots for the first positions */
  int64_t start[GG_PIVOTS_START];
  /* Vertices have slots in blocks of GG_PIVOTS_LANES. Groups, drawn by a hash, follow each other,
     each from a new block on. */
  int64_t slots;
  int64_t group[GG_PIVOTS_GROUPS + 1]; /* first slot of each, then slots */
  int32_t *member;                     /* of each slot: its vertex, -1 if it is empty */
  int32_t *slot;                       /* of each vertex */
  /* Of pairs, at gg_pivots_at(). Distances are times 2^-exponent, by which the largest is at
     most 1. Empty slots have a distance and a weight of 0. */
  float *distance;
  float *weight; /* of the pair's term */
  float least;   /* of the distances above 0 */
  int exponent;
} gg_pivots;

/* Returns the index of the pair of a slot and a pivot: a block has its lanes pivot by pivot. */
static inline int64_t gg_pivots_at(const gg_pivots *pivots, int64_t slot, int64_t pivot) {
  return (slot / GG_PIVOTS_LANES * pivots->count + pivot) * GG_PIVOTS_LANES +
         slot % GG_PIVOTS_LANES;
}

/* Chooses `count` pivots, or takes all vertices if count is at least their number, and finds
   distances and weights. The first GG_PIVOTS_START pivots are each the vertex that is farthest from
   those before it; the others are drawn, in proportion to the squares of the distances from the
   nearest pivot before. The graph must be connected. Progress goes from 0 to 1. To be freed by
   gg_pivots_free(), also after a failure. */
gpugeo_status gg_pivots_make(const gg_path_graph *graph, int64_t count, uint64_t seed,
                             int32_t threads, gg_call *call, gg_pivots *pivots);
void gg_pivots_free(gg_pivots *pivots);

/* If all vertices are pivots: gives all pairs a weight of 1, or again 1 / d^2. */
void gg_pivots_weigh_alike(gg_pivots *pivots, bool alike);

/* Copies `dim` columns of the vertices to rows, a vertex's coordinates next to each other, times
   2^exponent, or rows to columns. */
void gg_layout_to_rows(int64_t vertices, int dim, int exponent, const double *columns,
                       double *rows);
void gg_layout_to_columns(int64_t vertices, int dim, int exponent, const double *rows,
                          double *columns);

/* Returns the bytes of working memory of gg_pivots_make() and of its result. */
double gg_pivots_bytes(int64_t vertices, int64_t count, int32_t threads);

/* Fills start positions, vertices by dim, a vertex's coordinates next to each other: the principal
   axes of the doubly centred squared distances of some pivots (Brandes and Pich 2007). */
gpugeo_status gg_pivots_place(const gg_pivots *pivots, int dim, int32_t threads, gg_call *call,
                              double *positions);

#endif
