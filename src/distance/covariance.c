#include "distance/covariance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/plan.h"
#include "distance/pseudoinverse.h"
#include "distance/whitening.h"

/* Computes mean and standard deviation of coordinate k over the points that have it, and returns
   their number. Both are computed from the differences to the first of them, so values far
   from 0 keep their digits. */
static int64_t moments(const gpugeo_matrix *x, gpugeo_points points, int64_t k, double *mean,
                       double *deviation) {
  const int64_t n = gg_point_count(x, points);
  int64_t count = 0;
  double first = 0, sum = 0, rest = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(x, points, i, k);
    if (isnan(v)) continue;
    if (count++ == 0) first = v;
    sum += v - first;
  }
  double centre = sum / (double)count;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(x, points, i, k);
    if (!isnan(v)) rest += (v - first) - centre;
  }
  centre += rest / (double)count;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(x, points, i, k), d = (v - first) - centre;
    if (!isnan(v)) squares += d * d;
  }
  *mean = first + centre;
  *deviation = sqrt(squares / (double)(count - 1));
  return count;
}

/* A loop over coordinates. */
typedef struct deviation_loop {
  const gpugeo_matrix *x;
  gpugeo_points points;
  double *deviation;
  double *count; /* points that have each coordinate */
} deviation_loop;

/* Computes the standard deviations of a range of columns. */
static void take_deviations(void *job, gg_range range) {
  const deviation_loop *loop = job;
  for (int64_t k = range.first; k < range.last; ++k) {
    double mean;
    loop->count[k] = (double)moments(loop->x, loop->points, k, &mean, &loop->deviation[k]);
  }
}

/* Checks the standard deviation of a coordinate, counted from 0, of so many values. */
static gpugeo_status check_deviation(int64_t coordinate, double count, int64_t singular,
                                     double *deviation, gpugeo_error *error) {
  if (count < 2)
    return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                   "scale must be given: column %lld of x has %.0f values, too few for a "
                   "standard deviation",
                   (long long)coordinate + 1, count);
  if (*deviation == 0 && singular != GPUGEO_SINGULAR_ERROR)
    *deviation = INFINITY;
  else if (!(*deviation > 0 && *deviation <= DBL_MAX))
    return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                   "scale must be given: column %lld of x has standard deviation %s, and it must "
                   "be positive and finite",
                   (long long)coordinate + 1, gg_number(*deviation).text);
  return GPUGEO_OK;
}

gpugeo_status gg_check_deviations(const double *count, int64_t m, int64_t first, int64_t singular,
                                  double *deviation, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  for (int64_t k = 0; !status && k < m; ++k)
    status = check_deviation(first + k, count[k], singular, &deviation[k], error);
  return status;
}

gpugeo_status gg_deviations(const gpugeo_matrix *x, gpugeo_points points, int64_t first,
                            int64_t singular, int32_t threads, double *deviation, gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = gg_point_size(x, points), run = 1 << 16; /* values that a thread takes */
  deviation_loop loop = {x, points, deviation, gg_allocate(m, sizeof *loop.count)};
  if (!loop.count)
    return GG_TRY(call, gg_fail_memory(call->error, m * (int64_t)sizeof *loop.count));
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = m,
                               .grain = 1 + run / (gg_point_count(x, points) + 1),
                               .work = take_deviations,
                               .job = &loop});
  GG_TRY(call, gg_check_deviations(loop.count, m, first, singular, deviation, call->error));
  gg_free(loop.count);
  return call->status;
}

/* --- covariance ------------------------------------------------------------------------------- */

/* Points without a missing coordinate, a panel at a time, and the sums over them. The number of
   points of a panel depends neither on the memory nor on the source, so the sums of
   products are the same bits. */
typedef struct complete_points {
  const gg_point_source *x;
  const gpugeo_run *run;
  gg_call *call;
  int64_t m, block;            /* coordinates; points read together */
  double *room;                /* for a block */
  double *panel;               /* most by m */
  int64_t most, count, before; /* points of a panel, in this one, in those before */
  /* Of each coordinate: values are taken as differences from the first one, so those far from
     0 keep their digits; their sum; their mean; the root of the sum of squares around it. */
  double *first, *sum, *centre, *length;
  double *products, *covariance; /* m by m; of this panel, of all */
} complete_points;

