/*
 * Counts and rows of windows of sums, by each backend and algorithm, against a plain loop over all
 * rows; and where there are too many rows for that, the algorithms against each other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "check.h"
#include "common/clock.h"
#include "common/superaccumulator.h"
#include "common/test_hooks.h"
#include "common/uint128.h"
#include "data.h"
#include "dgp/plan.h"
#include "witness.h"

/* A backend and an algorithm of it. */
typedef struct way {
  const gg_backend *backend;
  gpugeo_dgp_algorithm algorithm;
} way;

enum { WAYS = 4, CPU_WAYS = 2 };

static int list_ways(way *ways) {
  int count = 0;
  ways[count++] = (way){&gg_cpu_backend, GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE};
  ways[count++] = (way){&gg_cpu_backend, GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE};
  const gg_backend *cuda;
  if (!gg_backend_open(&gg_cuda_backend, &cuda, NULL)) {
    ways[count++] = (way){cuda, GPUGEO_DGP_ALGORITHM_EXHAUSTIVE};
    ways[count++] = (way){cuda, GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE};
  }
  return count;
}

/* Distances, in whole numbers. */
typedef enum distances {
  UNIFORM, /* up to 2^55 */
  SMALL,   /* 0 to 3 */
  EQUAL,
  GREATEST, /* with a sum of nearly 2^61 */
  UNEVEN,   /* each twice the one before, and more */
  KINDS
} distances;

typedef struct problem {
  distances kind;
  int n;
  int64_t d[GPUGEO_DGP_DISTANCES_MAX], sum;
} problem;

static problem make_problem(distances kind, int n, uint64_t seed) {
  problem p = {.kind = kind, .n = n};
  dice random = {seed};
  for (int j = 0; j < n; ++j) {
    switch (kind) {
    case UNIFORM:
      p.d[j] = dice_whole(&random, (int64_t)1 << 55);
      break;
    case SMALL:
      p.d[j] = dice_whole(&random, 3);
      break;
    case EQUAL:
      p.d[j] = 12345;
      break;
    case GREATEST:
      p.d[j] = ((int64_t)1 << 61) / n - dice_whole(&random, 1000);
      break;
    default:
      p.d[j] = ((int64_t)1 << j % 40) + dice_whole(&random, 1);
    }
    p.sum += p.d[j];
  }
  return p;
}

static int64_t sum_of(const problem *p, gpugeo_uint128 row) {
  int64_t sum = 0;
  for (int j = 0; j < p->n; ++j)
    sum += gg_uint128_bit(row, j) ? p->d[j] : -p->d[j];
  return sum;
}

/* Windows of one plan, without what is filled in. */
typedef struct wish {
  int count;
  struct {
    int64_t low, high, capacity;
  } window[GG_DGP_WINDOWS];
} wish;

static wish around(int64_t inner, int64_t outer, int64_t capacity) {
  return (wish){
      3, {{-inner, inner, capacity}, {inner + 1, outer, capacity}, {-outer, -inner - 1, capacity}}};
}

/* The rows kept are as many as they must be, all different, and their sums lie in the window. */
static void check_rows(const problem *p, const gg_dgp_window *window, const char *name) {
  const gpugeo_uint128 capacity = gg_uint128_make((uint64_t)window->capacity, 0);
  const int64_t kept =
      gg_uint128_less(window->count, capacity) ? (int64_t)window->count.low : window->capacity;
  int64_t wrong = 0, twice = 0;
  const bool few = p->n > 24; /* too many rows to mark, hence few listed */
  char *seen = few ? NULL : calloc((size_t)1 << p->n, 1);
  for (int64_t k = 0; k < kept; ++k) {
    const gpugeo_uint128 row = window->rows[k];
    const int64_t sum = sum_of(p, row);
    if (sum < window->low || sum > window->high || !gg_uint128_less(row, gg_uint128_power(p->n))) {
      ++wrong;
      continue;
    }
    for (int64_t before = 0; few && before < k; ++before)
      twice += gg_uint128_equal(window->rows[before], row);
    if (!few) twice += seen[row.low]++ != 0;
  }
  free(seen);
  CHECK(wrong == 0 && twice == 0, "%s, n %d, kind %d: of %lld rows %lld are wrong, %lld repeated",
        name, p->n, (int)p->kind, (long long)kept, (long long)wrong, (long long)twice);
}

