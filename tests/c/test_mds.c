/* Multidimensional scaling: the stress of the result and its fall, exact configurations, weights,
   the same bits from all sources, on CPU and CUDA, on any threads and with any instructions, and
   what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

static gg_simd widest;
static bool has_cuda;

typedef struct data {
  int64_t n, pairs;
  double *points, *delta, *weights, *start; /* 4 columns of points, Manhattan distances */
  gpugeo_matrix x;
} data;

static uint64_t random_state = 7;

static double uniform(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_state >> 11) * 0x1p-53;
}

static data make_data(int64_t n) {
  data d = {.n = n, .pairs = n * (n - 1) / 2};
  d.points = malloc((size_t)(4 * n) * sizeof(double));
  d.start = malloc((size_t)(4 * n) * sizeof(double));
  d.delta = malloc((size_t)d.pairs * sizeof(double));
  d.weights = malloc((size_t)d.pairs * sizeof(double));
  for (int64_t i = 0; i < 4 * n; ++i) {
    d.points[i] = uniform() * uniform();
    d.start[i] = 100 + uniform();
  }
  for (int64_t i = 0; i < d.pairs; ++i)
    d.weights[i] = i % 3 ? uniform() : 0;
  d.x = (gpugeo_matrix){d.points, GPUGEO_TYPE_DOUBLE, n, 4, n, NULL};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric.kind = GPUGEO_METRIC_MANHATTAN;
  CHECK(!gpugeo_dist(&d.x, NULL, &dist, GPUGEO_TYPE_DOUBLE, d.delta, NULL, NULL), "no distances");
  return d;
}

static void free_data(data *d) {
  free(d->points);
  free(d->start);
  free(d->delta);
  free(d->weights);
}

static gpugeo_mds_options options_for(int64_t k) {
  gpugeo_mds_options options;
  gpugeo_mds_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  options.k = k;
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = 1;
  return options;
}

static void use_weights(const data *d, gpugeo_mds_options *options) {
  options->weights = d->weights;
  options->weights_length = d->pairs;
}

static void use_start(const data *d, gpugeo_mds_options *options) {
  options->start = d->start;
  options->start_length = d->n * options->k;
}

/* Returns the stress of a configuration times `factor`. */
static double stress_of(const data *d, const double *weights, const double *x, int64_t k,
                        double factor) {
  double off = 0, all = 0;
  for (int64_t j = 0, at = 0; j < d->n; ++j)
    for (int64_t i = j + 1; i < d->n; ++i, ++at) {
      double sum = 0;
      for (int64_t c = 0; c < k; ++c)
        sum += (x[c * d->n + i] - x[c * d->n + j]) * (x[c * d->n + i] - x[c * d->n + j]);
      const double w = weights ? weights[at] : 1, gap = d->delta[at] - factor * sqrt(sum);
      off += w * gap * gap;
      all += w * d->delta[at] * d->delta[at];
    }
  return sqrt(off / all);
}

/* Runs an iteration more each time: the stress is that of the result, its scale is the best one,
   and it falls. */
static void test_iterations(const data *d, int64_t k, bool weighted, bool relax) {
  gpugeo_mds_options options = options_for(k);
  const gpugeo_distances given = {.condensed = d->delta, .condensed_points = d->n};
  double *x = malloc((size_t)(d->n * k) * sizeof *x), before = INFINITY;
  gpugeo_mds_result result = {.coordinates = x};
  gpugeo_error error;
  if (weighted) use_weights(d, &options);
  use_start(d, &options);
  options.relax = relax;
  options.tolerance = 0;
  for (options.max_iterations = 0; options.max_iterations < 12; ++options.max_iterations) {
    if (!CHECK(!gpugeo_mds(&given, &options, &result, NULL, &error), "%s", error.message)) break;
    const double stress = stress_of(d, options.weights, x, k, 1);
    CHECK(fabs(result.stress - stress) <= 1e-12 * stress, "stress %.17g, not %.17g", result.stress,
          stress);
    CHECK(stress <= stress_of(d, options.weights, x, k, 1 + 1e-4) &&
              stress <= stress_of(d, options.weights, x, k, 1 - 1e-4),
          "another scale is better, %lld points", (long long)d->n);
    CHECK(result.stress < before, "iteration %lld: stress %.17g after %.17g",
          (long long)options.max_iterations, result.stress, before);
    before = result.stress;
  }
  free(x);
}

