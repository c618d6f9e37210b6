/*
 * Density-based clustering validation (Moulavi, Jaskowiak, Campello, Zimek and Sander 2014,
 * doi:10.1137/1.9781611973440.96). For a point o of a cluster of n points in a space of m
 * dimensions, whose distances from the others are d_1 ... d_(n - 1):
 *
 *   core distance       a(o) = (sum over i of (1 / d_i)^m / (n - 1))^(-1/m)
 *   mutual reachability r(o, p) = max(a(o), a(p), d(o, p))
 *
 * Of the minimum spanning tree of a cluster by r, inner points have two edges or more, and inner
 * edges are between two of them:
 *
 *   sparseness S(c)     the largest inner edge
 *   separation D(c, e)  the smallest r between inner points of c and of e
 *   validity   V(c) = (min over e of D(c, e) - S(c)) / max(min over e of D(c, e), S(c))
 *
 * DBCV is the sum of V(c) n_c / n, where n also counts noise. What the paper leaves open: a cluster
 * without an inner point takes all points, one without an inner edge takes all edges; a cluster of
 * one point is noise; and edges of equal weight come by distance and their numbers (forest.h).
 *
 * Both passes here compute all distances again, instead of storing them.
 */
#include <math.h>
#include <string.h>

typedef double real;
#include "common/vector.h"

#include "distance/power.h"

#include "cluster/forest.h"
#include "cluster/silhouette_sums.h"
#include "cluster/validity_job.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

enum { GROUP = 64 /* points of a block at most */ };

typedef struct density {
  gg_validity *v;
  double *core;         /* n: core distances */
  unsigned char *inner; /* n */
  double *sparseness;   /* k */
  double *separation;   /* n: the smallest reachability from an inner point to another cluster */
  int64_t reduce_at;    /* edges */
  gg_lock lock;
  /* Under the lock: */
  gg_forest forest;
  double *limit;  /* n: an edge of a cluster that is longer than the limits of both is in no tree */
  int32_t *trees; /* k: of the edges in the forest so far */
  gg_call call;   /* a copy of the call, with the first error of the threads */
} density;

/* True if a point is in a cluster of two points or more. */
static bool counts(const density *d, int64_t i) {
  return d->v->cluster[i] < d->v->k && d->v->size[d->v->cluster[i]] > 1;
}

/* Sets the core distances. */
static void set_core_distances(const density *d) {
  const gg_validity *v = d->v;
  for (int64_t i = 0; i < v->n; ++i) {
    const gg_point_sums *s = v->sums + i;
    d->core[i] = 0;
    if (counts(d, i) && s->least > 0)
      d->core[i] = s->least / v_pow(s->density / (v->size[v->cluster[i]] - 1), 1 / v->dimensions);
  }
}

/* --- The trees of clusters -------------------------------------------------------------------- */

/* Reduces the forest, and sets the limits of clusters with one tree: the largest weight on the way
   to its root, which is the last. */
static void reduce_forest(density *d) {
  const gg_validity *v = d->v;
  const gg_forest *forest = &d->forest;
  if (gg_forest_reduce(&d->forest, &d->call)) return;
  memset(d->trees, 0, (size_t)v->k * sizeof *d->trees);
  for (int64_t i = 0; i < v->n; ++i)
    if (counts(d, i) && forest->link[i] == i) ++d->trees[v->cluster[i]];
  for (int64_t i = 0; i < v->n; ++i) {
    if (!counts(d, i) || d->trees[v->cluster[i]] > 1) continue;
    d->limit[i] = -INFINITY;
    for (int32_t at = (int32_t)i; forest->link[at] != at; at = forest->link[at])
      d->limit[i] = forest->link_weight[at];
  }
}

/* Adds edges to the forest, and reduces it if it has grown enough. */
static void add_edges(density *d, const gg_edge *edge, int64_t count) {
  gg_lock_take(&d->lock);
  for (int64_t e = 0; e < count && !d->call.status; ++e)
    if (!gg_forest_add(&d->forest, edge[e]))
      d->call.status = gg_fail_memory(d->call.error, (int64_t)sizeof *edge * d->forest.count);
  if (!d->call.status && d->forest.count > d->reduce_at) reduce_forest(d);
  gg_lock_give(&d->lock);
}

