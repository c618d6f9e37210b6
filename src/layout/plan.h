/* The interface of a backend's layouts: graph, plan and outcome. */
#ifndef GG_LAYOUT_PLAN_H
#define GG_LAYOUT_PLAN_H

#include <stdbool.h>

#include "common/backend.h"
#include "common/c_linkage.h"
#include "gpugeo.h"

GG_C_BEGIN

/* A graph in compressed sparse rows: the neighbours of vertex i are neighbor[start[i]] to
   neighbor[start[i + 1] - 1], each once, without i, and each edge is in both rows. Neighbours are
   in increasing order, except in coarser graphs. */
typedef struct gg_layout_graph {
  int64_t vertices;
  const int64_t *start;
  const int32_t *neighbor;
  const float *weight; /* NULL: all 1 */
} gg_layout_graph;

/* Iterations on one graph, with all arguments checked. */
typedef struct gg_layout_plan {
  gg_layout_graph graph;
  int32_t dim;
  double
      *positions; /* vertices by dim, column-major: initial positions on entry, then the result */
  const float *mass;           /* vertices of the first graph in each coarse vertex; NULL: all 1 */
  const uint8_t *fixed;        /* nonzero: not moved; NULL: none */
  const double *lower, *upper; /* as positions, or NULL */
  int64_t iterations; /* maximum; the temperature of iteration i is start_temp (1 - i / cooling) */
  int64_t cooling;    /* at least iterations */
  double start_temp, tolerance;
  gpugeo_layout_repulsion repulsion; /* EXACT or BARNES_HUT */
  double theta;
  int32_t expansion_order;
  /* Called after every frame_every iterations, on the calling thread, with their number so far, the
     temperature of the next one, and the positions; NULL: never. A nonzero return value ends the
     call with GPUGEO_ERROR_INTERRUPT. */
  int (*frame)(int64_t iteration, double temperature, const double *positions, void *frame_data);
  int64_t frame_every;
  void *frame_data;
  double progress_from, progress_to; /* the part of the whole call that this is */
  int32_t threads;
  int32_t device;
  int64_t work_bytes;
} gg_layout_plan;

typedef struct gg_layout_outcome {
  int64_t iterations; /* done */
  bool converged;     /* the last iteration moved no vertex further than the tolerance */
} gg_layout_outcome;

GG_C_END

#endif
