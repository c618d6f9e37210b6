/* k-medoids against their definition, and the same bits from points and condensed distances, on any
   number of threads, with the matrix in memory and without it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "data.h"
#include "gpugeo.h"

/* --- A partition ------------------------------------------------------------------------------ */

typedef struct parts {
  int64_t n, k;
  int32_t *whole;
  double *real;
  gpugeo_pam_result result;
} parts;

static parts parts_make(int64_t n, int64_t k) {
  parts p = {n,
             k,
             calloc((size_t)(2 * n + k), sizeof(int32_t)),
             calloc((size_t)(4 * n + k * n), sizeof(double)),
             {.swaps = 0}};
  p.result = (gpugeo_pam_result){.medoid = p.whole + 2 * n,
                                 .cluster = p.whole,
                                 .distance = p.real,
                                 .all = p.real + 4 * n,
                                 .neighbor = p.whole + n,
                                 .width = p.real + n,
                                 .furthest = p.real + 2 * n,
                                 .nearest = p.real + 3 * n};
  return p;
}

static void parts_free(parts *p) {
  free(p->whole);
  free(p->real);
}

static bool parts_are_same(const parts *a, const parts *b) {
  return memcmp(a->whole, b->whole, (size_t)(2 * a->n + a->k) * sizeof *a->whole) == 0 &&
         memcmp(a->real, b->real, (size_t)(a->n * (4 + a->k)) * sizeof *a->real) == 0 &&
         memcmp(a->result.objective, b->result.objective, sizeof a->result.objective) == 0 &&
         a->result.swaps == b->result.swaps;
}

/* --- The definition: d is n by n -------------------------------------------------------------- */

static double total(const double *d, int64_t n, const int32_t *medoid, int64_t k) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    double least = INFINITY;
    for (int64_t m = 0; m < k; ++m)
      least = fmin(least, d[medoid[m] * n + i]);
    sum += least;
  }
  return sum;
}

/* The sum that choosing the best medoid one after the other gives. */
static double built_total(const double *d, int64_t n, int64_t k) {
  int32_t *medoid = malloc((size_t)k * sizeof *medoid);
  double least = INFINITY;
  for (int64_t m = 0; m < k; ++m) {
    int32_t best = 0;
    least = INFINITY;
    for (int32_t c = 0; c < n; ++c) {
      medoid[m] = c;
      const double sum = total(d, n, medoid, m + 1);
      if (sum <= least) best = c, least = sum;
    }
    medoid[m] = best;
  }
  free(medoid);
  return least;
}

/* True if no swap of a medoid makes the sum smaller. */
static bool is_optimal(const double *d, int64_t n, const int32_t *medoid, int64_t k) {
  int32_t *other = malloc((size_t)k * sizeof *other);
  const double least = total(d, n, medoid, k) * (1 - 1e-11);
  bool optimal = true;
  for (int64_t m = 0; m < k; ++m)
    for (int32_t c = 0; optimal && c < n; ++c) {
      memcpy(other, medoid, (size_t)k * sizeof *other);
      other[m] = c;
      optimal = total(d, n, other, k) >= least;
    }
  free(other);
  return optimal;
}

static void check_points(const char *name, const double *d, const parts *p) {
  const int64_t n = p->n;
  const gpugeo_pam_result *r = &p->result;
  int32_t seen = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t own = r->cluster[i] - 1;
    if (r->cluster[i] > seen) CHECK(r->cluster[i] == ++seen, "%s: clusters in no order", name);
    double least = INFINITY, furthest = 0, nearest = INFINITY;
    for (int64_t m = 0; m < p->k; ++m) {
      least = fmin(least, d[r->medoid[m] * n + i]);
      CHECK(r->all[m * n + i] == d[r->medoid[m] * n + i], "%s: distances from medoids", name);
    }
    for (int64_t j = 0; j < n; ++j) {
      if (r->cluster[j] == r->cluster[i])
        furthest = fmax(furthest, d[j * n + i]);
      else
        nearest = fmin(nearest, d[j * n + i]);
    }
    CHECK(r->distance[i] == least && d[r->medoid[own] * n + i] == least, "%s: point %d", name,
          (int)i);
    CHECK(r->furthest[i] == furthest && r->nearest[i] == nearest, "%s: extremes of point %d", name,
          (int)i);
  }
  CHECK(seen == p->k, "%s: %d clusters", name, (int)seen);
}

/* The widths are those of gpugeo_silhouette(). */
static void check_widths(const char *name, const gpugeo_distances *x, const parts *p) {
  int32_t *neighbor = malloc((size_t)p->n * sizeof *neighbor);
  double *width = malloc((size_t)p->n * sizeof *width);
  gpugeo_silhouette_options options;
  gpugeo_error error = {0};
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  CHECK(!gpugeo_silhouette(x, p->result.cluster, p->n, &options, neighbor, width, NULL, &error),
        "%s", error.message);
  CHECK(!memcmp(neighbor, p->result.neighbor, (size_t)p->n * sizeof *neighbor) &&
            !memcmp(width, p->result.width, (size_t)p->n * sizeof *width),
        "%s: silhouettes", name);
  free(neighbor);
  free(width);
}

