/* The edges of a graph whose bounds are whole numbers of a unit. */
#ifndef GG_GRAPH_UNITS_H
#define GG_GRAPH_UNITS_H

#include <stdbool.h>

#include "common/call.h"
#include "dgp/adjacency.h"
#include "dgp/block.h"

/* The data of a call. */
typedef struct gg_graph_job {
  const gpugeo_dgp_graph_options *options;
  int64_t vertices;
  gpugeo_dgp_edge *merged; /* u < v, sorted, no two alike */
  gg_block_edge *edges;    /* the same as units */
  gg_ends *ends;           /* the same */
  int64_t count;           /* edges */
  int exponent;            /* a unit is 2^exponent */
  double cap;              /* larger bounds are lowered to this */
  gg_graph graph;
  gg_blocks blocks;
  struct block *block; /* see graph.c */
  int64_t *scratch;    /* for each vertex: of gg_block_make() and combine() */
  gg_call *call;
  int32_t threads;
} gg_graph_job;

/* Copies the edges and joins those between the same two vertices. */
void gg_graph_merge_edges(gg_graph_job *job, const gpugeo_dgp_edge *edges, int64_t count);

/* Chooses the unit, and converts the bounds of all edges to it. */
gpugeo_status gg_graph_choose_units(gg_graph_job *job);

/* True if the value is a whole number of units. */
bool gg_graph_is_whole(double value, int exponent);

/* True if the tolerance is a whole number of units, may be rounded, or makes no difference. */
bool gg_graph_tol_is_held(const gg_graph_job *job);

/* True if bounds may be rounded, or both bounds of an edge are whole units. */
bool gg_graph_is_held(const gg_graph_job *job, int64_t e);

#endif