/* Copies the limits of the points of a block. */
static void copy_limits(density *d, int64_t first, int64_t count, double *limit) {
  gg_lock_take(&d->lock);
  memcpy(limit, d->limit + first, (size_t)count * sizeof *limit);
  gg_lock_give(&d->lock);
}

/* Takes the edges within clusters that may be in their trees. Each pair is taken once. */
static void visit_edges(void *own, const gg_distance_block *block) {
  density *d = own;
  const int32_t *cluster = d->v->cluster;
  double limit[GROUP];
  gg_edge edge[GROUP];
  if (block->first + block->count <= block->other) return;
  copy_limits(d, block->first, block->count, limit);
  for (int64_t k = 0; k < block->others; ++k) {
    const int64_t other = block->other + k;
    int64_t found = 0;
    double limit_other = -INFINITY;
    for (int64_t r = 0; r < block->count && counts(d, other); ++r) {
      const int64_t i = block->first + r;
      if (i <= other || cluster[i] != cluster[other]) continue;
      if (limit_other == -INFINITY) copy_limits(d, other, 1, &limit_other);
      const double distance = block->value[r * block->point_step + k * block->other_step];
      const double weight = gg_mutual_reachability(distance, d->core[i], d->core[other]);
      if (weight <= limit[r] || weight <= limit_other)
        edge[found++] = gg_edge_between(distance, (int32_t)other, (int32_t)i);
    }
    if (found > 0) add_edges(d, edge, found);
  }
}

/* Takes an edge for the sparseness of its cluster. */
static void take_edge(const density *d, gg_edge edge) {
  const double weight = gg_edge_weight(edge, d->core);
  double *sparseness = d->sparseness + d->v->cluster[edge.i];
  if (!(*sparseness >= weight)) *sparseness = weight;
}

/* Marks the inner points: those with two edges. A tree of two points has none; then all are. */
static void mark_inner(const density *d) {
  const gg_validity *v = d->v;
  unsigned char *inner = d->inner;
  memset(inner, 0, (size_t)v->n);
  for (int64_t e = 0; e < d->forest.count; ++e) {
    const gg_edge edge = d->forest.edge[e];
    inner[edge.i] += inner[edge.i] < 2;
    inner[edge.j] += inner[edge.j] < 2;
  }
  for (int64_t i = 0; i < v->n; ++i)
    inner[i] = inner[i] == 2 || (counts(d, i) && v->size[v->cluster[i]] == 2);
}

/* Finds the sparseness of each cluster: by inner edges, or by all if there are none. */
static void find_sparseness(const density *d) {
  const gg_validity *v = d->v;
  const gg_edge *edge = d->forest.edge;
  for (int64_t c = 0; c < v->k; ++c)
    d->sparseness[c] = NAN;
  for (int64_t e = 0; e < d->forest.count; ++e)
    if (d->inner[edge[e].i] && d->inner[edge[e].j]) take_edge(d, edge[e]);
  for (int64_t e = d->forest.count - 1; e >= 0; --e) /* the largest first */
    if (isnan(d->sparseness[v->cluster[edge[e].i]])) take_edge(d, edge[e]);
}

/* --- Separation ------------------------------------------------------------------------------- */

/* Takes the reachability between inner points of different clusters. */
static void visit_separation(void *own, const gg_distance_block *block) {
  const density *d = own;
  const int32_t *cluster = d->v->cluster;
  for (int64_t k = 0; k < block->others; ++k) {
    const int64_t other = block->other + k;
    for (int64_t r = 0; r < block->count && d->inner[other]; ++r) {
      const int64_t i = block->first + r;
      if (!d->inner[i] || cluster[i] == cluster[other]) continue;
      const double distance = block->value[r * block->point_step + k * block->other_step];
      const double reach = gg_mutual_reachability(distance, d->core[i], d->core[other]);
      if (reach < d->separation[i]) d->separation[i] = reach;
    }
  }
}

