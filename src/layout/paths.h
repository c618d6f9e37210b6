/* Lengths of shortest paths from some vertices of a graph to all. */
#ifndef GG_LAYOUT_PATHS_H
#define GG_LAYOUT_PATHS_H

#include "common/c_linkage.h"
#include "common/clock.h"
#include "layout/plan.h"

GG_C_BEGIN

/* Sources of a search: the bits of a word. */
enum { GG_PATHS_SOURCES = 64 };

/* A graph, and the length of each entry of its CSR, NULL: all 1. */
typedef struct gg_path_graph {
  gg_layout_graph csr;
  const double *length;
} gg_path_graph;

/* Distances from some vertices, for a backend. */
typedef struct gg_paths_plan {
  gg_path_graph graph;
  const int32_t *sources;
  int64_t count;     /* of the sources */
  double *distances; /* count by vertices, as of gg_paths_search() with stride count */
  int32_t threads;
  int32_t device;
  int64_t work_bytes;
} gg_paths_plan;

/* Returns the bytes of working memory of a search for each vertex. */
int64_t gg_paths_vertex_bytes(const gg_path_graph *graph);

/*
 * Searches from up to GG_PATHS_SOURCES vertices: distances[s + v * stride] is the length of a
 * shortest path from sources[s] to v, INFINITY if there is none or if it is beyond the range of
 * doubles. Lengths are added from the source on, and the least sum is taken, which does not depend
 * on the order of the search. Returns false if the clock has stopped it. Any thread may call it.
 *
 * work  gg_paths_vertex_bytes() for each vertex, aligned as gg_allocate() does
 */
bool gg_paths_search(const gg_path_graph *graph, const int32_t *sources, int count, void *work,
                     double *distances, int64_t stride, gg_clock *clock);

/* Searches breadth first from one vertex: distances[v] as above, and queue gets the vertices that
   it reaches: by distance, those of one distance in the order of the rows that reach them. Returns
   their number, or -1 if the clock has stopped it. Both have room for all vertices. */
int64_t gg_paths_visit(const gg_layout_graph *csr, int32_t source, int32_t *queue,
                       double *distances, gg_clock *clock);

GG_C_END

#endif
