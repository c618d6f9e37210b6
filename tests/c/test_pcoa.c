/* Principal coordinates against eigenvalues by rotations (Jacobi), for few points and for many; the
   same bits from all sources and backends, on any threads, with any memory and any instructions;
   corrections; and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/symmetric_eigen.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

static gg_simd widest;
static bool has_cuda;

/* --- The reference ---------------------------------------------------------------------------- */

static double distance_of(const double *condensed, int64_t n, int64_t i, int64_t j) {
  if (i == j) return 0;
  if (i < j) return distance_of(condensed, n, j, i);
  return condensed[n * j - j * (j + 1) / 2 + i - j - 1];
}

/* Returns Gower's matrix of the distances plus a constant. */
static double *gower(const double *condensed, int64_t n, double shift) {
  double *b = malloc((size_t)(n * n) * sizeof *b), *mean = calloc((size_t)n, sizeof *mean), all = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double d = i == j ? 0 : distance_of(condensed, n, i, j) + shift;
      b[i * n + j] = d * d;
      mean[i] += d * d / (double)n;
      all += d * d / (double)(n * n);
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      b[i * n + j] = -(b[i * n + j] - mean[i] - mean[j] + all) / 2;
  free(mean);
  return b;
}

static void rotate(double *a, int64_t n, int64_t p, int64_t q) {
  if (a[p * n + q] == 0) return;
  const double ratio = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(ratio * ratio + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int64_t k = 0; k < n; ++k) {
    const double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (int64_t k = 0; k < n; ++k) {
    const double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
}

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Makes a matrix its eigenvalues, which it begins with, in decreasing order. */
static void jacobi(double *a, int64_t n) {
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int64_t p = 1; p < n; ++p)
      for (int64_t q = 0; q < p; ++q)
        rotate(a, n, p, q);
  for (int64_t i = 0; i < n; ++i)
    a[i] = a[i * n + i];
  qsort(a, (size_t)n, sizeof *a, descending);
}

/* --- Results ---------------------------------------------------------------------------------- */

typedef struct made {
  gpugeo_pcoa_result result;
  double *room;
  int64_t n, k;
} made;

static made make(int64_t n, int64_t k) {
  made m = {.n = n, .k = k, .room = calloc((size_t)((n + 2) * k), sizeof(double))};
  m.result = (gpugeo_pcoa_result){
      .coordinates = m.room, .eigenvalue = m.room + n * k, .residual = m.room + (n + 1) * k};
  return m;
}

static bool same_bits(const made *a, const made *b) {
  const gpugeo_pcoa_result *r = &a->result, *s = &b->result;
  const double one[] = {r->trace, r->negative_sum, r->smallest, r->constant};
  const double two[] = {s->trace, s->negative_sum, s->smallest, s->constant};
  return memcmp(a->room, b->room, (size_t)((a->n + 2) * a->k) * sizeof *a->room) == 0 &&
         memcmp(one, two, sizeof one) == 0 && r->positive == s->positive &&
         r->passes == s->passes && r->converged == s->converged;
}

static gpugeo_pcoa_options options_for(int64_t k, gpugeo_pcoa_correction correction) {
  gpugeo_pcoa_options options;
  gpugeo_pcoa_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.k = k;
  options.correction = correction;
  options.run.threads = 1;
  return options;
}

/* Computes one source in several ways and compares the bits with the first ones. */
static void compare_bits(const char *name, const gpugeo_distances *x, gpugeo_pcoa_options options,
                         const made *first) {
  static const int32_t threads[] = {1, 2, 5};
  static const int64_t work[] = {0, 1, 1 << 20};
  static int turn;
  made other = make(first->n, first->k);
  gpugeo_error error;
  for (int w = CHECK_SMALL ? 2 : 0; w < (has_cuda ? 6 : 3); ++w, ++turn) {
    if (w >= 3 && check_leaves_out(5)) continue;
    options.run.backend = w < 3 ? GPUGEO_BACKEND_CPU : GPUGEO_BACKEND_CUDA;
    options.run.threads = threads[turn % 3];
    options.run.work_bytes = work[w % 3];
    gg_set_simd((gg_simd)(turn % (widest + 1)));
    CHECK(!gpugeo_pcoa(x, &options, &other.result, NULL, &error), "%s: %s", name, error.message);
    CHECK(same_bits(first, &other),
          "%s: other bits on backend %d with %d threads, %lld bytes, instructions %d", name,
          (int)options.run.backend, (int)options.run.threads, (long long)work[w % 3],
          turn % (widest + 1));
  }
  gg_set_simd(widest);
  free(other.room);
}

/* Checks axes: B x = eigenvalue x, lengths, signs, and that they are orthogonal. */
static void check_axes(const char *name, const made *m, const double *b) {
  const int64_t n = m->n;
  const double largest = fmax(fabs(m->result.eigenvalue[0]), 1e-300);
  for (int64_t c = 0; c < m->k; ++c) {
    const double *x = m->result.coordinates + c * n, value = m->result.eigenvalue[c];
    double off = 0, most = 0;
    for (int64_t i = 0; i < n; ++i) {
      double sum = -value * x[i];
      for (int64_t j = 0; j < n; ++j)
        sum += b[i * n + j] * x[j];
      off += sum * sum;
      if (fabs(x[i]) > fabs(most)) most = x[i];
    }
    CHECK(sqrt(off) <= 2e-10 * largest * sqrt(fmax(value, 0)), "%s, axis %lld: off by %g of %g",
          name, (long long)c, sqrt(off), largest);
    CHECK(most >= 0, "%s, axis %lld: the largest element is %g", name, (long long)c, most);
    for (int64_t d = 0; d <= c; ++d) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i)
        sum += x[i] * m->result.coordinates[i + d * n];
      const double expected = c == d && c < m->result.positive ? value : 0;
      CHECK(fabs(sum - expected) <= 1e-11 * largest, "%s, axes %lld and %lld: %.17g, not %.17g",
            name, (long long)c, (long long)d, sum, expected);
    }
  }
}