/* --- Comparison ------------------------------------------------------------------------------- */

static gpugeo_pam_options options_of(int64_t k, bool eager, int32_t threads, int64_t bytes) {
  gpugeo_pam_options options;
  gpugeo_pam_options_init(&options, sizeof options);
  options.k = k;
  options.eager = eager;
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = threads;
  options.run.work_bytes = bytes;
  return options;
}

static void compare(const double *condensed, const double *d, const gpugeo_matrix *x, int64_t k,
                    bool eager) {
  const int64_t n = x->nrow;
  char name[120];
  snprintf(name, sizeof name, "%d of %d points%s", (int)k, (int)n, eager ? ", eager" : "");
  const gpugeo_distances points = {.x = x};
  const gpugeo_distances stored = {.condensed = condensed, .condensed_points = n};
  gpugeo_pam_options options = options_of(k, eager, 1, 0);
  gpugeo_error error = {0};
  parts first = parts_make(n, k);
  if (!CHECK(!gpugeo_pam(&stored, &options, &first.result, NULL, &error), "%s: %s", name,
             error.message))
    return;
  check_points(name, d, &first);
  check_widths(name, &stored, &first);
  const double built = built_total(d, n, k) / (double)n;
  CHECK(fabs(first.result.objective[0] - built) <= 1e-12 * built, "%s: %g, not %g", name,
        first.result.objective[0], built);
  CHECK(is_optimal(d, n, first.result.medoid, k), "%s: a swap is better", name);
  for (int32_t threads = 1; threads <= 5; threads += 2)
    for (int panel = 0; panel <= 2; ++panel)
      for (int source = 0; source < 2; ++source) {
        const int64_t least = 8 * n * (k + 8),
                      bytes = panel ? least + (panel - 1) * 8 * n * n / 3 : 0;
        parts other = parts_make(n, k);
        options = options_of(k, eager, threads, bytes);
        CHECK(!gpugeo_pam(source ? &points : &stored, &options, &other.result, NULL, &error),
              "%s: %s", name, error.message);
        CHECK(parts_are_same(&first, &other), "%s: %d threads, %lld bytes, source %d", name,
              (int)threads, (long long)bytes, source);
        parts_free(&other);
      }
  parts_free(&first);
}

static void test_sizes(data_kind kind) {
  static const int64_t sizes[][2] = {{1, 1}, {2, 1}, {2, 2}, {20, 1}, {20, 3}, {20, 20}, {90, 7}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int64_t n = sizes[s][0];
    double *values = data_points(kind, n, 3, 17);
    for (int64_t e = 0; e < 3 * n; ++e) /* distances must be finite */
      if (!isfinite(values[e]) || fabs(values[e]) > 1e100) values[e] = (double)(e % 7);
    const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, n, 3, n, NULL};
    gpugeo_dist_options dist;
    gpugeo_error error = {0};
    gpugeo_dist_options_init(&dist, sizeof dist);
    dist.run.backend = GPUGEO_BACKEND_CPU;
    double *condensed = malloc((size_t)(n * n) * sizeof *condensed);
    double *d = calloc((size_t)(n * n), sizeof *d);
    CHECK(!gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, &error), "%s",
          error.message);
    for (int64_t j = 0, e = 0; j < n; ++j)
      for (int64_t i = j + 1; i < n; ++i, ++e)
        d[i * n + j] = d[j * n + i] = condensed[e];
    compare(condensed, d, &x, sizes[s][1], false);
    compare(condensed, d, &x, sizes[s][1], true);
    free(values);
    free(condensed);
    free(d);
  }
}

enum { N = 20, K = 5 };

/* Demands that the medoids of distances between N points are K different ones, and that swaps do
   not raise the sum. */
static void check_swaps(const double *d, bool eager) {
  const gpugeo_distances x = {.condensed = d, .condensed_points = N};
  const gpugeo_pam_options options = options_of(K, eager, 2, 0);
  gpugeo_error error = {0};
  parts p = parts_make(N, K);
  CHECK(!gpugeo_pam(&x, &options, &p.result, NULL, &error), "%s", error.message);
  bool taken[N] = {false};
  for (int m = 0; m < K; ++m) {
    const int32_t medoid = p.result.medoid[m];
    if (!CHECK(medoid >= 0 && medoid < N && !taken[medoid], "medoid %d is %d", m, (int)medoid))
      continue;
    taken[medoid] = true;
  }
  CHECK(p.result.objective[1] <= p.result.objective[0], "from %g to %g", p.result.objective[0],
        p.result.objective[1]);
  parts_free(&p);
}

