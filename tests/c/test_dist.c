/*
 * Holds gpugeo_dist against the direct loops of reference.c on every backend that is there: to the
 * bit where a metric is a fixed order of exact operations, else within a bound in units of
 * rounding.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "reference.h"

/* A metric with its parameters. */
typedef struct job {
  gpugeo_metric metric;
  double p;
} job;

static const job jobs[] = {
    {GPUGEO_METRIC_EUCLIDEAN, 2},   {GPUGEO_METRIC_SQEUCLIDEAN, 2}, {GPUGEO_METRIC_MANHATTAN, 2},
    {GPUGEO_METRIC_MAXIMUM, 2},     {GPUGEO_METRIC_CANBERRA, 2},    {GPUGEO_METRIC_BINARY, 2},
    {GPUGEO_METRIC_SEUCLIDEAN, 2},  {GPUGEO_METRIC_MAHALANOBIS, 2}, {GPUGEO_METRIC_COSINE, 2},
    {GPUGEO_METRIC_PEARSON, 2},     {GPUGEO_METRIC_SPEARMAN, 2},    {GPUGEO_METRIC_BRAYCURTIS, 2},
    {GPUGEO_METRIC_HAMMING, 2},     {GPUGEO_METRIC_JACCARD, 2},     {GPUGEO_METRIC_MINKOWSKI, 0.5},
    {GPUGEO_METRIC_MINKOWSKI, 1},   {GPUGEO_METRIC_MINKOWSKI, 1.5}, {GPUGEO_METRIC_MINKOWSKI, 2},
    {GPUGEO_METRIC_MINKOWSKI, 2.5}, {GPUGEO_METRIC_MINKOWSKI, 3},   {GPUGEO_METRIC_MINKOWSKI, 7.3},
};
enum { JOBS = sizeof jobs / sizeof *jobs, LARGEST_M = 1024 };

/* One call, spelled out. */
typedef struct setting {
  gpugeo_backend backend;
  data_kind kind, y_kind;
  int64_t nx, ny, m; /* ny < 0: within x */
  gpugeo_type storage, y_storage, out;
  gpugeo_points points;
  gpugeo_shape shape;
  gpugeo_precision precision;
  int64_t extra; /* unused elements after each column */
} setting;

static const setting plain = {
    .backend = GPUGEO_BACKEND_CPU,
    .ny = -1,
    .storage = GPUGEO_TYPE_DOUBLE,
    .y_storage = GPUGEO_TYPE_DOUBLE,
    .out = GPUGEO_TYPE_DOUBLE,
};

/* Standard deviations and a covariance that is far from singular, for any m up to LARGEST_M. */
static double scale[LARGEST_M];
static double *covariance_of(int64_t m) {
  double *c = malloc((size_t)(m * m) * sizeof *c + 1);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < m; ++j)
      c[i * m + j] = i == j ? 2 + 0.25 * (double)(i % 5) : i - j == 1 || j - i == 1 ? 0.5 : 0;
  return c;
}

/* True if the call is summed in float; gpugeo.h names the calls that cannot be. */
static bool in_float(const job *j, const setting *s) {
  const bool huge = s->kind == DATA_HUGE && s->storage == GPUGEO_TYPE_DOUBLE;
  const bool power = j->metric == GPUGEO_METRIC_MINKOWSKI && j->p != 1 && j->p != 2;
  return s->precision == GPUGEO_PRECISION_SINGLE && !huge && !power;
}

/* What metric binary asks of a value, before any rounding. */
static void is_nonzero(double *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = isfinite(values[i]) ? values[i] != 0 : NAN;
}

/* The points as a metric sees them: in the accuracy they are stored with, or summed in where that
   comes first; for spearman their ranks. */
static double *seen_points(const job *j, const setting *s, bool of_y, double **made) {
  const int64_t n = of_y ? s->ny : s->nx, m = s->m;
  *made = data_points(of_y ? s->y_kind : s->kind, n, m, of_y ? 2 : 1);
  if ((of_y ? s->y_storage : s->storage) == GPUGEO_TYPE_FLOAT) data_round(*made, n * m);
  double *seen = malloc((size_t)(n * m) * sizeof *seen + 1);
  for (int64_t i = 0; i < n; ++i) {
    if (j->metric == GPUGEO_METRIC_SPEARMAN)
      reference_rank(*made + i * m, m, seen + i * m);
    else
      memcpy(seen + i * m, *made + i * m, (size_t)m * sizeof *seen);
  }
  if (in_float(j, s)) {
    if (j->metric == GPUGEO_METRIC_CANBERRA) data_round(seen, n * m);
    if (j->metric == GPUGEO_METRIC_BINARY) is_nonzero(seen, n * m);
  }
  return seen;
}