static const char *name_of(way how) {
  static char name[64];
  snprintf(name, sizeof name, "%s, %s", gpugeo_name(GPUGEO_ENUM_BACKEND, how.backend->id),
           gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, how.algorithm));
  return name;
}

/* Solves it in one way; the counts to `count`, and the rows checked. */
static void solve(way how, const problem *p, const wish *wanted, int64_t work_bytes,
                  gpugeo_uint128 *count) {
  gg_dgp_window windows[GG_DGP_WINDOWS];
  for (int w = 0; w < wanted->count; ++w) {
    const int64_t capacity = wanted->window[w].capacity;
    windows[w] = (gg_dgp_window){
        .low = wanted->window[w].low, .high = wanted->window[w].high, .capacity = capacity};
    /* Rows that no one fills must fail. */
    windows[w].rows = malloc((size_t)(capacity + 1) * sizeof(gpugeo_uint128));
    memset(windows[w].rows, -1, (size_t)(capacity + 1) * sizeof(gpugeo_uint128));
  }
  const gg_dgp_plan plan = {.algorithm = how.algorithm,
                            .n = p->n,
                            .d = p->d,
                            .windows = windows,
                            .window_count = wanted->count,
                            .prune = true,
                            .threads = 2,
                            .work_bytes = work_bytes};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  const gpugeo_status status = how.backend->dgp(&plan, GG_CALL_OF(&clock, &report, &error));
  CHECK(!status, "%s, n %d: %s", name_of(how), p->n, error.message);
  for (int w = 0; w < wanted->count; ++w) {
    count[w] = windows[w].count;
    const gpugeo_uint128 beyond = windows[w].rows[wanted->window[w].capacity];
    CHECK(beyond.low == UINT64_MAX && beyond.high == UINT64_MAX, "%s wrote beyond its room",
          name_of(how));
    if (!status) check_rows(p, &windows[w], name_of(how));
    free(windows[w].rows);
  }
}

/* All ways against the loop. */
static void test_loop(const problem *p, const wish *wanted, int64_t work_bytes) {
  uint64_t expected[GG_DGP_WINDOWS] = {0};
  int64_t *sums = malloc(sizeof *sums << p->n);
  sums[0] = -p->sum;
  for (int j = 0; j < p->n; ++j)
    for (int64_t row = 0; row < (int64_t)1 << j; ++row)
      sums[row + ((int64_t)1 << j)] = sums[row] + 2 * p->d[j];
  for (int64_t row = 0; row < (int64_t)1 << p->n; ++row)
    for (int w = 0; w < wanted->count; ++w)
      expected[w] += wanted->window[w].low <= sums[row] && sums[row] <= wanted->window[w].high;
  free(sums);
  way ways[WAYS];
  const int count = list_ways(ways);
  for (int i = 0; i < count; ++i) {
    if (i >= CPU_WAYS && check_leaves_out(11)) continue;
    gpugeo_uint128 got[GG_DGP_WINDOWS];
    solve(ways[i], p, wanted, work_bytes, got);
    for (int w = 0; w < wanted->count; ++w)
      CHECK(got[w].high == 0 && got[w].low == expected[w],
            "%s, n %d, kind %d, work %lld, window %d: %llu, not %llu", name_of(ways[i]), p->n,
            (int)p->kind, (long long)work_bytes, w, (unsigned long long)got[w].low,
            (unsigned long long)expected[w]);
  }
}

/* Windows of many shapes over one problem. */
static void test_shapes(distances kind, int n, int64_t capacity) {
  const problem p = make_problem(kind, n, (uint64_t)(100 * n + (int)kind));
  const int64_t share = p.sum / 50;
  const wish wishes[] = {
      around(0, 1, capacity),
      around(share, 3 * share, capacity),
      {1, {{-share, share, capacity}}},
      {1, {{p.d[0] - share, p.d[0], capacity}}},
      {2, {{-p.sum, -p.sum, capacity}, {p.sum, p.sum, capacity}}},
      {2, {{-share, p.sum / 3, capacity}, {-p.sum / 4, share, 0}}},
      {2, {{5, 4, capacity}, {-p.sum - 7, p.sum + 7, capacity}}},
      {1, {{p.sum + 1, p.sum + 9, capacity}}},
  };
  for (size_t w = 0; w < sizeof wishes / sizeof *wishes; ++w)
    test_loop(&p, &wishes[w], 0);
}

