/* Fuzzes gpugeo_dist(): any matrices and options. Checks that the result does not depend on the way
   to compute, that the condensed result is part of the full one, and simple sums exactly. */
#include "fuzz.h"

/* Measures of communities are so for values of at least 0 only. */
static bool is_nonnegative(gpugeo_metric metric) {
  return metric < GPUGEO_METRIC_KULCZYNSKI && metric != GPUGEO_METRIC_BRAYCURTIS &&
         metric != GPUGEO_METRIC_COSINE && metric != GPUGEO_METRIC_PEARSON &&
         metric != GPUGEO_METRIC_SPEARMAN;
}

static void check_full(const gpugeo_dist_options *o, int64_t nx, int64_t ny, bool within,
                       const double *full) {
  for (int64_t j = 0; j < ny; ++j)
    for (int64_t i = 0; i < nx; ++i) {
      const double value = full[i + j * nx];
      if (is_nonnegative(o->metric.kind)) demand(isnan(value) || value >= 0);
      if (within) demand(memcmp(&value, &full[j + i * nx], sizeof value) == 0);
    }
}

/* The distance of two points of simple coordinates; NaN for metrics that are not exact in doubles.
 */
static double simple_distance(gpugeo_metric metric, const gpugeo_matrix *x, const gpugeo_matrix *y,
                              gpugeo_points points, int64_t i, int64_t j) {
  const int64_t m = points == GPUGEO_POINTS_ROWS ? x->ncol : x->nrow;
  double squares = 0, sum = 0, most = 0, differ = 0;
  for (int64_t k = 0; k < m; ++k) {
    const double d = fabs(coordinate(x, points, i, k) - coordinate(y, points, j, k));
    squares += d * d;
    sum += d;
    most = fmax(most, d);
    differ += d != 0;
  }
  switch (metric) {
  case GPUGEO_METRIC_EUCLIDEAN:
    return sqrt(squares);
  case GPUGEO_METRIC_SQEUCLIDEAN:
    return squares;
  case GPUGEO_METRIC_MANHATTAN:
    return sum;
  case GPUGEO_METRIC_MAXIMUM:
    return most;
  case GPUGEO_METRIC_HAMMING:
    return differ / (double)m;
  default:
    return NAN;
  }
}

/* Single precision rounds the square root. */
static void check_simple(const gpugeo_dist_options *o, const gpugeo_matrix *x,
                         const gpugeo_matrix *y, int64_t nx, int64_t ny, const double *full) {
  const bool exact = o->run.precision == GPUGEO_PRECISION_DOUBLE;
  if (x->nrow == 0 || x->ncol == 0 || !is_simple_matrix(x) || !is_simple_matrix(y)) return;
  for (int64_t j = 0; j < ny; ++j)
    for (int64_t i = 0; i < nx; ++i) {
      const double wanted = simple_distance(o->metric.kind, x, y, o->points, i, j);
      const double error = fabs(full[i + j * nx] - wanted);
      demand(isnan(wanted) || error <= (exact ? 0 : 1e-6 * wanted));
    }
}

static void check_condensed(gpugeo_dist_options o, const gpugeo_matrix *x, int64_t n,
                            const double *full) {
  double *pairs = malloc((size_t)(n * n) * sizeof *pairs + 1);
  gpugeo_error error;
  o.shape = GPUGEO_SHAPE_CONDENSED;
  demand(gpugeo_dist(x, NULL, &o, GPUGEO_TYPE_DOUBLE, pairs, NULL, &error) == GPUGEO_OK);
  int64_t at = 0;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i, ++at)
      demand(memcmp(&pairs[at], &full[i + j * n], sizeof *pairs) == 0);
  free(pairs);
}

/* The full matrix, freshly allocated, in every way; NULL where the arguments are refused. */
static double *compute(gpugeo_dist_options *o, const gpugeo_matrix *x, const gpugeo_matrix *y,
                       int64_t count, int64_t work_bytes) {
  const size_t size = (size_t)count * sizeof(double) + 1;
  double *first = calloc(size, 1), *other = calloc(size, 1);
  gpugeo_status status = GPUGEO_OK;
  for (int way = 0; way < WAYS; ++way) {
    gpugeo_error error;
    set_way(&o->run, way, work_bytes);
    const gpugeo_status now =
        gpugeo_dist(x, y, o, GPUGEO_TYPE_DOUBLE, way ? other : first, NULL, &error);
    demand_status(now, ALLOW_ARGUMENT | ALLOW_DATA, &error);
    demand(way == 0 || now == status);
    if (way && !now) demand(memcmp(first, other, size - 1) == 0);
    status = now;
  }
  free(other);
  if (!status) return first;
  free(first);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  o.metric.kind = (gpugeo_metric)take(&b, GPUGEO_METRIC_COUNT);
  o.points = (gpugeo_points)take(&b, 1);
  o.shape = GPUGEO_SHAPE_FULL;
  o.metric.p = take_double(&b);
  o.run.precision = (gpugeo_precision)take(&b, 1);
  const int64_t work_bytes = take(&b, 255);
  const int64_t nx = take(&b, 40), m = take(&b, 20), ny = take(&b, 40);
  const bool within = take(&b, 1), rows = o.points == GPUGEO_POINTS_ROWS;
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? nx : m, rows ? m : nx);
  gpugeo_matrix y = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? ny : m, rows ? m : ny);
  parameters room;
  take_parameters(&b, m, &room, &o.metric);
  const int64_t columns = within ? nx : ny;
  double *full = compute(&o, &x, within ? NULL : &y, nx * columns, work_bytes);
  if (full) {
    check_full(&o, nx, columns, within, full);
    check_simple(&o, &x, within ? &x : &y, nx, columns, full);
    if (within) check_condensed(o, &x, nx, full);
  }
  free(full);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}
