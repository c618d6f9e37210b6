/* Golden cases of permutational analyses of variance, from points and from condensed distances, by
   bases and, for one factor, by groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"

/* An orthonormal basis of factors, each after those before it, and their degrees of freedom. */
typedef struct basis {
  double *column;
  int64_t count, of_factor[8];
} basis;

/* Appends what a column adds to those before it, if it adds anything. */
static bool append(basis *b, int64_t n, const double *given) {
  double *new = b->column + b->count *n, before = 0, after = 0;
  for (int64_t i = 0; i < n; ++i) {
    new[i] = given[i];
    before += given[i] * given[i];
  }
  for (int twice = 0; twice < 2; ++twice)
    for (int64_t k = 0; k < b->count; ++k) {
      double share = 0;
      for (int64_t i = 0; i < n; ++i)
        share += new[i] * b->column[i + k * n];
      for (int64_t i = 0; i < n; ++i)
        new[i] -= share * b->column[i + k * n];
    }
  for (int64_t i = 0; i < n; ++i)
    after += new[i] * new[i];
  if (after <= 1e-14 * before) return false;
  for (int64_t i = 0; i < n; ++i)
    new[i] /= sqrt(after);
  ++b->count;
  return true;
}

/* Returns the basis of the columns of y, whose first column is the constant. */
static basis make_basis(const gpugeo_matrix *y) {
  const int64_t n = y->nrow;
  const double *code = y->data;
  basis b = {.column = malloc((size_t)(n * (n + 1)) * sizeof(double))};
  double *given = malloc((size_t)n * sizeof *given);
  for (int64_t i = 0; i < n; ++i)
    given[i] = 1;
  append(&b, n, given);
  for (int64_t f = 0; f < y->ncol; ++f)
    for (int64_t level = 0; level < n; ++level) {
      for (int64_t i = 0; i < n; ++i)
        given[i] = code[i + f * n] == code[level + f * n];
      b.of_factor[f] += append(&b, n, given);
    }
  free(given);
  return b;
}

/* Computes the sums of squares of a design from both kinds of distances, which must be equal. */
static gpugeo_status both_sources(golden *g, const gpugeo_permanova_options *options,
                                  const gpugeo_design *design, double *sums, double *total,
                                  gpugeo_report *report) {
  const int64_t n = g->x.nrow;
  double *condensed = malloc((size_t)(n * n / 2 + 1) * sizeof *condensed), again[32], whole = 0;
  const gpugeo_distances points = {.x = &g->x};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = options->metric;
  gpugeo_status status = gpugeo_permanova(&points, options, design, sums, total, report, &g->error);
  if (!status) {
    CHECK(!gpugeo_dist(&g->x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL) &&
              !gpugeo_permanova(&given, options, design, again, &whole, NULL, NULL),
          "%s: distances", g->field[GOLDEN_CASE]);
    const int64_t columns = design->group ? 1 : design->columns;
    CHECK(memcmp(again, sums, (size_t)columns * sizeof *again) == 0 && whole == *total,
          "%s: distances give other bits than points", g->field[GOLDEN_CASE]);
  }
  free(condensed);
  return status;
}

/* Compares the groups of one factor with its basis. */
static void compare_groups(golden *g, const gpugeo_permanova_options *options, double expected) {
  const int64_t n = g->y->nrow;
  const double *code = g->y->data;
  int32_t *group = malloc((size_t)n * sizeof *group);
  const int64_t groups = golden_groups(code, n, group);
  const gpugeo_design design = {.points = n, .group = group, .groups = groups};
  double sum = 0, total = 0;
  const gpugeo_status status = both_sources(g, options, &design, &sum, &total, NULL);
  CHECK(!status && fabs(sum - expected) <= 1e-12 * total, "%s: %.17g among groups, not %.17g",
        g->field[GOLDEN_CASE], sum, expected);
  free(group);
}

/* Fills a row for each factor: sum of squares, R2, F. */
static void fill_table(const basis *b, int64_t factors, int64_t n, const double *sums, double total,
                       double *table) {
  double whole = 0;
  for (int64_t f = 0, at = 0; f < factors; ++f) {
    double ss = 0;
    for (int64_t k = 0; k < b->of_factor[f]; ++k)
      ss += sums[at++];
    whole += ss;
    table[f] = ss;
  }
  for (int64_t f = 0; f < factors; ++f) {
    table[f + factors] = table[f] / total;
    table[f + 2 * factors] =
        table[f] / (double)b->of_factor[f] / ((total - whole) / (double)(n - b->count));
  }
}

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  (void)value;
  return golden_unknown(g, name);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  gpugeo_permanova_options options;
  gpugeo_permanova_options_init(&options, sizeof options);
  g->type = GPUGEO_TYPE_DOUBLE;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  if (status) return status;
  options.run = g->run;
  const int64_t n = g->y->nrow, factors = g->y->ncol;
  basis b = make_basis(g->y);
  double sums[32], total = 0;
  const gpugeo_design design = {.points = n, .basis = b.column + n, .columns = b.count - 1};
  status = both_sources(g, &options, &design, sums, &total, &result->report);
  if (!status) {
    result->rows = factors;
    result->columns = 3;
    result->values = malloc((size_t)(3 * factors) * sizeof(double));
    fill_table(&b, factors, n, sums, total, result->values);
    if (factors == 1) compare_groups(g, &options, *(double *)result->values);
  }
  free(b.column);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"permanova"}, .least = 40, .compute = compute};
  return golden_main(argc, argv, &family);
}