/* The ways of CUDA against each other. */
static void test_large(distances kind, int n, int64_t low, int64_t high, int64_t work_bytes) {
  const problem p = make_problem(kind, n, 7);
  const wish wanted = {2, {{low, high, 50}, {high + 1, high + 2, 0}}};
  way ways[WAYS];
  const int ways_count = list_ways(ways);
  if (ways_count == WAYS && CHECK_SMALL) return;
  if (ways_count < WAYS) {
    check_skip(1, "no CUDA device: %d distances are too many", n);
    return;
  }
  gpugeo_uint128 one[GG_DGP_WINDOWS], other[GG_DGP_WINDOWS];
  solve(ways[CPU_WAYS], &p, &wanted, 0, one);
  solve(ways[CPU_WAYS + 1], &p, &wanted, work_bytes, other);
  for (int w = 0; w < wanted.count; ++w)
    CHECK(gg_uint128_equal(one[w], other[w]),
          "n %d, window %d: %llu exhaustively, %llu in the middle", n, w,
          (unsigned long long)one[w].low, (unsigned long long)other[w].low);
  CHECK(one[0].low > 0, "n %d: a test without a solution", n);
}

/* Equal distances: n over n / 2 rows add to 0, also where that needs two words. */
static void test_binomial(int n, gpugeo_uint128 expected, int64_t work_bytes) {
  way ways[WAYS];
  const int count = list_ways(ways);
  if (count < WAYS) {
    check_skip(1, "no CUDA device: %d distances are too many", n);
    return;
  }
  const problem p = make_problem(EQUAL, n, 1);
  const wish wanted = {1, {{0, 0, 40}}};
  gpugeo_uint128 got[GG_DGP_WINDOWS];
  solve(ways[CPU_WAYS + 1], &p, &wanted, work_bytes, got);
  CHECK(gg_uint128_equal(got[0], expected), "n %d: %llu, %llu", n, (unsigned long long)got[0].high,
        (unsigned long long)got[0].low);
}

/* All sums, of both backends alike, and against a sum of each row by itself. */
static void test_vector(int n, int words, int exponent, int64_t work_bytes) {
  uint64_t *d = calloc((size_t)(n * words), sizeof *d);
  dice random = {(uint64_t)n};
  for (int j = 0; j < n; ++j) {
    d[j * words] = (uint64_t)dice_whole(&random, (int64_t)1 << 50);
    for (int w = 1; w < words; ++w)
      d[j * words + w] = (uint64_t)dice_whole(&random, w + 1 < words ? INT64_MAX - 1 : 1 << 20);
  }
  const int64_t rows = (int64_t)1 << n;
  const gg_backend *backends[2] = {&gg_cpu_backend};
  const int count = gg_backend_open(&gg_cuda_backend, &backends[1], NULL) ? 1 : 2;
  for (int b = 0; b < count; ++b) {
    double *sums = malloc((size_t)rows * sizeof *sums);
    memset(sums, -1, (size_t)rows * sizeof *sums);
    const gg_dgp_sums_plan plan = {.n = n,
                                   .words = words,
                                   .d = d,
                                   .exponent = exponent,
                                   .sums = sums,
                                   .threads = 2,
                                   .work_bytes = work_bytes};
    gpugeo_run run;
    gpugeo_run_init(&run, sizeof run);
    gg_clock clock;
    gg_clock_start(&clock, &run);
    gpugeo_report report = {0};
    gpugeo_error error = {0};
    const gpugeo_status status = backends[b]->dgp_sums(&plan, GG_CALL_OF(&clock, &report, &error));
    CHECK(!status, "%s", error.message);
    int64_t wrong = 0;
    for (int64_t row = 0; row < rows; ++row) {
      uint64_t sum[GG_FIXED_WORDS] = {0};
      gg_superaccumulator_add_row(sum, d, n, words, (uint64_t)row, 0);
      wrong += !(sums[row] == gg_superaccumulator_double(sum, words, exponent));
    }
    CHECK(wrong == 0, "backend %d, n %d, %d words: %lld sums are wrong", b, n, words,
          (long long)wrong);
    free(sums);
  }
  free(d);
}