/* Checks the eigenvalues, and the sums that are known. */
static void check_values(const char *name, const made *m, const double *all) {
  const gpugeo_pcoa_result *r = &m->result;
  const double scale = fmax(fabs(all[0]), fabs(all[m->n - 1]));
  double negative = 0, trace = 0;
  for (int64_t i = 0; i < m->n; ++i) {
    negative += all[i] < 0 ? all[i] : 0;
    trace += all[i];
  }
  for (int64_t i = 0; i < m->k; ++i)
    CHECK(fabs(r->eigenvalue[i] - all[i]) <= 1e-11 * scale && r->residual[i] <= 1e-10 * scale,
          "%s: eigenvalue %lld is %.17g, not %.17g; residual %g", name, (long long)i,
          r->eigenvalue[i], all[i], r->residual[i]);
  CHECK(fabs(r->trace - trace) <= 1e-11 * scale * sqrt((double)m->n), "%s: trace %.17g, not %.17g",
        name, r->trace, trace);
  CHECK(isnan(r->negative_sum) || fabs(r->negative_sum - negative) <= 1e-10 * scale,
        "%s: negative sum %.17g, not %.17g", name, r->negative_sum, negative);
  CHECK(r->converged == 1 && r->passes >= 1, "%s: not converged", name);
}

/* Compares one correction with the definition: Lingoes' adds to the eigenvalues, and Cailliez' is
   that of distances plus the constant. Returns the constant. */