/* The largest finite difference of two points: what a whitened point may be off by is relative to
   that of the farthest ones. */
static double spread(const double *points, int64_t count) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < count; ++i)
    if (isfinite(points[i])) low = fmin(low, points[i]), high = fmax(high, points[i]);
  return high > low ? high - low : 0;
}

/* How far a value may be from the accurate one. */
static double allowed(const job *j, const setting *s, double want, double width) {
  const double unit = in_float(j, s) ? FLT_EPSILON : DBL_EPSILON, m = (double)s->m;
  const double rounding = s->out == GPUGEO_TYPE_FLOAT ? FLT_EPSILON * fabs(want) + 0x1p-149 : 0;
  switch (j->metric) {
  case GPUGEO_METRIC_COSINE:
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
    return rounding + 4 * (m + 4) * unit;
  case GPUGEO_METRIC_MAHALANOBIS:
    return rounding + 8 * (m + 4) * unit * (fabs(want) + width);
  case GPUGEO_METRIC_MINKOWSKI: /* 1 / p is rounded, which a large logarithm makes felt */
    return want > 0 ? rounding + (4 * (m + 4) + fabs(log(want))) * unit * want : 0;
  default:
    return rounding + 4 * (m + 4) * unit * fabs(want);
  }
}

static bool same_bits(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void describe(const job *j, const setting *s, char *text, size_t size) {
  snprintf(
      text, size,
      "%s p %g on %s: %s/%s %lld x %lld points of %lld, storage %d/%d, out %d, points %d, shape "
      "%d, precision %d, extra %lld",
      gpugeo_name(GPUGEO_ENUM_METRIC, j->metric), j->p,
      gpugeo_name(GPUGEO_ENUM_BACKEND, s->backend), data_name(s->kind), data_name(s->y_kind),
      (long long)s->nx, (long long)s->ny, (long long)s->m, s->storage, s->y_storage, s->out,
      s->points, s->shape, s->precision, (long long)s->extra);
}

/* Offset of pair (a, b) in the result, or -1 where a condensed one has none. */
static int64_t place(const setting *s, int64_t a, int64_t b) {
  if (s->shape == GPUGEO_SHAPE_FULL) return a + b * s->nx;
  return a <= b ? -1 : s->nx * b - b * (b + 1) / 2 + a - b - 1;
}

/* Compares all pairs; the number that are wrong, with the first of them in `text`. */
static int64_t compare(const job *j, const setting *s, const reference *r, const double *x,
                       const double *y, const void *out, char *text, size_t size) {
  const int64_t ny = s->ny < 0 ? s->nx : s->ny;
  const double width = spread(x, s->nx * s->m);
  const bool single = in_float(j, s);
  int64_t wrong = 0;
  for (int64_t b = 0; b < ny; ++b)
    for (int64_t a = 0; a < s->nx; ++a) {
      const int64_t at = place(s, a, b);
      if (at < 0) continue;
      const double *u = x + a * s->m, *v = y + b * s->m;
      const double got =
          s->out == GPUGEO_TYPE_FLOAT ? ((const float *)out)[at] : ((const double *)out)[at];
      double want;
      bool good;
      if (reference_is_ordered(r)) {
        want = single ? reference_single(r, u, v, s->m) : reference_double(r, u, v, s->m);
        if (s->out == GPUGEO_TYPE_FLOAT) want = (float)want;
        good = same_bits(got, want);
      } else {
        want = (double)reference_accurate(r, u, v, s->m);
        good =
            isfinite(want) ? fabs(got - want) <= allowed(j, s, want, width) : same_bits(got, want);
        if (s->out == GPUGEO_TYPE_FLOAT && isinf((float)want)) good = got == (float)want;
      }
      if (!good && wrong++ == 0)
        snprintf(text, size, "pair (%lld, %lld) is %.17g, expected %.17g", (long long)a,
                 (long long)b, got, want);
    }
  return wrong;
}

/* Mahalanobis forms squares that leave the range of doubles, where the order of operations decides.
 */
static bool makes_sense(const job *j, const setting *s) {
  const bool extreme = s->kind == DATA_HUGE || s->kind == DATA_DENORMAL;
  return !(j->metric == GPUGEO_METRIC_MAHALANOBIS && (extreme || s->m > 129)) &&
         data_fits(s->kind, s->storage) && (s->ny < 0 || data_fits(s->y_kind, s->y_storage));
}

static void run(const job *j, const setting *s) {
  if (!makes_sense(j, s)) return;
  if (s->backend == GPUGEO_BACKEND_CUDA && check_leaves_out(13)) return;
  double *x_made, *y_made = NULL, *covariance = NULL;
  long double *factor = NULL;
  double *x = seen_points(j, s, false, &x_made), *y = NULL;
  gpugeo_matrix x_view = data_matrix(x_made, s->nx, s->m, s->storage, s->points, s->extra);
  gpugeo_matrix y_view = {0};
  if (s->ny >= 0) {
    y = seen_points(j, s, true, &y_made);
    y_view = data_matrix(y_made, s->ny, s->m, s->y_storage, s->points, s->extra);
  }
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = j->metric;
  options.metric.p = j->p;
  options.points = s->points;
  options.shape = s->shape;
  options.run.backend = s->backend;
  options.run.precision = s->precision;
  options.run.threads = s->nx > 200 ? 2 : 1;
  reference r = {.metric = j->metric, .p = j->p};
  if (j->metric == GPUGEO_METRIC_SEUCLIDEAN) {
    options.metric.scale = r.scale = scale;
    options.metric.scale_length = s->m;
  }
  if (j->metric == GPUGEO_METRIC_MAHALANOBIS) {
    covariance = covariance_of(s->m);
    r.factor = factor = reference_factor(covariance, s->m);
    options.metric.cov = (gpugeo_matrix){covariance, GPUGEO_TYPE_DOUBLE, s->m, s->m, s->m, NULL};
  }
  char what[400], how[200] = "";
  describe(j, s, what, sizeof what);
  gpugeo_error error = {0};
  gpugeo_report report = {0};
  int64_t size = -1;
  const gpugeo_matrix *y_or_none = y ? &y_view : NULL;
  gpugeo_status status = gpugeo_dist_size(&x_view, y_or_none, &options, s->out, &size, &error);
  const int64_t ny = y ? s->ny : s->nx;
  const int64_t expected = s->shape == GPUGEO_SHAPE_FULL ? s->nx * ny : s->nx * (s->nx - 1) / 2;
  CHECK(!status && size == expected, "%s: size %lld, expected %lld (%s)", what, (long long)size,
        (long long)expected, error.message);
  const size_t element = s->out == GPUGEO_TYPE_FLOAT ? sizeof(float) : sizeof(double);
  void *out = malloc((size_t)expected * element + (expected ? 0 : 1));
  memset(out, 0x5a, (size_t)expected * element); /* a value that no distance here has */
  status = gpugeo_dist(&x_view, y_or_none, &options, s->out, out, &report, &error);
  if (CHECK(!status, "%s: %s", what, error.message)) {
    const int64_t wrong = compare(j, s, &r, x, y ? y : x, out, how, sizeof how);
    CHECK(wrong == 0, "%s: %lld pairs are wrong: %s", what, (long long)wrong, how);
    CHECK(report.device < 0 ? report.backend == GPUGEO_BACKEND_CPU
                            : report.backend == GPUGEO_BACKEND_CUDA,
          "%s: made by backend %d, device %d", what, report.backend, report.device);
  }
  free(out);
  free(x);
  free(x_made);
  free((void *)x_view.data);
  free(y);
  free(y_made);
  free((void *)y_view.data);
  free(covariance);
  free(factor);
}

static void run_jobs(const setting *s) {
  for (int j = 0; j < JOBS; ++j)
    run(&jobs[j], s);
}

/* Numbers of points and of coordinates on both sides of the edges of tiles, panels and runs. */
static void test_sizes(gpugeo_backend backend) {
  static const int64_t points[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 63, 65, 127, 129, 201};
  static const int64_t coordinates[] = {0, 1, 2, 15, 16, 17, 31, 33, 127, 129, 255, 256, 257, 513};
  static const data_kind kinds[] = {DATA_RANDOM, DATA_MISSING};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    setting s = plain;
    s.backend = backend;
    s.kind = s.y_kind = kinds[k];
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
      s.nx = points[i];
      s.m = 5;
      run_jobs(&s);
    }
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; ++i) {
      s.nx = 18;
      s.m = coordinates[i];
      s.precision = i % 2 ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
      run_jobs(&s);
    }
  }
}

