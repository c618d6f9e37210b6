#include "data.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"
#include "common/matrix.h"

/* xorshift64*, by Vigna. */
static uint64_t dice_bits(dice *d) {
  d->state ^= d->state >> 12;
  d->state ^= d->state << 25;
  d->state ^= d->state >> 27;
  return d->state * 2685821657736338717u;
}

int64_t dice_whole(dice *d, int64_t most) {
  return (int64_t)((dice_bits(d) >> 11) % (uint64_t)(most + 1));
}

double dice_real(dice *d) { return (double)(dice_bits(d) >> 11) * 0x1p-52 - 1; }

const char *data_name(data_kind kind) {
  static const char *const names[] = {"random",   "tied",  "counts",   "coincident",
                                      "constant", "near",  "huge",     "denormal",
                                      "missing",  "whole", "infinite", "endless"};
  return names[kind];
}

static double special(dice *d, bool missing) {
  const int64_t which = dice_whole(d, 7);
  if (which == 0) return INFINITY;
  if (which == 1) return -INFINITY;
  if (which == 2 && missing) return NAN;
  return (double)dice_whole(d, 4) - 1;
}

static double value(data_kind kind, dice *d, int64_t point) {
  switch (kind) {
  case DATA_TIED:
    return (double)dice_whole(d, 4) - 2;
  case DATA_COUNTS:
    return dice_whole(d, 2) ? 0 : (double)dice_whole(d, 5);
  case DATA_NEAR:
    return 1e9 + (double)dice_whole(d, 4095) / 1024;
  case DATA_HUGE:
    return ldexp((double)dice_whole(d, 40) - 20, 660);
  case DATA_DENORMAL:
    return (double)(dice_whole(d, 60) - 30) * 0x1p-1074;
  case DATA_MISSING:
    return point == 0 || dice_whole(d, 4) == 0 ? NAN : dice_real(d);
  case DATA_WHOLE:
    return dice_whole(d, 5) == 0 ? NAN : (double)dice_whole(d, 6) - 2;
  case DATA_INFINITE:
    return special(d, true);
  case DATA_ENDLESS:
    return special(d, false);
  default:
    return dice_real(d);
  }
}

double *data_points(data_kind kind, int64_t n, int64_t m, uint64_t seed) {
  dice d = {seed * 0x9e3779b97f4a7c15u + 1};
  double *points = malloc((size_t)(n * m) * sizeof *points + 1);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < m; ++k) {
      double *to = &points[i * m + k];
      *to = value(kind, &d, i);
      if (kind == DATA_COINCIDENT && i >= 3) *to = points[i % 3 * m + k];
      if (kind == DATA_CONSTANT && i % 2 == 1) *to = points[i * m];
    }
  return points;
}

int data_fits(data_kind kind, gpugeo_type type) {
  if (type != GPUGEO_TYPE_INT32) return 1;
  return kind == DATA_TIED || kind == DATA_COUNTS || kind == DATA_WHOLE;
}

static void store(gpugeo_matrix *x, void *data, int64_t at, double v) {
  if (x->type == GPUGEO_TYPE_INT32)
    ((int32_t *)data)[at] = isnan(v) ? INT32_MIN : (int32_t)v;
  else if (x->type == GPUGEO_TYPE_FLOAT)
    ((float *)data)[at] = (float)v;
  else
    ((double *)data)[at] = v;
}

gpugeo_matrix data_matrix(const double *points, int64_t n, int64_t m, gpugeo_type type,
                          gpugeo_points orientation, int64_t extra) {
  const bool rows = orientation == GPUGEO_POINTS_ROWS;
  gpugeo_matrix x = {NULL, type, rows ? n : m, rows ? m : n, 0, NULL};
  x.ld = x.nrow + extra;
  const int64_t last = x.ncol ? (x.ncol - 1) * x.ld + x.nrow : 0;
  void *data = malloc((size_t)last * (type == GPUGEO_TYPE_DOUBLE ? 8 : 4) + (last ? 0 : 1));
  for (int64_t at = 0; at < last; ++at)
    store(&x, data, at, NAN);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < m; ++k)
      store(&x, data, rows ? i + k * x.ld : k + i * x.ld, points[i * m + k]);
  x.data = data;
  return x;
}

void data_round(double *points, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    points[i] = (float)points[i];
}

static void set_number(void *numbers, int32_t bytes, int64_t at, int64_t number) {
  if (bytes == 4)
    ((int32_t *)numbers)[at] = (int32_t)number;
  else
    ((int64_t *)numbers)[at] = number;
}

void data_sparse_make(const gpugeo_matrix *dense, int by_rows, int32_t index_bytes, int64_t zeros,
                      data_sparse *made) {
  const int64_t slices = by_rows ? dense->nrow : dense->ncol;
  const int64_t length = by_rows ? dense->ncol : dense->nrow;
  const size_t all = (size_t)(slices * length + 1);
  made->data = malloc(all * sizeof(double));
  made->start = malloc((size_t)(slices + 1) * 8);
  made->index = malloc(all * 8);
  int64_t stored = 0, seen = 0;
  made->matrix = *dense;
  set_number(made->start, index_bytes, 0, 0);
  for (int64_t s = 0; s < slices; ++s) {
    for (int64_t i = 0; i < length; ++i) {
      const int64_t row = by_rows ? s : i, column = by_rows ? i : s;
      const double value = gg_element(dense, row, column);
      if (value == 0 && !signbit(value) && !(zeros && ++seen % zeros == 0)) continue;
      set_number(made->index, index_bytes, stored, i);
      store(&made->matrix, made->data, stored++, value);
    }
    set_number(made->start, index_bytes, s + 1, stored);
  }
  made->sparse = (gpugeo_sparse){made->start, made->index, index_bytes, by_rows, stored};
  made->matrix.data = made->data;
  made->matrix.sparse = &made->sparse;
}

void data_sparse_free(data_sparse *made) {
  free(made->start);
  free(made->index);
  free(made->data);
}

double *data_condensed(const char *name, const gpugeo_matrix *x,
                       const gpugeo_metric_options *metric, gpugeo_points points) {
  const int64_t n = points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  double *condensed = malloc((size_t)(n * n / 2 + 1) * sizeof *condensed);
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = *metric;
  dist.points = points;
  dist.run.backend = GPUGEO_BACKEND_CPU;
  gpugeo_error error;
  CHECK(!gpugeo_dist(x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, &error), "%s: %s", name,
        error.message);
  return condensed;
}
