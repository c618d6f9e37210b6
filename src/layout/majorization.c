/*
 * Localized stress majorization (Gansner, Koren and North 2005, "Graph drawing by stress
 * majorization"): vertex i moves to the mean of x_j + d_ij (x_i - x_j) / |x_i - x_j|, weighted by
 * the terms of the pairs. Its terms are those of pivots and, unless all vertices are pivots, of its
 * edges.
 *
 * Vertices are moved in GG_PIVOTS_GROUPS groups, one after the other, so that a vertex meets moved
 * neighbours; within a group all moves are computed from the same positions. So the result does not
 * depend on the threads.
 *
 * Cost: O(n (pivots + degree)) for an iteration; limit: square roots and divisions.
 */
#include "layout/majorization.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/constraints.h"

enum { SUM_BLOCKS = 64 };

/* The iterations end if stress decreases by less than a fraction in so many successive ones: with
   relaxation it may also increase. */
enum { STEADY_OF_ALL = 3 };
static const double least_decrease_of_all = 1e-6;

/* The state of the iterations. */
typedef struct moving {
  const gg_majorization *m;
  gg_add_terms *add_terms;
  int64_t present;   /* first block of the present group */
  double *moved;     /* new positions, by slots */
  double *stress;    /* of each slot before its move; 0 if it is empty */
  double *pivot;     /* positions of the pivots */
  double edge_scale; /* of lengths of edges */
} moving;

/* The sums over the terms of a vertex, see gg_terms. */
typedef struct pull {
  double to[GG_TERM_DIMS], weight, stress;
} pull;

/* Returns the sums over a block's terms with pivots. */
static gg_terms add_pivots(const moving *s, int64_t block) {
  const gg_majorization *m = s->m;
  const int64_t first = gg_pivots_at(m->pivots, block * GG_PIVOTS_LANES, 0);
  gg_terms terms = {.distance = m->pivots->distance + first,
                    .weight = m->pivots->weight + first,
                    .pivot = s->pivot,
                    .count = m->pivots->count};
  for (int i = 0; i < GG_PIVOTS_LANES; ++i) {
    const int64_t v = m->pivots->member[block * GG_PIVOTS_LANES + i];
    for (int k = 0; k < m->dim && v >= 0; ++k)
      terms.at[k][i] = m->positions[v * m->dim + k];
  }
  s->add_terms(&terms);
  return terms;
}

/* Adds the term of a vertex at x with one at y. */
static inline void add_term(const double *x, const double *y, double distance, double weight,
                            int dim, pull *sum) {
  double by[GG_TERM_DIMS], square = 0;
  for (int k = 0; k < dim; ++k) {
    by[k] = x[k] - y[k];
    square += by[k] * by[k];
  }
  const double present = sqrt(square > GG_STRESS_LEAST_SQUARE ? square : GG_STRESS_LEAST_SQUARE);
  const double missing = distance - present, force = weight * missing, factor = force / present;
  for (int k = 0; k < dim; ++k)
    sum->to[k] += factor * by[k];
  sum->weight += weight;
  sum->stress += force * missing;
}

/* Returns the distance of the ends of an edge. */
static double edge_distance(const moving *s, double length) {
  return fmax(length * s->edge_scale, (double)GG_PIVOTS_LEAST);
}

/* Adds the terms of a vertex's edges. */
static inline void add_edges(const moving *s, int64_t v, int dim, pull *sum) {
  const gg_layout_graph *csr = &s->m->graph->csr;
  const double *at = s->m->positions, *length = s->m->graph->length;
  double d = edge_distance(s, 1), weight = 1 / (d * d);
  for (int64_t e = csr->start[v]; e < csr->start[v + 1]; ++e) {
    if (length) d = edge_distance(s, length[e]);
    if (length) weight = 1 / (d * d);
    add_term(at + v * dim, at + (int64_t)csr->neighbor[e] * dim, d, weight, dim, sum);
  }
}

/* Returns a coordinate within the bounds. */
static double bounded(const gg_majorization *m, int64_t index, double value) {
  if (m->lower) value = fmax(value, m->lower[index]);
  if (m->upper) value = fmin(value, m->upper[index]);
  return value;
}

