/*
 * Layouts by coarser graphs: a graph is joined pair by pair until it is small, laid out from a
 * random start, and taken apart again, level by level, with a few iterations on each.
 */
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "layout_parts.h"
#include "memory.h"
#include "random.h"

enum { MOST_LEVELS = 64 };

static const int64_t coarse_enough = 16; /* vertices: no coarser graph is made of these */
static const double shrinks = 0.95;      /* a coarser graph has less than this of the vertices */

/* The picture as a whole is decided on the small graphs, where iterations cost little. */
static const int64_t small_level = 1000, small_iterations = 200;

/* In mean lengths of edges: the temperature a level starts with, and the random part of where a
   vertex starts. */
static const double start_of_mean = 0.5, aside_of_mean = 0.1;

/* How far a vertex starts from its part's place, towards the parts of its neighbours. */
static const double towards_neighbors = 0.5;

/* The graphs of a call, the finest first. */
typedef struct levels {
  int32_t count;
  gg_layout_graph graph[MOST_LEVELS];
  gg_layout_coarse coarse[MOST_LEVELS]; /* coarse[i] is the graph of level i + 1 */
} levels;

static const float *mass_of(const levels *all, int32_t level) {
  return level > 0 ? all->coarse[level - 1].mass : NULL;
}

static gpugeo_status make_levels(const gg_layout_setting *setting, const gg_layout_graph *graph,
                                 levels *all, gpugeo_error *error) {
  all->count = 1;
  all->graph[0] = *graph;
  while (all->count < MOST_LEVELS) {
    const int32_t level = all->count - 1;
    const gg_layout_graph *fine = &all->graph[level];
    if (fine->vertices <= coarse_enough) return GPUGEO_OK;
    gg_layout_coarse *coarse = &all->coarse[level];
    gpugeo_status status = gg_layout_coarsen(fine, mass_of(all, level), coarse, error);
    if (!status && gg_clock_poll(setting->clock, 0)) status = gg_fail_interrupt(error);
    const bool stalls = (double)coarse->graph.vertices > shrinks * (double)fine->vertices;
    if (status || stalls) {
      gg_layout_coarse_free(coarse);
      return status;
    }
    all->graph[all->count++] = coarse->graph;
  }
  return GPUGEO_OK;
}

static void free_levels(levels *all) {
  for (int32_t level = 0; level + 1 < all->count; ++level)
    gg_layout_coarse_free(&all->coarse[level]);
}

/* The mean length of the edges; 1 where there is none to speak of. */
static double mean_length(const gg_layout_graph *graph, int32_t dim, const double *positions) {
  const int64_t n = graph->vertices;
  double sum = 0;
  for (int64_t v = 0; v < n; ++v)
    for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
      double square = 0;
      for (int k = 0; k < dim; ++k) {
        const double d = positions[v + k * n] - positions[graph->neighbor[at] + k * n];
        square = fma(d, d, square);
      }
      sum += sqrt(square);
    }
  const double mean = sum / (double)graph->start[n];
  return mean > 0 && isfinite(mean) ? mean : 1;
}

/* The length at which an edge of a level's mean weight balances the repulsion of mean masses. */
static double edge_length(const gg_layout_graph *graph, const float *mass) {
  double total_mass = 0, total_weight = 0;
  const int64_t arcs = graph->start[graph->vertices];
  for (int64_t v = 0; v < graph->vertices; ++v)
    total_mass += mass ? (double)mass[v] : 1;
  for (int64_t at = 0; at < arcs; ++at)
    total_weight += graph->weight ? (double)graph->weight[at] : 1;
  const double mean_mass = total_mass / (double)graph->vertices;
  const double mean_weight = arcs > 0 ? total_weight / (double)arcs : 1;
  return cbrt(mean_mass * mean_mass / (mean_weight > 0 ? mean_weight : 1));
}

/* Places the vertices of a finer level: where their parts are, towards the parts of their
   neighbours, and a little to the side. */
