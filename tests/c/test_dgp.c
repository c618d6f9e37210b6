/*
 * One-dimensional distance geometry: every algorithm on every backend against a loop over all rows
 * in numbers of 128 bits, on random distances, ties, and sums that differ from the tolerance by one
 * unit; then what no loop can reach, against formulas and a table of partition counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "gpugeo.h"
#include "witness.h"

typedef __int128 whole;
typedef unsigned __int128 natural;

static natural natural_of(gpugeo_uint128 a) { return (natural)a.high << 64 | a.low; }

static uint64_t state = 1;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1du;
}
static double uniform(void) { return ldexp((double)(draw() >> 11) + 0.5, -53); }

/* --- the reference ---------------------------------------------------------------------------- */

enum { MOST_ROWS = 1 << 16 };

typedef struct solution {
  natural residual;
  uint64_t row;
} solution;

typedef struct reference {
  int64_t count;
  int exponent; /* residuals are whole numbers of 2^exponent */
  solution *solutions;
} reference;

static int compare(const void *left, const void *right) {
  const solution *a = left, *b = right;
  if (a->residual != b->residual) return a->residual < b->residual ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* The exponent of the lowest bit of any distance. */
static int lowest(const double *d, int n) {
  int least = 2000;
  for (int j = 0; j < n; ++j) {
    int e = 200; /* none has lower bits */
    while (ldexp(floor(ldexp(d[j], e - 1)), 1 - e) == d[j] && e > -200)
      --e;
    if (-e < least) least = -e;
  }
  return least;
}

/* All solutions by a loop over all rows; the exponents of d must not differ by more than 110. */
static reference refer(const double *d, int n, double tol, bool symmetric) {
  reference r = {0, lowest(d, n), malloc(sizeof(solution) * MOST_ROWS)};
  whole units[64];
  for (int j = 0; j < n; ++j)
    units[j] = (whole)ldexp(d[j], -r.exponent);
  const double scaled = floor(ldexp(tol, -r.exponent));
  const natural limit = scaled < 1e37 ? (natural)scaled : (natural)-1;
  for (uint64_t row = 0; row < (uint64_t)1 << (symmetric ? n - 1 : n); ++row) {
    whole sum = 0;
    for (int j = 0; j < n; ++j)
      sum += row >> j & 1 ? units[j] : -units[j];
    const natural size = (natural)(sum < 0 ? -sum : sum);
    if (size <= limit) r.solutions[r.count++] = (solution){size, row};
  }
  qsort(r.solutions, (size_t)r.count, sizeof *r.solutions, compare);
  return r;
}

/* --- all algorithms against it ---------------------------------------------------------------- */

static gpugeo_dgp_options options_for(gpugeo_dgp_algorithm algorithm, double tol, int64_t most) {
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  options.algorithm = algorithm;
  options.tol = tol;
  options.max_solutions = most;
  options.run.backend = GPUGEO_BACKEND_CPU;
  return options;
}

static void compare_call(const char *what, const double *d, int n, const reference *r,
                         const gpugeo_dgp_options *options) {
  static gpugeo_dgp_solution found[MOST_ROWS];
  gpugeo_dgp_result result = {0};
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_dgp(d, n, options, &result, found, NULL, &error);
  const char *algorithm = gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, options->algorithm);
  if (!CHECK(status == GPUGEO_OK, "%s, n = %d, %s: %s", what, n, algorithm, error.message)) return;
  if (!CHECK(natural_of(result.count) == (natural)r->count,
             "%s, n = %d, tol %.17g, %s, symmetric %d, prune %d, backend %d: count %s, expected "
             "%lld",
             what, n, options->tol, algorithm, options->symmetric, options->prune,
             (int)options->run.backend, gpugeo_uint128_decimal(result.count).digits,
             (long long)r->count))
    return;
  const int64_t want = r->count < options->max_solutions ? r->count : options->max_solutions;
  if (!CHECK(result.returned == want, "%s, n = %d, %s: %lld returned, expected %lld", what, n,
             algorithm, (long long)result.returned, (long long)want))
    return;
  int64_t wrong = 0, first = -1;
  for (int64_t i = want - 1; i >= 0; --i)
    if (found[i].row.high || found[i].row.low != r->solutions[i].row ||
        found[i].residual != ldexp((double)r->solutions[i].residual, r->exponent)) {
      ++wrong;
      first = i;
    }
  CHECK(wrong == 0,
        "%s, n = %d, tol %.17g, %s, %lld of %lld: %lld wrong, first %lld: row %llu not %llu", what,
        n, options->tol, algorithm, (long long)want, (long long)r->count, (long long)wrong,
        (long long)first, (unsigned long long)found[first < 0 ? 0 : first].row.low,
        (unsigned long long)r->solutions[first < 0 ? 0 : first].row);
}

