/* The steps of a layout above the backend: iterations on one graph, on its coarser graphs, on each
   component, and packing. Positions are vertices by dim, column-major. */
#ifndef GG_LAYOUT_MULTILEVEL_H
#define GG_LAYOUT_MULTILEVEL_H

#include "common/backend.h"
#include "layout/components.h"

/* Default iterations of a graph laid out from a random or given placement, and of a graph whose
   placement comes from a coarser graph. */
enum { GG_LAYOUT_ITERATIONS = 500, GG_LAYOUT_LEVEL_ITERATIONS = 50 };

/* What all graphs of a call have in common. */
typedef struct gg_layout_setting {
  const gpugeo_layout_options *options;
  const gg_backend *backend;
  gg_layout_plan plan; /* all fields that do not depend on the graph */
  gg_clock *clock;
  gpugeo_report *report;
} gg_layout_setting;

/* How a graph was laid out. */
typedef struct gg_layout_done {
  gg_layout_outcome outcome; /* on the graph itself */
  gpugeo_layout_repulsion repulsion;
  int32_t levels;
  double temperature; /* of the next iteration, if there were one */
} gg_layout_done;

/* --- One graph (multilevel.c) -------------------------------------------------------------------
 */

/* Returns the work of an iteration, for gg_threads_for() and gg_backend_choose(). */
double gg_layout_work(gpugeo_layout_repulsion repulsion, int64_t vertices);

/* Fills positions at random: in a square or cube of `side` around 0, or, if the bounds (NULL: none)
   exclude it, within `side` of the nearer bound. */
void gg_layout_initial_placement(int64_t vertices, int32_t dim, uint64_t seed, double side,
                                 const double *lower, const double *upper, double *positions);

/* Runs the plan's iterations from its positions; the temperature falls to 0. Chooses the repulsion,
   the cooling and the threads of the plan, a copy of the setting's with all other fields set. */
gpugeo_status gg_layout_iterate(const gg_layout_setting *setting, gg_layout_plan *plan,
                                gg_layout_done *done, gpugeo_error *error);

/* --- Coarser graphs -----------------------------------------------------------------------------
 */

/* The next coarser graph, in which matched vertices are contracted into one. */
typedef struct gg_layout_coarse {
  gg_layout_graph graph;
  float *mass;     /* of each vertex, the number of vertices of the first graph in it */
  int32_t *parent; /* of each vertex of the finer graph, the coarse vertex that it is part of */
} gg_layout_coarse;

/* Finds a matching: the partner of each vertex, -1 without. mass may be NULL: all 1. */
gpugeo_status gg_layout_matching(const gg_layout_graph *graph, const float *mass, int32_t threads,
                                 int32_t *partner, gpugeo_error *error);

/* Finds a matching and contracts it. fine_mass may be NULL: all 1. To be freed by
   gg_layout_coarse_free(), also after a failure. */
gpugeo_status gg_layout_coarsen(const gg_layout_graph *fine, const float *fine_mass,
                                int32_t threads, gg_layout_coarse *coarse, gpugeo_error *error);
void gg_layout_coarse_free(gg_layout_coarse *coarse);

/* Lays out a connected graph from a random placement, by coarser graphs first unless
   options->multilevel is 0. The plan has the graph and positions. */
gpugeo_status gg_layout_multilevel(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                   gg_layout_done *done, gpugeo_error *error);

/* --- Components ---------------------------------------------------------------------------------
 */

/* Lays out each component separately, and packs them. */
gpugeo_status gg_layout_each_component(const gg_layout_setting *setting, const gg_layout_graph *csr,
                                       const gg_layout_components *components, double *positions,
                                       gg_layout_done *done, gpugeo_error *error);

/* Moves components next to each other, the whole around 0: vertices of different components are at
   least 1 apart. `packed` may be `positions`. */
gpugeo_status gg_layout_pack(const gg_layout_components *components, int64_t vertices, int32_t dim,
                             int32_t threads, const double *positions, double *packed,
                             gpugeo_error *error);

#endif