static void take_apart(const gg_layout_setting *setting, const levels *all, int32_t level,
                       const double *coarse, double *fine) {
  const gg_layout_graph *graph = &all->graph[level];
  const int32_t *parent = all->coarse[level].parent;
  const int64_t n = graph->vertices, parts = all->graph[level + 1].vertices;
  const int32_t dim = setting->options->dim;
  const double aside = aside_of_mean * mean_length(&all->graph[level + 1], dim, coarse);
  const uint64_t seed = gg_random(setting->options->seed, (uint64_t)level);
#pragma omp parallel for num_threads(setting->plan.threads) schedule(dynamic, 1024) if (n > 4096)
  for (int64_t v = 0; v < n; ++v)
    for (int k = 0; k < dim; ++k) {
      const double own = coarse[parent[v] + k * parts];
      double sum = 0, weight = 0;
      for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
        const double w = graph->weight ? (double)graph->weight[at] : 1;
        sum = fma(w, coarse[parent[graph->neighbor[at]] + k * parts] - own, sum);
        weight += w;
      }
      const double side = gg_random_unit(seed, 3 * (uint64_t)v + (uint64_t)k) - 0.5;
      fine[v + k * n] = own + (weight > 0 ? towards_neighbors * sum / weight : 0) + aside * side;
    }
}

/* What share of the whole the levels take, by their vertices. */
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

/* Iterations on a level from the positions that it has. */
static gpugeo_status iterate_level(const gg_layout_setting *setting, const gg_layout_plan *whole,
                                   const levels *all, int32_t level, double *positions,
                                   gg_layout_done *done, gpugeo_error *error) {
  const gpugeo_layout_options *options = setting->options;
  const bool coarsest = level == all->count - 1;
  gg_layout_plan plan = *whole;
  plan.graph = all->graph[level];
  plan.mass = mass_of(all, level);
  plan.positions = positions;
  share_progress(whole, all, level, &plan);
  plan.iterations = coarsest                                          ? GG_LAYOUT_ITERATIONS
                    : level > 0 && plan.graph.vertices <= small_level ? small_iterations
                                                                      : GG_LAYOUT_LEVEL_ITERATIONS;
  plan.start_temp = coarsest
                        ? edge_length(&plan.graph, plan.mass) * sqrt((double)plan.graph.vertices)
                        : start_of_mean * mean_length(&plan.graph, options->dim, positions);
  if (level > 0) {
    plan.frame = NULL;
    plan.tolerance = 0;
  } else {
    if (options->iterations >= 0) plan.iterations = options->iterations;
    if (!isnan(options->start_temp)) plan.start_temp = options->start_temp;
  }
  return gg_layout_iterate(setting, &plan, done, error);
}

static gpugeo_status lay_out(const gg_layout_setting *setting, const gg_layout_plan *whole,
                             const levels *all, double *scratch, gg_layout_done *done,
                             gpugeo_error *error) {
  const int32_t dim = setting->options->dim, last = all->count - 1;
  const gg_layout_graph *coarsest = &all->graph[last];
  /* Levels take turns between the result's memory and the scratch. */
  double *positions = last % 2 ? scratch : whole->positions;
  double *other = last % 2 ? whole->positions : scratch;
  const double side =
      edge_length(coarsest, mass_of(all, last)) * pow((double)coarsest->vertices, 1.0 / dim);
  gg_layout_start(coarsest->vertices, dim, setting->options->seed, side, NULL, NULL, positions);
  gpugeo_status status = iterate_level(setting, whole, all, last, positions, done, error);
  for (int32_t level = last - 1; !status && level >= 0; --level) {
    double *finer = other;
    take_apart(setting, all, level, positions, finer);
    other = positions;
    positions = finer;
    status = iterate_level(setting, whole, all, level, positions, done, error);
  }
  done->levels = all->count;
  return status;
}

gpugeo_status gg_layout_levels(const gg_layout_setting *setting, gg_layout_plan *plan,
                               gg_layout_done *done, gpugeo_error *error) {
  const gpugeo_layout_options *options = setting->options;
  levels all = {.count = 1, .graph = {plan->graph}};
  gpugeo_status status = GPUGEO_OK;
  if (options->multilevel) status = make_levels(setting, &plan->graph, &all, error);
  double *scratch = NULL;
  if (!status && all.count > 1) {
    const int64_t count = all.graph[1].vertices * options->dim;
    scratch = gg_allocate(count, sizeof *scratch);
    if (!scratch) status = gg_fail_memory(error, count * (int64_t)sizeof *scratch);
  }
  if (!status) status = lay_out(setting, plan, &all, scratch, done, error);
  free(scratch);
  free_levels(&all);
  return status;
}