/* Fills the next position of a vertex that is not fixed, from the sums over its terms. */
static void find_next(const moving *s, int64_t v, const pull *sum, double *next) {
  const gg_majorization *m = s->m;
  for (int k = 0; k < m->dim; ++k) {
    const double x = m->positions[v * m->dim + k];
    double by = sum->weight > 0 ? sum->to[k] / sum->weight : 0;
    if (m->anchor) by += m->anchor_weight * (m->anchor[v * m->dim + k] - x - by);
    next[k] = bounded(m, v * m->dim + k, x + GG_STRESS_RELAXATION * by);
  }
  if (m->radius && !isnan(m->radius[v])) gg_layout_to_radius(next, 1, m->dim, m->radius[v]);
}

/* Returns what the iterations minimize, summed over the vertices: stress, in which each pair counts
   for both of its vertices, and with an anchor its weighted mean with the squared distance from it.
   */
static double objective(const gg_majorization *m, int64_t v, const pull *sum) {
  double square = 0;
  if (!m->anchor) return sum->stress;
  for (int64_t i = v * m->dim; i < (v + 1) * m->dim; ++i)
    square += (m->positions[i] - m->anchor[i]) * (m->positions[i] - m->anchor[i]);
  return (1 - m->anchor_weight) * sum->stress + 2 * m->anchor_weight * sum->weight * square;
}

/* Computes the next position of the vertex in a lane of a block. */
static void move_vertex(const moving *s, int64_t slot, const gg_terms *terms) {
  const gg_majorization *m = s->m;
  const int64_t v = m->pivots->member[slot], lane = slot % GG_PIVOTS_LANES;
  pull sum = {.weight = terms->weight_sum[lane], .stress = terms->stress[lane]};
  for (int k = 0; k < m->dim; ++k)
    sum.to[k] = terms->pull[k][lane];
  if (!m->pivots->all && m->dim == 2) add_edges(s, v, 2, &sum);
  if (!m->pivots->all && m->dim == 3) add_edges(s, v, 3, &sum);
  s->stress[slot] = objective(m, v, &sum);
  double *const next = s->moved + slot * m->dim;
  if (m->fixed && m->fixed[v])
    memcpy(next, m->positions + v * m->dim, (size_t)m->dim * sizeof *next);
  else
    find_next(s, v, &sum, next);
}

/* Computes the next positions of a range of blocks of the present group. */
static void move_blocks(void *job, gg_range range) {
  const moving *s = job;
  for (int64_t b = s->present + range.first; b < s->present + range.last; ++b) {
    const gg_terms terms = add_pivots(s, b);
    for (int64_t slot = b * GG_PIVOTS_LANES; slot < (b + 1) * GG_PIVOTS_LANES; ++slot)
      if (s->m->pivots->member[slot] >= 0) move_vertex(s, slot, &terms);
  }
}

/* Copies the positions of the pivots. */
static void copy_pivots(const moving *s) {
  const int dim = s->m->dim;
  for (int64_t p = 0; p < s->m->pivots->count; ++p)
    memcpy(s->pivot + p * dim, s->m->positions + (int64_t)s->m->pivots->vertex[p] * dim,
           (size_t)dim * sizeof(double));
}

/* Moves a slot's vertex to its next position. Returns the square of the move. */
static double finish_vertex(const moving *s, int64_t slot) {
  const int dim = s->m->dim;
  double square = 0, *at = s->m->positions + (int64_t)s->m->pivots->member[slot] * dim;
  for (int k = 0; k < dim; ++k) {
    const double by = s->moved[slot * dim + k] - at[k];
    square += by * by;
    at[k] = s->moved[slot * dim + k];
  }
  return square;
}

/* Moves the vertices of a group to their next positions. Returns the square of the longest move. */
static double finish_group(const moving *s, int g) {
  const gg_pivots *pivots = s->m->pivots;
  double longest = 0;
  for (int64_t slot = pivots->group[g]; slot < pivots->group[g + 1]; ++slot)
    if (pivots->member[slot] >= 0) longest = fmax(longest, finish_vertex(s, slot));
  copy_pivots(s);
  return longest;
}

/* Does one iteration. Returns the longest move; *stress is the sum over the vertices' terms. */
static double iterate(moving *s, double fraction, gg_call *call, double *stress) {
  double longest = 0;
  const int64_t *group = s->m->pivots->group;
  for (int g = 0; g < GG_PIVOTS_GROUPS && !call->status; ++g) {
    s->present = group[g] / GG_PIVOTS_LANES;
    gg_call_loop(call, (gg_loop){.threads = s->m->threads,
                                 .count = (group[g + 1] - group[g]) / GG_PIVOTS_LANES,
                                 .grain = 4,
                                 .work = move_blocks,
                                 .job = s,
                                 .begun = fraction});
    if (!call->status) longest = fmax(longest, finish_group(s, g));
  }
  *stress = 0;
  for (int64_t i = 0; i < s->m->pivots->slots && !call->status; ++i)
    *stress += s->stress[i];
  return sqrt(longest);
}

