/*
 * Multilevel layout (Walshaw 2003, after Karypis and Kumar 1998): a graph is coarsened by
 * contracting matchings until it is small. The coarsest graph is laid out from classical scaling of
 * the distances from pivots in it (Brandes and Pich 2007); then each finer level starts from the
 * positions of the coarser one and takes fewer iterations.
 */
#include "layout/multilevel.h"

#include <math.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "layout/contraction.h"
#include "layout/energy.h"
#include "layout/pivots.h"
#include "layout/step.h"
#include "layout/stress_layout.h"

enum { MOST_LEVELS = 64 };

/* Vertices: graphs of up to this size are not coarsened. With 128, on the collection of
   bench/graphs.R, the geometric mean of the stress was 15 % less than with 64, 22 % less than with
   16 from a random placement, and neighbours kept were as many. With 256 grids were worse. */
static const int64_t coarse_enough = 128;
static const double shrinks = 0.95; /* a coarser graph has less than this of the vertices */

/* The overall shape is decided on the small graphs, whose iterations take little time: they get up
   to small_iterations, as long as vertices times iterations are not more than small_moves. With 200
   iterations for all of up to 1,000 vertices the stress was the same, but that of nearest
   neighbours of 4,720 points larger by 2 %, and Wiki-Vote took 13 % longer. */
static const int64_t small_level = 1000, small_iterations = 200, small_moves = 100000;

/* In mean lengths of edges: the first temperature of a level, that of the coarsest one, and the
   random part of the placement of a vertex. */
static const double start_of_mean = 0.5, start_of_coarsest = 1, jitter_of_mean = 0.1;

/* How far a vertex starts from its parent's position, towards the parents of its neighbours. */
static const double towards_neighbors = 0.5;

/* The graphs of a call, the finest first. */
typedef struct levels {
  int32_t count;
  gg_layout_graph graph[MOST_LEVELS];
  gg_layout_coarse coarse[MOST_LEVELS]; /* coarse[i] is the graph of level i + 1 */
} levels;

/* Returns the masses of a level's vertices, or NULL if all are 1. */
static const float *mass_of(const levels *all, int32_t level) {
  return level > 0 ? all->coarse[level - 1].mass : NULL;
}

/* Coarsens the first graph until it is small, or hardly gets smaller. */
static gpugeo_status coarsen_all(const gg_layout_setting *setting, levels *all) {
  gg_call *call = setting->call;
  while (all->count < MOST_LEVELS) {
    const int32_t level = all->count - 1;
    const gg_layout_graph *fine = &all->graph[level];
    if (fine->vertices <= coarse_enough) return call->status;
    gg_layout_coarse *coarse = &all->coarse[level];
    GG_TRY(call, gg_layout_coarsen(fine, mass_of(all, level), setting->plan.threads, coarse,
                                   call->error));
    gg_call_poll(call, 0);
    const bool stalls = (double)coarse->graph.vertices > shrinks * (double)fine->vertices;
    if (call->status || stalls) {
      gg_layout_coarse_free(coarse);
      return call->status;
    }
    all->graph[all->count++] = coarse->graph;
  }
  return call->status;
}

/* Frees the coarse graphs. */
static void free_levels(levels *all) {
  for (int32_t level = 0; level + 1 < all->count; ++level)
    gg_layout_coarse_free(&all->coarse[level]);
}

/* Returns the length at which an edge of mean weight balances the repulsion of mean masses. */
static double edge_length(const gg_layout_graph *graph, const float *mass) {
  double total_mass = 0, total_weight = 0;
  const int64_t entries = graph->start[graph->vertices];
  for (int64_t v = 0; v < graph->vertices; ++v)
    total_mass += mass ? (double)mass[v] : 1;
  for (int64_t at = 0; at < entries; ++at)
    total_weight += graph->weight ? (double)graph->weight[at] : 1;
  const double mean_mass = total_mass / (double)graph->vertices;
  const double mean_weight = entries > 0 ? total_weight / (double)entries : 1;
  return cbrt(mean_mass * mean_mass / (mean_weight > 0 ? mean_weight : 1));
}

/* Computes the position of a vertex of a finer level, without its random part: that of its parent,
   moved towards the parents of its neighbours. */