static void compare_all(const char *what, const double *d, int n, double tol) {
  static const int64_t mosts[] = {0, 1, 2, 7, 300, MOST_ROWS};
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    const reference r = refer(d, n, tol, symmetric);
    for (int algorithm = 0; algorithm < GPUGEO_DGP_ALGORITHM_COUNT; ++algorithm) {
      gpugeo_dgp_options options =
          options_for((gpugeo_dgp_algorithm)algorithm, tol, mosts[draw() % 6]);
      options.symmetric = symmetric;
      options.prune = (int32_t)(draw() % 2);
      options.run.threads = 1 + (int32_t)(draw() % 3);
      options.run.work_bytes = draw() % 2 ? 0 : (int64_t)1 << draw() % 14;
      compare_call(what, d, n, &r, &options);
      if (algorithm == GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE || gpugeo_device_count() == 0 ||
          check_leaves_out(13))
        continue;
      options.run.backend = GPUGEO_BACKEND_CUDA;
      options.run.work_bytes = 0;
      compare_call(what, d, n, &r, &options);
    }
    free(r.solutions);
  }
}

enum { UNIFORM, COARSE, LOGNORMAL, WHOLE, EQUAL, FEW, WILD, PLANTED, TINY_PARTS, KINDS };
static const char *const kind_names[] = {"uniform", "coarse", "lognormal", "whole",     "equal",
                                         "few",     "wild",   "planted",   "tiny parts"};

static void make_distances(int kind, double *d, int n) {
  const double one = uniform(), other = uniform();
  for (int j = 0; j < n; ++j) {
    const double u = uniform();
    switch (kind) {
    case COARSE:
      d[j] = ceil(u * 4294967296.0) / 4294967296.0;
      break;
    case LOGNORMAL:
      d[j] = exp(6 * (u + uniform() + uniform() - 1.5));
      break;
    case WHOLE:
      d[j] = ceil(20 * u);
      break;
    case EQUAL:
      d[j] = one;
      break;
    case FEW:
      d[j] = j % 3 ? one : other;
      break;
    case WILD:
      d[j] = ldexp(0.5 + (double)(draw() >> 40) * 0x1p-25, -(int)(draw() % 80));
      break;
    case TINY_PARTS: /* many sums are the same but for far lower bits */
      d[j] = ceil(4 * u) + ldexp((double)(draw() % 5), -48 - (int)(draw() % 2) * 4);
      break;
    default:
      d[j] = u;
    }
  }
  if (kind == PLANTED && n > 1) {
    gpugeo_error error;
    CHECK(gpugeo_dgp_instance(n, draw(), d, &error) == GPUGEO_OK, "%s", error.message);
  }
}

/* The sum of a random row, as a double: exactly, where it fits. */
static double some_sum(const double *d, int n) {
  double sum = 0;
  for (int j = 0; j < n; ++j)
    sum += draw() % 2 ? d[j] : -d[j];
  return fabs(sum);
}

static void test_small(void) {
  double d[64];
  for (int round = 0; round < 40; ++round)
    for (int kind = 0; kind < KINDS; ++kind) {
      const int n = 1 + (int)(draw() % 13);
      make_distances(kind, d, n);
      const double sum = some_sum(d, n);
      const double tols[] = {0,
                             1e-4,
                             sum,
                             nextafter(sum, 0),
                             nextafter(sum, INFINITY),
                             d[0],
                             3e-300,
                             uniform() * uniform(),
                             1e6};
      compare_all(kind_names[kind], d, n, tols[draw() % 9]);
    }
}

/* A unit of the last place of a row's sum decides, where one word does not show it: with a distance
   far smaller than the others. */
static void test_last_unit(void) {
  for (int round = 0; round < 60; ++round) {
    double d[12];
    const int n = 3 + (int)(draw() % 9);
    make_distances(round % 2 ? COARSE : WHOLE, d, n);
    d[draw() % (uint64_t)n] = ldexp(1, -70 - (int)(draw() % 20));
    const double sum = some_sum(d, n);
    compare_all("last unit", d, n, sum);
    compare_all("last unit below", d, n, nextafter(sum, 0));
    compare_all("last unit above", d, n, nextafter(sum, INFINITY));
  }
}

/* --- beyond loops ----------------------------------------------------------------------------- */

static natural binomial(int n, int k) {
  natural row[128] = {1}; /* of Pascal's triangle */
  for (int i = 1; i <= n; ++i)
    for (int j = i; j > 0; --j)
      row[j] += row[j - 1];
  return row[k];
}

