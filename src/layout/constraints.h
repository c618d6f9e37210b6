/* Constraints of a layout by stress: coordinates, or distances from the origin. */
#ifndef GG_LAYOUT_CONSTRAINTS_H
#define GG_LAYOUT_CONSTRAINTS_H

#include "common/call.h"
#include "layout/paths.h"

/* The constraints of all vertices; what is NULL does not constrain. Freed by
   gg_layout_constraints_free(). */
typedef struct gg_layout_constraints {
  double *lower, *upper; /* bounds, vertices by dim: equal for given coordinates */
  double *radius;        /* distance of each vertex from the origin; NaN: any */
} gg_layout_constraints;

/* True if the options have constraints. */
bool gg_layout_is_constrained(const gpugeo_layout_options *options);

/* Checks the constraints of the options. */
gpugeo_status gg_layout_constraints_check(const gpugeo_layout_options *options, int64_t vertices,
                                          gpugeo_error *error);

/* Makes the constraints of the options. Fails if the focus does not reach all vertices. */
gpugeo_status gg_layout_constraints_make(const gpugeo_layout_options *options,
                                         const gg_path_graph *graph, gg_call *call,
                                         gg_layout_constraints *made);
void gg_layout_constraints_free(gg_layout_constraints *made);

/* Turns or moves positions, vertices by dim, so that they are near to the constraints of the
   options, and then moves each vertex to where it keeps to them. */
void gg_layout_constraints_enter(const gg_layout_constraints *made,
                                 const gpugeo_layout_options *options, int64_t vertices,
                                 double *positions);

/* Moves a position along its direction from the origin to a distance; from the origin itself along
   the first axis. */
void gg_layout_to_radius(double *position, int64_t stride, int dim, double radius);

#endif