/* Every kind of data in every storage, orientation, precision, shape and type of result. */
static void test_storage(gpugeo_backend backend) {
  for (int choice = 0; choice < 3 * 2 * 2 * 2 * 2; ++choice) {
    setting s = plain;
    s.backend = backend;
    s.nx = 18; /* on both sides of a vector of 16 floats */
    s.m = 5;
    s.storage = (gpugeo_type)(choice % 3);
    s.points = (gpugeo_points)(choice / 3 % 2);
    s.precision = (gpugeo_precision)(choice / 6 % 2);
    s.shape = (gpugeo_shape)(choice / 12 % 2);
    s.out = (gpugeo_type)(choice / 24 % 2);
    s.extra = choice % 4;
    for (int kind = 0; kind < DATA_KINDS; ++kind) {
      s.kind = (data_kind)kind;
      run_jobs(&s);
    }
  }
}

/* Two sets of points, of different kinds and storage, one of them perhaps empty. */
static void test_two_sets(gpugeo_backend backend) {
  static const int64_t sizes[][2] = {{0, 3},  {3, 0},  {0, 0},    {1, 1},
                                     {1, 17}, {33, 2}, {17, 129}, {130, 16}};
  static const data_kind kinds[][2] = {{DATA_RANDOM, DATA_RANDOM},   {DATA_RANDOM, DATA_MISSING},
                                       {DATA_MISSING, DATA_RANDOM},  {DATA_TIED, DATA_WHOLE},
                                       {DATA_COUNTS, DATA_INFINITE}, {DATA_ENDLESS, DATA_COUNTS}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
      for (int storage = 0; storage < 3; ++storage) {
        setting s = plain;
        s.backend = backend;
        s.kind = kinds[k][0];
        s.y_kind = kinds[k][1];
        s.nx = sizes[i][0];
        s.ny = sizes[i][1];
        s.m = 7;
        s.shape = GPUGEO_SHAPE_FULL;
        s.points = (gpugeo_points)(i % 2);
        s.storage = (gpugeo_type)storage;
        s.y_storage = (gpugeo_type)((storage + (int)i) % 3);
        s.precision = (gpugeo_precision)(k % 2);
        s.extra = (int64_t)i % 3;
        run_jobs(&s);
      }
}

/* A missing distance is the very NaN that the options give: R's NA is one of many. */
static void test_missing_value(gpugeo_backend backend) {
  const uint64_t bits = 0x7ff00000000007a2u;
  double missing;
  memcpy(&missing, &bits, sizeof missing);
  const double points[] = {NAN, NAN, 1, 2, NAN, 3, 1, 1, 0, 0};
  gpugeo_matrix x = data_matrix(points, 5, 2, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric) {
    if (metric == GPUGEO_METRIC_MAHALANOBIS) continue;
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.metric.kind = (gpugeo_metric)metric;
    options.missing = missing;
    options.run.backend = backend;
    options.metric.scale = metric == GPUGEO_METRIC_SEUCLIDEAN ? scale : NULL;
    options.metric.scale_length = 2;
    double out[10];
    gpugeo_error error;
    gpugeo_status status = gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
    CHECK(!status, "%s: %s", gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind),
          status ? error.message : "");
    int others = 0, found = 0;
    for (int e = 0; !status && e < 10; ++e) {
      if (!isnan(out[e])) continue;
      ++found;
      if (memcmp(&out[e], &missing, sizeof missing) != 0) ++others;
    }
    CHECK(found >= 4 && others == 0, "%s: of %d missing distances %d are another NaN",
          gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind), found, others);
  }
  free((void *)x.data);
}

