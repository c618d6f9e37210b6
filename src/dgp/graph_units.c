/* The edges of a graph in units: those between the same vertices are joined, then a unit is chosen
   in which sums of bounds are exact. */
#include "dgp/graph_units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

/* Compares edges by their vertices for qsort(). */
static int compare_edges(const void *left, const void *right) {
  const gpugeo_dgp_edge *a = left, *b = right;
  if (a->u != b->u) return a->u < b->u ? -1 : 1;
  return a->v < b->v ? -1 : a->v > b->v;
}

void gg_graph_merge_edges(gg_graph_job *job, const gpugeo_dgp_edge *edges, int64_t count) {
  gpugeo_dgp_edge *merged = job->merged;
  for (int64_t i = 0; i < count; ++i) {
    merged[i] = edges[i];
    if (edges[i].u > edges[i].v) {
      merged[i].u = edges[i].v;
      merged[i].v = edges[i].u;
    }
  }
  qsort(merged, (size_t)count, sizeof *merged, compare_edges);
  job->count = 0;
  for (int64_t i = 0; i < count; ++i) {
    gpugeo_dgp_edge *last = &merged[job->count - 1];
    if (job->count > 0 && compare_edges(last, &merged[i]) == 0) {
      if (merged[i].lower > last->lower) last->lower = merged[i].lower;
      if (merged[i].upper < last->upper) last->upper = merged[i].upper;
    } else {
      merged[job->count++] = merged[i];
    }
  }
}

/* Returns a value in units, rounded up or down if it is not a whole number of them. */
static gg_units in_units(double value, int exponent, bool up) {
  int power;
  const double fraction = frexp(value, &power);
  const gg_units digits = (gg_units)(int64_t)ldexp(fraction, 53);
  const int shift = power - 53 - exponent;
  if (digits == 0) return 0;
  if (shift >= 0) return digits << shift;
  if (shift < -60) return up && digits > 0 ? 1 : 0;
  const gg_units floor = digits >> -shift;
  return floor + (up && floor << -shift != digits);
}

/* Returns the exponent of a unit in which the sum of all distances, each at most the cap, and all
   tolerances stays below 2^120: differences, doubles and sums of two then have room. */
static int unit_exponent(const gg_graph_job *job) {
  const double tol = ldexp(job->options->tol, -64); /* scaled, so the sum can't overflow */
  const int least = -1074;
  double sum = tol;
  int total;
  for (int64_t i = 0; i < job->count; ++i) {
    const gpugeo_dgp_edge *e = &job->merged[i];
    sum += ldexp(fmin(e->upper, job->cap), -64) + ldexp(fmin(e->lower, job->cap), -64) + tol;
  }
  frexp(sum, &total);
  const int largest = total + 64 + 1 - 120;
  return sum > 0 && largest > least ? largest : least;
}

bool gg_graph_is_whole(double value, int exponent) {
  return in_units(value, exponent, true) == in_units(value, exponent, false);
}

/* True if a unit is so far below the tolerance, 2^-30 of it, that bounds and tolerance may be
   rounded to units. */
static bool may_round(const gg_graph_job *job) {
  return ldexp(1, job->exponent + 30) <= job->options->tol;
}

/* True if the tolerances of all edges together are less than a unit. Where bounds are whole units
   they then make no difference. */
static bool tol_is_nothing(const gg_graph_job *job) {
  return ldexp(job->options->tol, -64) * (double)(job->count + 1) < ldexp(1, job->exponent - 64);
}

bool gg_graph_tol_is_held(const gg_graph_job *job) {
  return may_round(job) || gg_graph_is_whole(job->options->tol, job->exponent) ||
         tol_is_nothing(job);
}

bool gg_graph_is_held(const gg_graph_job *job, int64_t e) {
  const gpugeo_dgp_edge *edge = &job->merged[e];
  return may_round(job) || (gg_graph_is_whole(fmin(edge->lower, job->cap), job->exponent) &&
                            gg_graph_is_whole(fmin(edge->upper, job->cap), job->exponent));
}