static void interpolate(const gg_layout_graph *graph, const int32_t *parent, int64_t parents,
                        const double *coarse, int32_t dim, int64_t v, double *position) {
  double own[GG_LAYOUT_DIMS], sum[GG_LAYOUT_DIMS] = {0}, weight = 0;
  for (int k = 0; k < dim; ++k)
    own[k] = coarse[parent[v] + k * parents];
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    const double w = graph->weight ? (double)graph->weight[at] : 1;
    const double *other = coarse + parent[graph->neighbor[at]];
    for (int k = 0; k < dim; ++k)
      sum[k] += w * (other[k * parents] - own[k]);
    weight += w;
  }
  for (int k = 0; k < dim; ++k)
    position[k] = own[k] + (weight > 0 ? towards_neighbors * sum[k] / weight : 0);
}

typedef struct refining {
  const gg_layout_graph *graph;
  const int32_t *parent;
  int64_t parents;
  const double *coarse; /* positions of the parents */
  double *fine;
  int32_t dim;
  uint64_t seed;
  double jitter; /* side of the square or cube of the random part */
} refining;

/* Places a range of vertices by the positions of the coarser graph. */
static void refine_vertices(void *job, gg_range range) {
  const refining *p = job;
  for (int64_t v = range.first; v < range.last; ++v) {
    double position[GG_LAYOUT_DIMS];
    interpolate(p->graph, p->parent, p->parents, p->coarse, p->dim, v, position);
    for (int k = 0; k < p->dim; ++k) {
      const double shift = gg_random_unit(p->seed, 3 * (uint64_t)v + (uint64_t)k) - 0.5;
      p->fine[v + k * p->graph->vertices] = position[k] + p->jitter * shift;
    }
  }
}

/* Computes the placement of a level from that of the next coarser one. */
static gpugeo_status refine(const gg_layout_setting *setting, const levels *all, int32_t level,
                            const double *coarse, double *fine) {
  const gg_layout_graph *graph = &all->graph[level], *parents = &all->graph[level + 1];
  const int64_t n = graph->vertices;
  double mean;
  if (gg_layout_mean_length(parents, coarse, setting->options->dim, setting->plan.threads, &mean,
                            setting->call))
    return setting->call->status;
  refining p = {.graph = graph,
                .parent = all->coarse[level].parent,
                .parents = parents->vertices,
                .coarse = coarse,
                .fine = fine,
                .dim = setting->options->dim,
                .seed = gg_random(setting->options->seed, (uint64_t)level),
                .jitter = jitter_of_mean * mean};
  gg_parallel_for(
      &(gg_loop){.threads = gg_layout_threads(setting->plan.threads, n + graph->start[n]),
                 .count = n,
                 .grain = 256,
                 .work = refine_vertices,
                 .job = &p});
  return GPUGEO_OK;
}

/* Sets the plan's share of the progress: levels take time in proportion to their vertices. */
static void share_progress(const gg_layout_plan *whole, const levels *all, int32_t level,
                           gg_layout_plan *plan) {
  double before = 0, total = 0;
  for (int32_t i = all->count - 1; i >= 0; --i) {
    if (i > level) before += (double)all->graph[i].vertices;
    total += (double)all->graph[i].vertices;
  }
  const double length = whole->progress_to - whole->progress_from;
  plan->progress_from = whole->progress_from + length * before / total;
  plan->progress_to = plan->progress_from + length * (double)all->graph[level].vertices / total;
}

/* Places the vertices of the only graph at random. */
static void place_randomly(const gg_layout_setting *setting, const gg_layout_graph *graph,
                           double *positions) {
  const int32_t dim = setting->options->dim;
  const double side = edge_length(graph, NULL) * pow((double)graph->vertices, 1.0 / dim);
  gg_layout_initial_placement(graph->vertices, dim, setting->options->seed, side, NULL, NULL,
                              positions);
}