/* Exponents beyond whole numbers of 32 bits: differences 1 and 1/2 come to 1. An exponent that the
   metric does not take changes nothing. */
static void test_large_exponent(gpugeo_backend backend) {
  static const double exponents[] = {1e9, 1073741824, 1e10, 1e300, DBL_MAX, INFINITY};
  const double points[] = {0, 1, 0, 0.5};
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  for (size_t i = 0; i < sizeof exponents / sizeof *exponents; ++i)
    for (int minkowski = 0; minkowski < 2; ++minkowski) {
      gpugeo_dist_options options;
      gpugeo_error error = {0};
      double got = NAN;
      gpugeo_dist_options_init(&options, sizeof options);
      options.run.backend = backend;
      options.metric.kind = minkowski ? GPUGEO_METRIC_MINKOWSKI : GPUGEO_METRIC_EUCLIDEAN;
      options.metric.p = exponents[i];
      gpugeo_status status =
          gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, &got, NULL, &error);
      CHECK(!status && got == (minkowski ? 1 : sqrt(1.25)), "p = %g: %.17g %s", exponents[i], got,
            error.message);
    }
}

static void test_backend(gpugeo_backend backend) {
  test_sizes(backend);
  test_storage(backend);
  test_two_sets(backend);
  test_missing_value(backend);
  test_large_exponent(backend);
}

int main(void) {
  for (int k = 0; k < LARGEST_M; ++k)
    scale[k] = 0.5 + 0.25 * (k % 7);
  test_backend(GPUGEO_BACKEND_CPU);
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK)
    test_backend(GPUGEO_BACKEND_CUDA);
  else
    check_skip(1, "CUDA: not present (%s), its distances not compared", error.message);
  return check_end();
}
