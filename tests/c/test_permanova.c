/* Sums of squares against a plain loop over all pairs, for many sizes, permutations and metrics;
   the same bits from all sources, on any threads, in batches of any size and with any instructions;
   and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

enum { MOST_SUMS = 256, MOST_GROUPS = 80 };

static gg_simd widest;
static bool has_cuda;

/* Fills permutations with random ones. */
static int32_t *make_order(dice *d, int64_t n, int64_t permutations) {
  int32_t *order = malloc((size_t)(n * permutations) * sizeof *order + 1);
  for (int64_t p = 0; p < permutations; ++p)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t j = dice_whole(d, i);
      order[i + p * n] = order[j + p * n];
      order[j + p * n] = (int32_t)i;
    }
  return order;
}

static double distance_of(const double *condensed, int64_t n, int64_t i, int64_t j) {
  if (i == j) return 0;
  if (i < j) return distance_of(condensed, n, j, i);
  return condensed[n * j - j * (j + 1) / 2 + i - j - 1];
}

/* Returns a sum of squares by the definition, in long double. */
static double expected_sum(const gpugeo_design *design, const double *condensed, bool root,
                           int64_t permutation, int64_t column, double total) {
  const int64_t n = design->points;
  const int32_t *order = permutation ? design->order + (permutation - 1) * n : NULL;
  int64_t size[MOST_GROUPS] = {0};
  for (int64_t i = 0; design->group && i < n; ++i)
    ++size[design->group[i]];
  long double sum = 0;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i) {
      const double d = distance_of(condensed, n, order ? order[i] : i, order ? order[j] : j);
      const long double value = root ? (long double)d : (long double)d * d;
      if (design->basis)
        sum -= value * design->basis[i + column * n] * design->basis[j + column * n];
      else if (design->group[i] == design->group[j])
        sum += value / size[design->group[i]];
    }
  return (double)(design->basis ? sum : total - sum);
}

static double expected_total(const double *condensed, int64_t n, bool root) {
  long double sum = 0;
  for (int64_t k = 0; k < n * (n - 1) / 2; ++k)
    sum += root ? (long double)condensed[k] : (long double)condensed[k] * condensed[k];
  return (double)(sum / n);
}

/* Computes the sums of one source in one way and compares their bits with the first ones. */
static void compare_bits(const char *name, const gpugeo_distances *x,
                         gpugeo_permanova_options options, const gpugeo_design *design,
                         const double *first, int64_t count) {
  static const int32_t threads[] = {1, 2, 5};
  static const int64_t work[] = {0, 1, 40000, 1 << 20};
  static const gpugeo_backend backends[] = {GPUGEO_BACKEND_CPU, GPUGEO_BACKEND_CUDA};
  static int turn;
  double sums[MOST_SUMS], total = -1;
  gpugeo_error error;
  for (int k = 0; k < (has_cuda ? 8 : 4); ++k, ++turn) {
    if (k >= 4 && check_leaves_out(7)) continue;
    options.run.backend = backends[k / 4];
    options.run.threads = threads[turn % 3];
    options.run.work_bytes = work[k % 4];
    gg_set_simd((gg_simd)(turn % (widest + 1)));
    CHECK(!gpugeo_permanova(x, &options, design, sums, &total, NULL, &error), "%s: %s", name,
          error.message);
    CHECK(memcmp(sums, first, (size_t)count * sizeof *sums) == 0 && total == first[count],
          "%s: other bits on backend %d with %d threads, %lld bytes, instructions %d", name,
          (int)options.run.backend, (int)options.run.threads, (long long)work[k % 4],
          turn % (widest + 1));
  }
  gg_set_simd(widest);
}

/* Compares one design with the definition, and all ways to compute it. */
static void compare(const char *name, const gpugeo_matrix *x, const double *condensed,
                    gpugeo_permanova_options options, const gpugeo_design *design) {
  const int64_t n = design->points, columns = design->group ? 1 : design->columns;
  const int64_t count = columns * (1 + design->permutations);
  const gpugeo_distances points = {.x = x};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  double first[MOST_SUMS + 1];
  gpugeo_error error;
  options.run.backend = GPUGEO_BACKEND_CPU;
  const gpugeo_status status =
      gpugeo_permanova(&points, &options, design, first, first + count, NULL, &error);
  if (!CHECK(!status, "%s: %s", name, error.message)) return;
  const double total = expected_total(condensed, n, options.root);
  CHECK(fabs(first[count] - total) <= 1e-13 * total, "%s: total %.17g, not %.17g", name,
        first[count], total);
  for (int64_t k = 0; k < count; ++k) {
    const double expected =
        expected_sum(design, condensed, options.root, k % (1 + design->permutations),
                     k / (1 + design->permutations), total);
    CHECK(fabs(first[k] - expected) <= 1e-13 * total, "%s: sum %lld is %.17g, not %.17g", name,
          (long long)k, first[k], expected);
  }
  compare_bits(name, &points, options, design, first, count);
  compare_bits(name, &given, options, design, first, count);
}

/* Compares groups of any size, from a single one to more than CUDA lists. */
static void compare_groups(dice *d, const gpugeo_matrix *x, const double *condensed,
                           gpugeo_permanova_options options, gpugeo_design design) {
  static const int32_t groups[] = {1, 6, 64, 65, MOST_GROUPS};
  int32_t *group = malloc((size_t)design.points * sizeof *group);
  design.group = group;
  for (size_t k = 0; k < sizeof groups / sizeof *groups; ++k) {
    design.groups = groups[k] < design.points ? groups[k] : design.points;
    for (int64_t i = 0; i < design.points; ++i) /* half of the points in one group */
      group[i] = (int32_t)(dice_whole(d, 1) ? 0 : dice_whole(d, design.groups - 1));
    compare("groups", x, condensed, options, &design);
  }
  free(group);
}