typedef void (*panel_taker)(complete_points *points);

/* Adds a panel's deviations from the centre to the sums of the columns. */
static void take_sums(complete_points *p) {
  for (int64_t k = 0; k < p->m; ++k) {
    const double *value = p->panel + k * p->most;
    if (p->before == 0) p->first[k] = value[0];
    const double first = p->first[k], centre = p->centre[k];
    double sum = p->sum[k];
    for (int64_t i = 0; i < p->count; ++i)
      sum += (value[i] - first) - centre;
    p->sum[k] = sum;
  }
}

/* Adds the squares of a panel's deviations from the centre to the sums of the columns. */
static void take_squares(complete_points *p) {
  for (int64_t k = 0; k < p->m; ++k) {
    const double *value = p->panel + k * p->most, first = p->first[k], centre = p->centre[k];
    double sum = p->sum[k];
    for (int64_t i = 0; i < p->count; ++i) {
      const double d = (value[i] - first) - centre;
      sum += d * d;
    }
    p->sum[k] = sum;
  }
}

/* Computes products by the kernels, of coordinates scaled to length 1 over all points, as the
   kernels require. */
static void take_products(complete_points *p) {
  for (int64_t k = 0; k < p->m; ++k) {
    double *value = p->panel + k * p->most;
    const double first = p->first[k], centre = p->centre[k], length = p->length[k];
    for (int64_t i = 0; i < p->count; ++i)
      value[i] = length == 0 ? 0 : ((value[i] - first) - centre) / length;
  }
  const gpugeo_matrix view = {p->panel, GPUGEO_TYPE_DOUBLE, p->count, p->m, p->most, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.shape = GPUGEO_SHAPE_FULL;
  options.run.threads = p->run->threads;
  options.run.work_bytes = p->run->work_bytes;
  gg_dist_plan plan = gg_dist_plan_make(&view, NULL, &options, GG_FINISH_SIMILARITY);
  plan.step = GG_STEP_product;
  plan.prepare = GG_PREPARE_NOTHING;
  plan.type = GPUGEO_TYPE_DOUBLE;
  plan.out = p->products;
  gg_host_backend()->dist(&plan, p->call);
  for (int64_t e = 0; !p->call->status && e < p->m * p->m; ++e)
    p->covariance[e] += p->products[e];
}

/* Passes the panel to `take`, unless it is empty, and begins the next. */
static gpugeo_status finish_panel(complete_points *p, panel_taker take) {
  if (p->count > 0 && p->m > 0) take(p);
  p->before += p->count;
  p->count = 0;
  gg_call_poll(p->call, 0);
  return p->call->status;
}

/* Passes all points to `take`, a panel at a time. */
static gpugeo_status each_panel(complete_points *p, panel_taker take) {
  gg_call *call = p->call;
  const int64_t n = gg_point_source_count(p->x), m = p->m;
  p->before = p->count = 0;
  for (int64_t i = 0; !call->status && i < n; i += p->block) {
    const gg_block block = {i, p->block < n - i ? p->block : n - i, 0, m};
    gpugeo_matrix view;
    GG_TRY(call, gg_point_source_block(p->x, block, p->room, &view, call->error));
    for (int64_t j = 0; !call->status && j < block.points; ++j) {
      int64_t k = 0;
      for (; k < m; ++k) {
        const double v = gg_coordinate(&view, p->x->points, j, k);
        if (isnan(v)) break;
        p->panel[p->count + k * p->most] = v;
      }
      p->count += k == m;
      if (p->count == p->most) finish_panel(p, take);
    }
  }
  return call->status ? call->status : finish_panel(p, take);
}

/* Sums over all points, from 0 on. */
static gpugeo_status sum_all(complete_points *p, panel_taker take) {
  for (int64_t k = 0; k < p->m; ++k)
    p->sum[k] = 0;
  return each_panel(p, take);
}

gpugeo_status gg_fail_complete(int64_t complete, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                 "cov must be given: x has %lld complete rows, too few for a covariance",
                 (long long)complete);
}