/* Far too much work, stopped by the hook. */
static void test_stop(way how) {
  const problem p = make_problem(UNIFORM, 60, 3);
  gg_dgp_window window = {.low = -1000, .high = 1000};
  const gg_dgp_plan plan = {.algorithm = how.algorithm,
                            .n = p.n,
                            .d = p.d,
                            .windows = &window,
                            .window_count = 1,
                            .threads = 2,
                            .work_bytes = 1 << 20};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  witness w = {.stop_at = 1};
  witness_watch(&w, &run);
  gg_clock clock;
  gg_clock_set_polls(1);
  gg_clock_start(&clock, &run);
  gg_clock_set_polls(0);
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  const gpugeo_status status = how.backend->dgp(&plan, GG_CALL_OF(&clock, &report, &error));
  CHECK(status == GPUGEO_ERROR_INTERRUPT, "%s: status %d", name_of(how), (int)status);
}

int main(void) {
  for (int kind = 0; kind < KINDS; ++kind) {
    for (int n = 1; n <= 12; ++n)
      test_shapes((distances)kind, n, (int64_t)1 << n);
    test_shapes((distances)kind, 15, 10);
    test_shapes((distances)kind, CHECK_SMALL ? 16 : 17, 100000);
  }

  /* Around the exhaustive algorithm's unit, and outer signs where memory is short. */
  for (int n = CHECK_SMALL ? 22 : 21; n <= (CHECK_SMALL ? 22 : 23); ++n) {
    const problem p = make_problem(UNIFORM, n, (uint64_t)n);
    const wish few = around(p.sum / 1000000, p.sum / 100000, 1000);
    test_loop(&p, &few, 1 << 12);
    const problem tied = make_problem(SMALL, n, (uint64_t)n);
    const wish zero = around(0, 2, 100);
    test_loop(&tied, &zero, 1 << 12);
  }

  /* More rows than are listed at a time. */
  const int rows = CHECK_SMALL ? 18 : 22; /* 2^20 on CUDA */
  const problem p = make_problem(UNEVEN, rows, 5);
  const wish all = {1, {{-p.sum, p.sum, (int64_t)1 << rows}}};
  test_loop(&p, &all, 0);
  const wish most = {1, {{-p.sum, p.sum, (int64_t)3 << (rows - 3)}}};
  test_loop(&p, &most, 1 << 16);

  test_large(UNIFORM, 36, -((int64_t)1 << 30), (int64_t)1 << 30, 0);
  test_large(UNIFORM, 37, 12345, (int64_t)1 << 33, 1 << 20);
  test_large(UNIFORM, 38, (int64_t)1 << 57, ((int64_t)1 << 57) + ((int64_t)1 << 33), 1 << 22);
  test_large(GREATEST, 34, -((int64_t)1 << 36), (int64_t)1 << 36, 1 << 16);
  test_large(UNEVEN, 38, -100, 200, 1 << 22);
  test_large(EQUAL, 36, -12345, 20000, 0);
  test_binomial(CHECK_SMALL ? 30 : 40, gg_uint128_make(CHECK_SMALL ? 155117520u : 137846528820u, 0),
                1 << 22);
  if (!CHECK_SMALL) test_binomial(50, gg_uint128_make(126410606437752u, 0), 0);

  test_vector(1, 1, -3, 0);
  test_vector(7, 1, -1074, 0);
  test_vector(16, 3, -80, 0);
  test_vector(19, 2, 900, 1);
  test_vector(12, GG_FIXED_WORDS, -1074, 0);
  test_vector(CHECK_SMALL ? 18 : 22, 1, -50, 1);

  way ways[WAYS];
  const int count = list_ways(ways);
  for (int i = 0; i < count; ++i)
    test_stop(ways[i]);
  test_stop((way){&gg_cpu_backend,
                  GPUGEO_DGP_ALGORITHM_EXHAUSTIVE}); /* of 2^43 runs, none after the stop */
  if (count < WAYS) check_skip(1, "no CUDA device: its algorithms are not tested");
  return check_end();
}