/* Solves and compares the count; returns the solutions. */
static const gpugeo_dgp_solution *count_is(const char *what, const double *d, int n,
                                           const gpugeo_dgp_options *options, natural want,
                                           gpugeo_dgp_result *result) {
  static gpugeo_dgp_solution found[1000];
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_dgp(d, n, options, result, found, NULL, &error);
  CHECK(status == GPUGEO_OK, "%s: %s", what, error.message);
  const gpugeo_uint128 wide = {(uint64_t)want, (uint64_t)(want >> 64)};
  CHECK(!status && natural_of(result->count) == want, "%s, n = %d: count %s, expected %s", what, n,
        gpugeo_uint128_decimal(result->count).digits, gpugeo_uint128_decimal(wide).digits);
  return found;
}

static void test_equal(void) {
  double d[127];
  static const int sizes[] = {60, 100, 126, 127};
  for (int i = 0; i < 4; ++i) {
    const int n = sizes[i];
    for (int j = 0; j < n; ++j)
      d[j] = 0.1;
    gpugeo_dgp_result result;
    gpugeo_dgp_options options = options_for(GPUGEO_DGP_ALGORITHM_AUTO, n % 2 ? 0.1 : 0, 10);
    const natural want = binomial(n, n / 2) << n % 2;
    const gpugeo_dgp_solution *found = count_is("equal", d, n, &options, want, &result);
    /* The smallest row has as many plus signs as it may, all in the lowest bits. */
    const int plus = n / 2;
    const natural first = ((natural)1 << plus) - 1;
    CHECK(natural_of(found[0].row) == first, "equal, n = %d: the first row is %s", n,
          gpugeo_uint128_decimal(found[0].row).digits);
    CHECK(result.returned == 10 && found[0].residual == (n % 2 ? 0.1 : 0), "residual %g",
          found[0].residual);
    options.symmetric = 1;
    count_is("equal, symmetric", d, n, &options, want / 2, &result);
  }
  /* One distance so small that one word can't hold it together with the others: each sum that is 0
     without it is within a tolerance of its size, and outside one of less. */
  for (int j = 0; j < 61; ++j)
    d[j] = 0.1;
  d[30] = 1e-30;
  gpugeo_dgp_result result;
  gpugeo_dgp_options options = options_for(GPUGEO_DGP_ALGORITHM_AUTO, 1e-30, 3);
  const gpugeo_dgp_solution *found =
      count_is("equal but one", d, 61, &options, 2 * binomial(60, 30), &result);
  CHECK(found[0].residual == 1e-30 && natural_of(found[0].row) == ((natural)1 << 30) - 1,
        "residual %g, row %s", found[0].residual, gpugeo_uint128_decimal(found[0].row).digits);
  options.tol = nextafter(1e-30, 0);
  count_is("equal but one, less", d, 61, &options, 0, &result);
}

/* Counts of the sums of whole numbers, by a table over all sums. */
static void test_partitions(void) {
  enum { N = 100, LARGEST = 1000, RANGE = N * LARGEST };
  static natural ways[2 * RANGE + 1], next[2 * RANGE + 1];
  double d[N];
  memset(ways, 0, sizeof ways);
  ways[RANGE] = 1;
  int64_t total = 0;
  for (int j = 0; j < N; ++j) {
    d[j] = ceil(LARGEST * uniform());
    const int64_t step = (int64_t)d[j];
    total += step;
    memset(next, 0, sizeof next);
    for (int64_t s = -total; s <= total; ++s) {
      if (s - step >= -RANGE) next[s + RANGE] += ways[s - step + RANGE];
      if (s + step <= RANGE) next[s + RANGE] += ways[s + step + RANGE];
    }
    memcpy(ways, next, sizeof ways);
  }
  const int64_t parity = total % 2;
  gpugeo_dgp_result result;
  gpugeo_dgp_options options = options_for(GPUGEO_DGP_ALGORITHM_AUTO, (double)parity, 20);
  const natural want = parity ? 2 * ways[RANGE + 1] : ways[RANGE];
  const gpugeo_dgp_solution *found = count_is("partitions", d, N, &options, want, &result);
  for (int i = 0; i < result.returned; ++i) {
    double positions[N + 1];
    gpugeo_dgp_positions(d, N, found[i].row, positions);
    CHECK(fabs(positions[N]) == found[i].residual && found[i].residual == (double)parity,
          "partition %d ends at %g, residual %g", i, positions[N], found[i].residual);
    CHECK(i == 0 || natural_of(found[i - 1].row) < natural_of(found[i].row), "rows out of order");
  }
  natural within = 0;
  for (int64_t s = -50; s <= 50; ++s)
    within += ways[RANGE + s];
  options.tol = 50.5;
  options.max_solutions = 0;
  count_is("partitions within 50", d, N, &options, within, &result);
}

/* All algorithms agree where a loop in the test would take too long, and the planted row is there.
 */
