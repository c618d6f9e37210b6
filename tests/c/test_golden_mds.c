/* Golden cases of multidimensional scaling, from points and from condensed distances. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"

enum { MOST_POINTS = 16 };

/* What a case takes, with room for its matrices. */
typedef struct inputs {
  gpugeo_mds_options options;
  double start[MOST_POINTS * MOST_POINTS], weights[MOST_POINTS * MOST_POINTS];
} inputs;

/* Copies the matrix of a name, column-major, or its part below the diagonal. Returns the number of
   elements. */
static int64_t copy_matrix(const char *name, bool below, double *to) {
  const gpugeo_matrix m = golden_matrix(name, "double");
  int64_t count = 0;
  for (int64_t c = 0; c < m.ncol; ++c)
    for (int64_t r = below ? c + 1 : 0; r < m.nrow && count < MOST_POINTS * MOST_POINTS; ++r)
      to[count++] = ((const double *)m.data)[r + c * m.nrow];
  free((void *)m.data);
  return count;
}

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  inputs *own = g->own;
  gpugeo_mds_options *options = &own->options;
  if (!strcmp(name, "k")) return golden_whole(g, name, value, &options->k);
  if (!strcmp(name, "max_iterations"))
    return golden_whole(g, name, value, &options->max_iterations);
  if (!strcmp(name, "tolerance"))
    return golden_number(g, name, "between 0 and 1", value, &options->tolerance);
  if (!strcmp(name, "relax"))
    options->relax = golden_flag(value);
  else if (!strcmp(name, "start"))
    options->start_length = copy_matrix(value, false, own->start), options->start = own->start;
  else if (!strcmp(name, "weights"))
    options->weights_length = copy_matrix(value, true, own->weights),
    options->weights = own->weights;
  else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

/* Compares the bits with those of condensed distances. */
static void compare_sources(const golden *g, const gpugeo_mds_options *options,
                            const gpugeo_mds_result *result) {
  const int64_t n = g->x.nrow, k = options->k;
  double condensed[MOST_POINTS * MOST_POINTS], again[MOST_POINTS * MOST_POINTS] = {0};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  gpugeo_mds_result other = {.coordinates = again};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = options->metric;
  CHECK(!gpugeo_dist(&g->x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL) &&
            !gpugeo_mds(&given, options, &other, NULL, NULL),
        "%s: distances", g->field[GOLDEN_CASE]);
  CHECK(memcmp(again, result->coordinates, (size_t)(n * k) * sizeof *again) == 0 &&
            other.stress == result->stress,
        "%s: distances give other bits than points", g->field[GOLDEN_CASE]);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  inputs own;
  gpugeo_mds_options *options = &own.options;
  gpugeo_mds_options_init(options, sizeof *options);
  g->type = GPUGEO_TYPE_DOUBLE;
  g->own = &own;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options->metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  g->own = NULL;
  if (status) return status;
  options->run = g->run;
  const int64_t n = g->x.nrow, k = options->k;
  const gpugeo_distances points = {.x = &g->x};
  double coordinates[MOST_POINTS * MOST_POINTS];
  gpugeo_mds_result found = {.coordinates = coordinates};
  status = gpugeo_mds(&points, options, &found, &result->report, &g->error);
  if (status) return status;
  compare_sources(g, options, &found);
  CHECK(found.iterations == options->max_iterations && !found.converged, "%s: %lld iterations",
        g->field[GOLDEN_CASE], (long long)found.iterations);
  double *values = calloc((size_t)((n + 1) * k), sizeof *values);
  values[0] = found.stress;
  for (int64_t c = 0; c < k; ++c)
    memcpy(values + c * (n + 1) + 1, coordinates + c * n, (size_t)n * sizeof *values);
  *result = (golden_result){values, n + 1, k, result->report};
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"mds"}, .least = 13, .compute = compute};
  return golden_main(argc, argv, &family);
}