/* Compares groups and a basis, which need not be orthogonal for this. */
static void compare_designs(dice *d, int64_t n, gpugeo_metric metric, bool root) {
  enum { COLUMNS = 3 };
  double *raw = data_points(DATA_RANDOM, n, 3, (uint64_t)n);
  const gpugeo_matrix x = data_matrix(raw, n, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
  double *condensed = malloc((size_t)(n * n / 2 + 1) * sizeof *condensed);
  double *basis = malloc((size_t)(n * COLUMNS) * sizeof *basis);
  const int64_t permutations = 1 + n % 37;
  int32_t *order = make_order(d, n, permutations);
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  gpugeo_permanova_options options;
  gpugeo_permanova_options_init(&options, sizeof options);
  dist.metric.kind = options.metric.kind = metric;
  options.root = root;
  CHECK(!gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL), "distances");
  for (int64_t i = 0; i < n * COLUMNS; ++i)
    basis[i] = dice_real(d) / sqrt((double)n);
  gpugeo_design design = {.points = n, .order = order, .permutations = permutations};
  design.basis = basis;
  design.columns = n < COLUMNS ? n : COLUMNS;
  compare("basis", &x, condensed, options, &design);
  design.basis = NULL;
  compare_groups(d, &x, condensed, options, design);
  free(raw);
  free((void *)x.data);
  free(condensed);
  free(basis);
  free(order);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void fails(const double *condensed, int64_t n, const gpugeo_design *design,
                  gpugeo_status expected, const char *message) {
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  gpugeo_permanova_options options;
  gpugeo_permanova_options_init(&options, sizeof options);
  double sums[16], total;
  gpugeo_error error = {.message = ""};
  for (int on_cuda = 0; on_cuda < (has_cuda ? 2 : 1); ++on_cuda) {
    options.run.backend = on_cuda ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
    const gpugeo_status status =
        gpugeo_permanova(&given, &options, design, sums, &total, NULL, &error);
    CHECK(status == expected && strcmp(error.message, message) == 0, "%d: %s", (int)status,
          error.message);
  }
}

static void test_errors(void) {
  const double d[] = {1, 2, 3}, missing[] = {NAN, 2, INFINITY}, negative[] = {1, -2, 3};
  const double basis[] = {1, 0, NAN};
  const int32_t group[] = {0, 1, 1}, order[] = {0, 1, 2, 2, 1, 2}, beyond[] = {0, 1, 3};
  const gpugeo_design good = {.points = 3, .group = group, .groups = 2};
  fails(missing, 3, &good, GPUGEO_ERROR_DATA,
        "x must have finite distances only, but 2 of them are not; the first is missing, between "
        "points 1 and 2");
  fails(negative, 3, &good, GPUGEO_ERROR_DATA,
        "x must have distances of at least 0, but 1 is negative; the first is -2, between points 1 "
        "and 3");
  fails(d, 1, &good, GPUGEO_ERROR_ARGUMENT, "x must have 2 to 2147483647 points, not 1");
  fails(d, 3, NULL, GPUGEO_ERROR_ARGUMENT, "design must have a basis or groups");
  gpugeo_design bad = good;
  bad.basis = d;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT, "design must have a basis or groups");
  bad = good;
  bad.points = 2;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "design must have a row for each of the 3 points, not 2");
  bad = good;
  bad.groups = 1;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "group must have numbers of at least 0 and less than 1, but that of point 2 is 1");
  bad = good;
  bad.order = order;
  bad.permutations = 2;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "permutations must have each of the numbers 1 to 3 once, but permutation 2 has two of 3");
  bad.order = beyond;
  bad.permutations = 1;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "permutations must have each of the numbers 1 to 3 once, but permutation 1 has 4");
  bad.permutations = -1;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "permutations must be a whole number of at least 0, not -1");
  bad = (gpugeo_design){.points = 3, .basis = basis, .columns = 1};
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT, "basis must be finite, but column 1 is NaN for point 3");
  bad.columns = -1;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "columns must be a whole number between 0 and 3, the number of points, not -1");
  bad.columns = 4;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "columns must be a whole number between 0 and 3, the number of points, not 4");
  bad.columns = INT64_MAX;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "columns must be a whole number between 0 and 3, the number of points, not "
        "9223372036854775807");
  bad = good;
  bad.groups = (int64_t)1 << 25;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "groups must be a whole number between 0 and 3, the number of points, not 33554432");
  bad = good;
  bad.permutations = 1;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT, "order must not be NULL");
  bad.order = order;
  bad.permutations = INT64_MAX;
  fails(d, 3, &bad, GPUGEO_ERROR_ARGUMENT,
        "permutations must be at most 192153584101141162 for 3 points, not 9223372036854775807");
}

int main(void) {
  gpugeo_error error = {0};
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!has_cuda) check_skip(1, "CUDA: not present (%s), the CPU's sums only", error.message);
  widest = gg_context_get()->simd;
  dice d = {.state = 1};
  static const int64_t sizes[] = {2, 3, 4, 7, 16, 65, 130, 511, 512, 513, 700};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
    compare_designs(&d, sizes[k], k % 2 ? GPUGEO_METRIC_MANHATTAN : GPUGEO_METRIC_EUCLIDEAN,
                    k % 3 == 1);
  compare_designs(&d, CHECK_SMALL ? 600 : 1100, GPUGEO_METRIC_EUCLIDEAN, false);
  test_errors();
  return check_end();
}
