/*
 * Localized stress majorization (Gansner, Koren and North 2005, "Graph drawing by stress
 * majorization"): vertex i moves to the mean of x_j + d_ij (x_i - x_j) / |x_i - x_j|, weighted by
 * the terms of the pairs. Its terms are those of pivots and, unless all vertices are pivots, of its
 * edges.
 *
 * Vertices are moved in GROUPS groups, one after the other, so that a vertex meets moved
 * neighbours; within a group all moves are computed from the same positions. So the result does not
 * depend on the threads.
 *
 * Cost: O(n (pivots + degree)) for an iteration; limit: square roots and divisions.
 */
#include "layout/majorization.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"

enum { GROUPS = 16, DIMS = 3, SUM_BLOCKS = 64 };

/* The iterations end if stress decreases by less than a fraction in so many successive ones: with
   relaxation it may also increase. */
enum { STEADY = 1, STEADY_OF_ALL = 3 };
static const double least_decrease = 1e-4, least_decrease_of_all = 1e-6;

/* A vertex moves this many times as far as to the mean of its terms. On trees, cycles, grids and
   triangulations 1.5 takes half of the iterations that 1 takes; with 1.7 some end sooner at a
   higher stress. */
static const double relaxation = 1.5;

/* Squares of distances are at least this, so that a quotient is finite. */
static const double least_square = 1e-60;

/* The state of the iterations. */
typedef struct moving {
  const gg_majorization *m;
  int32_t *order;            /* vertices by groups */
  int64_t group[GROUPS + 1]; /* where each begins in the order */
  int64_t present;           /* first vertex of the present group in the order */
  double *moved;             /* new positions, in the order */
  double *stress;            /* of each vertex before its move, in the order */
  double *pivot;             /* positions of the pivots */
  double edge_scale;         /* of lengths of edges */
} moving;

/* The weighted sum over the terms of a vertex. */
typedef struct pull {
  double to[DIMS], weight, stress;
} pull;

/* Adds the term of a vertex at x with one at y. */
static inline void add_term(const double *x, const double *y, double distance, double weight,
                            int dim, pull *sum) {
  double by[DIMS], square = 0;
  for (int k = 0; k < dim; ++k) {
    by[k] = x[k] - y[k];
    square += by[k] * by[k];
  }
  const double present = sqrt(square > least_square ? square : least_square);
  const double ratio = distance / present, difference = present - distance;
  for (int k = 0; k < dim; ++k)
    sum->to[k] += weight * (y[k] + ratio * by[k]);
  sum->weight += weight;
  sum->stress += weight * (difference * difference);
}

/* Adds the terms of a vertex with all pivots. */
static inline void add_pivots(const moving *s, int64_t v, int dim, pull *sum) {
  const gg_pivots *pivots = s->m->pivots;
  const float *distance = pivots->distance + v * pivots->count;
  const float *weight = pivots->weight + v * pivots->count;
  const double *x = s->m->positions + v * dim;
  for (int64_t p = 0; p < pivots->count; ++p)
    add_term(x, s->pivot + p * dim, (double)distance[p], (double)weight[p], dim, sum);
}

/* Adds the terms of a vertex's edges. */
static inline void add_edges(const moving *s, int64_t v, int dim, pull *sum) {
  const gg_path_graph *graph = s->m->graph;
  const double *at = s->m->positions;
  for (int64_t e = graph->csr.start[v]; e < graph->csr.start[v + 1]; ++e) {
    double d = (graph->length ? graph->length[e] : 1) * s->edge_scale;
    d = d > (double)GG_PIVOTS_LEAST ? d : (double)GG_PIVOTS_LEAST;
    add_term(at + v * dim, at + (int64_t)graph->csr.neighbor[e] * dim, d, 1 / (d * d), dim, sum);
  }
}

/* Returns a coordinate within the bounds. */
static double bounded(const gg_majorization *m, int64_t index, double value) {
  if (m->lower) value = fmax(value, m->lower[index]);
  if (m->upper) value = fmin(value, m->upper[index]);
  return value;
}