/* Allocates the state. */
static gpugeo_status begin(moving *s, gg_call *call) {
  const gg_majorization *m = s->m;
  const int64_t n = m->pivots->slots;
  const bool single = !m->pivots->all && m->pivots->least >= GG_TERM_LEAST_SINGLE;
  const gg_term_kernels *kernels = single ? GG_SIMD_CHOOSE(const gg_term_kernels, gg_terms_f32)
                                          : GG_SIMD_CHOOSE(const gg_term_kernels, gg_terms_f64);
  s->add_terms = m->dim == 2 ? kernels->plane : kernels->space;
  s->moved = gg_call_allocate(call, n * m->dim, sizeof *s->moved);
  s->stress = gg_call_allocate(call, n, sizeof *s->stress);
  s->pivot = gg_call_allocate(call, m->pivots->count * m->dim, sizeof *s->pivot);
  s->edge_scale = ldexp(1, -m->pivots->exponent);
  if (call->status) return call->status;
  memset(s->stress, 0, (size_t)n * sizeof *s->stress);
  copy_pivots(s);
  return GPUGEO_OK;
}

gpugeo_status gg_majorize(const gg_majorization *m, gg_call *call, int64_t *iterations,
                          bool *converged) {
  moving s = {.m = m};
  *iterations = 0;
  *converged = false;
  begin(&s, call);
  double before = INFINITY, fraction = 0;
  int steady = 0;
  while (!call->status && *iterations < m->iterations && !*converged) {
    double stress = 0;
    const double longest = iterate(&s, fraction, call, &stress);
    if (call->status) break;
    const double least =
        m->pivots->all ? least_decrease_of_all : GG_STRESS_LEAST_DECREASE(*iterations);
    const double decrease = isinf(before) ? 1 : (before - stress) / before;
    steady = decrease < least ? steady + 1 : 0;
    *converged =
        longest <= m->tolerance || steady == (m->pivots->all ? STEADY_OF_ALL : GG_STRESS_STEADY);
    before = stress;
    fraction = gg_stress_progress(++*iterations, m->iterations, decrease, least);
    if (m->frame) gg_call_require(call, !m->frame(*iterations, m->frame_data));
  }
  gg_free(s.moved);
  gg_free(s.stress);
  gg_free(s.pivot);
  return call->status;
}

/* --- Stress ----------------------------------------------------------------------------------- */

/* Sums over blocks of slots, whose size depends on the graph only. */
typedef struct summing {
  const gg_majorization *m;
  int64_t block;
  gg_stress_sums sums[SUM_BLOCKS];
} summing;

/* Adds the ratio of distances of a slot's vertex and a pivot. */
static void add_ratio(const gg_majorization *m, int64_t slot, int64_t p, gg_stress_sums *sums) {
  const double g = (double)m->pivots->distance[gg_pivots_at(m->pivots, slot, p)];
  if (!(g > 0)) return;
  const double *x = m->positions + (int64_t)m->pivots->member[slot] * m->dim;
  const double *y = m->positions + (int64_t)m->pivots->vertex[p] * m->dim;
  double square = 0;
  for (int k = 0; k < m->dim; ++k)
    square += (x[k] - y[k]) * (x[k] - y[k]);
  const double ratio = sqrt(square) / g;
  gg_stress_add(sums, &(gg_stress_sums){ratio, ratio * ratio, 1});
}

/* Adds up the ratios of a range of blocks. */
static void sum_blocks(void *job, gg_range range) {
  summing *s = job;
  const gg_pivots *pivots = s->m->pivots;
  for (int64_t b = range.first; b < range.last; ++b)
    for (int64_t i = b * s->block; i < (b + 1) * s->block && i < pivots->slots; ++i)
      for (int64_t p = 0; p < pivots->count; ++p)
        add_ratio(s->m, i, p, &s->sums[b]);
}

gpugeo_status gg_majorized_sums(const gg_majorization *m, gg_call *call, gg_stress_sums *sums) {
  summing s = {.m = m, .block = m->pivots->slots / SUM_BLOCKS + 1};
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
  const double slots = (double)vertices + GG_PIVOTS_GROUPS * (GG_PIVOTS_LANES - 1);
  return slots * (1 + 2 * (double)dim) * sizeof(double);
}
