/*
 * Layouts by coarser graphs: a graph is joined pair by pair until it is small, laid out from a
 * random start, and taken apart again, level by level, with a few iterations on each.
 */
#include <math.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "layout/parts.h"
#include "layout/step.h"
#include "layout/sum.h"

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
    gpugeo_status status =
        gg_layout_coarsen(fine, mass_of(all, level), setting->plan.threads, coarse, error);
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

/* A graph with positions. */
typedef struct drawing {
  const gg_layout_graph *graph;
  int32_t dim;
  const double *positions;
} drawing;

/* Returns the lengths of the edges from a vertex to later ones. */
static double lengths_from(const drawing *d, int64_t v) {
  const gg_layout_graph *graph = d->graph;
  double sum = 0;
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    const int64_t w = graph->neighbor[at];
    if (w < v) continue;
    double square = 0;
    for (int k = 0; k < d->dim; ++k) {
      const double *x = d->positions + k * graph->vertices;
      square += (x[v] - x[w]) * (x[v] - x[w]);
    }
    sum += sqrt(square);
  }
  return sum;
}

static double length_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t v = first; v < last; ++v)
    sum += lengths_from(data, v);
  return sum;
}

/* The mean length of the edges; 1 where there is none to speak of. */
static gpugeo_status find_mean_length(const gg_layout_setting *setting,
                                      const gg_layout_graph *graph, const double *positions,
                                      double *mean, gpugeo_error *error) {
  const drawing d = {graph, setting->options->dim, positions};
  const int64_t n = graph->vertices, entries = graph->start[n];
  const int32_t threads = gg_layout_threads(setting->plan.threads, n + entries);
  double sum = 0;
  gpugeo_status status = gg_layout_sum(length_term, &d, n, threads, setting->clock, &sum, error);
  *mean = 2 * sum / (double)entries;
  if (!(*mean > 0 && isfinite(*mean))) *mean = 1;
  return status;
}

/* The length at which an edge of a level's mean weight balances the repulsion of mean masses. */
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

/* Where a vertex of a finer level goes, but for what is random: where its part is, towards the
   parts of its neighbours. */
static void place_vertex(const gg_layout_graph *graph, const int32_t *parent, int64_t parts,
                         const double *coarse, int32_t dim, int64_t v, double *place) {
  double own[GG_LAYOUT_DIMS], sum[GG_LAYOUT_DIMS] = {0}, weight = 0;
  for (int k = 0; k < dim; ++k)
    own[k] = coarse[parent[v] + k * parts];
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    const double w = graph->weight ? (double)graph->weight[at] : 1;
    const double *other = coarse + parent[graph->neighbor[at]];
    for (int k = 0; k < dim; ++k)
      sum[k] += w * (other[k * parts] - own[k]);
    weight += w;
  }
  for (int k = 0; k < dim; ++k)
    place[k] = own[k] + (weight > 0 ? towards_neighbors * sum[k] / weight : 0);
}

/* A level whose vertices are placed. */
typedef struct placing {
  const gg_layout_graph *graph;
  const int32_t *parent;
  int64_t parts;
  const double *coarse; /* positions of the parts */
  double *fine;
  int32_t dim;
  uint64_t seed;
  double aside; /* the side of the square or cube in which a vertex is placed at random */
} placing;

static void place_vertices(void *job, gg_range range) {
  const placing *p = job;
  for (int64_t v = range.first; v < range.last; ++v) {
    double place[GG_LAYOUT_DIMS];
    place_vertex(p->graph, p->parent, p->parts, p->coarse, p->dim, v, place);
    for (int k = 0; k < p->dim; ++k) {
      const double side = gg_random_unit(p->seed, 3 * (uint64_t)v + (uint64_t)k) - 0.5;
      p->fine[v + k * p->graph->vertices] = place[k] + p->aside * side;
    }
  }
}

/* Places the vertices of a finer level, each a little to the side. */
static gpugeo_status take_apart(const gg_layout_setting *setting, const levels *all, int32_t level,
                                const double *coarse, double *fine, gpugeo_error *error) {
  const gg_layout_graph *graph = &all->graph[level], *parts = &all->graph[level + 1];
  const int64_t n = graph->vertices;
  double mean;
  gpugeo_status status = find_mean_length(setting, parts, coarse, &mean, error);
  if (status) return status;
  placing p = {.graph = graph,
               .parent = all->coarse[level].parent,
               .parts = parts->vertices,
               .coarse = coarse,
               .fine = fine,
               .dim = setting->options->dim,
               .seed = gg_random(setting->options->seed, (uint64_t)level),
               .aside = aside_of_mean * mean};
  gg_parallel_for(
      &(gg_loop){.threads = gg_layout_threads(setting->plan.threads, n + graph->start[n]),
                 .count = n,
                 .grain = 256,
                 .work = place_vertices,
                 .job = &p});
  return GPUGEO_OK;
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
  double mean;
  gpugeo_status status = find_mean_length(setting, &plan.graph, positions, &mean, error);
  if (status) return status;
  plan.start_temp = coarsest
                        ? edge_length(&plan.graph, plan.mass) * sqrt((double)plan.graph.vertices)
                        : start_of_mean * mean;
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
    status = take_apart(setting, all, level, positions, finer, error);
    other = positions;
    positions = finer;
    if (!status) status = iterate_level(setting, whole, all, level, positions, done, error);
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