/* Compares the bits of several sources, threads, instructions and backends with those of distances
   in memory on one thread of the CPU. */
static void test_bits(const data *d, int64_t k, bool weighted, bool principal) {
  static const int32_t threads[] = {1, 2, 5};
  const gpugeo_distances sources[] = {{.condensed = d->delta, .condensed_points = d->n},
                                      {.x = &d->x}};
  const size_t bytes = (size_t)(d->n * k) * sizeof(double);
  double *first = malloc(bytes), *other = malloc(bytes);
  gpugeo_mds_result one = {.coordinates = first}, two = {.coordinates = other};
  gpugeo_mds_options options = options_for(k);
  gpugeo_error error;
  options.max_iterations = 6;
  if (weighted) use_weights(d, &options);
  if (!principal) use_start(d, &options);
  CHECK(!gpugeo_mds(&sources[0], &options, &one, NULL, &error), "%s", error.message);
  for (int turn = 0; turn < (has_cuda ? 8 : 6); ++turn) {
    if (turn >= 6 && check_leaves_out(3)) continue;
    options.run.backend = turn < 6 ? GPUGEO_BACKEND_CPU : GPUGEO_BACKEND_CUDA;
    options.run.threads = threads[turn % 3];
    gg_set_simd((gg_simd)(turn % (widest + 1)));
    CHECK(!gpugeo_mds(&sources[turn % 2], &options, &two, NULL, &error), "%s", error.message);
    CHECK(memcmp(first, other, bytes) == 0 && one.stress == two.stress &&
              one.iterations == two.iterations,
          "%lld points in %lld dimensions: other bits in turn %d", (long long)d->n, (long long)k,
          turn);
  }
  gg_set_simd(widest);
  free(first);
  free(other);
}

/* Compares bits at the limits of lanes, strips and tiles, and with more coordinates than a block of
   threads has. */
static void test_shapes(void) {
  static const int64_t sizes[] = {2, 7, 8, 17, 63, 64, 128, 256, 257, 385, 520};
  for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); ++s) {
    data d = make_data(sizes[s]);
    test_bits(&d, 1, s % 2, false);
    if (sizes[s] == 64) { /* more columns of the start */
      d.start = realloc(d.start, (size_t)(9 * 64) * sizeof(double));
      for (int i = 4 * 64; i < 9 * 64; ++i)
        d.start[i] = uniform();
      test_bits(&d, 9, true, false);
    }
    free_data(&d);
  }
}

/* Weights that are all the same give the transform without weights, up to the solution. */
static void test_equal_weights(const data *d) {
  const gpugeo_distances given = {.condensed = d->delta, .condensed_points = d->n};
  double *weights = malloc((size_t)d->pairs * sizeof *weights);
  double *plain = malloc((size_t)(2 * d->n) * sizeof *plain);
  double *weighted = malloc((size_t)(2 * d->n) * sizeof *weighted);
  gpugeo_mds_result one = {.coordinates = plain}, two = {.coordinates = weighted};
  gpugeo_mds_options options = options_for(2);
  for (int64_t i = 0; i < d->pairs; ++i)
    weights[i] = 3e7;
  options.max_iterations = 5;
  use_start(d, &options);
  CHECK(!gpugeo_mds(&given, &options, &one, NULL, NULL), "it failed");
  options.weights = weights;
  options.weights_length = d->pairs;
  CHECK(!gpugeo_mds(&given, &options, &two, NULL, NULL), "it failed with weights");
  for (int64_t i = 0; i < 2 * d->n; ++i)
    CHECK(fabs(plain[i] - weighted[i]) <= 1e-9, "%lld: %.17g with weights, %.17g without",
          (long long)i, weighted[i], plain[i]);
  free(weights);
  free(plain);
  free(weighted);
}

