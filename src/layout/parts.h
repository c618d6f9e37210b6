/* What a layout is made of above the backend: where it starts, coarser graphs, components one by
   one, and how they are packed. Positions are vertices by dim, column-major, throughout. */
#ifndef GG_LAYOUT_PARTS_H
#define GG_LAYOUT_PARTS_H

#include "common/backend.h"
#include "layout/components.h"

/* Fills positions at random: in a square or cube of `side` around 0, or where the bounds (NULL:
   none) leave no room there, beside them. */
void gg_layout_start(int64_t vertices, int32_t dim, uint64_t seed, double side, const double *lower,
                     const double *upper, double *positions);

/* The next coarser graph: pairs of vertices become one. */
typedef struct gg_layout_coarse {
  gg_layout_graph graph;
  float *mass;     /* how many vertices of the first graph each stands for */
  int32_t *parent; /* of each vertex of the finer graph, the one that it is part of */
} gg_layout_coarse;

/* fine_mass may be NULL: all 1. To be freed by gg_layout_coarse_free(), also after a failure. */
gpugeo_status gg_layout_coarsen(const gg_layout_graph *fine, const float *fine_mass,
                                int32_t threads, gg_layout_coarse *coarse, gpugeo_error *error);
void gg_layout_coarse_free(gg_layout_coarse *coarse);

/* With whom each vertex is to become one; -1: with none. mass may be NULL: all 1. */
gpugeo_status gg_layout_match(const gg_layout_graph *graph, const float *mass, int32_t threads,
                              int32_t *partner, gpugeo_error *error);

/* Rows of the graph with so many vertices that pairs have become; parent says which one each vertex
   is part of. Weights of edges that become one add up. To be freed by gg_layout_graph_free(), also
   after a failure. */
gpugeo_status gg_layout_merge(const gg_layout_graph *fine, const int32_t *partner, int32_t threads,
                              const int32_t *parent, int64_t vertices, gg_layout_graph *coarse,
                              gpugeo_error *error);

/* Iterations without coarser graphs, and on each graph with them, where the options don't say. */
enum { GG_LAYOUT_ITERATIONS = 500, GG_LAYOUT_LEVEL_ITERATIONS = 50 };

/* What is common to all graphs of a call. */
typedef struct gg_layout_setting {
  const gpugeo_layout_options *options;
  const gg_backend *backend;
  gg_layout_plan plan; /* all of it that does not depend on the graph */
  gg_clock *clock;
  gpugeo_report *report;
} gg_layout_setting;

/* How a graph was laid out. */
typedef struct gg_layout_done {
  gg_layout_outcome outcome; /* on the graph itself */
  gpugeo_repulsion repulsion;
  int32_t levels;
  double temperature; /* of the iteration that would have come next */
} gg_layout_done;

/* The work of an iteration on so many vertices, for gg_threads_for() and gg_backend_choose(). */
double gg_layout_work(gpugeo_repulsion repulsion, int64_t vertices);

/* Iterations from the plan's positions, which cool down to 0. The plan, a copy of the setting's,
   has all but the method of repulsion, the cooling and the threads. */
gpugeo_status gg_layout_iterate(const gg_layout_setting *setting, gg_layout_plan *plan,
                                gg_layout_done *done, gpugeo_error *error);

/* Lays out a connected graph from a random start, by coarser graphs first where the options say so
   or it is large. The plan has the graph and positions. */
gpugeo_status gg_layout_levels(const gg_layout_setting *setting, gg_layout_plan *plan,
                               gg_layout_done *done, gpugeo_error *error);

/* At most so many vertices are laid out by gg_layout_small(). */
enum { GG_LAYOUT_SMALL = 64 };

/* Lays out a small component from a random start, on the calling thread alone: its csr of
   positions, vertices by dim for the whole graph. */
void gg_layout_small(const gg_layout_setting *setting, const gg_layout_graph *csr,
                     const gg_layout_components *components, int64_t c, double *positions,
                     gg_layout_outcome *outcome);

/* Lays out each component by itself, and packs them. */
gpugeo_status gg_layout_apart(const gg_layout_setting *setting, const gg_layout_graph *csr,
                              const gg_layout_components *components, double *positions,
                              gg_layout_done *done, gpugeo_error *error);

/* Moves components side by side, the whole around 0: at least 1 lies between the vertices of any
   two. `packed` may be `positions`. */
gpugeo_status gg_layout_pack(const gg_layout_components *components, int64_t vertices, int32_t dim,
                             int32_t threads, const double *positions, double *packed,
                             gpugeo_error *error);

#endif