/* Computes the next position of the vertex at an index of the order. */
static inline void move_vertex(const moving *s, int64_t index, int dim) {
  const gg_majorization *m = s->m;
  const int64_t v = s->order[index];
  pull sum = {{0}, 0, 0};
  add_pivots(s, v, dim, &sum);
  if (!m->pivots->all) add_edges(s, v, dim, &sum);
  s->stress[index] = sum.stress;
  for (int k = 0; k < dim; ++k) {
    const double x = m->positions[v * dim + k];
    const bool stays = (m->fixed && m->fixed[v]) || !(sum.weight > 0);
    const double to = stays ? x : x + relaxation * (sum.to[k] / sum.weight - x);
    s->moved[index * dim + k] = stays ? x : bounded(m, v * dim + k, to);
  }
}

/* Computes the next positions of a range of the present group. */
static void move_range(void *job, gg_range range) {
  const moving *s = job;
  if (s->m->dim == 2)
    for (int64_t i = range.first; i < range.last; ++i)
      move_vertex(s, s->present + i, 2);
  else
    for (int64_t i = range.first; i < range.last; ++i)
      move_vertex(s, s->present + i, 3);
}

/* Orders the vertices by groups, which are drawn by a hash: neighbours are in different ones. */
static void make_groups(moving *s) {
  const int64_t n = s->m->pivots->vertices;
  int64_t at[GROUPS + 1] = {0};
  for (int64_t v = 0; v < n; ++v)
    ++at[1 + gg_random(GROUPS, (uint64_t)v) % GROUPS];
  for (int g = 0; g < GROUPS; ++g)
    at[g + 1] += at[g];
  memcpy(s->group, at, sizeof at);
  for (int64_t v = 0; v < n; ++v)
    s->order[at[gg_random(GROUPS, (uint64_t)v) % GROUPS]++] = (int32_t)v;
}

/* Copies the positions of the pivots. */
static void copy_pivots(const moving *s) {
  const int dim = s->m->dim;
  for (int64_t p = 0; p < s->m->pivots->count; ++p)
    memcpy(s->pivot + p * dim, s->m->positions + (int64_t)s->m->pivots->vertex[p] * dim,
           (size_t)dim * sizeof(double));
}

/* Moves the vertices of a group to their next positions. Returns the square of the longest move. */
static double finish_group(const moving *s, int g) {
  const int dim = s->m->dim;
  double longest = 0;
  for (int64_t i = s->group[g]; i < s->group[g + 1]; ++i) {
    double square = 0, *at = s->m->positions + (int64_t)s->order[i] * dim;
    for (int k = 0; k < dim; ++k) {
      const double by = s->moved[i * dim + k] - at[k];
      square += by * by;
      at[k] = s->moved[i * dim + k];
    }
    longest = fmax(longest, square);
  }
  copy_pivots(s);
  return longest;
}

/* Does one iteration. Returns the longest move; *stress is the sum over the vertices' terms. */
static double iterate(moving *s, double fraction, gg_call *call, double *stress) {
  double longest = 0;
  for (int g = 0; g < GROUPS && !call->status; ++g) {
    s->present = s->group[g];
    gg_call_loop(call, (gg_loop){.threads = s->m->threads,
                                 .count = s->group[g + 1] - s->group[g],
                                 .grain = 64,
                                 .work = move_range,
                                 .job = s,
                                 .begun = fraction});
    if (!call->status) longest = fmax(longest, finish_group(s, g));
  }
  *stress = 0;
  for (int64_t i = 0; i < s->m->pivots->vertices && !call->status; ++i)
    *stress += s->stress[i];
  return sqrt(longest);
}

/* Allocates the state. */
static gpugeo_status begin(moving *s, gg_call *call) {
  const gg_majorization *m = s->m;
  const int64_t n = m->pivots->vertices;
  s->order = gg_call_allocate(call, n, sizeof *s->order);
  s->moved = gg_call_allocate(call, n * m->dim, sizeof *s->moved);
  s->stress = gg_call_allocate(call, n, sizeof *s->stress);
  s->pivot = gg_call_allocate(call, m->pivots->count * m->dim, sizeof *s->pivot);
  s->edge_scale = ldexp(1, -m->pivots->exponent);
  if (call->status) return call->status;
  make_groups(s);
  copy_pivots(s);
  return GPUGEO_OK;
}