/* Distances of any magnitude give the same configuration, at their scale. */
static void test_magnitudes(const data *d) {
  static const double factors[] = {0x1p-1000, 0x1p-60, 0x1p1000};
  double *delta = malloc((size_t)d->pairs * sizeof *delta);
  double *plain = malloc((size_t)(2 * d->n) * sizeof *plain);
  double *scaled = malloc((size_t)(2 * d->n) * sizeof *scaled);
  gpugeo_mds_result one = {.coordinates = plain}, two = {.coordinates = scaled};
  gpugeo_mds_options options = options_for(2);
  const gpugeo_distances given = {.condensed = delta, .condensed_points = d->n};
  options.max_iterations = 5;
  use_start(d, &options);
  memcpy(delta, d->delta, (size_t)d->pairs * sizeof *delta);
  CHECK(!gpugeo_mds(&given, &options, &one, NULL, NULL), "it failed");
  for (int f = 0; f < 3; ++f) {
    for (int64_t i = 0; i < d->pairs; ++i)
      delta[i] = d->delta[i] * factors[f];
    CHECK(!gpugeo_mds(&given, &options, &two, NULL, NULL), "it failed");
    bool same = one.stress == two.stress;
    for (int64_t i = 0; i < 2 * d->n; ++i)
      same = same && scaled[i] == plain[i] * factors[f];
    CHECK(same, "distances times %g", factors[f]);
  }
  free(delta);
  free(plain);
  free(scaled);
}

/* Few points, distances that fit exactly, and zeros. */
static void test_small(void) {
  static const double two[] = {3}, triangle[] = {3, 4, 5}, zeros[] = {0, 0, 0};
  double x[6] = {0};
  gpugeo_mds_result result = {.coordinates = x};
  gpugeo_mds_options options = options_for(1);
  gpugeo_distances given = {.condensed = two, .condensed_points = 2};
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL) && result.converged &&
            result.stress <= 1e-10 && fabs(fabs(x[0] - x[1]) - 3) < 1e-14,
        "two points: %g, %g", x[0], x[1]);
  options.type = GPUGEO_MDS_TYPE_ORDINAL;
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL) && result.converged &&
            result.stress <= 1e-10 && fabs(fabs(x[0] - x[1]) - 3) < 1e-14,
        "two points, ordinal: %g, %g", x[0], x[1]);
  options.type = GPUGEO_MDS_TYPE_RATIO;
  options.k = 2;
  given = (gpugeo_distances){.condensed = triangle, .condensed_points = 3};
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL) && result.converged &&
            result.stress <= 1e-10 && fabs(hypot(x[1] - x[2], x[4] - x[5]) - 5) < 1e-9,
        "a triangle: stress %g", result.stress);
  given.condensed = zeros;
  x[0] = 1;
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL) && result.converged &&
            result.stress == 0 && result.iterations == 0 && x[0] == 0,
        "zeros: stress %g", result.stress);
}

/* A random start in the plane of its points finds them: the stress falls to 0. */
static void test_exact(void) {
  enum { N = 40 };
  double points[2 * N], start[2 * N], x[2 * N];
  gpugeo_matrix view = {points, GPUGEO_TYPE_DOUBLE, N, 2, N, NULL};
  gpugeo_mds_result result = {.coordinates = x};
  gpugeo_mds_options options = options_for(2);
  const gpugeo_distances given = {.x = &view};
  options.metric.kind = GPUGEO_METRIC_EUCLIDEAN;
  for (int i = 0; i < 2 * N; ++i) {
    points[i] = uniform();
    start[i] = points[i] + uniform() / 4;
  }
  options.start = start;
  options.start_length = 2 * N;
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL) && result.converged &&
            result.stress <= 1e-9 && result.iterations > 3,
        "stress %g after %lld iterations", result.stress, (long long)result.iterations);
}

/* --- Ordinal scaling -------------------------------------------------------------------------- */

/* Returns sum / weight of the pairs first .. last in an order. */
static double mean_of(const double *value, const double *weight, const int *order, int first,
                      int last) {
  double sum = 0, all = 0;
  for (int t = first; t <= last; ++t) {
    const double w = weight ? weight[order[t]] : 1;
    sum += w * value[order[t]];
    all += w;
  }
  return sum / all;
}

/* Writes the monotone regression of values in an order, by the formula of the smallest of the
   largest means: Robertson, Wright and Dykstra 1988, theorem 1.4.4. */
static void regress(const double *value, const double *weight, const int *order, int count,
                    double *fitted) {
  for (int t = 0; t < count; ++t) {
    double most = -INFINITY;
    for (int first = 0; first <= t; ++first) {
      double least = INFINITY;
      for (int last = t; last < count; ++last)
        least = fmin(least, mean_of(value, weight, order, first, last));
      most = fmax(most, least);
    }
    fitted[order[t]] = most;
  }
}

/* For sorting: pairs by given distance, then by distance in the configuration. */
static const double *sort_delta, *sort_value;