/* Computes means, corrected once, and lengths; p->before is then the number of points. */
static gpugeo_status take_moments(complete_points *p) {
  gg_call *call = p->call;
  for (int64_t k = 0; k < p->m; ++k)
    p->centre[k] = 0;
  for (int pass = 0; !call->status && pass < 2; ++pass) {
    sum_all(p, take_sums);
    for (int64_t k = 0; k < p->m; ++k)
      p->centre[k] += p->sum[k] / (double)p->before;
  }
  if (p->before < 2) GG_TRY(call, gg_fail_complete(p->before, call->error));
  if (call->status) return call->status;
  sum_all(p, take_squares);
  for (int64_t k = 0; k < p->m; ++k)
    p->length[k] = sqrt(p->sum[k]);
  return call->status;
}

/* Computes the covariance of the complete points, and their means. */
static gpugeo_status take_covariance(complete_points *p, double *mean) {
  const int64_t m = p->m;
  if (take_moments(p)) return p->call->status;
  const double rest = sqrt((double)(p->before - 1)); /* from lengths to standard deviations */
  for (int64_t e = 0; e < m * m; ++e)
    p->covariance[e] = 0;
  each_panel(p, take_products);
  for (int64_t j = 0; j < m; ++j) {
    mean[j] = p->first[j] + p->centre[j];
    for (int64_t i = 0; i < m; ++i) {
      const double size = (p->length[i] / rest) * (p->length[j] / rest);
      p->covariance[i + j * m] = i == j ? size : p->covariance[i + j * m] * size;
    }
  }
  return p->call->status;
}

gpugeo_status gg_covariance(const gg_point_source *x, const gpugeo_run *run, int64_t bytes,
                            double *mean, double *covariance, gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = gg_point_source_coordinates(x);
  complete_points p = {.x = x, .run = run, .call = call, .m = m, .covariance = covariance};
  p.block = gg_point_source_fit(x, gg_point_source_count(x), m, bytes);
  p.most = gg_covariance_panel(m);
  const int64_t room = gg_point_source_room(x, p.block, m), all = p.most * m + m * m + 4 * m;
  p.room = room ? gg_allocate(room, sizeof *p.room) : NULL;
  p.panel = gg_allocate(all, sizeof *p.panel);
  if (!p.panel || (room && !p.room)) {
    GG_TRY(call, gg_fail_memory(call->error, (room + all) * (int64_t)sizeof(double)));
  } else {
    p.products = p.panel + p.most * m;
    p.first = p.products + m * m;
    p.sum = p.first + m;
    p.centre = p.sum + m;
    p.length = p.centre + m;
    take_covariance(&p, mean);
  }
  gg_free(p.room);
  gg_free(p.panel);
  return call->status;
}

/* --- its factor ------------------------------------------------------------------------------- */

gpugeo_status gg_check_covariance(const double *covariance, int64_t m, gpugeo_error *error) {
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < m; ++i) {
      const double a = covariance[i + j * m], b = covariance[j + i * m];
      if (!isfinite(a))
        return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                       "cov must be finite, but element (%lld, %lld) is %s", (long long)i + 1,
                       (long long)j + 1, gg_number(a).text);
      if (a == b) continue;
      const double size = sqrt(fabs(covariance[i + i * m])) * sqrt(fabs(covariance[j + j * m]));
      if (fabs(a - b) > 1e-10 * size)
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "cov",
                       "cov must be symmetric, but element (%lld, %lld) is %g and (%lld, %lld) is "
                       "%g",
                       (long long)i + 1, (long long)j + 1, a, (long long)j + 1, (long long)i + 1,
                       b);
    }
  return GPUGEO_OK;
}

gpugeo_status gg_check_variances(const double *covariance, int64_t m, gpugeo_error *error) {
  for (int64_t j = 0; j < m; ++j) {
    const double own = covariance[j + j * m];
    if (own < 0)
      return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                     "cov must be positive definite, but element (%lld, %lld) is %g",
                     (long long)j + 1, (long long)j + 1, own);
    for (int64_t i = 0; i < j; ++i)
      if (fabs(covariance[i + j * m]) > (1 + 1e-10) * sqrt(covariance[i + i * m]) * sqrt(own))
        return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                       "cov must be positive definite, but element (%lld, %lld) is %g, and the "
                       "variances of these columns are %g and %g",
                       (long long)i + 1, (long long)j + 1, covariance[i + j * m],
                       covariance[i + i * m], own);
  }
  return GPUGEO_OK;
}

