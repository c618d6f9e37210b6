/* Indices of Euclidean points by the means of clusters, one coordinate after the other: two passes
   over the points. Points are added up in their order. */
#include <math.h>

#include "cluster/kmeans_steps.h"
#include "cluster/validity_job.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/sparse.h"

typedef struct centers {
  const gg_validity *v;
  int64_t p;
  double *value;   /* n: a coordinate of all points */
  double *center;  /* k by p: the means, one after the other */
  double *squares; /* n: of the distances from the mean */
  double *spread;  /* k: the mean distance from the mean */
  double *largest; /* k: the largest ratio of Davies and Bouldin */
} centers;

/* Reads a coordinate of all points. Fails if that of a point in a cluster is not finite. */
static gpugeo_status read_coordinate(const centers *c, int64_t j) {
  const gg_validity *v = c->v;
  const gpugeo_matrix *x = &v->source->x;
  const gpugeo_points points = v->source->options.points;
  if (x->sparse) gg_sparse_load(x, points, (gg_block){0, v->n, j, 1}, v->n, 1, c->value);
  for (int64_t i = 0; i < v->n; ++i) {
    if (!x->sparse) c->value[i] = gg_coordinate(x, points, i, j);
    if (isfinite(c->value[i]) || v->cluster[i] == v->k) continue;
    return GG_TRY(v->call, gg_fail_not_finite("x", i, j, c->value[i], v->call->error));
  }
  return gg_call_poll(v->call, 0) ? v->call->status : GPUGEO_OK;
}

/* Computes the mean of each cluster. */
static gpugeo_status add_means(const centers *c) {
  const gg_validity *v = c->v;
  for (int64_t j = 0; j < c->p; ++j) {
    if (read_coordinate(c, j)) return v->call->status;
    for (int64_t l = 0; l < v->k; ++l)
      c->center[l * c->p + j] = 0;
    for (int64_t i = 0; i < v->n; ++i)
      if (v->cluster[i] < v->k) c->center[v->cluster[i] * c->p + j] += c->value[i];
    for (int64_t l = 0; l < v->k; ++l)
      if (v->size[l] > 0) c->center[l * c->p + j] /= v->size[l];
  }
  return GPUGEO_OK;
}

/* Adds up the squared distances of points from the means of their clusters. */
static gpugeo_status add_squares(const centers *c) {
  const gg_validity *v = c->v;
  for (int64_t i = 0; i < v->n; ++i)
    c->squares[i] = 0;
  for (int64_t j = 0; j < c->p; ++j) {
    if (read_coordinate(c, j)) return v->call->status;
    for (int64_t i = 0; i < v->n; ++i) {
      if (v->cluster[i] == v->k) continue;
      const double d = c->value[i] - c->center[v->cluster[i] * c->p + j];
      c->squares[i] += d * d;
    }
  }
  return GPUGEO_OK;
}

/* Returns the sum of squared distances of the means from that of all points. */
static double sum_between(const centers *c) {
  const gg_validity *v = c->v;
  double sum = 0;
  for (int64_t j = 0; j < c->p; ++j) {
    double mean = 0;
    for (int64_t l = 0; l < v->k; ++l)
      if (v->size[l] > 0) mean += v->size[l] / (double)v->points * c->center[l * c->p + j];
    for (int64_t l = 0; l < v->k; ++l) {
      const double d = v->size[l] > 0 ? c->center[l * c->p + j] - mean : 0;
      sum += v->size[l] * (d * d);
    }
  }
  return sum;
}

/* Finds the largest ratio of each cluster; the loop's work. */
static void find_largest(void *own, gg_range range) {
  const centers *c = own;
  const gg_validity *v = c->v;
  for (int64_t l = range.first; l < range.last; ++l) {
    c->largest[l] = 0;
    for (int64_t o = 0; o < v->k && v->size[l] > 0; ++o) {
      if (o == l || v->size[o] == 0) continue;
      double apart = 0;
      for (int64_t j = 0; j < c->p; ++j) {
        const double d = c->center[l * c->p + j] - c->center[o * c->p + j];
        apart += d * d;
      }
      const double ratio = apart > 0 ? (c->spread[l] + c->spread[o]) / sqrt(apart) : INFINITY;
      if (ratio > c->largest[l]) c->largest[l] = ratio;
    }
  }
}

/* Sets the index of Davies and Bouldin. */
static gpugeo_status set_davies_bouldin(const centers *c) {
  const gg_validity *v = c->v;
  const gg_loop loop = {
      .threads = v->threads, .count = v->k, .grain = 1, .work = find_largest, .job = (void *)c};
  if (gg_call_loop(v->call, loop)) return v->call->status;
  double sum = 0;
  for (int64_t l = 0; l < v->k; ++l)
    sum += c->largest[l];
  v->result->davies_bouldin = sum / (double)v->clusters;
  return GPUGEO_OK;
}

/* Sets the sums of squares and the mean distances from the means. */
static void sum_clusters(const centers *c) {
  const gg_validity *v = c->v;
  double *within = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_WITHIN);
  for (int64_t l = 0; l < v->k; ++l) {
    c->spread[l] = 0;
    within[l] = v->size[l] > 0 ? 0 : NAN;
  }
  for (int64_t i = 0; i < v->n; ++i) {
    const int32_t l = v->cluster[i];
    if (l == v->k) continue;
    within[l] += c->squares[i];
    c->spread[l] += sqrt(c->squares[i]) / v->size[l];
  }
}

/* Sets the indices. */
static gpugeo_status set_indices(const centers *c) {
  const gg_validity *v = c->v;
  gpugeo_validity_result *result = v->result;
  const double *within = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_WITHIN);
  sum_clusters(c);
  result->within = 0;
  for (int64_t l = 0; l < v->k; ++l)
    if (v->size[l] > 0) result->within += within[l];
  if (v->clusters < 2) return GPUGEO_OK;
  if (v->options->calinski_harabasz)
    result->calinski_harabasz = sum_between(c) / (double)(v->clusters - 1) /
                                (result->within / (double)(v->points - v->clusters));
  return v->options->davies_bouldin ? set_davies_bouldin(c) : GPUGEO_OK;
}

gpugeo_status gg_validity_centers(gg_validity *v) {
  gg_call *call = v->call;
  centers c = {.v = v, .p = gg_point_size(&v->source->x, v->source->options.points)};
  c.value = gg_call_allocate(call, v->n, sizeof *c.value);
  c.squares = gg_call_allocate(call, v->n, sizeof *c.squares);
  c.center = gg_call_allocate(call, v->k * c.p, sizeof *c.center);
  c.spread = gg_call_allocate(call, v->k, sizeof *c.spread);
  c.largest = gg_call_allocate(call, v->k, sizeof *c.largest);
  if (!call->status && !add_means(&c) && !add_squares(&c)) set_indices(&c);
  gg_free(c.value);
  gg_free(c.squares);
  gg_free(c.center);
  gg_free(c.spread);
  gg_free(c.largest);
  return call->status;
}