static double compare_correction(const char *name, const gpugeo_matrix *x, const double *condensed,
                                 gpugeo_pcoa_options options, int64_t n) {
  const gpugeo_distances points = {.x = x}, given = {.condensed = condensed, .condensed_points = n};
  made m = make(n, options.k);
  gpugeo_error error;
  if (!CHECK(!gpugeo_pcoa(&points, &options, &m.result, NULL, &error), "%s: %s", name,
             error.message)) {
    free(m.room);
    return 0;
  }
  const double constant = m.result.constant;
  const bool cailliez = options.correction == GPUGEO_PCOA_CORRECTION_CAILLIEZ;
  double *b = gower(condensed, n, cailliez ? constant : 0),
         *all = gower(condensed, n, cailliez ? constant : 0);
  if (options.correction == GPUGEO_PCOA_CORRECTION_LINGOES)
    for (int64_t i = 0; i < n * n; ++i)
      b[i] = all[i] += (i % (n + 1) == 0) * constant - constant / (double)n;
  jacobi(all, n);
  check_values(name, &m, all);
  check_axes(name, &m, b);
  if (options.correction != GPUGEO_PCOA_CORRECTION_NONE)
    CHECK(all[n - 1] >= -1e-10 * all[0] && (constant == 0 || all[n - 2] <= 1e-9 * all[0]),
          "%s: constant %.17g, smallest eigenvalues %g and %g of %g", name, constant, all[n - 2],
          all[n - 1], all[0]);
  compare_bits(name, &points, options, &m);
  compare_bits(name, &given, options, &m);
  free(m.room);
  free(b);
  free(all);
  return constant;
}

static void compare(int64_t n, int64_t dims, int64_t k, gpugeo_metric metric, bool euclidean) {
  double *raw = data_points(DATA_RANDOM, n, dims, (uint64_t)n);
  const gpugeo_matrix x = data_matrix(raw, n, dims, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
  double *condensed = malloc((size_t)(n * n / 2 + 1) * sizeof *condensed);
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric.kind = metric;
  CHECK(!gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL), "distances");
  for (int c = 0; c < GPUGEO_PCOA_CORRECTION_COUNT; ++c) {
    gpugeo_pcoa_options options = options_for(k, (gpugeo_pcoa_correction)c);
    options.metric.kind = metric;
    char name[64];
    snprintf(name, sizeof name, "%lld points, metric %d, correction %d", (long long)n, (int)metric,
             c);
    const double constant = compare_correction(name, &x, condensed, options, n);
    if (euclidean) CHECK(constant == 0, "%s: %g", name, constant);
  }
  free(raw);
  free((void *)x.data);
  free(condensed);
}

/* --- Special distances ------------------------------------------------------------------------ */

/* Computes k axes of condensed distances. */
static made axes_of(const double *condensed, int64_t n, int64_t k) {
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  const gpugeo_pcoa_options options = options_for(k, GPUGEO_PCOA_CORRECTION_NONE);
  made m = make(n, k);
  gpugeo_error error;
  CHECK(!gpugeo_pcoa(&given, &options, &m.result, NULL, &error), "%s", error.message);
  compare_bits("given distances", &given, options, &m);
  return m;
}

/* All distances equal: one eigenvalue, n - 1 times. More axes than a block has vectors. */
static void test_equal_distances(int64_t n, int64_t k, double distance) {
  double *d = malloc((size_t)(n * n / 2 + 1) * sizeof *d);
  for (int64_t i = 0; i < n * (n - 1) / 2; ++i)
    d[i] = distance;
  made m = axes_of(d, n, k);
  const double expected = distance * distance / 2;
  CHECK(m.result.positive == (distance == 0 ? 0 : k) && m.result.converged == 1,
        "%lld equal distances: %lld positive", (long long)n, (long long)m.result.positive);
  for (int64_t i = 0; i < k; ++i)
    CHECK(fabs(m.result.eigenvalue[i] - expected) <= 1e-9 * expected,
          "%lld equal distances: eigenvalue %.17g", (long long)n, m.result.eigenvalue[i]);
  free(m.room);
  free(d);
}