/* True if all bounds are whole numbers of units, or may be rounded. */
static bool all_whole(const gg_graph_job *job) {
  for (int64_t e = 0; e < job->count; ++e)
    if (!gg_graph_is_held(job, e)) return false;
  return true;
}

/* Compares edges by their upper bounds for qsort(). */
static int compare_uppers(const void *left, const void *right) {
  const gpugeo_dgp_edge *a = left, *b = right;
  return a->upper < b->upper ? -1 : a->upper > b->upper;
}

/* Returns the root of a vertex, and shortens the path to it. */
static int64_t root_of(int64_t *parent, int64_t v) {
  while (parent[v] != v)
    v = parent[v] = parent[parent[v]];
  return v;
}

/* Sums the upper bounds, with tolerances, of a minimum spanning forest of edges sorted by upper
   bound (Kruskal). parent: scratch for each vertex. */
static double forest_sum(const gg_graph_job *job, const gpugeo_dgp_edge *sorted, int64_t *parent) {
  double sum = 2 * job->options->tol;
  for (int64_t v = 0; v < job->vertices; ++v)
    parent[v] = v;
  for (int64_t i = 0; i < job->count; ++i) {
    const int64_t u = root_of(parent, sorted[i].u), v = root_of(parent, sorted[i].v);
    if (u == v) continue;
    parent[u] = v;
    sum += sorted[i].upper + job->options->tol;
  }
  return sum;
}

/*
 * Finds a power of two that is more than the distance of any two vertices can be: two vertices of
 * an edge outside a minimum spanning forest are also joined by edges of the forest, each at most as
 * long. Larger bounds of such an edge can be lowered to it, and no realization changes. Edges of
 * the forest are shorter than it.
 */
static gpugeo_status find_cap(const gg_graph_job *job, double *cap) {
  gpugeo_dgp_edge *sorted = gg_allocate(job->count, sizeof *sorted);
  int64_t *parent = gg_allocate(job->vertices, sizeof *parent);
  const bool there = sorted && parent;
  *cap = 1;
  if (there) {
    memcpy(sorted, job->merged, (size_t)job->count * sizeof *sorted);
    qsort(sorted, (size_t)job->count, sizeof *sorted, compare_uppers);
    const double sum = forest_sum(job, sorted, parent);
    int power;
    frexp(sum, &power);
    if (sum > 0) *cap = isinf(sum) ? INFINITY : ldexp(1, power + 1);
  }
  gg_free(sorted);
  gg_free(parent);
  const int64_t bytes = job->count * (int64_t)sizeof *sorted + 8 * job->vertices;
  return GG_TRY(job->call, there ? GPUGEO_OK : gg_fail_memory(job->call->error, bytes));
}

/* Chooses the unit. Bounds are lowered to a cap only where sums would not be exact otherwise. */
static gpugeo_status choose_exponent(gg_graph_job *job) {
  job->cap = INFINITY;
  job->exponent = unit_exponent(job);
  if (all_whole(job)) return GPUGEO_OK;
  if (!find_cap(job, &job->cap)) job->exponent = unit_exponent(job);
  return job->call->status;
}

gpugeo_status gg_graph_choose_units(gg_graph_job *job) {
  if (choose_exponent(job)) return job->call->status;
  const gg_units tolerance = in_units(job->options->tol, job->exponent, may_round(job));
  for (int64_t i = 0; i < job->count; ++i) {
    const gpugeo_dgp_edge *e = &job->merged[i];
    job->ends[i] = (gg_ends){e->u, e->v};
    job->edges[i] = (gg_block_edge){
        .u = e->u,
        .v = e->v,
        .least = in_units(fmin(e->lower, job->cap), job->exponent, false) - tolerance,
        .most = in_units(fmin(e->upper, job->cap), job->exponent, true) + tolerance,
        .distance = e->upper,
        .flat = e->lower == 0 && e->upper == 0,
    };
  }
  return GPUGEO_OK;
}