/* Rows of the factor computed together: each earlier row is then read once for all. */
enum { ROWS = GG_FACTOR_ROWS };

/*
 * Computes rows [i0, i0 + rows) of the factor, given those before, in block[j * ROWS + r]: columns
 * one after the other, and of each column all rows together. Returns the first column whose pivot
 * vanishes or is below 0, or -1; with `drop`, columns whose pivot vanishes get an infinite one.
 * Sets *indefinite if the pivot of the column returned is below 0 by more than rounding.
 */
static int64_t factor_rows(const double *covariance, int64_t m, bool drop, const double *factor,
                           int64_t i0, int64_t rows, double *block, bool *indefinite) {
  for (int64_t j = 0; j < i0 + rows; ++j) {
    const bool inside = j >= i0;
    const double *earlier = inside ? block + (j - i0) : factor + j * m;
    const int64_t stride = inside ? ROWS : 1;
    double rest[ROWS] = {0};
    for (int64_t r = 0; r < rows; ++r)
      rest[r] = covariance[i0 + r + j * m];
    for (int64_t l = 0; l < j; ++l)
      for (int64_t r = 0; r < ROWS; ++r)
        rest[r] -= block[l * ROWS + r] * earlier[l * stride];
    double pivot = inside ? 0 : factor[j + j * m];
    if (inside) {
      double square = rest[j - i0];
      const double all = covariance[j + j * m];
      if (drop && fabs(square) <= GG_DEPENDENT * all)
        square = INFINITY;
      else if (!(square > (double)m * DBL_EPSILON * all)) {
        *indefinite = square < -GG_DEPENDENT * all;
        return j;
      }
      pivot = sqrt(square);
      for (int64_t r = 0; r < j - i0; ++r)
        rest[r] = 0; /* above the diagonal */
      rest[j - i0] = square;
    }
    for (int64_t r = 0; r < ROWS; ++r)
      block[j * ROWS + r] = rest[r] / pivot;
    if (inside && isinf(pivot)) block[j * ROWS + j - i0] = pivot;
  }
  return -1;
}

gpugeo_status gg_fail_singular(bool given, int64_t column, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                 "%s is singular: column %lld depends on those before it or is constant",
                 given ? "cov must be positive definite, but it"
                       : "cov must be given: the covariance of x",
                 (long long)column + 1);
}

/* Fails for a covariance whose first columns, up to `column`, are indefinite. */
static gpugeo_status fail_indefinite(int64_t column, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                 "cov must be positive definite, but its first %lld rows and columns have a "
                 "negative eigenvalue",
                 (long long)column + 1);
}

gpugeo_status gg_cholesky(const double *covariance, int64_t m, bool given, int64_t singular,
                          double *factor, gg_call *call) {
  if (call->status) return call->status;
  const bool drop = singular == GPUGEO_SINGULAR_DROP;
  double *block = gg_call_allocate(call, m * ROWS, sizeof *block);
  if (!block) return call->status;
  for (int64_t i0 = 0; !call->status && i0 < m; i0 += ROWS) {
    const int64_t rows = m - i0 < ROWS ? m - i0 : ROWS;
    bool indefinite = false;
    const int64_t column = factor_rows(covariance, m, drop, factor, i0, rows, block, &indefinite);
    if (column >= 0 && given && indefinite)
      GG_TRY(call, fail_indefinite(column, call->error));
    else if (column >= 0)
      GG_TRY(call, gg_fail_singular(given, column, call->error));
    gg_call_poll(call, 0);
    for (int64_t r = 0; !call->status && r < rows; ++r)
      for (int64_t j = 0; j < m; ++j)
        factor[(i0 + r) * m + j] = j <= i0 + r ? block[j * ROWS + r] : 0;
  }
  gg_free(block);
  return call->status;
}
