/* Iterations of forces on one graph. Positions are vertices by dim, column-major. */
#ifndef GG_LAYOUT_ITERATIONS_H
#define GG_LAYOUT_ITERATIONS_H

#include "common/backend.h"
#include "layout/plan.h"
#include "layout/stress_sums.h"

/* Default iterations of a graph laid out from a random or given placement, and of a graph whose
   placement comes from a coarser graph. */
enum { GG_LAYOUT_ITERATIONS = 500, GG_LAYOUT_LEVEL_ITERATIONS = 50 };

/* What all graphs of a call have in common. */
typedef struct gg_layout_setting {
  const gpugeo_layout_options *options;
  const gg_backend *backend;
  gg_layout_plan plan;  /* all fields that do not depend on the graph */
  const double *length; /* stress: of the entries of the CSR; NULL: all 1 */
  double unit;          /* of the positions: about the mean length, a power of two */
  gg_call *call;
} gg_layout_setting;

/* How a graph was laid out. */
typedef struct gg_layout_done {
  gg_layout_outcome outcome; /* on the graph itself */
  gpugeo_layout_repulsion repulsion;
  int32_t levels;
  double temperature; /* of the next iteration, if there were one */
  /* Stress: */
  int64_t pivots;
  gg_stress_sums sums;
} gg_layout_done;

/* Returns the work of an iteration, for gg_threads_for() and gg_backend_choose(). */
double gg_layout_work(gpugeo_layout_repulsion repulsion, int64_t vertices);

/* Fills positions at random: in a square or cube of `side` around 0, or, if the bounds (NULL: none)
   exclude it, within `side` of the nearer bound. */
void gg_layout_initial_placement(int64_t vertices, int32_t dim, uint64_t seed, double side,
                                 const double *lower, const double *upper, double *positions);

/* Runs the plan's iterations from its positions; the temperature falls to 0. Chooses the repulsion,
   the cooling and the threads of the plan, a copy of the setting's with all other fields set. */
gpugeo_status gg_layout_iterate(const gg_layout_setting *setting, gg_layout_plan *plan,
                                gg_layout_done *done);

/* Returns the factor of positions at which the energy of forces is least: s^3 is the sum of m_i m_j
   over pairs of vertices, divided by that of w d^3 over edges. 1 if all edges have length 0. mass
   may be NULL: all 1. */
double gg_layout_force_scale(const gg_layout_graph *graph, const float *mass,
                             const double *positions, int32_t dim);

#endif