/* Points on a line have one axis, also where squares would overflow or vanish. */
static void test_line(int64_t n, double unit) {
  double *d = calloc((size_t)(n * n / 2 + 1), sizeof *d), *at = d;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i)
      *at++ = (double)(i - j) * unit;
  made m = axes_of(d, n, 3);
  CHECK(m.result.positive == 1 && m.result.eigenvalue[1] == 0 && m.result.eigenvalue[2] == 0,
        "a line of %lld: %lld positive eigenvalues, the second %g", (long long)n,
        (long long)m.result.positive, m.result.eigenvalue[1]);
  for (int64_t i = 0; i < n; ++i) {
    const double expected = ((double)(n - 1) / 2 - (double)i) * unit;
    CHECK(fabs(m.result.coordinates[i] - expected) <= 1e-10 * (double)n * unit &&
              m.result.coordinates[i + n] == 0,
          "a line of %lld: point %lld is %.17g, not %.17g", (long long)n, (long long)i,
          m.result.coordinates[i], expected);
  }
  free(m.room);
  free(d);
}

/* More points than have their sums in one range, and panels beyond those of one launch. */
static void test_many_points(int64_t n) {
  double *raw = data_points(DATA_RANDOM, n, 8, 3);
  const gpugeo_matrix x = data_matrix(raw, n, 8, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances points = {.x = &x};
  gpugeo_pcoa_options options = options_for(10, GPUGEO_PCOA_CORRECTION_NONE);
  options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  for (int many = 0; many < 2; ++many) {
    if (many) options.k = 40;
    options.max_passes = many ? 8 : 1000;
    made m = make(n, options.k);
    gpugeo_error error;
    CHECK(!gpugeo_pcoa(&points, &options, &m.result, NULL, &error), "%s", error.message);
    compare_bits("many points", &points, options, &m);
    free(m.room);
  }
  free(raw);
  free((void *)x.data);
}

static void test_not_converged(void) {
  enum { N = 400 };
  double *raw = data_points(DATA_RANDOM, N, 60, 7);
  const gpugeo_matrix x = data_matrix(raw, N, 60, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances points = {.x = &x};
  gpugeo_pcoa_options options = options_for(4, GPUGEO_PCOA_CORRECTION_NONE);
  options.max_passes = 2;
  made m = make(N, 4);
  CHECK(!gpugeo_pcoa(&points, &options, &m.result, NULL, NULL), "it failed");
  CHECK(!m.result.converged && m.result.passes == 3 &&
            m.result.residual[3] > 1e-10 * m.result.eigenvalue[0],
        "%lld passes, residual %g", (long long)m.result.passes, m.result.residual[3]);
  free(m.room);
  free(raw);
  free((void *)x.data);
}

/* Eigenvectors of a small matrix, some of whose eigenvalues are equal or 0. */
static void test_symmetric_eigen(int64_t m) {
  double *a = malloc((size_t)(m * m) * sizeof *a), *b = malloc((size_t)(m * m) * sizeof *b);
  double *vector = malloc((size_t)(m * m) * sizeof *a), *work = malloc((size_t)(5 * m) * sizeof *a);
  dice d = {.state = (uint64_t)m};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j <= i; ++j)
      a[i * m + j] = a[j * m + i] = i % 3 == 2 ? (double)(i == j) : dice_real(&d);
  memcpy(b, a, (size_t)(m * m) * sizeof *a);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  CHECK(gg_symmetric_eigen(a, m, work, vector, work + m, &clock, 0), "it was stopped");
  double off = 0;
  for (int64_t k = 0; k < m; ++k)
    for (int64_t i = 0; i < m; ++i) {
      double sum = -work[k] * vector[k * m + i], product = -(double)(i == k);
      for (int64_t j = 0; j < m; ++j) {
        sum += b[i * m + j] * vector[k * m + j];
        product += vector[i * m + j] * vector[k * m + j];
      }
      off = fmax(off, fmax(fabs(sum), fabs(product)));
    }
  CHECK(off <= 1e-14 * (double)(m + 10), "%lld rows: off by %g", (long long)m, off);
  jacobi(b, m);
  for (int64_t i = 0; i < m; ++i)
    CHECK(fabs(work[i] - b[i]) <= 1e-14 * (double)(m + 10), "%lld rows: %.17g, not %.17g",
          (long long)m, work[i], b[i]);
  free(a);
  free(b);
  free(vector);
  free(work);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void fails(const double *condensed, int64_t n, gpugeo_pcoa_options options,
                  gpugeo_status expected, const char *message) {
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  double room[16];
  gpugeo_pcoa_result result = {.coordinates = room, .eigenvalue = room + 8, .residual = room + 12};
  gpugeo_error error = {.message = ""};
  for (int on_cuda = 0; on_cuda < (has_cuda ? 2 : 1); ++on_cuda) {
    options.run.backend = on_cuda ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
    const gpugeo_status status = gpugeo_pcoa(&given, &options, &result, NULL, &error);
    CHECK(status == expected && strcmp(error.message, message) == 0, "%d: %s", (int)status,
          error.message);
  }
}

static void test_errors(void) {
  const double d[] = {1, 2, 3}, missing[] = {1, NAN, INFINITY};
  gpugeo_pcoa_options options = options_for(2, GPUGEO_PCOA_CORRECTION_NONE);
  fails(d, 1, options, GPUGEO_ERROR_ARGUMENT, "x must have 2 to 2147483647 points, not 1");
  fails(d, 0, options, GPUGEO_ERROR_ARGUMENT, "x must have 2 to 2147483647 points, not 0");
  fails(d, 2, options, GPUGEO_ERROR_ARGUMENT, "k must be a whole number between 1 and 1, not 2");
  fails(missing, 3, options, GPUGEO_ERROR_DATA,
        "x must have finite distances only, but 2 of them are not; the first is missing, between "
        "points 1 and 3");
  options.k = 0;
  fails(d, 3, options, GPUGEO_ERROR_ARGUMENT, "k must be a whole number between 1 and 2, not 0");
  options = options_for(2, (gpugeo_pcoa_correction)3);
  fails(d, 3, options, GPUGEO_ERROR_ARGUMENT, "correction must be between 0 and 2, not 3");
  options = options_for(2, GPUGEO_PCOA_CORRECTION_NONE);
  options.tolerance = -1;
  fails(d, 3, options, GPUGEO_ERROR_ARGUMENT, "tolerance must be between 0 and 1, not -1");
  options.tolerance = 0;
  options.max_passes = 0;
  fails(d, 3, options, GPUGEO_ERROR_ARGUMENT,
        "max_passes must be a whole number of at least 1, not 0");
}

int main(void) {
  gpugeo_error error = {0};
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!has_cuda) check_skip(1, "CUDA: not present (%s), the CPU's products only", error.message);
  widest = gg_context_get()->simd;
  for (int64_t m = 1; m <= 70; m += m < 6 ? 1 : 13)
    test_symmetric_eigen(m);
  for (int64_t n = 2; n < 40; n += n < 6 ? 1 : 11)
    compare(n, 3, n > 3 ? 3 : n - 1, GPUGEO_METRIC_MANHATTAN, false);
  compare(30, 2, 5, GPUGEO_METRIC_EUCLIDEAN, true);
  compare(130, 5, 6, GPUGEO_METRIC_MAXIMUM, false);
  compare(257, 6, 3, GPUGEO_METRIC_CANBERRA, false); /* more points than all eigenvalues take */
  if (!CHECK_SMALL) compare(300, 20, 12, GPUGEO_METRIC_EUCLIDEAN, true); /* two panels */
  test_many_points(CHECK_SMALL ? 1030 : 1300);
  test_equal_distances(5, 3, 2);
  test_equal_distances(9, 2, 0);
  test_equal_distances(600, 2, 0);
  test_equal_distances(700, 22, 3);
  test_line(20, 1);
  test_line(300, 2);
  test_line(300, 0x1p600);
  test_line(300, 0x1p-700);
  test_not_converged();
  test_errors();
  return check_end();
}
