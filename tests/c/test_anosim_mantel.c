/* Analyses of similarities, multiresponse permutation procedures and Mantel tests against plain
   loops; ranks in any memory; the same bits from all sources, on both backends, on any threads and
   with any instructions; and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "ordination/ranks.h"

enum { PERMUTATIONS = 20, ALL = 1 + PERMUTATIONS, GROUPS = 4 };

static gg_simd widest;
static bool has_cuda;

/* Distances of some points, with ties, and permutations of the points. */
typedef struct data {
  int64_t n, pairs;
  double *points, *distance[3], *rank[3];
  gpugeo_matrix x;
  int32_t *group, *order;
} data;

static int64_t pair_at(int64_t n, int64_t a, int64_t b) {
  const int64_t i = a > b ? a : b, j = a > b ? b : a;
  return n * j - j * (j + 1) / 2 + i - j - 1;
}

static int in_order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns how many sorted values are below one, or not above it. */
static int64_t count_below(const double *sorted, int64_t count, double value, bool or_equal) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (sorted[middle] < value || (or_equal && sorted[middle] == value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static double *ranks_of(const double *value, int64_t count) {
  double *rank = malloc((size_t)count * sizeof *rank);
  double *sorted = malloc((size_t)count * sizeof *sorted);
  memcpy(sorted, value, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, in_order);
  for (int64_t k = 0; k < count; ++k)
    rank[k] = 0.5 * (double)(count_below(sorted, count, value[k], false) + 1 +
                             count_below(sorted, count, value[k], true));
  free(sorted);
  return rank;
}

static data make_data(dice *d, int64_t n) {
  data made = {.n = n, .pairs = n * (n - 1) / 2};
  made.points = data_points(DATA_TIED, n, 3, (uint64_t)n);
  made.x = data_matrix(made.points, n, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 1);
  for (int s = 0; s < 3; ++s) {
    made.distance[s] = malloc((size_t)made.pairs * sizeof(double));
    for (int64_t k = 0; k < made.pairs; ++k)
      made.distance[s][k] = s == 1 ? dice_real(d) : (double)dice_whole(d, 20);
  }
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  CHECK(!gpugeo_dist(&made.x, NULL, &dist, GPUGEO_TYPE_DOUBLE, made.distance[0], NULL, NULL),
        "dist");
  for (int s = 0; s < 3; ++s)
    made.rank[s] = ranks_of(made.distance[s], made.pairs);
  made.group = malloc((size_t)n * sizeof *made.group);
  made.order = malloc((size_t)(n * PERMUTATIONS) * sizeof *made.order);
  for (int64_t i = 0; i < n; ++i)
    made.group[i] = (int32_t)(i < 2 ? i : dice_whole(d, GROUPS - 1));
  if (n > 2) made.group[2] = 0; /* a pair within a group */
  for (int64_t p = 0; p < PERMUTATIONS; ++p)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t j = dice_whole(d, i);
      made.order[i + p * n] = made.order[j + p * n];
      made.order[j + p * n] = (int32_t)i;
    }
  return made;
}

static void free_data(data *d) {
  for (int s = 0; s < 3; ++s) {
    free(d->distance[s]);
    free(d->rank[s]);
  }
  free(d->points);
  free((void *)d->x.data);
  free(d->group);
  free(d->order);
}

/* Returns the pair that permutation p moves to (i, j). */
static int64_t permuted_pair(const data *d, int64_t p, int64_t i, int64_t j) {
  const int32_t *order = d->order + (p - 1) * d->n;
  return p == 0 ? pair_at(d->n, i, j) : pair_at(d->n, order[i], order[j]);
}

/* --- Expected values -------------------------------------------------------------------------- */

static double expected_anosim(const data *d, int64_t p) {
  double sum[2] = {0}, count[2] = {0};
  for (int64_t j = 0; j < d->n; ++j)
    for (int64_t i = j + 1; i < d->n; ++i) {
      const int within = d->group[i] == d->group[j];
      sum[within] += d->rank[0][permuted_pair(d, p, i, j)];
      count[within] += 1;
    }
  return (sum[0] / count[0] - sum[1] / count[1]) / ((double)d->pairs / 2);
}

/* Returns delta, and writes the mean distance within each group. */
static double expected_mrpp(const data *d, int32_t weight_type, int64_t p, double *within) {
  double sum[GROUPS] = {0}, pairs[GROUPS] = {0}, delta = 0, weights = 0;
  int64_t size[GROUPS] = {0};
  for (int64_t j = 0; j < d->n; ++j) {
    ++size[d->group[j]];
    for (int64_t i = j + 1; i < d->n; ++i) {
      if (d->group[i] != d->group[j]) continue;
      sum[d->group[i]] += d->distance[0][permuted_pair(d, p, i, j)];
      ++pairs[d->group[i]];
    }
  }
  for (int g = 0; g < GROUPS; ++g) {
    within[g] = pairs[g] > 0 ? sum[g] / pairs[g] : NAN;
    if (size[g] < 2) continue;
    const double points = (double)size[g];
    const double weight = weight_type == 1 ? points : weight_type == 2 ? points - 1 : pairs[g];
    delta += weight * within[g];
    weights += weight;
  }
  return delta / weights;
}

/* Returns the correlation of one side, whose points are permuted, and another one. */
static double expected_cor(const data *d, const double *x, const double *y, int64_t p) {
  long double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (int64_t k = 0; k < d->pairs; ++k) {
    mx += x[k];
    my += y[k];
  }
  mx /= d->pairs;
  my /= d->pairs;
  for (int64_t j = 0; j < d->n; ++j)
    for (int64_t i = j + 1; i < d->n; ++i) {
      const long double u = x[permuted_pair(d, p, i, j)] - mx, v = y[pair_at(d->n, i, j)] - my;
      xx += u * u;
      yy += v * v;
      xy += u * v;
    }
  return (double)(xy / sqrtl(xx) / sqrtl(yy));
}

static double expected_mantel(const data *d, bool spearman, bool partial, int64_t p) {
  double *const *side = spearman ? d->rank : d->distance;
  const double xy = expected_cor(d, side[0], side[1], p);
  if (!partial) return xy;
  const double xz = expected_cor(d, side[0], side[2], p), yz = expected_cor(d, side[1], side[2], 0);
  return (xy - xz * yz) / sqrt((1 - xz * xz) * (1 - yz * yz));
}

/* --- Comparisons ------------------------------------------------------------------------------ */

enum { RUNS = 6 /* on each backend */ };

/* Returns the runs of all backends. */
static int all_runs(void) { return has_cuda ? 2 * RUNS : RUNS; }

/* Returns the run of a number, with other threads and other instructions in each call. */
static gpugeo_run next_run(int number) {
  static const int32_t threads[] = {1, 2, 5};
  static int turn;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = number < RUNS ? GPUGEO_BACKEND_CPU : GPUGEO_BACKEND_CUDA;
  run.threads = threads[turn % 3];
  gg_set_simd((gg_simd)(turn++ % (widest + 1)));
  return run;
}

static void compare_anosim(const data *d) {
  const gpugeo_distances sources[2] = {{.x = &d->x},
                                       {.condensed = d->distance[0], .condensed_points = d->n}};
  const gpugeo_design design = {.points = d->n,
                                .group = d->group,
                                .groups = d->n < GROUPS ? d->n : GROUPS,
                                .order = d->order,
                                .permutations = PERMUTATIONS};
  double first[ALL], got[ALL] = {0}, *rank = calloc((size_t)d->pairs, sizeof *rank);
  gpugeo_error error;
  for (int k = 0; k < all_runs(); ++k) {
    if (k >= RUNS && check_leaves_out(5)) continue;
    gpugeo_anosim_options options;
    gpugeo_anosim_options_init(&options, sizeof options);
    options.run = next_run(k);
    if (k % RUNS > 3) options.run.work_bytes = 1; /* ranks in as many passes as there may be */
    memset(rank, 0, (size_t)d->pairs * sizeof *rank);
    CHECK(!gpugeo_anosim(&sources[k % 2], &options, &design, got, k % 3 == 1 ? NULL : rank, NULL,
                         &error),
          "%s", error.message);
    if (k == 0) memcpy(first, got, sizeof first);
    CHECK(memcmp(first, got, sizeof first) == 0, "anosim of %lld, run %d: other bits",
          (long long)d->n, k);
    CHECK(k % 3 == 1 || memcmp(rank, d->rank[0], (size_t)d->pairs * sizeof *rank) == 0,
          "ranks of %lld, run %d", (long long)d->n, k);
  }
  for (int64_t p = 0; p < ALL; ++p) {
    const double expected = expected_anosim(d, p);
    CHECK(fabs(got[p] - expected) <= 1e-13, "anosim of %lld, %lld: %.17g, not %.17g",
          (long long)d->n, (long long)p, got[p], expected);
  }
  free(rank);
}

/* What a call returns. */
typedef struct mrpp_result {
  double delta[ALL], within[GROUPS], mean;
} mrpp_result;

static void compare_mrpp(const data *d, int32_t weight_type) {
  const gpugeo_distances sources[2] = {{.x = &d->x},
                                       {.condensed = d->distance[0], .condensed_points = d->n}};
  const gpugeo_design design = {.points = d->n,
                                .group = d->group,
                                .groups = d->n < GROUPS ? d->n : GROUPS,
                                .order = d->order,
                                .permutations = PERMUTATIONS};
  mrpp_result first = {.mean = 0}, got = first;
  gpugeo_error error;
  for (int k = 0; k < all_runs(); ++k) {
    if (k >= RUNS && check_leaves_out(5)) continue;
    gpugeo_mrpp_options options;
    gpugeo_mrpp_options_init(&options, sizeof options);
    options.weight_type = weight_type;
    options.run = next_run(k);
    if (k % RUNS > 3) options.run.work_bytes = 1; /* as many batches as there may be */
    CHECK(!gpugeo_mrpp(&sources[k % 2], &options, &design, got.delta, got.within, &got.mean, NULL,
                       &error),
          "%s", error.message);
    if (k == 0) first = got;
    CHECK(memcmp(&first, &got, sizeof got) == 0, "MRPP of %lld, run %d: other bits",
          (long long)d->n, k);
  }
  double within[GROUPS] = {0}, unused[GROUPS] = {0}, sum = 0;
  for (int64_t p = 0; p < ALL; ++p) {
    const double expected = expected_mrpp(d, weight_type, p, p ? unused : within);
    CHECK(fabs(got.delta[p] - expected) <= 1e-13 * expected, "MRPP of %lld, %lld: %.17g, not %.17g",
          (long long)d->n, (long long)p, got.delta[p], expected);
  }
  for (int g = 0; g < (int)design.groups; ++g)
    CHECK(isnan(within[g]) ? isnan(got.within[g])
                           : fabs(got.within[g] - within[g]) <= 1e-13 * within[g],
          "MRPP of %lld, group %d: %.17g, not %.17g", (long long)d->n, g, got.within[g], within[g]);
  for (int64_t k = 0; k < d->pairs; ++k)
    sum += d->distance[0][k];
  CHECK(fabs(got.mean * (double)d->pairs - sum) <= 1e-13 * sum, "mean of %lld: %.17g",
        (long long)d->n, got.mean);
}

static void compare_mantel(const data *d, bool spearman, bool partial) {
  const gpugeo_distances points = {.x = &d->x};
  gpugeo_distances side[3];
  for (int s = 0; s < 3; ++s)
    side[s] = (gpugeo_distances){.condensed = d->distance[s], .condensed_points = d->n};
  double first[ALL], got[ALL] = {0};
  gpugeo_error error;
  for (int k = 0; k < all_runs(); ++k) {
    if (k >= RUNS && check_leaves_out(5)) continue;
    gpugeo_mantel_options options;
    gpugeo_mantel_options_init(&options, sizeof options);
    if (spearman) options.method = GPUGEO_COR_METHOD_SPEARMAN;
    options.run = next_run(k);
    if (k % RUNS > 2) options.run.work_bytes = 1; /* as many panels and passes as there may be */
    CHECK(!gpugeo_mantel(k % 2 ? &points : &side[0], &side[1], partial ? &side[2] : NULL, &options,
                         d->order, PERMUTATIONS, got, NULL, &error),
          "%s", error.message);
    if (k == 0) memcpy(first, got, sizeof first);
    CHECK(memcmp(first, got, sizeof first) == 0, "Mantel of %lld, run %d: other bits",
          (long long)d->n, k);
  }
  for (int64_t p = 0; p < ALL; ++p) {
    const double expected = expected_mantel(d, spearman, partial, p);
    CHECK(fabs(got[p] - expected) <= 1e-12, "Mantel of %lld, %lld: %.17g, not %.17g",
          (long long)d->n, (long long)p, got[p], expected);
  }
}

/* --- Ranks ------------------------------------------------------------------------------------ */

enum { VALUES = 30000 /* seven times as many as are ranked together in the least memory */ };

/* Returns a value of a distribution. */
static double value_of(dice *d, int which) {
  switch (which) {
  case 0:
    return dice_real(d);
  case 1: /* more equal ones than are ranked together, of both signs, and infinite ones */
    return (double[]){0, -0.0, 1, -1, INFINITY, -INFINITY, -3e-310, 1e300}[dice_whole(d, 7)];
  case 2: /* the first digit of all but one is the same, and the second one, too */
    return dice_whole(d, VALUES / 2) == 0 ? -1e300 : 1 + ldexp((double)dice_whole(d, 1 << 24), -52);
  case 3: /* in these, only the last digit differs */
    return dice_whole(d, 99) == 0 ? 1e300 : 1 + ldexp((double)dice_whole(d, 9), -52);
  default:
    return 7;
  }
}

static void compare_ranks(dice *d, int which) {
  double *value = malloc(VALUES * sizeof *value), *rank = malloc(VALUES * sizeof *rank);
  uint32_t *twice = malloc(VALUES * sizeof *twice);
  for (int k = 0; k < VALUES; ++k)
    value[k] = value_of(d, which);
  double *expected = ranks_of(value, VALUES);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  for (int k = 0; k < 6; ++k) {
    const int32_t threads = k < 3 ? 1 : 4;
    const int64_t bytes = (int64_t[]){0, 1, 24 * 9000}[k % 3];
    gpugeo_error error = {.message = ""};
    gg_clock clock;
    gg_clock_start(&clock, &run);
    memset(rank, 0, VALUES * sizeof *rank);
    memset(twice, 0, VALUES * sizeof *twice);
    CHECK(!gg_rank_distances(value, VALUES, (gg_ranks){.rank = rank}, threads, bytes, 0,
                             GG_CALL_OF(&clock, NULL, &error)) &&
              !gg_rank_distances(value, VALUES, (gg_ranks){.twice = twice}, threads, bytes, 0,
                                 GG_CALL_OF(&clock, NULL, &error)),
          "%s", error.message);
    bool same = memcmp(rank, expected, VALUES * sizeof *rank) == 0;
    for (int v = 0; same && v < VALUES; ++v)
      same = twice[v] == 2 * expected[v];
    CHECK(same, "ranks of distribution %d, run %d", which, k);
  }
  free(expected);
  free(twice);
  free(rank);
  free(value);
}

/* --- Errors and edges ------------------------------------------------------------------------- */

static const double three[] = {1, 2, 3}, six[] = {1, 2, 3, 4, 5, 6};

static void anosim_fails(const double *d, const int32_t *group, gpugeo_status expected,
                         const char *message) {
  const gpugeo_distances given = {.condensed = d, .condensed_points = 3};
  const gpugeo_design design = {
      .points = 3, .basis = group ? NULL : d, .columns = 1, .group = group, .groups = 3};
  gpugeo_anosim_options options;
  gpugeo_anosim_options_init(&options, sizeof options);
  double statistic;
  for (int k = 0; k < all_runs(); k += RUNS) {
    gpugeo_error error = {.message = ""};
    options.run = next_run(k);
    const gpugeo_status status =
        gpugeo_anosim(&given, &options, &design, &statistic, NULL, NULL, &error);
    CHECK(status == expected && strcmp(error.message, message) == 0, "%d: %s", (int)status,
          error.message);
  }
}

static void mantel_fails(const double *x, const double *y, int64_t points, int32_t method,
                         const int32_t *order, const char *message) {
  const gpugeo_distances left = {.condensed = x, .condensed_points = 3};
  const gpugeo_distances right = {.condensed = y, .condensed_points = points};
  gpugeo_mantel_options options;
  gpugeo_mantel_options_init(&options, sizeof options);
  options.method = (gpugeo_cor_method)method;
  double statistic[2];
  for (int k = 0; k < all_runs(); k += RUNS) {
    gpugeo_error error = {.message = ""};
    options.run = next_run(k);
    CHECK(gpugeo_mantel(&left, &right, NULL, &options, order, 1, statistic, NULL, &error) &&
              strcmp(error.message, message) == 0,
          "%s", error.message);
  }
}

static void mrpp_fails(const double *d, const int32_t *group, int32_t weight_type,
                       gpugeo_status expected, const char *message) {
  const gpugeo_distances given = {.condensed = d, .condensed_points = 3};
  const gpugeo_design design = {
      .points = 3, .basis = group ? NULL : d, .columns = 1, .group = group, .groups = 3};
  gpugeo_mrpp_options options;
  gpugeo_mrpp_options_init(&options, sizeof options);
  options.weight_type = weight_type;
  double delta, within[3], mean;
  for (int k = 0; k < all_runs(); k += RUNS) {
    gpugeo_error error = {.message = ""};
    options.run = next_run(k);
    const gpugeo_status status =
        gpugeo_mrpp(&given, &options, &design, &delta, within, &mean, NULL, &error);
    CHECK(status == expected && strcmp(error.message, message) == 0, "%d: %s", (int)status,
          error.message);
  }
}

static void test_errors(void) {
  const double missing[] = {1, NAN, 3}, infinite[] = {1, 2, INFINITY};
  const int32_t group[] = {0, 1, 1}, one[] = {1, 1, 1}, alone[] = {0, 1, 2};
  const int32_t order[] = {2, 1, 0}, twice[] = {0, 1, 1};
  const char *few = "group must have at least two groups, and one of at least two points";
  anosim_fails(three, one, GPUGEO_ERROR_ARGUMENT, few);
  anosim_fails(three, alone, GPUGEO_ERROR_ARGUMENT, few);
  anosim_fails(three, NULL, GPUGEO_ERROR_ARGUMENT, "design must have groups");
  anosim_fails(missing, group, GPUGEO_ERROR_DATA,
               "x must have finite distances only, but 1 of them is not; the first is missing, "
               "between points 1 and 3");
  anosim_fails(infinite, group, GPUGEO_OK, "");
  mrpp_fails(three, one, 1, GPUGEO_OK, "");
  mrpp_fails(three, alone, 1, GPUGEO_ERROR_ARGUMENT,
             "group must have a group of at least two points");
  mrpp_fails(three, NULL, 1, GPUGEO_ERROR_ARGUMENT, "design must have groups");
  mrpp_fails(three, group, 0, GPUGEO_ERROR_ARGUMENT,
             "weight_type must be a whole number between 1 and 3, not 0");
  mrpp_fails(infinite, group, 3, GPUGEO_ERROR_DATA,
             "x must have finite distances only, but 1 of them is not; the first is Inf, between "
             "points 2 and 3");
  mantel_fails(three, six, 4, 0, order, "y must have as many points as x, 3, not 4");
  mantel_fails(three, three, 3, 7, order, "method must be 0 or 1, not 7");
  mantel_fails(three, three, 3, GPUGEO_COR_METHOD_KENDALL, order,
               "method must be \"pearson\" or \"spearman\", not \"kendall\", which would compare "
               "n^4 / 8 pairs of distances for each permutation");
  mantel_fails(three, three, 3, 0, twice,
               "permutations must have each of the numbers 1 to 3 once, but permutation 1 has two "
               "of 2");
  mantel_fails(three, infinite, 3, 0, order,
               "y must have finite distances only, but 1 of them is not; the first is Inf, between "
               "points 2 and 3");
}

int main(void) {
  gpugeo_error error = {0};
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!has_cuda) check_skip(1, "CUDA: not present (%s), the CPU only", error.message);
  widest = gg_context_get()->simd;
  dice d = {.state = 5};
  static const int64_t sizes[] = {3, 4, 5, 9, 16, 17, 40, 90, 540};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes - (CHECK_SMALL ? 1 : 0); ++k) {
    data made = make_data(&d, sizes[k]);
    compare_anosim(&made);
    for (int32_t type = 1; type <= 3; ++type)
      compare_mrpp(&made, type);
    for (int variant = 0; variant < 4 && sizes[k] > 3; ++variant)
      compare_mantel(&made, variant % 2, variant / 2);
    free_data(&made);
  }
  for (int which = 0; which < 5; ++which)
    compare_ranks(&d, which);
  test_errors();
  return check_end();
}