/* Places the vertices of the coarsest graph by the distances in it, at the scale of forces. */
static gpugeo_status place_by_distances(const gg_layout_setting *setting,
                                        const gg_layout_plan *whole, const levels *all,
                                        double *positions) {
  gpugeo_layout_options options = *setting->options;
  options.pivots = GG_PIVOTS_START;
  gg_call_part part;
  gg_call_part_begin(setting->call, whole->progress_from, 0, &part);
  gg_layout_setting own = *setting;
  own.options = &options;
  own.call = &part.call;
  gg_layout_plan plan = *whole;
  gg_layout_done done = {0};
  plan.graph = all->graph[all->count - 1];
  plan.positions = positions;
  plan.frame = NULL;
  plan.iterations = 0;
  gg_layout_by_stress(&own, &plan, NULL, NULL, NULL, &done);
  gg_call_part_end(&part);
  const double scale =
      gg_layout_force_scale(&plan.graph, mass_of(all, all->count - 1), positions, plan.dim);
  for (int64_t i = 0; i < plan.graph.vertices * plan.dim; ++i)
    positions[i] *= scale;
  return setting->call->status;
}

/* Returns the first temperature of a level. */
static double first_temperature(const gg_layout_setting *setting, const levels *all, int32_t level,
                                double mean_length) {
  if (!setting->options->multilevel)
    return edge_length(&all->graph[0], NULL) * sqrt((double)all->graph[0].vertices);
  return (level < all->count - 1 ? start_of_mean : start_of_coarsest) * mean_length;
}

/* Returns the largest number of iterations on a level. */
static int64_t iterations_of(const levels *all, int32_t level) {
  if (level == all->count - 1) return GG_LAYOUT_ITERATIONS;
  const int64_t vertices = all->graph[level].vertices;
  if (level == 0 || vertices > small_level) return GG_LAYOUT_LEVEL_ITERATIONS;
  const int64_t most = small_moves / vertices;
  return most < small_iterations ? most : small_iterations;
}

/* Returns the plan of a level's iterations from its positions. */
static gg_layout_plan plan_level(const gg_layout_setting *setting, const gg_layout_plan *whole,
                                 const levels *all, int32_t level, double *positions) {
  const gpugeo_layout_options *options = setting->options;
  gg_layout_plan plan = *whole;
  plan.graph = all->graph[level];
  plan.mass = mass_of(all, level);
  plan.positions = positions;
  share_progress(whole, all, level, &plan);
  double mean = 0;
  gg_layout_mean_length(&plan.graph, positions, options->dim, setting->plan.threads, &mean,
                        setting->call);
  plan.iterations = iterations_of(all, level);
  plan.start_temp = first_temperature(setting, all, level, mean);
  if (level > 0) {
    plan.frame = NULL;
    plan.tolerance = 0;
  } else {
    if (options->iterations >= 0) plan.iterations = options->iterations;
    if (!isnan(options->start_temp)) plan.start_temp = options->start_temp;
  }
  return plan;
}

/* Returns memory for the positions of the levels that do not use the result's, or NULL if there are
   none, or after an error. */
static double *make_scratch(const levels *all, const gg_layout_setting *setting) {
  if (all->count == 1) return NULL;
  const int64_t count = all->graph[1].vertices * setting->options->dim;
  return gg_call_allocate(setting->call, count, sizeof(double));
}

gpugeo_status gg_layout_multilevel(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                   gg_layout_done *done) {
  gg_call *call = setting->call;
  if (call->status) return call->status;
  levels all = {.count = 1, .graph = {plan->graph}};
  if (setting->options->multilevel) coarsen_all(setting, &all);
  double *scratch = make_scratch(&all, setting);
  for (int32_t level = all.count - 1; !call->status && level >= 0; --level) {
    /* Even levels use the result's memory, odd ones the scratch. */
    double *own = level % 2 ? scratch : plan->positions;
    const double *coarser = level % 2 ? plan->positions : scratch;
    if (level < all.count - 1)
      refine(setting, &all, level, coarser, own);
    else if (setting->options->multilevel)
      place_by_distances(setting, plan, &all, own);
    else
      place_randomly(setting, &plan->graph, own);
    gg_layout_plan one = plan_level(setting, plan, &all, level, own);
    gg_layout_iterate(setting, &one, done);
  }
  done->levels = all.count;
  gg_free(scratch);
  free_levels(&all);
  return call->status;
}
