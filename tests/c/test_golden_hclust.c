/* Golden cases of hierarchical clustering, from points and from condensed distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct hclust_case {
  gpugeo_hclust_options options;
  table members;
} hclust_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  hclust_case *c = g->own;
  if (strcmp(name, "members") != 0) return golden_unknown(g, name);
  c->members = golden_table(value);
  c->options.members = c->members.values;
  c->options.members_length = c->members.rows * c->members.columns;
  return GPUGEO_OK;
}

/* Writes a row for each merge of n points: both clusters from 1, and the height. */
static gpugeo_status cluster(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                             int64_t n, double *values, gpugeo_report *report,
                             gpugeo_error *error) {
  int32_t *merge = malloc((size_t)(3 * n) * sizeof *merge);
  const gpugeo_status status =
      gpugeo_hclust(d, options, merge, values + 2 * (n - 1), merge + 2 * n, report, error);
  for (int64_t k = 0; !status && k < 2 * (n - 1); ++k)
    values[k] = merge[k] + 1.0;
  free(merge);
  return status;
}

/* Checks that the distances of the points give the same bits. */
static void compare_condensed(golden *g, const gpugeo_hclust_options *options, int64_t n,
                              const double *wanted) {
  gpugeo_dist_options of_points;
  gpugeo_dist_options_init(&of_points, sizeof of_points);
  of_points.metric = options->metric;
  of_points.run = options->run;
  of_points.run.backend = GPUGEO_BACKEND_CPU;
  double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
  double *values = calloc((size_t)(3 * n), sizeof *values);
  gpugeo_status status =
      gpugeo_dist(&g->x, NULL, &of_points, GPUGEO_TYPE_DOUBLE, condensed, NULL, &g->error);
  const gpugeo_distances d = {.condensed = condensed, .condensed_points = n};
  if (!status) status = cluster(&d, options, n, values, NULL, &g->error);
  CHECK(!status && memcmp(values, wanted, (size_t)(3 * (n - 1)) * sizeof *values) == 0,
        "%s: condensed distances: %s", g->field[GOLDEN_CASE], g->error.message);
  free(condensed);
  free(values);
}

static gpugeo_status find_merges(golden *g, const gpugeo_hclust_options *options,
                                 golden_result *result) {
  const gpugeo_distances points = {.x = &g->x};
  int64_t n = 0;
  gpugeo_status status = gpugeo_distances_points(&points, options->points, &n, &g->error);
  if (status) return status;
  result->rows = n > 0 ? n - 1 : 0;
  result->columns = 3;
  double *values = result->values = malloc((size_t)(3 * n) * sizeof *values);
  status = cluster(&points, options, n, values, &result->report, &g->error);
  if (!status) compare_condensed(g, options, n, values);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  hclust_case c = {0};
  gpugeo_hclust_options_init(&c.options, sizeof c.options);
  c.options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_LINKAGE, g->field[GOLDEN_METHOD],
                                     (int32_t *)&c.options.linkage, &g->error);
  if (!status) status = golden_options(g, take_option);
  c.options.run = g->run;
  if (!status) status = find_merges(g, &c.options, result);
  g->own = NULL;
  table_free(&c.members);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"hclust"}, .least = 80, .compute = compute};
  return golden_main(argc, argv, &family);
}
