/*
 * One block of a graph on the line: its realizations, by branch-and-prune.
 *
 * Positions and bounds are whole multiples of one unit, chosen such that all sums fit into 126
 * bits. Therefore sums are exact: orientations are decided on the real values of the given doubles,
 * unless these differ so much in size that the smallest are rounded to the unit (then the interval
 * is widened).
 */
#ifndef GG_DGP_BLOCK_H
#define GG_DGP_BLOCK_H

#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

__extension__ typedef __int128 gg_units;
__extension__ typedef unsigned __int128 gg_count;

/* A distance between two vertices: x_v - x_u is in [least, most], or x_u - x_v is. */
typedef struct gg_block_edge {
  int64_t u, v;
  gg_units least, most;
  double distance; /* of an exact one */
  bool flat;       /* a distance of exactly 0: both are one case */
} gg_block_edge;

/* One decision of the search: the side of `from`, which is placed earlier, on which `to` is. */
typedef struct gg_block_step {
  int64_t from, to; /* ranks in the order */
  gg_units least, most;
  double distance;
  bool flat;
  bool is_first; /* the first step of `to` */
} gg_block_step;

/* A prepared block. */
typedef struct gg_block {
  int64_t vertices;    /* of the block */
  int64_t *vertex;     /* the graph's vertex at each rank in the order; the root at rank 0 */
  int64_t *before;     /* the rank of each one's predecessor, -1 for the root */
  int64_t steps;       /* as many as edges */
  gg_block_step *step; /* by `to` */
  int64_t mirrored;    /* the first step that is not flat, of which the search takes one side: the
                          rest is its mirror image. `steps` when there is none */
  gg_units *reach;     /* vertices by vertices: no two can be further apart */
} gg_block;

/* The edges of a block, all borrowed. */
typedef struct gg_block_edges {
  const gg_block_edge *edges; /* of the graph */
  const int64_t *chosen;      /* those of the block, by number */
  int64_t count;              /* of them */
  int64_t root;               /* of the block */
  int64_t *rank;              /* scratch: -1 for all vertices of the graph, and left so */
} gg_block_edges;

/*
 * Prepares a block. The order of the vertices has distances checked early: the next vertex is the
 * one with the most known distances to placed ones, or else one on the shortest path through
 * unplaced vertices back to a placed one. To be freed by gg_block_free(), also after a failure.
 */
gpugeo_status gg_block_make(const gg_block_edges *from, double fraction, gg_block *block,
                            gg_call *call);
void gg_block_free(gg_block *block);

/* The result of a search. */
typedef struct gg_block_found {
  gg_count count;     /* realizations, without the mirror images */
  int64_t stored;     /* of them, min(count, what was asked for) */
  signed char *sides; /* stored by steps: +1 where `to` is to the right of `from`, else -1. In
                         lexicographic order, right before left. To be freed. */
} gg_block_found;

/* Finds all realizations and stores at most `most` of them. Progress is reported between `from`
   and `to`. The result does not depend on the number of threads. */
gpugeo_status gg_block_search(const gg_block *block, int64_t most, int32_t threads, double from,
                              double to, gg_block_found *found, gg_call *call);

/* Computes twice the positions of `count` realizations that the search has found, by vertices:
   the root is at 0, every other vertex in the middle of its interval. */
gpugeo_status gg_block_positions(const gg_block *block, const signed char *sides, int64_t count,
                                 gg_units *twice, double fraction, gg_call *call);

#endif
