/* Golden cases of multiresponse permutation procedures, from points and from condensed distances.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"

enum { GROUPS = 10 }; /* there are at most as many, whose numbers are below it */

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  gpugeo_mrpp_options *options = g->own;
  int64_t type = 0;
  if (strcmp(name, "weight_type") != 0) return golden_unknown(g, name);
  const gpugeo_status status = golden_count(g, name, value, 1, 3, &type);
  options->weight_type = (int32_t)type;
  return status;
}

/* What a call returns, without permutations. */
typedef struct means {
  double delta, all, within[GROUPS];
} means;

/* Computes the means of points, and checks that those of their distances are the same. */
static gpugeo_status both_sources(golden *g, const gpugeo_mrpp_options *options,
                                  const gpugeo_design *design, means *got, gpugeo_report *report) {
  const int64_t n = g->x.nrow;
  double *condensed = malloc((size_t)(n * n / 2 + 1) * sizeof *condensed);
  const gpugeo_distances points = {.x = &g->x};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = options->metric;
  means again = {.all = 0};
  const gpugeo_status status =
      gpugeo_mrpp(&points, options, design, &got->delta, got->within, &got->all, report, &g->error);
  if (!status)
    CHECK(!gpugeo_dist(&g->x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL) &&
              !gpugeo_mrpp(&given, options, design, &again.delta, again.within, &again.all, NULL,
                           NULL) &&
              memcmp(&again, got, sizeof again) == 0,
          "%s: distances give other bits than points", g->field[GOLDEN_CASE]);
  free(condensed);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  gpugeo_mrpp_options options;
  gpugeo_mrpp_options_init(&options, sizeof options);
  g->own = &options;
  g->type = GPUGEO_TYPE_DOUBLE;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  options.run = g->run;
  g->own = NULL;
  if (status) return status;
  const int64_t n = g->y->nrow;
  const double *code = g->y->data;
  int32_t *group = malloc((size_t)n * sizeof *group);
  const int64_t groups = golden_groups(code, n, group);
  const gpugeo_design design = {.points = n, .group = group, .groups = groups};
  means got = {.all = 0};
  status = both_sources(g, &options, &design, &got, &result->report);
  if (!status) {
    double *value = result->values = malloc((2 + GROUPS) * sizeof *value);
    value[0] = got.delta;
    value[1] = got.all;
    memcpy(value + 2, got.within, (size_t)groups * sizeof *value);
    result->rows = 2 + groups;
    result->columns = 1;
  }
  free(group);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"mrpp"}, .least = 70, .compute = compute};
  return golden_main(argc, argv, &family);
}