/* Returns the progress: of the iterations, or of the decrease towards its least fraction. */
static double progress_of(int64_t done, int64_t most, double decrease, double least) {
  const double by_count = (double)done / (double)most;
  const double by_decrease = decrease > 0 ? log(fmin(decrease, 1)) / log(least) : 0;
  return fmin(1, fmax(by_count, by_decrease));
}

gpugeo_status gg_majorize(const gg_majorization *m, gg_call *call, int64_t *iterations,
                          bool *converged) {
  moving s = {.m = m};
  *iterations = 0;
  *converged = false;
  begin(&s, call);
  const double least = m->pivots->all ? least_decrease_of_all : least_decrease;
  double before = INFINITY, fraction = 0;
  int steady = 0;
  while (!call->status && *iterations < m->iterations && !*converged) {
    double stress = 0;
    const double longest = iterate(&s, fraction, call, &stress);
    if (call->status) break;
    const double decrease = isinf(before) ? 1 : (before - stress) / before;
    steady = decrease < least ? steady + 1 : 0;
    *converged = longest <= m->tolerance || steady == (m->pivots->all ? STEADY_OF_ALL : STEADY);
    before = stress;
    fraction = progress_of(++*iterations, m->iterations, decrease, least);
    if (m->frame) gg_call_require(call, !m->frame(*iterations, m->frame_data));
  }
  gg_free(s.order);
  gg_free(s.moved);
  gg_free(s.stress);
  gg_free(s.pivot);
  return call->status;
}

/* --- Stress ----------------------------------------------------------------------------------- */

/* Sums over blocks of vertices, whose size depends on the graph only. */
typedef struct summing {
  const gg_majorization *m;
  int64_t block;
  gg_stress_sums sums[SUM_BLOCKS];
} summing;

/* Adds the ratio of distances of a vertex and a pivot. */
static void add_ratio(const gg_majorization *m, int64_t v, int64_t p, gg_stress_sums *sums) {
  const double g = (double)m->pivots->distance[v * m->pivots->count + p];
  const double *x = m->positions + v * m->dim;
  const double *y = m->positions + (int64_t)m->pivots->vertex[p] * m->dim;
  double square = 0;
  for (int k = 0; k < m->dim; ++k)
    square += (x[k] - y[k]) * (x[k] - y[k]);
  if (!(g > 0)) return;
  const double ratio = sqrt(square) / g;
  gg_stress_add(sums, &(gg_stress_sums){ratio, ratio * ratio, 1});
}

/* Adds up the ratios of a range of blocks. */
static void sum_blocks(void *job, gg_range range) {
  summing *s = job;
  const gg_pivots *pivots = s->m->pivots;
  for (int64_t b = range.first; b < range.last; ++b)
    for (int64_t v = b * s->block; v < (b + 1) * s->block && v < pivots->vertices; ++v)
      for (int64_t p = 0; p < pivots->count; ++p)
        add_ratio(s->m, v, p, &s->sums[b]);
}

gpugeo_status gg_majorized_sums(const gg_majorization *m, gg_call *call, gg_stress_sums *sums) {
  summing s = {.m = m, .block = m->pivots->vertices / SUM_BLOCKS + 1};
  gg_call_loop(call, (gg_loop){.threads = m->threads,
                               .count = SUM_BLOCKS,
                               .grain = 1,
                               .work = sum_blocks,
                               .job = &s,
                               .begun = 1});
  *sums = (gg_stress_sums){0, 0, 0};
  for (int b = 0; b < SUM_BLOCKS; ++b)
    gg_stress_add(sums, &s.sums[b]);
  return call->status;
}

double gg_majorization_bytes(int64_t vertices, int dim) {
  return (double)vertices * (sizeof(int32_t) + sizeof(double) + 2 * (double)dim * sizeof(double));
}
