/* Stress majorization of one connected graph. */
#ifndef GG_LAYOUT_MAJORIZATION_H
#define GG_LAYOUT_MAJORIZATION_H

#include "layout/pivots.h"
#include "layout/stress_sums.h"

/* Positions here are vertices by dim, a vertex's coordinates next to each other, in the unit of the
   pivots' distances. */
typedef struct gg_majorization {
  const gg_path_graph *graph;
  const gg_pivots *pivots;
  int dim;
  double *positions;
  const uint8_t *fixed;        /* nonzero: not moved; NULL: none */
  const double *lower, *upper; /* as positions; NULL: none */
  const double *radius;        /* of each vertex: distance from the origin; NaN: any; NULL: none */
  const double *anchor;        /* as positions; NULL: none */
  double anchor_weight;        /* its share in the mean to which a vertex moves */
  int64_t iterations;          /* maximum */
  double tolerance;            /* ends if no vertex moves further than this */
  /* Called after each iteration; a nonzero value ends the call with an interrupt. NULL: none. */
  int (*frame)(int64_t iteration, void *data);
  void *frame_data;
  int32_t threads;
} gg_majorization;

/* Moves the vertices. Returns the number of iterations, and whether they have converged: the
   tolerance was reached, or stress decreases by less than a fixed fraction. */
gpugeo_status gg_majorize(const gg_majorization *m, gg_call *call, int64_t *iterations,
                          bool *converged);

/* Adds up the ratios of distances over all pairs of a pivot and a vertex. */
gpugeo_status gg_majorized_sums(const gg_majorization *m, gg_call *call, gg_stress_sums *sums);

/* Returns the bytes of working memory. */
double gg_majorization_bytes(int64_t vertices, int dim);

#endif
