/* Golden cases of principal coordinates, from points and from condensed distances. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  gpugeo_pcoa_options *options = g->own;
  if (!strcmp(name, "k")) return golden_whole(g, name, value, &options->k);
  if (!strcmp(name, "max_passes")) return golden_whole(g, name, value, &options->max_passes);
  if (!strcmp(name, "tolerance"))
    return golden_number(g, name, "between 0 and 1", value, &options->tolerance);
  if (!strcmp(name, "correction"))
    return gpugeo_find(GPUGEO_ENUM_PCOA_CORRECTION, value, (int32_t *)&options->correction,
                       &g->error);
  return golden_unknown(g, name);
}

/* Compares the bits with those of condensed distances. */
static void compare_sources(const golden *g, const gpugeo_pcoa_options *options,
                            const gpugeo_pcoa_result *result) {
  const int64_t n = g->x.nrow, k = options->k;
  double *condensed = malloc((size_t)(n * n / 2 + 1) * sizeof *condensed);
  double *again = malloc((size_t)(n * k) * sizeof *again), *numbers = malloc((size_t)(2 * k) * 8);
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  gpugeo_pcoa_result other = {.coordinates = again, .eigenvalue = numbers, .residual = numbers + k};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = options->metric;
  CHECK(!gpugeo_dist(&g->x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL) &&
            !gpugeo_pcoa(&given, options, &other, NULL, NULL),
        "%s: distances", g->field[GOLDEN_CASE]);
  CHECK(memcmp(again, result->coordinates, (size_t)(n * k) * sizeof *again) == 0 &&
            memcmp(numbers, result->eigenvalue, (size_t)k * sizeof *numbers) == 0,
        "%s: distances give other bits than points", g->field[GOLDEN_CASE]);
  free(condensed);
  free(again);
  free(numbers);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  gpugeo_pcoa_options options;
  gpugeo_pcoa_options_init(&options, sizeof options);
  g->type = GPUGEO_TYPE_DOUBLE;
  g->own = &options;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  if (status) return status;
  options.run = g->run;
  const int64_t n = g->x.nrow, k = options.k;
  const gpugeo_distances points = {.x = &g->x};
  double *coordinates = malloc((size_t)(n * k + 1) * sizeof *coordinates);
  double *numbers = malloc((size_t)(2 * k + 1) * sizeof *numbers);
  gpugeo_pcoa_result found = {
      .coordinates = coordinates, .eigenvalue = numbers, .residual = numbers + k};
  status = gpugeo_pcoa(&points, &options, &found, &result->report, &g->error);
  if (!status) {
    compare_sources(g, &options, &found);
    double *values = malloc((size_t)((n + 1) * k) * sizeof *values);
    for (int64_t c = 0; c < k; ++c) {
      values[c * (n + 1)] = numbers[c];
      memcpy(values + c * (n + 1) + 1, coordinates + c * n, (size_t)n * sizeof *values);
    }
    *result = (golden_result){values, n + 1, k, result->report};
  }
  free(coordinates);
  free(numbers);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"pcoa"}, .least = 20, .compute = compute};
  return golden_main(argc, argv, &family);
}
