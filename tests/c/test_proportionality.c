/* Proportionality and SparCC by their definitions in long double, with the same bits for all
   instruction sets, threads and types. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "distance/proportionality.h"
#include "distance/sparcc.h"

enum { ROWS = 11, MOST = 130 };

static gg_simd widest;
static double counts[ROWS * MOST], found[MOST * MOST], again[MOST * MOST];

/* Fills counts, some of which are 0. */
static void make_counts(void) {
  for (int64_t j = 0; j < MOST; ++j)
    for (int64_t i = 0; i < ROWS; ++i)
      counts[i + j * ROWS] = (double)((i * j * j + 5 * i * i + j) % 23);
}

/* Returns a dense matrix of the first m columns of counts. */
static gpugeo_matrix first_columns(int64_t m) {
  return (gpugeo_matrix){counts, GPUGEO_TYPE_DOUBLE, ROWS, m, ROWS, NULL};
}

/* Computes the proportionality of a matrix. */
static bool compute(const gpugeo_matrix *x, const gg_proportionality_rule *rule, int32_t threads,
                    double *out) {
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  run.threads = threads;
  return CHECK(!gg_proportionality(x, &run, rule, NAN, out, NULL, &error), "%s", error.message);
}

/* Returns the variance of factor_a log a + factor_b log b less `share` of the sum of all logs. */
static long double variance_of(int64_t m, int64_t a, int64_t b, long double factor_b,
                               long double share) {
  long double value[ROWS], mean = 0, sum = 0;
  for (int64_t i = 0; i < ROWS; ++i) {
    long double all = 0;
    for (int64_t j = 0; j < m; ++j)
      all += logl(fmaxl(counts[i + j * ROWS], 1));
    value[i] = logl(fmaxl(counts[i + a * ROWS], 1)) +
               factor_b * logl(fmaxl(counts[i + b * ROWS], 1)) - share * all / m;
    mean += value[i] / ROWS;
  }
  for (int64_t i = 0; i < ROWS; ++i)
    sum += (value[i] - mean) * (value[i] - mean);
  return sum / (ROWS - 1);
}

/* Returns a metric by its definition. */
static long double defined(int metric, int64_t m, int64_t a, int64_t b) {
  const long double ratio = variance_of(m, a, b, -1, 0);
  if (metric == GG_PROPORTIONALITY_VLR) return ratio;
  const long double v_a = variance_of(m, a, a, 0, 1), v_b = variance_of(m, b, b, 0, 1);
  if (metric == GG_PROPORTIONALITY_RHO) return 1 - ratio / (v_a + v_b);
  return ratio / (metric == GG_PROPORTIONALITY_PHI ? v_b : variance_of(m, a, b, 1, 2));
}

/* Checks that instruction sets, threads, types and shapes give what was found. */
static void check_ways(int64_t m, gg_proportionality_rule rule) {
  static float floats[ROWS * MOST];
  const gpugeo_matrix view = first_columns(m);
  const gpugeo_matrix other = {floats, GPUGEO_TYPE_FLOAT, ROWS, m, ROWS, NULL};
  const size_t bytes = (size_t)(m * m) * sizeof *found;
  for (int64_t k = 0; k < ROWS * MOST; ++k)
    floats[k] = (float)counts[k];
  for (int simd = 0; simd <= (int)widest; ++simd) {
    gg_set_simd((gg_simd)simd);
    if (compute(simd % 2 ? &other : &view, &rule, 1 + simd % 3, again))
      CHECK(memcmp(again, found, bytes) == 0, "%lld parts, metric %d, simd %d", (long long)m,
            (int)rule.metric, simd);
  }
  gg_set_simd(widest);
  rule.distances = 1;
  if (!compute(&view, &rule, 2, again)) return;
  int64_t wrong = 0, at = 0;
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = j + 1; i < m; ++i, ++at) {
      const double value = rule.metric == GG_PROPORTIONALITY_RHO ? 1 - again[at] : again[at];
      wrong += value != found[i + j * m];
    }
  CHECK(wrong == 0, "%lld of %lld distances", (long long)wrong, (long long)at);
}

/* All metrics, for numbers of parts around the sides of tiles. */
static void test_metrics(void) {
  const int64_t sizes[] = {2, 17, 65, MOST};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int metric = 0; metric < GG_PROPORTIONALITY_COUNT; ++metric) {
      const int64_t m = sizes[s], step = m > 20 ? 13 : 1;
      const gpugeo_matrix view = first_columns(m);
      gg_proportionality_rule rule;
      gg_proportionality_options.fill(&rule);
      rule.metric = (gg_proportionality_metric)metric;
      if (!compute(&view, &rule, 0, found)) return;
      double worst = 0;
      for (int64_t j = 0; j < m; j += step)
        for (int64_t i = 0; i < m; i += step) {
          const long double wanted = defined(metric, m, i, j);
          if (fabsl(wanted) < 1e6)
            worst = fmax(worst, (double)(fabsl(found[i + j * m] - wanted) / (1 + fabsl(wanted))));
        }
      CHECK(worst < 1e-13, "%lld parts, metric %d: error %g", (long long)m, metric, worst);
      check_ways(m, rule);
    }
}

/* Computes SparCC of one table, or of several. */
static bool correlate(int64_t parts, int64_t tables, int32_t threads, double *covariance,
                      double *correlation) {
  const gpugeo_matrix view = first_columns(parts * tables);
  gg_sparcc_rule rule;
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  gg_sparcc_options.fill(&rule);
  run.threads = threads;
  rule.parts = parts;
  return CHECK(!gg_sparcc(&view, &run, &rule, covariance, correlation, NULL, &error), "%s",
               error.message);
}

/* Results are symmetric, limited, and the same on all threads; those of two equal tables are those
   of one. */
static void test_sparcc(void) {
  enum { PARTS = MOST / 2 };
  static double covariance[PARTS * PARTS], other[PARTS * PARTS];
  if (!correlate(PARTS, 2, 1, covariance, found)) return;
  for (int64_t j = 0; j < PARTS; ++j)
    for (int64_t i = 0; i < PARTS; ++i) {
      const double r = found[i + j * PARTS];
      const double scale = covariance[i * (PARTS + 1)] * covariance[j * (PARTS + 1)];
      if (!CHECK(r == found[j + i * PARTS] && fabs(r) <= 1 && (i != j || r == 1) &&
                     fabs(covariance[i + j * PARTS] - r * sqrt(scale)) < 1e-12,
                 "pair (%lld, %lld): %g", (long long)i, (long long)j, r))
        return;
    }
  for (int simd = 0; simd <= (int)widest; ++simd) {
    gg_set_simd((gg_simd)simd);
    if (correlate(PARTS, 2, 1 + simd, other, again))
      CHECK(memcmp(again, found, sizeof covariance) == 0 &&
                memcmp(other, covariance, sizeof covariance) == 0,
            "simd %d", simd);
  }
  gg_set_simd(widest);
  for (int64_t k = 0; k < ROWS * PARTS; ++k)
    counts[k + ROWS * PARTS] = counts[k];
  if (correlate(PARTS, 1, 0, covariance, found) && correlate(PARTS, 2, 0, other, again))
    CHECK(memcmp(again, found, sizeof covariance) == 0, "two equal tables");
}

int main(void) {
  widest = gg_context_get()->simd;
  make_counts();
  test_metrics();
  test_sparcc();
  return check_end();
}