static void test_larger(void) {
  static gpugeo_dgp_solution first[1000], found[1000];
  for (int round = 0; round < 12; ++round) {
    const int n = 18 + round % 5;
    double d[64];
    make_distances(round % 3 == 0 ? PLANTED : round % 3 == 1 ? LOGNORMAL : WHOLE, d, n);
    gpugeo_dgp_result want = {0}, result;
    gpugeo_error error = {0};
    for (int algorithm = GPUGEO_DGP_ALGORITHM_COUNT - 1; algorithm >= 0; --algorithm) {
      gpugeo_dgp_options options = options_for((gpugeo_dgp_algorithm)algorithm, 1e-3, 1000);
      options.run.threads = 2;
      options.run.work_bytes = algorithm == 0 ? 3000 : 0;
      gpugeo_status status = gpugeo_dgp(d, n, &options, &result, found, NULL, &error);
      CHECK(status == GPUGEO_OK, "%s", error.message);
      if (algorithm == GPUGEO_DGP_ALGORITHM_COUNT - 1) {
        want = result;
        memcpy(first, found, sizeof first);
        if (round % 3 == 0)
          CHECK(result.returned >= 2 && found[0].residual == 0 && found[1].residual == 0,
                "planted solutions are not found");
      }
      CHECK(natural_of(result.count) == natural_of(want.count) && result.returned == want.returned,
            "n = %d, algorithm %d: count %s", n, algorithm,
            gpugeo_uint128_decimal(result.count).digits);
      CHECK(memcmp(first, found, sizeof *found * (size_t)result.returned) == 0,
            "n = %d, algorithm %d: other solutions", n, algorithm);
    }
  }
}

static void test_rows(void) {
  static double sums[1 << 14];
  for (int kind = 0; kind < KINDS; ++kind) {
    const int n = 1 + (kind * 5) % 14;
    double d[64];
    make_distances(kind, d, n);
    gpugeo_run run;
    gpugeo_run_init(&run, sizeof run);
    run.backend = GPUGEO_BACKEND_CPU;
    gpugeo_error error = {0};
    CHECK(gpugeo_dgp_sums(d, n, &run, sums, NULL, &error) == GPUGEO_OK, "%s", error.message);
    const int exponent = lowest(d, n);
    int wrong = 0;
    for (int row = 0; row < 1 << n; ++row) {
      whole sum = 0;
      for (int j = 0; j < n; ++j)
        sum += (row >> j & 1 ? 1 : -1) * (whole)ldexp(d[j], -exponent);
      const double size = ldexp((double)(natural)(sum < 0 ? -sum : sum), exponent);
      wrong += sums[row] != (sum < 0 ? -size : size);
    }
    CHECK(wrong == 0, "%s, n = %d: %d sums are wrong", kind_names[kind], n, wrong);
  }
}

static void test_instance(void) {
  for (int n = 2; n <= 127; n += 5) {
    double d[127], again[127];
    gpugeo_error error = {0};
    CHECK(gpugeo_dgp_instance(n, (uint64_t)n, d, &error) == GPUGEO_OK, "%s", error.message);
    CHECK(gpugeo_dgp_instance(n, (uint64_t)n, again, NULL) == GPUGEO_OK, "again");
    CHECK(memcmp(d, again, sizeof *d * (size_t)n) == 0, "seed %d gives two instances", n);
    for (int j = 0; j < n; ++j)
      CHECK(d[j] > 0 && d[j] < 1, "distance %d is %g", j, d[j]);
  }
}

/* Each algorithm stops when asked to, far from its end; few distinct sums, too. */
static void test_hooks(void) {
  gg_clock_set_polls(1);
  for (int choice = 0; choice < 4; ++choice) {
    const int n = choice == 3 ? 120 : choice == 0 ? 64 : 46;
    double d[128];
    for (int j = 0; j < n; ++j)
      d[j] = choice == 3 ? ceil(uniform() * 3e5) : uniform();
    gpugeo_dgp_options options = options_for(
        (gpugeo_dgp_algorithm)(choice == 3 ? GPUGEO_DGP_ALGORITHM_AUTO : 3 - choice), 1e-4, 0);
    witness w = {.stop_at = 3};
    options.prune = 0;
    options.run.threads = 2;
    options.run.work_bytes = choice == 0 ? 1 << 24 : 0;
    witness_watch(&w, &options.run);
    gpugeo_dgp_result result;
    gpugeo_error error = {0};
    const gpugeo_status status = gpugeo_dgp(d, n, &options, &result, NULL, NULL, &error);
    CHECK(status == GPUGEO_ERROR_INTERRUPT && w.asked == 3 && !w.beyond,
          "choice %d: status %d \"%s\", asked %d times", choice, status, error.message, w.asked);
  }
  gg_clock_set_polls(0);
}

int main(void) {
  test_small();
  test_last_unit();
  test_equal();
  test_partitions();
  test_larger();
  test_rows();
  test_instance();
  test_hooks();
  return check_end();
}