static int compare_pairs(const void *a, const void *b) {
  const int i = *(const int *)a, j = *(const int *)b;
  if (sort_delta[i] != sort_delta[j]) return sort_delta[i] < sort_delta[j] ? -1 : 1;
  return (sort_value[i] > sort_value[j]) - (sort_value[i] < sort_value[j]);
}

/* The disparities of a start are its monotone regression, ties and weights of 0 included, and the
   stress is Kruskal's. */
static void test_regression(bool tied, bool weighted, bool squared) {
  enum { N = 9, PAIRS = N * (N - 1) / 2 };
  data d = make_data(N);
  double x[2 * N] = {0}, disparities[PAIRS], value[PAIRS], fitted[PAIRS];
  int order[PAIRS] = {0}, count = 0;
  gpugeo_mds_result result = {.coordinates = x, .disparities = disparities};
  gpugeo_mds_options options = options_for(2);
  const gpugeo_distances given = {.condensed = d.delta, .condensed_points = N};
  options.type = GPUGEO_MDS_TYPE_ORDINAL;
  options.max_iterations = 0;
  options.squared = squared;
  use_start(&d, &options);
  if (weighted) use_weights(&d, &options);
  for (int i = 0; tied && i < PAIRS; ++i)
    d.delta[i] = floor(4 * d.delta[i]);
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL), "it failed");
  for (int j = 0, at = 0; j < N; ++j)
    for (int i = j + 1; i < N; ++i, ++at)
      value[at] = pow(hypot(x[i] - x[j], x[N + i] - x[N + j]), squared ? 2 : 1);
  for (int at = 0; at < PAIRS; ++at)
    if (!weighted || d.weights[at] > 0) order[count++] = at;
  sort_delta = d.delta;
  sort_value = value;
  qsort(order, (size_t)count, sizeof *order, compare_pairs);
  regress(value, options.weights, order, count, fitted);
  double squares = 0, delta_squares = 0, off = 0, all = 0, factor;
  for (int t = 0; t < count; ++t) {
    const int at = order[t];
    const double w = weighted ? d.weights[at] : 1;
    squares += w * fitted[at] * fitted[at];
    delta_squares += w * pow(d.delta[at], squared ? 4 : 2);
    off += w * (value[at] - fitted[at]) * (value[at] - fitted[at]);
    all += w * value[at] * value[at];
  }
  factor = sqrt(delta_squares / squares);
  for (int at = 0; squared && at < PAIRS; ++at)
    disparities[at] *= disparities[at];
  for (int at = 0; at < PAIRS; ++at)
    if (weighted && d.weights[at] == 0)
      CHECK(isnan(disparities[at]), "pair %d of weight 0: %g", at, disparities[at]);
    else
      CHECK(fabs(disparities[at] - factor * fitted[at]) <= 1e-13 * factor * fitted[at],
            "pair %d: %.17g, not %.17g", at, disparities[at], factor * fitted[at]);
  CHECK(fabs(result.stress - sqrt(off / all)) <= 1e-12 && result.stress > 0.01,
        "stress %.17g, not %.17g", result.stress, sqrt(off / all));
  free_data(&d);
}

/* No iteration raises the stress, which is the same bits on any threads and with any instructions;
   many ties are sorted by digits, few by insertion. */
static void test_types(int64_t n, double levels, bool weighted, gpugeo_mds_type type,
                       bool squared) {
  data d = make_data(n);
  double *x = malloc((size_t)(2 * n) * sizeof *x), *other = malloc((size_t)(2 * n) * sizeof *x);
  gpugeo_mds_result one = {.coordinates = x}, two = {.coordinates = other};
  gpugeo_mds_options options = options_for(2);
  const gpugeo_distances given = {.condensed = d.delta, .condensed_points = n};
  double before = INFINITY;
  options.type = type;
  options.squared = squared;
  options.tolerance = 0;
  use_start(&d, &options);
  if (weighted) use_weights(&d, &options);
  for (int64_t i = 0; levels > 0 && i < d.pairs; ++i)
    d.delta[i] = floor(levels * d.delta[i]);
  for (options.max_iterations = 0; options.max_iterations < 10; ++options.max_iterations) {
    CHECK(!gpugeo_mds(&given, &options, &one, NULL, NULL), "it failed");
    CHECK(one.stress < before, "%lld points, %g levels, iteration %lld: stress %.17g after %.17g",
          (long long)n, levels, (long long)options.max_iterations, one.stress, before);
    before = one.stress;
  }
  --options.max_iterations;
  for (int turn = 0; turn < 4; ++turn) {
    options.run.threads = 1 + turn;
    gg_set_simd((gg_simd)(turn % (widest + 1)));
    CHECK(!gpugeo_mds(&given, &options, &two, NULL, NULL) && one.stress == two.stress &&
              memcmp(x, other, (size_t)(2 * n) * sizeof *x) == 0,
          "%lld points, %g levels: other bits in turn %d", (long long)n, levels, turn);
  }
  gg_set_simd(widest);
  free(x);
  free(other);
  free_data(&d);
}