/* Sets the validity of each cluster and DBCV. */
static void set_validity(const density *d) {
  const gg_validity *v = d->v;
  double *validity = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_DBCV), sum = 0;
  for (int64_t c = 0; c < v->k; ++c)
    validity[c] = v->size[c] > 1 ? INFINITY : NAN;
  for (int64_t i = 0; i < v->n; ++i)
    if (d->inner[i] && d->separation[i] < validity[v->cluster[i]])
      validity[v->cluster[i]] = d->separation[i];
  for (int64_t c = 0; c < v->k; ++c) {
    if (v->size[c] < 2) continue;
    const double apart = validity[c], sparse = d->sparseness[c];
    validity[c] = apart == sparse ? 0 : (apart - sparse) / (apart > sparse ? apart : sparse);
    sum += validity[c] * v->size[c] / (double)v->n;
  }
  v->result->dbcv = sum;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Gives all distances to a visitor. */
static gpugeo_status visit_distances(density *d, gg_pair_visit *visit, double done, double share) {
  const gg_validity *v = d->v;
  const gpugeo_run *run = v->call->run;
  const gg_silhouette_plan plan = {.source = v->source,
                                   .name = "x",
                                   .cluster = v->cluster,
                                   .clusters = v->k + 1,
                                   .has_noise = true,
                                   .threads = v->threads,
                                   .work_bytes = run->work_bytes ? run->work_bytes : GG_WORK_BYTES,
                                   .visit = visit,
                                   .visitor = d};
  return gg_silhouette_compute(&plan, done, share, v->call);
}

/* Finds the trees of all clusters. */
static gpugeo_status find_trees(density *d, double done, double share) {
  gg_validity *v = d->v;
  d->reduce_at = 3 * v->n + 16384;
  GG_TRY(v->call, gg_forest_make(v->n, d->core, d->reduce_at + GROUP, v->threads, &d->forest,
                                 v->call->error));
  if (v->call->status) return v->call->status;
  d->call = *v->call;
  for (int64_t i = 0; i < v->n; ++i)
    d->limit[i] = INFINITY;
  gg_lock_make(&d->lock);
  visit_distances(d, visit_edges, done, share);
  gg_lock_free(&d->lock);
  GG_TRY(v->call, d->call.status);
  return v->call->status ? v->call->status : gg_forest_reduce(&d->forest, v->call);
}

/* Computes the index in memory that is there. */
static gpugeo_status compute_density(density *d, double done, double share) {
  gg_validity *v = d->v;
  set_core_distances(d);
  if (find_trees(d, done, share / 2)) return v->call->status;
  mark_inner(d);
  find_sparseness(d);
  for (int64_t i = 0; i < v->n; ++i)
    d->separation[i] = INFINITY;
  if (visit_distances(d, visit_separation, done + share / 2, share / 2)) return v->call->status;
  set_validity(d);
  return GPUGEO_OK;
}

gpugeo_status gg_validity_density(gg_validity *v, double done, double share) {
  gg_call *call = v->call;
  int64_t valid = 0;
  for (int64_t c = 0; c < v->k; ++c)
    valid += v->size[c] > 1;
  if (call->status || valid < 2) return call->status;
  density d = {.v = v};
  d.core = gg_call_allocate(call, v->n, sizeof *d.core);
  d.inner = gg_call_allocate(call, v->n, 1);
  d.sparseness = gg_call_allocate(call, v->k, sizeof *d.sparseness);
  d.separation = gg_call_allocate(call, v->n, sizeof *d.separation);
  d.limit = gg_call_allocate(call, v->n, sizeof *d.limit);
  d.trees = gg_call_allocate(call, v->k, sizeof *d.trees);
  if (!call->status) compute_density(&d, done, share);
  gg_forest_free(&d.forest);
  gg_free(d.core);
  gg_free(d.inner);
  gg_free(d.sparseness);
  gg_free(d.separation);
  gg_free(d.limit);
  gg_free(d.trees);
  return call->status;
}