/* Distances below 0, which Bray-Curtis of negative numbers gives. */
static void test_negative(uint64_t seed, bool eager) {
  double d[N * (N - 1) / 2];
  dice random = {seed};
  for (int e = 0; e < N * (N - 1) / 2; ++e)
    d[e] = -1 - fabs(dice_real(&random));
  check_swaps(d, eager);
}

/* Distances from 2^-150 to 2^50: what a swap seems to gain may be the rounding of larger sums. */
static void test_rounded_gains(uint64_t seed, bool eager) {
  double d[N * (N - 1) / 2];
  dice random = {seed};
  for (int e = 0; e < N * (N - 1) / 2; ++e)
    d[e] = exp2(floor(100 * dice_real(&random)) - 50);
  check_swaps(d, eager);
}

/* At most max_swaps, and the result without a limit at one more than these. */
static void test_max_swaps(uint64_t seed, bool eager) {
  double d[N * (N - 1) / 2];
  dice random = {seed};
  for (int e = 0; e < N * (N - 1) / 2; ++e)
    d[e] = dice_real(&random);
  const int32_t medoids[K] = {0, 1, 2, 3, 4};
  const gpugeo_distances x = {.condensed = d, .condensed_points = N};
  gpugeo_pam_options options = options_of(K, eager, 2, 0);
  options.medoids = medoids;
  options.medoids_length = K;
  gpugeo_error error = {0};
  parts all = parts_make(N, K);
  CHECK(!gpugeo_pam(&x, &options, &all.result, NULL, &error), "%s", error.message);
  CHECK(all.result.converged && all.result.swaps > 0, "%lld swaps", (long long)all.result.swaps);
  double before = INFINITY;
  for (options.max_swaps = 0; options.max_swaps <= all.result.swaps; ++options.max_swaps) {
    parts p = parts_make(N, K);
    CHECK(!gpugeo_pam(&x, &options, &p.result, NULL, &error), "%s", error.message);
    CHECK(p.result.swaps == options.max_swaps && !p.result.converged, "%lld swaps, not %lld",
          (long long)p.result.swaps, (long long)options.max_swaps);
    CHECK(p.result.objective[1] < before, "%g, not below %g", p.result.objective[1], before);
    before = p.result.objective[1];
    parts_free(&p);
  }
  parts p = parts_make(N, K);
  CHECK(!gpugeo_pam(&x, &options, &p.result, NULL, &error), "%s", error.message);
  CHECK(p.result.converged && parts_are_same(&p, &all), "%lld swaps", (long long)p.result.swaps);
  parts_free(&p);
  parts_free(&all);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static void expect_error(const gpugeo_pam_options *options, double value, const char *message) {
  const double d[] = {1, 2, 3, 4, value, 6};
  const gpugeo_distances x = {.condensed = d, .condensed_points = 4};
  parts p = parts_make(4, 4);
  gpugeo_error error = {0};
  CHECK(gpugeo_pam(&x, options, &p.result, NULL, &error), "no error: %s", message);
  CHECK(strcmp(error.message, message) == 0, "%s", error.message);
  parts_free(&p);
}

static void test_arguments(void) {
  const int32_t twice[] = {2, 2}, outside[] = {0, -1};
  gpugeo_pam_options options = options_of(5, true, 0, 0);
  expect_error(&options, 5, "k must be between 1 and 4, the number of points, not 5");
  options.k = 0;
  expect_error(&options, 5, "k must be between 1 and 4, the number of points, not 0");
  options.k = 2;
  expect_error(&options, NAN,
               "x must have finite distances only, but 1 of them is not; the first is missing, "
               "between points 2 and 4");
  options.run.work_bytes = 320;
  expect_error(&options, INFINITY,
               "x must have finite distances only, but 1 of them is not; the first is Inf, between "
               "points 2 and 4");
  options.medoids = twice;
  options.medoids_length = 1;
  expect_error(&options, 5, "medoids must be 2 points, as many as k, not 1");
  options.medoids_length = 2;
  expect_error(&options, 5, "medoids must be different points between 1 and 4, but value 2 is 3");
  options.medoids = outside;
  expect_error(&options, 5, "medoids must be different points between 1 and 4, but value 2 is 0");
  options.medoids = NULL;
  options.run.work_bytes = 100;
  expect_error(&options, 5,
               "memory_limit must be at least 320 bytes for 2 medoids of 4 points, not 100");
  options.run.work_bytes = 0;
  options.max_swaps = -1;
  expect_error(&options, 5, "max_swaps must be a whole number of at least 0, not -1");
}

int main(void) {
  for (int kind = 0; kind < DATA_KINDS; ++kind)
    test_sizes((data_kind)kind);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    test_negative(seed, false);
    test_negative(seed, true);
    test_max_swaps(seed, false);
    test_max_swaps(seed, true);
  }
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    test_rounded_gains(seed, false);
    test_rounded_gains(seed, true);
  }
  test_arguments();
  return check_end();
}