/* Without a fit, the stress is that of squares at their best scale, and the gradient of the result
   is 0. */
static void test_squares(bool weighted, int64_t k) {
  enum { N = 20 };
  data d = make_data(N);
  double x[4 * N] = {0}, gradient[4 * N] = {0}, off = 0, all = 0, most = 0, largest = 0;
  gpugeo_mds_result result = {.coordinates = x};
  gpugeo_mds_options options = options_for(k);
  const gpugeo_distances given = {.condensed = d.delta, .condensed_points = N};
  options.squared = 1;
  options.tolerance = 0;
  options.max_iterations = 2000;
  use_start(&d, &options);
  if (weighted) use_weights(&d, &options);
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL), "it failed");
  for (int j = 0, at = 0; j < N; ++j)
    for (int i = j + 1; i < N; ++i, ++at) {
      const double w = weighted ? d.weights[at] : 1;
      double sum = 0;
      for (int64_t c = 0; c < k; ++c)
        sum += (x[c * N + i] - x[c * N + j]) * (x[c * N + i] - x[c * N + j]);
      const double gap = sum - d.delta[at] * d.delta[at];
      off += w * gap * gap;
      all += w * pow(d.delta[at], 4);
      for (int64_t c = 0; c < k; ++c) {
        const double pull = w * gap * (x[c * N + i] - x[c * N + j]);
        gradient[c * N + i] += pull;
        gradient[c * N + j] -= pull;
        largest = fmax(largest, fabs(pull));
      }
    }
  for (int64_t i = 0; i < k * N; ++i)
    most = fmax(most, fabs(gradient[i]));
  CHECK(fabs(result.stress - sqrt(off / all)) <= 1e-12, "stress %.17g, not %.17g", result.stress,
        sqrt(off / all));
  CHECK(most <= 1e-6 * largest, "%lld dimensions: gradient %g of %g after %lld iterations",
        (long long)k, most, largest, (long long)result.iterations);
  free_data(&d);
}

/* Points on a line whose distances are powers of the given ones are found again, in their order. */
static void test_monotone(void) {
  enum { N = 30 };
  double delta[N * (N - 1) / 2], x[N], start[N];
  gpugeo_mds_result result = {.coordinates = x};
  gpugeo_mds_options options = options_for(1);
  const gpugeo_distances given = {.condensed = delta, .condensed_points = N};
  for (int j = 0, at = 0; j < N; ++j) {
    start[j] = j + uniform();
    for (int i = j + 1; i < N; ++i)
      delta[at++] = pow(i * i - j * j, 0.3);
  }
  options.start = start;
  options.start_length = N;
  options.type = GPUGEO_MDS_TYPE_ORDINAL;
  CHECK(!gpugeo_mds(&given, &options, &result, NULL, NULL) && result.stress < 1e-3,
        "stress %g after %lld iterations", result.stress, (long long)result.iterations);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void fails(const double *delta, int64_t n, const gpugeo_mds_options *options,
                  gpugeo_status expected, const char *message) {
  const gpugeo_distances given = {.condensed = delta, .condensed_points = n};
  double x[8];
  gpugeo_mds_result result = {.coordinates = x};
  gpugeo_error error = {.message = ""};
  const gpugeo_status status = gpugeo_mds(&given, options, &result, NULL, &error);
  CHECK(status == expected && strcmp(error.message, message) == 0, "%d: %s", (int)status,
        error.message);
}

static void test_arguments(void) {
  static const double d[] = {1, 2, 3}, start[] = {0, 1, INFINITY, 0, 1, 2}, same[6] = {0};
  const gpugeo_status wrong = GPUGEO_ERROR_ARGUMENT;
  gpugeo_mds_options options = options_for(3);
  fails(d, 3, &options, wrong, "k must be a whole number between 1 and 2, not 3");
  fails(d, 1, &options, wrong, "x must have 2 to 2147483647 points, not 1");
  options = options_for(2);
  options.type = GPUGEO_MDS_TYPE_COUNT;
  fails(d, 3, &options, wrong, "type must be between 0 and 1, not 2");
  options.type = GPUGEO_MDS_TYPE_ORDINAL;
  fails(d, 1, &options, wrong, "x must have 2 to 65536 points for ordinal scaling, not 1");
  options.run.backend = GPUGEO_BACKEND_CUDA;
  fails(d, 3, &options, wrong,
        "backend must be \"auto\" or \"cpu\" for ordinal scaling, not \"cuda\"");
  options.type = GPUGEO_MDS_TYPE_RATIO;
  options.squared = 1;
  fails(d, 3, &options, wrong,
        "backend must be \"auto\" or \"cpu\" for scaling by squares of distances, not \"cuda\"");
  options = options_for(2);
  options.tolerance = NAN;
  fails(d, 3, &options, wrong, "tolerance must be between 0 and 1, not NaN");
  options.tolerance = 0;
  options.max_iterations = -1;
  fails(d, 3, &options, wrong, "max_iterations must be a whole number of at least 0, not -1");
  options = options_for(2);
  options.start = start;
  options.start_length = 5;
  fails(d, 3, &options, wrong,
        "start must have 2 coordinates of each of the 3 points, not 5 numbers");
  options.start_length = 6;
  fails(d, 3, &options, wrong, "start must be finite, but coordinate 1 of point 3 is Inf");
  options.start = same;
  fails(d, 3, &options, wrong, "start must have points at different positions");
}

static void test_pairs(void) {
  static const double d[] = {1, 2, 3}, missing[] = {1, NAN, INFINITY}, negative[] = {1, -2, -3};
  static const double zeros[] = {0, 0, 0};
  gpugeo_mds_options options = options_for(2);
  fails(missing, 3, &options, GPUGEO_ERROR_DATA,
        "x must have finite distances only, but 2 of them are not; the first is missing, between "
        "points 1 and 3");
  fails(
      negative, 3, &options, GPUGEO_ERROR_DATA,
      "x must have distances of at least 0, but 2 are negative; the first is -2, between points 1 "
      "and 3");
  options.weights = negative;
  options.weights_length = 2;
  fails(d, 3, &options, GPUGEO_ERROR_ARGUMENT,
        "weights must have one for each of the 3 pairs of points, not 2");
  options.weights_length = 3;
  fails(
      d, 3, &options, GPUGEO_ERROR_ARGUMENT,
      "weights must be finite and at least 0, but 2 of them are not; the first is -2, of points 1 "
      "and 3");
  options.weights = zeros;
  fails(d, 3, &options, GPUGEO_ERROR_ARGUMENT, "weights must have at least one that is not 0");
}

int main(void) {
  gpugeo_error error;
  widest = gg_context_get()->simd;
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!has_cuda) check_skip(1, "CUDA: not present (%s), the CPU's products only", error.message);
  static const int64_t sizes[] = {9, 129, 300};
  for (int s = 0; s < 3; ++s) {
    data d = make_data(sizes[s]);
    for (int kind = 0; kind < 4; ++kind) {
      test_iterations(&d, 2, kind % 2, kind / 2);
      test_bits(&d, 1 + kind % 3, kind % 2, kind / 2);
    }
    test_equal_weights(&d);
    test_magnitudes(&d);
    free_data(&d);
  }
  test_shapes();
  for (int kind = 0; kind < 4; ++kind) {
    for (int squared = 0; squared < 2; ++squared) {
      const gpugeo_mds_type ordinal = GPUGEO_MDS_TYPE_ORDINAL;
      test_regression(kind % 2, kind / 2, squared);
      test_types(9, 4, kind % 2, ordinal, squared);
      test_types(100, kind / 2 ? 3 : 0, kind % 2, ordinal, squared);
      test_types(300, kind / 2 ? 50 : 0, kind % 2, ordinal, squared);
    }
    test_types(kind / 2 ? 9 : 300, 0, kind % 2, GPUGEO_MDS_TYPE_RATIO, true);
    test_squares(kind % 2, 1 + kind);
  }
  test_monotone();
  test_small();
  test_exact();
  test_arguments();
  test_pairs();
  return check_end();
}
